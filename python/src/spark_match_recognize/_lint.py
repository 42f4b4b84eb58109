"""What a statement is allowed to say and rarely means."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_WARNING = re.compile(r"^Warning: (.+)$", re.MULTILINE)
_FAILED = "Error occurred during query planning"


def lint(sql: str, spark: SparkSession | None = None) -> list[str]:
    """Return warnings about the MATCH_RECOGNIZE clauses of a statement, without running it.

    They are what EXPLAIN FORMATTED shows and the log says when the statement runs: no ORDER BY, a
    variable without a definition whose name is nearly that of a defined one or looks like an
    operator (`A OR B`), PERMUTE of one element, a condition that is never true, or that reads a
    variable which has no row yet.

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
        RuntimeError: If there is no session.
    """
    session = spark or importlib.import_module("pyspark.sql").SparkSession.getActiveSession()
    if session is None:
        message = "There is no active Spark session: pass one, as in lint(sql, spark)."
        raise RuntimeError(message)
    plan = str(session.sql(f"EXPLAIN FORMATTED {sql}").collect()[0][0])
    if plan.startswith(_FAILED):
        session.sql(sql)  # raises what EXPLAIN only quotes
    return list(dict.fromkeys(_WARNING.findall(plan)))
