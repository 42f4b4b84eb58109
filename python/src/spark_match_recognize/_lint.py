"""What a statement is allowed to say and rarely means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_match_recognize import _arguments as arguments
from spark_match_recognize._trace import run, session_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def lint(sql: str, spark: SparkSession | None = None) -> list[str]:
    """Return warnings about the MATCH_RECOGNIZE clauses of a statement, without running it.

    They are what EXPLAIN FORMATTED shows of tables, and what the log says when the statement runs,
    on a table or on a stream: no ORDER BY, a constant as a key of a window, a variable without a
    definition whose name is nearly that of a defined one or looks like an operator (`A OR B`),
    PERMUTE of one element, a condition that is never true, or that reads a variable which has no
    row yet.

    Examples:
        >>> import spark_match_recognize as mr
        >>> mr.lint('''
        ...     SELECT * FROM VALUES (1, 50), (2, 40) AS ticks(ts, price) MATCH_RECOGNIZE (
        ...       ORDER BY ts MEASURES COUNT(*) AS n PATTERN (FALL DOWN)
        ...       DEFINE FALL AS price > DOWN.price)
        ... ''', spark)
        ['The condition of FALL reads DOWN, which has no row yet where PATTERN has FALL: what it \
reads is NULL.']

    Args:
        sql: The statement.
        spark: The session, classic or Connect; the active one if it is not given.

    Returns:
        One sentence for each thing found, that of the innermost clause first; empty if there
        is none.

    Raises:
        AnalysisException: If the statement is not valid.
        PluginNotLoadedError: If the session does not have the plugin.
        RuntimeError: If there is no session.
        SetupError: If the plugin of the session is too old for it.
        TypeError: If `sql` is not a string.
    """
    statement = arguments.text("the statement of lint", sql)
    session = session_of(statement, spark)
    rows = run(
        session, "SELECT * FROM match_recognize_warnings(query => :query)", {"query": statement}
    )
    return [str(row.warning) for row in rows.collect()]
