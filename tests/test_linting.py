"""`lint`: the same warnings in a classic and a Connect session."""

from __future__ import annotations

from typing import Any

import linting
import pytest
from through_connect import Answers

ASKED = linting
NEVER = (
    "The condition of BUY is never true, because a part of it is NULL. Write IS NULL to compare "
    "with NULL."
)
NUMBERS = "as texts, '10' is before '9'. Write CAST"
WANTED: dict[str, Any] = {
    "of_rows": [
        [NEVER],
        [
            NEVER,
            (
                "PARTITION BY `sym``{bol}` is NULL in 1 row; NULLs are one partition. If their "
                "rows do not belong together, exclude them: WHERE `sym``{bol}` IS NOT NULL."
            ),
            (
                "ORDER BY seq is NULL in 1 row; NULLs are sorted before or after all others. If "
                "their rows have no place in the order, exclude them: WHERE seq IS NOT NULL."
            ),
            (
                "2 of 5 rows have the same ORDER BY keys as another row of their partition, so "
                "their order, and with it the result, may change. Add a key to ORDER BY that "
                "tells them apart."
            ),
            (
                "seq is sorted or compared as a text, and all of its 4 values are numbers: "
                f"{NUMBERS}(seq AS DOUBLE), or another type."
            ),
            (
                "price is sorted or compared as a text, and all of its 4 values are numbers: "
                f"{NUMBERS}(price AS DOUBLE), or another type."
            ),
        ],
        True,
        True,
        1,
    ],
    "of_sizes": [
        ["The input of the clause has no rows, so its data was not checked."],
        ["There is no ORDER BY, so the result depends on the order in which the rows are read."],
        [],
        [
            (
                "PARTITION BY id = 1 OR NULL is NULL in 2 rows; NULLs are one partition. If their "
                "rows do not belong together, exclude them: WHERE (id = 1 OR NULL) IS NOT NULL."
            ),
        ],
        [
            (
                "One of 10,000 partitions has 20,001 of 30,000 rows. One task searches it, and the "
                "others wait. If its key replaces missing values, exclude it in WHERE; otherwise "
                "add a key to PARTITION BY."
            ),
        ],
        [
            (
                "4 of 4 rows have the same ORDER BY keys as another row of their partition, so "
                "their order, and with it the result, may change. Add a key to ORDER BY that tells "
                "them apart, or PARTITION BY if they belong to different things."
            ),
        ],
        [],
    ],
    "of_stream": [
        [],
        [],
        "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.TRACE",
        "MATCH_RECOGNIZE_INVALID_TRACE.NO_CLAUSE",
    ],
    "of_lookback": [
        [
            "'anywhere'",
            "datetime.timedelta(seconds=5400)",
            "datetime.timedelta(seconds=5400)",
            "0",
            "True",
        ],
        ["'gap'", "Decimal('60')", "Decimal('50')", "1", "True"],
        ["'nowhere'", "None", "None", "0", "True"],
        (
            "No match crosses a gap in timestamp longer than INTERVAL '0 01:00:00' DAY TO SECOND. "
            "For new rows from t on, read each partition from the last row before t - INTERVAL '0 "
            "01:00:00' DAY TO SECOND that follows such a gap, and replace the matches that begin "
            "at or after that row."
        ),
        (
            "The query has no MATCH_RECOGNIZE clause: pass a query with one. In SQL, "
            "match_recognize_lookback(query) has a row for each."
        ),
        (
            "The query has 2 MATCH_RECOGNIZE clauses: pass a query with one. In SQL, "
            "match_recognize_lookback(query) has a row for each."
        ),
    ],
}


@pytest.mark.parametrize("check", WANTED)
def test_answer(answers: Answers, check: str) -> None:
    assert answers[check] == WANTED[check]
