"""What a statement is allowed to say and rarely means."""

from __future__ import annotations

from spark_match_recognize import _kinds as kinds
from spark_match_recognize._hints import DataFrame, SparkSession
from spark_match_recognize._lines import Warnings
from spark_match_recognize._trace import run, session_of


@kinds.checked(sql=kinds.query, spark=kinds.optional(kinds.session), data=kinds.flag)
def lint(
    sql: DataFrame | str, spark: SparkSession | None = None, *, data: bool = False
) -> Warnings:
    """Return warnings about the MATCH_RECOGNIZE clauses of a query.

    Without `data` nothing is run. They are what EXPLAIN FORMATTED shows of tables, and what the log
    says when the query runs: no ORDER BY, a constant as a key of a window, a variable without a
    definition whose name is nearly that of a defined one or looks like an operator (`A OR B`),
    PERMUTE of one element, a condition that is never true, or that reads a variable which has no
    row yet. Further what the types tell: a text as a key that is used or called as a number,
    comparisons with NULL and of texts with numbers, fractions as keys of PARTITION BY.

    With `data` the input of each clause is read once and counted: ties and NULLs in the keys,
    texts that are numbers, pauses that PREV reads across, conditions that no row satisfies, and the
    sizes of partitions. The rows of a stream are not read; a warning says how to check them.

    Examples:
        >>> import spark_match_recognize as mr
        >>> query = '''
        ...     SELECT * FROM VALUES ('9', 'buy'), ('10', 'sell') AS t(k, side) MATCH_RECOGNIZE (
        ...       ORDER BY k MEASURES COUNT(*) AS n PATTERN (FALL DOWN)
        ...       DEFINE FALL AS k > DOWN.k, DOWN AS side = 'BUY')
        ... '''
        >>> mr.lint(query, spark)
        The condition of FALL reads DOWN, which has no row yet where PATTERN has FALL: what it \
reads is NULL.
        >>> len(mr.lint(query, spark, data=True))
        4

    Args:
        sql: A statement, or a DataFrame, such as `match_recognize` returns.
        spark: The session of a statement, classic or Connect; the active one if it is not given.
        data: Whether to read the input of the clauses, in one query of Spark that returns a few
            rows.

    Returns:
        One sentence for each thing found, that of the innermost clause first, then those of the
        data: a list that prints as lines, empty if nothing was found.

    Raises:
        AnalysisException: If the query is not valid.
        PluginNotLoadedError: If the session does not have the plugin.
        RuntimeError: If there is no session.
        SetupError: If the plugin of the session is too old for it.
        TypeError: If an argument is of a wrong kind.
    """
    # a plugin that is older than the package has no parameter `data`
    rest, values = (", data => :data", {"data": True}) if data else ("", {})
    if isinstance(sql, str):
        rows = run(
            session_of(sql, spark),
            f"SELECT * FROM match_recognize_warnings(query => :query{rest})",
            {"query": sql, **values},
        )
    else:
        # as in match_recognize: dropping the temporary view must not clear a cache
        rows = run(
            sql.sparkSession,
            f"SELECT * FROM match_recognize_warnings(query => 'SELECT * FROM {{df}}'{rest})",
            values,
            df=sql.where("true"),
        )
    return Warnings(str(row.warning) for row in rows.collect())
