"""Statements of other systems in Spark's dialect. `translate` is the way in; the rest is private.

The other modules are made of classes of sqlglot, which this one does without until it is called:

- `systems`: the systems, and the facts in which they differ from Spark
- `statement`: the way of a statement through the modules below
- `reader`, `windows`, `literals`, `vertica`: from text to the tree of sqlglot
- `nodes`: what is in that tree for the clause
- `changes`: what is written in another way because its meaning differs
- `notes`, `calls`, `kinds`: what is left as it is and may still differ
- `writer`: from the tree to text
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from spark_match_recognize import _arguments as arguments
from spark_match_recognize._errors import extra
from spark_match_recognize._translate.systems import SYSTEMS

__all__ = ["Translation", "translate"]


@dataclass(frozen=True)
class Translation:
    """A statement in Spark's dialect.

    Attributes:
        sql: The statement.
        notes: What was changed because its meaning differs, and what may still differ.
    """

    sql: str
    notes: tuple[str, ...]

    def __str__(self) -> str:
        """Return the statement."""
        return self.sql


def translate(sql: str, read: str) -> Translation:
    """Translate a statement with MATCH_RECOGNIZE from another system into Spark's dialect.

    Functions, types and literals are translated by sqlglot. What is not known to return the same in
    Spark is named in a note. Needs the extra `translate`.

    Examples:
        >>> import spark_match_recognize as mr
        >>> found = mr.translate('''
        ...     SELECT * FROM ticks MATCH_RECOGNIZE (
        ...       ORDER BY ts MEASURES COUNT(*) AS n PATTERN (A{2}) DEFINE A AS price > 10)
        ... ''', read="flink")
        >>> print(found.sql)
        SELECT
          *
        FROM ticks
        MATCH_RECOGNIZE (
          ORDER BY
            ts
          MEASURES
            COUNT(*) AS n
          AFTER MATCH SKIP TO NEXT ROW
          PATTERN (A{2})
          DEFINE
            A AS price > 10
        )
        >>> print(found.notes[0])
        Flink continues at the next row if there is no AFTER MATCH SKIP: TO NEXT ROW was added.

    Args:
        sql: One statement.
        read: The system that it is written for: databricks, duckdb, flink, oracle, snowflake,
            spark, trino or vertica, whose clause is MATCH.

    Returns:
        The statement, and notes on differences in meaning.

    Raises:
        MissingExtraError: If sqlglot is not installed.
        TypeError: If `sql` is not a string.
        ValueError: If sqlglot cannot read the statement, a MATCH of Vertica has no counterpart, or
            the system is not one of these.
    """
    arguments.text("sql", sql)
    if read not in SYSTEMS:
        message = f"translate reads {', '.join(SYSTEMS)}, not {read!r}"
        raise ValueError(message)
    extra("sqlglot", "translate")
    statement = importlib.import_module("spark_match_recognize._translate.statement")
    text, notes = statement.translated(sql, SYSTEMS[read])
    return Translation(text, notes)
