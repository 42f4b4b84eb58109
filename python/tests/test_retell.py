"""Errors of Spark in a clause, told about the arguments that it was made of."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import spark_match_recognize as mr
from spark_match_recognize._clause import write
from spark_match_recognize._retell import retell
from spark_match_recognize._text import caret


def clause(**arguments: Any) -> Any:
    names = inspect.signature(mr.to_sql).parameters
    return write(**{**dict.fromkeys(names), "pattern": "A", **arguments})


def error(kind: str, message: str) -> Any:
    errors = pytest.importorskip("pyspark.errors")
    return getattr(errors, kind)(message)


def test_error_about_the_whole_clause_shows_its_line() -> None:
    told = error(
        "AnalysisException", "[C] No rows. SQLSTATE: 1; line 2 pos 0\n== SQL (...) ==\n^^^"
    )
    assert retell(told, clause(), [])
    want = "[C] No rows. SQLSTATE: 1\n== MATCH_RECOGNIZE ==\nMATCH_RECOGNIZE (\n^^^\n"
    assert told._message == want


def test_error_about_a_part_shows_its_argument() -> None:
    text = "[C] No. SQLSTATE: 1; line 3 pos 2\n== SQL (...) ==\nORDER BY a, b\n^^^^^^^^^^^^^"
    told = error("AnalysisException", text)
    assert retell(told, clause(order_by=["a", "b"]), [])
    assert told._message == "[C] No. SQLSTATE: 1\n== order_by[0] ==\na\n^\n"


def test_hint_about_another_place_names_the_argument() -> None:
    text = "\n[P] ( opened at line 5, position 9 is not closed (line 5, pos 11)\n\n== SQL ==\n"
    told = error("ParseException", text)
    assert retell(told, clause(define={"A": "x y z"}), [])
    assert (
        told._message
        == '[P] ( opened in define["A"] is not closed\n== define["A"] ==\nx y z\n  ^\n'
    )


def test_error_without_a_place_is_left_as_it_is() -> None:
    told = error("AnalysisException", "[C] No.")
    assert retell(told, clause(), [])
    assert told._message == "[C] No."


class Frame:
    """A frame of a session without the plugin."""

    columns = ("x",)

    @property
    def sparkSession(self) -> Frame:  # noqa: N802 - pyspark's name
        return self

    def where(self, _: str) -> Frame:
        return self

    def sql(self, text: str, **_: Any) -> Any:
        if "match_recognize_version" in text:
            raise error("AnalysisException", "no such function")
        raise error("ParseException", "[PARSE_SYNTAX_ERROR] near '(' (line 2, pos 16)")


def test_session_without_the_plugin() -> None:
    pytest.importorskip("pyspark")
    with pytest.raises(mr.PluginNotLoadedError, match=r"mr\.doctor\(spark\)"):
        mr.match_recognize(Frame(), pattern="A")  # type: ignore[arg-type]


def test_caret() -> None:
    assert caret("ab\n\tcd e", 5, 1) == (2, 3, "\tcd e\n\t ^")
    assert caret("ab", 2, 5) == (1, 3, "ab\n  ^")
    assert caret("ab cd\nef", 3, 9) == (1, 4, "ab cd\n   ^^")
