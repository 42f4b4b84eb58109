"""Parameters at the places of literals in the clause: classic and Connect."""

from __future__ import annotations

import parameters
import pytest
from through_connect import Answers

ASKED = parameters
WANTED = {
    "literals": [4, 3, 4, "50", "ab", 30, 6],
    "types": [],
    "quantifiers": [
        [[1, 6], [8, 4]],
        [[1, 2], [3, 2], [5, 2], [8, 2], [10, 2]],
        [[0]] * 7 + [[1]] + [[3]] * 3,
        [[1, 4], [8, 4]],
        "MATCH_RECOGNIZE_INVALID_PATTERN.QUANTIFIER_VALUE",
    ],
    "errors": ["PARSE_SYNTAX_ERROR"] * 2 + ["UNBOUND_SQL_PARAMETER"] * 2,
}


@pytest.mark.parametrize("check", parameters.CHECKS)
def test_answer(answers: Answers, check: str) -> None:
    assert answers[check] == WANTED[check]
