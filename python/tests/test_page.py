"""What the page of `report` leaves out, and says so; tests/test_report.py reads it in a browser."""

from __future__ import annotations

from typing import Any

from spark_match_recognize._page import Attempt, Partition, page
from spark_match_recognize._search_report import _partition


def shown(part: Partition) -> str:
    return page(
        title="t",
        clause="",
        drawing="",
        sentences=[],
        plan="",
        variables=["A"],
        partitions=[part],
        note="",
    )


def made(rows: int, attempts: int, total: int) -> Partition:
    tries = [Attempt(n, 1 + n % total, 1 + n % total, "rows ended", "") for n in range(attempts)]
    return Partition("Rows", ["x"], [["1"]] * rows, [[]] * rows, tries, {}, total)


def test_a_small_partition_is_complete() -> None:
    text = shown(made(10, 20, 10))
    assert "The first" not in text
    assert text.count("<line ") == 20


def test_what_is_left_out_is_said() -> None:
    text = shown(made(10, 300, 10))
    assert "The first 200 of 300 attempts are drawn, each as a line." in text
    assert "rows are shown" not in text
    assert text.count("<line ") == 200
    text = shown(made(10, 1_200, 12))
    assert "The first 10 of 12 rows are shown." in text
    assert "Attempts that failed: 1200; the first 1,000 are listed" in text
    assert text.count("<tr><td>") == 1_000


def test_rows_of_a_partition_that_is_too_large() -> None:
    fields: dict[str, Any] = dict.fromkeys(
        ["variable", "truth", "condition", "evaluated", "path", "result", "match_number"]
    )
    steps = [
        {**fields, "event": "row", "row_number": n, "reads": {"x": str(n)}, "columns": ["x"]}
        for n in (1, 2, 3)
    ]
    tested = {**fields, "event": "test", "attempt": 1, "truth": "TRUE", "variable": "A"}
    tested |= {"reads": {}, "columns": [], "result": "kept"}
    steps += [{**tested, "row_number": n} for n in (1, 2, 3)]
    end = {**fields, "event": "end", "attempt": 1, "start_row": 1, "row_number": 3}
    steps.append({**end, "result": "match", "path": "A{3}", "match_number": 1})
    part = _partition(None, steps, 2)
    assert (part.rows, part.total) == ([["1"], ["2"]], 3)
    assert part.variables == [[("A", 1)], [("A", 1)]]
    assert list(part.tests) == ["1", "2"]
    assert [attempt.last for attempt in part.attempts] == [3]
    # the line ends with the last row that is shown
    assert 'x2="1000.00"' in shown(part)
