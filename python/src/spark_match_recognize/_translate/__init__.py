"""Statements of other systems in Spark's dialect. `translate` is the way in; the rest is private.

The other modules are made of classes of sqlglot, which this one does without until it is called:

- `systems`: the systems, and the facts in which they differ from Spark
- `statement`: the way of a statement through the modules below
- `reader`, `windows`, `literals`, `vertica`: from text to the tree of sqlglot
- `nodes`: what is in that tree for the clause
- `tables`, in the forms of `rules`: the functions of each system; `formats` and `times` write those
  that many systems have
- `changes`: what is written in another way because its meaning differs; `values`, `oracle` and
  `flink` have what is about values, and what one system has alone, `days` the DATEs of Oracle
- `notes`, `calls`, `kinds`: what is left as it is and may still differ
- `writer`: from the tree to text
"""

from __future__ import annotations

import html
import importlib
from typing import Any, Literal, TypeAlias

from spark_match_recognize._errors import extra
from spark_match_recognize._kinds import checked, text
from spark_match_recognize._translate.systems import SYSTEMS

__all__ = ["Translation", "translate"]
System: TypeAlias = Literal[
    "databricks", "duckdb", "flink", "oracle", "snowflake", "spark", "trino", "vertica"
]


class Translation(str):
    """A statement in Spark's dialect: a string, as `spark.sql` takes it, with notes.

    Attributes:
        sql: The statement, as a plain string.
        notes: What was changed because its meaning differs, and what may still differ.
    """

    __slots__ = ("notes",)

    notes: tuple[str, ...]

    def __new__(cls, sql: str, notes: tuple[str, ...]) -> Translation:  # noqa: PYI034 - Self is of Python 3.11
        """Keep a statement and its notes.

        Args:
            sql: The statement.
            notes: The notes.
        """
        found = super().__new__(cls, sql)
        found.notes = notes
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return what a copy is made of."""
        return self.sql, self.notes

    @property
    def sql(self) -> str:
        """The statement, as a plain string."""
        return str.__str__(self)

    def __repr__(self) -> str:
        """Show the statement, and the notes as comments after it."""
        return "\n".join([self, *(f"-- {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return f"<pre>{html.escape(self)}</pre>" + (f"<ul>{notes}</ul>" if notes else "")


@checked(sql=text, read=text)
def translate(sql: str, read: System) -> Translation:
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
        TypeError: If an argument is not a string.
        ValueError: If sqlglot cannot read the statement, a MATCH of Vertica has no counterpart, or
            the system is not one of these.
    """
    if read.lower() not in SYSTEMS:
        message = f"translate reads {', '.join(SYSTEMS)}, not {read!r}"
        raise ValueError(message)
    extra("sqlglot", "translate")
    statement = importlib.import_module("spark_match_recognize._translate.statement")
    translated, notes = statement.translated(sql, SYSTEMS[read.lower()])
    return Translation(translated, notes)
