"""Drawing a result; the frame is a list of rows here."""

from __future__ import annotations

import datetime as dt
import math
import sys
from pathlib import Path
from typing import Any

import pytest

import spark_match_recognize as mr

ROWS = [
    ("A", 2, 40, "DOWN", 1),
    ("A", 1, 50, "STRT", 1),
    ("A", 3, 60, None, None),
    ("A", 4, None, "STRT", 2),
    ("A", 5, 30, "DOWN", 2),
    ("B", 1, 9, None, None),
    ("B", None, 9, None, None),
]
COLUMNS: dict[str, Any] = {"x": "day", "y": "a`b", "variable": "role", "match": "nr"}


class Frame:
    """What `plot` needs of a DataFrame."""

    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self.rows = rows
        self.selected: tuple[str, ...] = ()

    selectExpr: Any = None  # by which a frame of Spark is known  # noqa: N815 - pyspark's name

    def select(self, *columns: str) -> Frame:
        self.selected = columns
        return self

    def limit(self, rows: int) -> Frame:
        self.rows = self.rows[:rows]
        return self

    def collect(self) -> list[tuple[Any, ...]]:
        return self.rows


def drawn(rows: list[tuple[Any, ...]], **arguments: Any) -> Any:
    pytest.importorskip("matplotlib")
    return mr.plot(Frame(rows), **{**COLUMNS, **arguments})  # type: ignore[arg-type]


def test_one_picture_for_each_partition() -> None:
    figure = drawn(ROWS, partition_by="symbol")
    assert [axes.get_title() for axes in figure.axes] == ["A", "B"]
    assert [axes.get_ylabel() for axes in figure.axes] == ["a`b", "a`b"]
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "day"]
    first, second = (axes.lines[0].get_xydata().tolist() for axes in figure.axes)
    assert first[:3] + first[4:] == [[1, 50], [2, 40], [3, 60], [5, 30]]
    assert math.isnan(first[3][1])
    assert second == [[1, 9]]


def test_colours_are_those_of_the_variables() -> None:
    figure = drawn(ROWS, partition_by=["symbol"])
    axes, other = figure.axes
    dots = {dots.get_label(): dots for dots in axes.collections}
    assert dots["DOWN"].get_offsets().tolist() == [[2, 40], [5, 30]]
    assert dots["STRT"].get_offsets().tolist()[0] == [1, 50]
    colours = [tuple(found.get_facecolor()[0]) for found in dots.values()]
    assert len(set(colours)) == len(colours) == 2
    assert not other.collections
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["STRT", "DOWN"]


def test_matches_are_shaded() -> None:
    axes = drawn(ROWS, partition_by="symbol").axes[0]
    assert [(span.get_x(), span.get_width()) for span in axes.patches] == [(1, 1), (4, 1)]


def test_rows_alone() -> None:
    days = [(dt.date(2026, 1, day), day, None, None) for day in (3, 1, 2)]
    figure = drawn(days)
    (axes,) = figure.axes
    assert axes.lines[0].get_ydata().tolist() == [1, 2, 3]
    assert not axes.patches
    assert not figure.legends
    assert not drawn([]).axes[0].lines


def test_columns_are_names_not_sql() -> None:
    pytest.importorskip("matplotlib")
    frame = Frame([(*row[:3], row[4]) for row in ROWS])
    mr.plot(frame, x="day", y="a`b", match="n.r", partition_by="my key")  # type: ignore[arg-type]
    assert frame.selected == ("`my key`", "`day`", "`a``b`", "`n.r`")


def test_too_much() -> None:
    rows = [(number, number, 1, None, None) for number in range(31)]
    with pytest.raises(ValueError, match="at most 30 rows, and the DataFrame has more"):
        drawn(rows, partition_by="k", limit=30)
    with pytest.raises(ValueError, match="at most 30 partitions, and the DataFrame has 31"):
        drawn(rows, partition_by="k", limit=31)


def test_several_series_in_one_picture() -> None:
    rows = [(1, 50, None, None), (1, 50, None, None), (2, 40, None, None)]
    assert len(drawn(rows).axes) == 1  # a row of two matches is there twice
    with pytest.warns(UserWarning, match="several values of a`b where day is 2, .* partition_by"):
        drawn([*rows, (2, 9, None, None)])


def test_texts_on_the_horizontal_axis_are_in_order_in_each_picture() -> None:
    rows = [("A", "01", 1, None, None), ("A", "03", 2, None, None)]
    rows += [("B", day, 5, None, None) for day in ("01", "02", "03")]
    figure = drawn(rows, partition_by="k")
    figure.draw_without_rendering()
    second = figure.axes[1].lines[0]
    assert second.get_xdata(orig=False).tolist() == [0, 1, 2]


def test_rows_without_a_place() -> None:
    rows = [(place, place, None, None) for place in (3.0, math.nan, 1.0, None, 2.0)]
    (axes,) = drawn(rows).axes
    assert axes.lines[0].get_xdata().tolist() == [1, 2, 3]


@pytest.mark.parametrize("keys", [(math.nan, float("nan")), (bytearray(b"a"), bytearray(b"a"))])
def test_keys_of_any_type(keys: tuple[Any, Any]) -> None:
    figure = drawn([(key, n, n, None, None) for n, key in enumerate(keys)], partition_by="k")
    assert len(figure.axes) == 1


def test_names_are_no_formulas(tmp_path: Path) -> None:
    names = ("_A", "a$b$c", "$\\nosuch$")
    rows = [(name, 1, 1, name, 1) for name in names]
    figure = drawn(rows, partition_by="k", x="$x$", y="$\\y$")
    figure.savefig(tmp_path / "a.png")
    assert {text.get_text() for text in figure.legends[0].get_texts()} == set(names)
    texts = [*figure.legends[0].get_texts(), *(axes.title for axes in figure.axes)]
    texts += [figure.axes[-1].xaxis.label, figure.axes[0].yaxis.label]
    assert not any(text.get_parse_math() for text in texts)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": None}, "x must be the name of a column, not None"),
        ({"y": ["price"]}, "y must be the name of a column, not a value of type list"),
        ({"match": 1}, "match must be the name of a column, not a value of type int"),
        ({"partition_by": [1]}, "partition_by must be the name of a column, not a value of type"),
        ({"limit": "a"}, "limit must be an integer, not a value of type str"),
    ],
)
def test_wrong_kinds(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        drawn([], **arguments)


def test_values_that_are_no_numbers() -> None:
    with pytest.raises(ValueError, match="y must be a column of numbers: a`b has 'A'"):
        drawn([(1, "A", None, None)])
    with pytest.raises(TypeError, match="df must be a DataFrame of Spark or pandas, not a value"):
        mr.plot("ticks", x="a", y="b")  # type: ignore[arg-type]


def test_file(tmp_path: Path) -> None:
    drawn(ROWS, partition_by="symbol").savefig(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_extra_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(
        mr.MissingExtraError, match=r"matplotlib .* 'spark-match-recognize\[plot\]'"
    ):
        mr.plot(Frame([]), x="a", y="b")  # type: ignore[arg-type]
