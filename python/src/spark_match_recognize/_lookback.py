"""Where a search may be cut, so that a job reads new rows and not all rows again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from spark_match_recognize import _kinds as kinds
from spark_match_recognize._hints import DataFrame, SparkSession
from spark_match_recognize._trace import called

Cut: TypeAlias = Literal["anywhere", "gap", "nowhere"]


@dataclass(frozen=True)
class Lookback:
    """How far before new rows a clause has to be searched again, for a job that runs every night.

    Distances are those of the leading ORDER BY key, upper bounds of what any match can have: a
    timedelta if the key is a time or a date, else a number in the unit of the key.

    Attributes:
        cut: `anywhere`: read the rows from the time of the first new row minus `span` on, and
            replace the matches that begin there. `gap`: begin each partition after a gap that is
            longer than `gap`. `nowhere`: no lookback is enough.
        span: From the first row of a match to its last one; None if there is no bound.
        gap: From a row of a match to the next one; None if there is no bound.
        rows_before: How many rows before those PREV reads.
        numbered: Whether a measure has MATCH_NUMBER, which counts from the first row that is read.
        advice: What to do, in sentences.
    """

    cut: Cut
    span: timedelta | Decimal | None
    gap: timedelta | Decimal | None
    rows_before: int
    numbered: bool
    advice: str

    def __str__(self) -> str:
        """Return the advice."""
        return self.advice


@kinds.checked(sql=kinds.query, spark=kinds.optional(kinds.session))
def lookback(sql: DataFrame | str, spark: SparkSession | None = None) -> Lookback:
    """Return how far before new rows the clause of a query has to be searched again.

    The query is analysed and not run. That its result changes no more assumes that rows arrive in
    time: all rows before the new ones were there when the matches that are kept were searched.

    Examples:
        >>> import spark_match_recognize as mr
        >>> found = mr.lookback('''
        ...     SELECT * FROM VALUES (TIMESTAMP '2026-03-01 09:00:00', 1) AS t(ts, v)
        ...     MATCH_RECOGNIZE (
        ...       ORDER BY ts MEASURES FIRST(ts) AS from_ts AFTER MATCH SKIP TO NEXT ROW
        ...       PATTERN (A B+) WITHIN INTERVAL '1' HOUR DEFINE B AS v > PREV(v))
        ... ''', spark)
        >>> found.cut, found.span, found.rows_before
        ('anywhere', datetime.timedelta(seconds=3600), 0)

    Args:
        sql: A statement, or a DataFrame, such as `match_recognize` returns.
        spark: The session of a statement, classic or Connect; the active one if it is not given.

    Returns:
        What holds for the one clause of the query.

    Raises:
        AnalysisException: If the query is not valid.
        PluginNotLoadedError: If the session does not have the plugin.
        RuntimeError: If there is no session.
        SetupError: If the plugin of the session is too old for it.
        TypeError: If an argument is of a wrong kind.
        ValueError: If the query has no clause, or several, each of which has its own lookback.
    """
    rows = called("lookback", sql, spark).collect()
    if len(rows) != 1:
        message = (
            f"The query has {len(rows) or 'no'} MATCH_RECOGNIZE clause{'s' if rows else ''}: pass "
            "a query with one. In SQL, match_recognize_lookback(query) has a row for each."
        )
        raise ValueError(message)
    row: Any = rows[0]

    def distance(value: Decimal | None) -> timedelta | Decimal | None:
        if value is None or not row.is_time:
            return value if value is None else value.normalize() + 0
        return timedelta(microseconds=int(value * 1_000_000))

    return Lookback(
        row.cut,
        distance(row.span),
        distance(row.gap),
        row.rows_before,
        row.numbered,
        row.advice,
    )
