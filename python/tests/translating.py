"""Statements for the tests of `translate`, and their translation on one line."""

from __future__ import annotations

import spark_match_recognize as mr

CLAUSE = "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k MEASURES {} PATTERN (A) DEFINE A AS {})"
VERTICA = "SELECT {} FROM t MATCH (ORDER BY k DEFINE A AS v > 1, B AS v < 9 PATTERN P AS ({}){})"


def translated(sql: str, read: str) -> tuple[str, tuple[str, ...]]:
    found = mr.translate(sql, read=read)
    assert str(found) == found.sql
    return " ".join(found.sql.split()), found.notes


def item(expression: str, read: str) -> str:
    """Return what an item of a SELECT list becomes."""
    return translated(f"SELECT {expression} FROM t", read)[0][len("SELECT ") : -len(" FROM t")]
