"""MATCH_RECOGNIZE of other systems in Spark's dialect: `translate`, loaded on first use.

`tokens` splits the text, `rewrite` edits single tokens by the lists in `systems`. What no list
names stays as it was written, so no part of a statement can be lost.
"""

from __future__ import annotations

import html
from typing import Any, Literal, TypeAlias

from spark_match_recognize._kinds import checked, text
from spark_match_recognize.translation.rewrite import rewritten
from spark_match_recognize.translation.systems import SYSTEMS

__all__ = ["System", "Translation", "translate"]
System: TypeAlias = Literal["flink", "oracle", "snowflake", "trino"]


class Translation(str):
    """A statement in Spark's dialect: a string, as `spark.sql` takes it, with notes.

    Attributes:
        sql: The statement, as a plain string.
        notes: What may fail or differ in Spark, in the order of the text. Each note begins with its
            place in the text that was translated, such as `line 3, column 12: `, both from 1.
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
    """Rewrite a statement with MATCH_RECOGNIZE of another system for Spark.

    The clause, names in quotes, literals and a short list of functions, operators and types are
    rewritten where Spark writes them in another way. Everything else stays as it is, and has a note
    if it is not known to mean the same.

    Examples:
        >>> import spark_match_recognize as mr
        >>> found = mr.translate('''
        ...     SELECT * FROM ticks MATCH_RECOGNIZE (
        ...       ORDER BY ts MEASURES AVG(A.price) AS "mean price"
        ...       PATTERN (A{2}) DEFINE A AS price > 10)
        ... ''', read="oracle")
        >>> print(found.sql.strip())
        SELECT * FROM ticks MATCH_RECOGNIZE (
              ORDER BY ts NULLS LAST MEASURES AVG(A.price) AS `mean price`
              PATTERN (A{2}) DEFINE A AS price > 10)
        >>> print(found.notes[0])
        line 3, column 28: AVG is left as it is: Spark's may fail or differ.

    Args:
        sql: One statement.
        read: The system that it is written for: flink, oracle, snowflake or trino.

    Returns:
        The statement, and notes on what may fail or differ.

    Raises:
        TypeError: If an argument is not a string.
        ValueError: If the system is not one of these, the text is not one statement, or a bracket,
            string, name or comment is not closed.
    """
    if read.lower() not in SYSTEMS:
        message = f"translate reads {', '.join(SYSTEMS)}, not {read!r}"
        raise ValueError(message)
    return Translation(*rewritten(sql, SYSTEMS[read.lower()]))
