"""Messages of wrong calls; `GENERATE_GOLDEN_FILES=1` writes them into messages.txt."""

from __future__ import annotations

import inspect
import os
from typing import Any, get_args

import pytest
import wrong_calls

import spark_match_recognize as mr
from spark_match_recognize._clause import RowsPerMatch
from spark_match_recognize.translation import SYSTEMS, System

FUNCTIONS = [name for name in mr.__all__ if inspect.isfunction(getattr(mr, name))]


def test_messages_are_those_of_the_file() -> None:
    told = wrong_calls.told()
    if os.environ.get("GENERATE_GOLDEN_FILES"):
        wrong_calls.GOLDEN.write_text(told, encoding="utf-8")
    assert told == wrong_calls.GOLDEN.read_text(encoding="utf-8")
    assert "is accepted" not in told


def test_words_are_in_the_types() -> None:
    """A type checker knows each system of `translate`, and each form of ROWS PER MATCH."""
    assert get_args(System) == tuple(sorted(SYSTEMS))
    for words in get_args(RowsPerMatch):
        assert words in mr.to_sql(pattern="A", rows_per_match=words)


class Wrong:
    """A value of no kind that is expected anywhere."""


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (name, argument)
        for name in FUNCTIONS
        for argument in inspect.signature(getattr(mr, name)).parameters
    ],
)
def test_each_argument_of_each_function_is_checked(function: str, argument: str) -> None:
    given: dict[str, Any] = {
        "df": wrong_calls.Frame(),
        "query": wrong_calls.Frame(),
        "sql": "SELECT 1",
        "pattern": "A",
        "read": "oracle",
        "x": "a",
        "y": "b",
    }
    public = getattr(mr, function)
    needed = {
        name: given[name]
        for name, parameter in inspect.signature(public).parameters.items()
        if parameter.default is parameter.empty and name in given
    }
    with pytest.raises(TypeError, match=rf"{argument}\b.* must be .*\bWrong\b"):
        public(**{**needed, argument: Wrong()})
