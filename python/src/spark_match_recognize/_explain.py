"""What a search found and why other rows do not match, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark_match_recognize import _kinds as kinds
from spark_match_recognize._hints import DataFrame, SparkSession
from spark_match_recognize._lines import Lines
from spark_match_recognize._trace import searched


class Explanation(Lines):
    """The findings of a search: a list of sentences, the most general one first.

    Printed, or at the end of a notebook's cell, it is one line for each sentence.
    """


@kinds.checked(query=kinds.query, spark=kinds.optional(kinds.session))
def explain(
    query: DataFrame | str,
    partition: Mapping[str, Any] | str | None = None,
    *,
    max_rows: int = 1_000_000,
    spark: SparkSession | None = None,
) -> Explanation:
    r"""Say in sentences what a search found and why other rows do not match.

    One task of Spark searches the partitions and counts: how many attempts found a match, which
    conditions ended the others, how often each condition holds, and more. The sentences are made by
    the table function `match_recognize_explain`.

    Examples:
        >>> import spark_match_recognize as mr
        >>> told = mr.explain('''
        ...     SELECT * FROM VALUES (1, 50), (2, 40), (3, 40) AS t(ts, price) MATCH_RECOGNIZE (
        ...       ORDER BY ts MEASURES COUNT(*) AS n PATTERN (A B C)
        ...       DEFINE B AS price < A.price, C AS price > B.price)
        ... ''', spark=spark)
        >>> told[0]
        '3 attempts in 3 rows found no match.'
        >>> print(told[2].replace(": ", "\n"))
        1 attempt failed on `price > B.price` of C
        it began at row 1 and reached row 2 as B; in row 3, 40 > 40 is FALSE.

    Args:
        query: A statement, or a DataFrame, such as `match_recognize` returns.
        partition: The partition, as in `trace`; all partitions if it is not given.
        max_rows: How many rows are read; the first sentence says if there are more.
        spark: The session of a statement; the active one if it is not given.

    Returns:
        The sentences, the most general one first: a list that prints as lines.

    Raises:
        AnalysisException: If the query is not valid, has no clause, or reads a stream.
        PluginNotLoadedError: If the session does not have the plugin.
        RuntimeError: If there is no session.
        SetupError: If the plugin of the session is too old for it.
        TypeError: If an argument is of a wrong kind, or a value of `partition` has a type that is
            not written in SQL.
        ValueError: If a value of `partition` cannot occur in Spark.
    """
    more = {"max_rows": kinds.count("max_rows", max_rows)}
    rows = searched("explain", query, partition, spark, more).collect()
    return Explanation(row.sentence for row in sorted(rows, key=lambda row: row.ordinal))
