"""The page of `report` of made-up findings; tests/test_report.py reads it in a browser."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from spark_match_recognize._attempts import Failure, Steps
from spark_match_recognize._chart import chart
from spark_match_recognize._matches import Bin, Run, Series
from spark_match_recognize._page import Page, Partition, page
from spark_match_recognize._scale import Scale, label

DAY = 86_400_000_000.0


def series(**changes: Any) -> Series:
    """Six rows with one match."""
    bins = [Bin(n, {"A" if n in (1, 2) else None: 1}, [(float(n), n * 10.0)], {}) for n in range(6)]
    made = Series(
        {"`k`": "x"},
        6,
        6,
        0,
        2,
        1,
        (0.0, 5.0),
        (0.0, 50.0),
        bins,
        600,
        [Run(1, "A", 2, 1, 2)],
        is_complete=True,
    )
    return made._replace(**changes)


def shown(partitions: list[Partition], **changes: Any) -> str:
    contents = Page(
        *["t", [], [], "", "", "", "", "number", "v"],
        is_descending=False,
        partitions=partitions,
        notes=[],
    )
    return page(contents._replace(**changes))


def test_each_match_is_a_span() -> None:
    text = shown([Partition("Partition x", series(), None)])
    assert re.findall(r"<title>(match[^<]*)<", text) == ["match 1, A: 2 rows, 1 to 2"]
    assert '<rect class="s0" x="254.0" y="10" width="184.0"' in text
    assert "1 match with 2 of 6 rows." in text
    assert "Too many to draw" not in text
    assert "select class" not in text


def test_too_many_matches_become_shares() -> None:
    text = shown([Partition("x", series(is_complete=False, matches=5_000, matched=9_000), None)])
    assert "<rect" not in text
    assert "Too many to draw each: every 0.17% of the width shows" in text
    # a place whose only row is of A is filled from the bottom to the top
    assert re.findall(r'<path class="s0" d="([^"]*)"', text) == [
        "M71.5 10h1.5v252H71.5zM73.1 10h1.5v252H73.1z"
    ]
    assert "Matches (the first 1 of 5,000)" in text


def test_what_is_left_out_is_said() -> None:
    text = shown([Partition("x", series(rows=2_000, placed=1_990), None)], notes=["20 of 30."])
    assert "first, last, lowest and highest value in each of 600 places" in text
    assert "10 rows have no place on the axis." in text
    assert '<p class="soft">20 of 30.</p>' in text
    steps = Steps(["c"], [["1"], [None]], [[("A", 1)], []], [], {})
    text = shown([Partition("x", series(), steps)])
    assert "Rows and single attempts (the first 2 of 6)" in text
    assert '<td class="soft">NULL</td>' in text


def test_partitions_can_be_chosen_and_failures_are_counted() -> None:
    failures = [Failure("UP", "p > 1 is FALSE", 1_234, "row 7 of <x>: 0 > 1")]
    parts = [Partition(f"Partition {n}", series(), None) for n in range(3)]
    text = shown(parts, failures=failures, failures_of="Counted here.")
    assert text.count("<option") == 4
    assert '<td class="number">1,234</td><td>UP</td>' in text
    assert "row 7 of &lt;x&gt;" in text
    assert "Counted here." in text


def test_a_column_that_is_no_number_and_order_that_falls() -> None:
    without = chart(series(y=None), "row", {"A": 0}, is_descending=True)
    assert 'class="line"' not in without
    assert '<rect class="s0" x="622.0"' in without  # row 2 is left of row 1


def ends_of_spans(runs: list[Run], *, is_descending: bool) -> list[tuple[float, float]]:
    drawn = chart(series(runs=runs), "row", {"A": 0, "B": 1}, is_descending=is_descending)
    found = re.findall(r'<rect class="s." x="([\d.]+)" y="10" width="([\d.]+)"', drawn)
    return [(float(x), float(x) + float(width)) for x, width in found]


def test_spans_of_runs_of_several_rows_meet() -> None:
    """Both have all their rows, whichever end of the axis is the first."""
    rising = [Run(1, "A", 3, 0, 2), Run(1, "B", 2, 3, 4), Run(2, "A", 1, 5, 5)]
    falling = [Run(1, "A", 3, 3, 5), Run(1, "B", 2, 1, 2), Run(2, "A", 1, 0, 0)]
    wanted = [(70, 530), (530, 806)]
    assert ends_of_spans(rising, is_descending=False)[:2] == wanted
    assert ends_of_spans(falling, is_descending=True)[:2] == wanted


GREATEST = sys.float_info.max


@pytest.mark.parametrize(
    ("low", "high"), [(-GREATEST, GREATEST), (GREATEST / 2, GREATEST), (0, GREATEST), (0, 5e-324)]
)
def test_values_at_the_ends_of_doubles(low: float, high: float) -> None:
    ends = [(0.0, low), (5.0, high)]
    drawn = chart(
        series(y=(low, high), x=(low, high), bins=[Bin(0, {None: 2}, ends, {})], runs=[]),
        "number",
        {},
        is_descending=False,
    )
    assert "nan" not in drawn
    assert "inf" not in drawn
    labels = re.findall(r">([^<>]+)</text>", drawn)
    assert len(labels) >= 4
    assert all(len(text) < 25 for text in labels)


def test_values_that_are_not_drawn_are_said() -> None:
    assert "1 row has an infinite value or NaN" in shown([Partition("x", series(odd=1), None)])
    assert "1,200 rows have an infinite" in shown([Partition("x", series(odd=1_200), None)])


def test_long_values_are_cut() -> None:
    steps = Steps(["c"], [["y" * 5_000]], [[]], [], {})
    assert "y" * 300 + "…<" in shown([Partition("x", None, steps)])


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0, 10, ["0", "2", "4", "6", "8", "10"]),
        (-0.05, 0.21, ["-0.05", "0.00", "0.05", "0.10", "0.15", "0.20"]),
        (1e6, 3e6, ["1,000,000", "1,500,000", "2,000,000", "2,500,000", "3,000,000"]),
        (7, 7, ["7"]),
        (-GREATEST, GREATEST, ["-1e+308", "0", "1e+308"]),
        (1e16, 1e16 + 10, [f"1{n:016}" for n in range(0, 11, 2)]),
        (0, 2e-12, ["0", "5e-13", "1e-12", "1.5e-12", "2e-12"]),
    ],
)
def test_ticks_of_numbers(low: float, high: float, labels: list[str]) -> None:
    assert [text for _, text in Scale(low, high, 0, 100).ticks(6)] == labels


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0, 4 * DAY, ["1970-01-01", "1970-01-02", "1970-01-03", "1970-01-04", "1970-01-05"]),
        (0, DAY / 4, ["1970-01-01 00:00", "01:00", "02:00", "03:00", "04:00", "05:00", "06:00"]),
        (0, 3e6, ["1970-01-01 00:00:00.000", *(f"00:00:0{n / 2:.3f}" for n in range(1, 7))]),
        (DAY * 40, DAY * 160, ["1970-03", "1970-04", "1970-05", "1970-06"]),
        (
            DAY * 40,
            DAY * 50,
            ["1970-02-10", "1970-02-12", "1970-02-14", "1970-02-16", "1970-02-18", "1970-02-20"],
        ),
        (0, DAY * 365 * 30, ["1970", "1975", "1980", "1985", "1990", "1995"]),
        (-9e18, 9e18, ["2000", "4000", "6000", "8000"]),
    ],
)
def test_ticks_of_times(low: float, high: float, labels: list[str]) -> None:
    assert [text for _, text in Scale(low, high, 0, 100, "time").ticks(7)] == labels


def test_rows_are_whole() -> None:
    assert [text for _, text in Scale(1, 3, 0, 100, "row").ticks(7)] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0.0, "time", "1970-01-01"),
        (5.4e9, "time", "1970-01-01 01:30"),
        (1.5e6, "time", "1970-01-01 00:00:01.500000"),
        (1e19, "time", "10000000000000 s"),
        (12.0, "row", "row 12"),
        (12.0, "number", "12"),
        (0.125, "number", "0.125"),
    ],
)
def test_labels(value: float, kind: str, text: str) -> None:
    assert label(value, kind) == text
