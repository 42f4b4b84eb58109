"""Statements for the tests of `translate`, and their translation on one line."""

from __future__ import annotations

import spark_match_recognize as mr

CLAUSE = "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k MEASURES {} PATTERN (A) DEFINE A AS {})"


def translated(sql: str, read: str) -> tuple[str, tuple[str, ...]]:
    found = mr.translate(sql, read=read)  # type: ignore[arg-type]
    assert str(found) == found.sql
    return " ".join(found.sql.split()), found.notes


def item(expression: str, read: str) -> tuple[str, list[str]]:
    """Return what an item of a SELECT list becomes, and what is left as it is."""
    sql, notes = translated(f"SELECT {expression} FROM t", read)
    return sql[len("SELECT ") : -len(" FROM t")], left(notes)


def left(notes: tuple[str, ...]) -> list[str]:
    """Return the words of the notes before `is left`, or whole notes without their places."""
    return [note.partition(": ")[2].partition(" is left")[0] for note in notes]
