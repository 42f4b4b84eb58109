"""`lint`: the same warnings in a classic and a Connect session."""

from __future__ import annotations

from typing import Any

import linting
import pytest
from through_connect import Answers

ASKED = linting
NAMED = (
    "ORDER BY seq sorts by STRING: of numbers '10' is before '9'. If they are numbers, write ORDER "
    "BY CAST(seq AS BIGINT)."
)
NOT_CONSTANT = (
    "[NON_FOLDABLE_ARGUMENT] The function `match_recognize_warnings` requires the parameter"
)
WANTED: dict[str, Any] = {
    "of_rows": [
        [NAMED],
        [
            (
                "ORDER BY seq sorts texts, and all of them are numbers: '11' is before '9'. Write "
                "ORDER BY CAST(seq AS BIGINT)."
            ),
            (
                "No row satisfies `side = 'BUY'`, the condition of BUY, so BUY matches none of 3 "
                "rows. The nearest value of `side` is 'buy', which differs in case or blanks."
            ),
        ],
        True,
        True,
        1,
    ],
    "of_stream": [
        [],
        [
            (
                "The clause reads a stream, so its data was not checked: ties, NULLs, gaps and "
                "texts in its keys, conditions that no row satisfies, and the sizes of partitions. "
                "Write some of its rows into a table, and check the same clause over that table."
            ),
        ],
    ],
    "in_sql": [
        0,
        *[
            f'{NOT_CONSTANT} `{name}` to be a foldable expression of the type "{kind}", but the '
            "actual argument is a non-foldable."
            for name, kind in [("data", "BOOLEAN"), ("data", "BOOLEAN"), ("query", "STRING")]
        ],
    ],
}


@pytest.mark.parametrize("check", WANTED)
def test_answer(answers: Answers, check: str) -> None:
    assert answers[check] == WANTED[check]
