"""Which columns `plot` finds by itself in frames of pandas, and when it warns of mixed series."""

from __future__ import annotations

import datetime as dt
import warnings
from typing import Any

import pandas as pd
import pytest

import spark_match_recognize as mr


def result() -> pd.DataFrame:
    """What `toPandas` returns of a clause with all rows: keys, order, measures, the rest."""
    return pd.DataFrame(
        {
            "symbol": ["A", "A", "A", "B", "B"],
            "ts": pd.to_datetime([f"2026-01-0{day}" for day in (1, 3, 5, 2, 4)]),
            "role": ["STRT", "DOWN", None, "STRT", "DOWN"],
            "number": pd.array([1, 1, None, 1, 1], dtype="Int64"),
            "price": [50.0, 40.0, None, 9.0, 8.0],
        }
    )


def drawn(frame: pd.DataFrame, **arguments: Any) -> Any:
    pytest.importorskip("matplotlib")
    return mr.plot(frame, **{"x": "ts", "y": "price", **arguments})


def test_a_result_of_a_clause_as_pandas() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = drawn(result())
    assert [axes.get_title() for axes in figure.axes] == ["A", "B"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["STRT", "DOWN"]
    assert [len(axes.patches) for axes in figure.axes] == [1, 1]


def test_one_partition_needs_no_title() -> None:
    one = result()[lambda frame: frame["symbol"] == "A"]
    assert [axes.get_title() for axes in drawn(one).axes] == [""]
    assert [axes.get_title() for axes in drawn(one, partition_by="symbol").axes] == ["A"]


def test_names_that_the_user_gives_come_first() -> None:
    renamed = result().rename(columns={"role": "what", "number": "which"})
    figure = drawn(renamed, variable="what", match="which")
    assert len(figure.axes) == 2
    assert len(figure.axes[0].patches) == 1
    assert not drawn(renamed).legends


def test_a_text_called_match_is_no_number() -> None:
    frame = pd.DataFrame({"ts": [1, 2], "price": [1, 2], "match": ["home", "away"]})
    assert not drawn(frame).axes[0].patches


def test_a_part_of_the_keys_is_too_little() -> None:
    frame = result().assign(role="A", number=1)
    frame.insert(0, "venue", ["x", "y", "x", "x", "x"])
    with pytest.warns(UserWarning, match="of venue, a PARTITION BY column, are on one line"):
        drawn(frame, partition_by="symbol")


def test_mistakes() -> None:
    with pytest.raises(ValueError, match="no column day; it has symbol, ts, role, number, price"):
        drawn(result(), x="day")
    with pytest.raises(ValueError, match="y must be a column of numbers: symbol has 'A'"):
        drawn(result(), y="symbol", partition_by=[])
    with pytest.raises(ValueError, match="at most 2 rows"):
        drawn(result(), limit=2)


@pytest.mark.parametrize(
    "places",
    [
        pd.to_timedelta(["1h", "90min", None, "2h", "3h"]),
        [dt.time(1), dt.time(1, 30), None, dt.time(2), dt.time(3)],
        [
            dt.timedelta(hours=1),
            dt.timedelta(hours=1.5),
            None,
            *map(dt.timedelta, (0, 0), (7200, 10800)),
        ],
    ],
)
def test_durations_and_times_of_day_are_in_hours(places: Any) -> None:
    figure = drawn(result().drop(columns="symbol").assign(ts=places))
    figure.draw_without_rendering()
    assert figure.axes[0].lines[0].get_xdata().tolist() == [1, 1.5, 2, 3]


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ([1, "2", 3, 4, 5], "x must be a column of values of one kind: ts has int and str"),
        ([b"a"] * 5, "x must be a column of numbers, texts or times: ts has b'a'"),
    ],
)
def test_places_without_a_common_order(places: list[Any], message: str) -> None:
    frame = result().drop(columns="symbol")
    with pytest.raises(ValueError, match=message):
        drawn(frame.assign(ts=pd.Series(places, dtype=object)))


@pytest.mark.parametrize("name", ["ts", "price", "role"])
def test_two_columns_of_a_name(name: str) -> None:
    frame = result().rename(columns={"symbol": name})
    with pytest.raises(ValueError, match=f"The frame has several columns {name}. Give them"):
        drawn(frame, variable="role")


def test_missing_values_of_pandas() -> None:
    frame = pd.DataFrame({"ts": [1.0, float("nan"), 3.0], "price": [pd.NA, 2, 3]})
    (axes,) = drawn(frame).axes
    assert axes.lines[0].get_xdata().tolist() == [1, 3]
