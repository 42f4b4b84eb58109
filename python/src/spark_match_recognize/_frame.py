"""The clause on a DataFrame."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from spark_match_recognize import _arguments as arguments
from spark_match_recognize._captured import messages_of_own_conditions
from spark_match_recognize._clause import write
from spark_match_recognize._errors import PluginNotLoadedError
from spark_match_recognize._retell import retell
from spark_match_recognize._session import is_enabled

if TYPE_CHECKING:
    from datetime import timedelta

    from pyspark.sql import Column, DataFrame


def to_sql(  # noqa: PLR0913 - the parts of the clause
    *,
    partition_by: str | Column | Sequence[str | Column] | None = None,
    order_by: str | Column | Sequence[str | Column] | None = None,
    measures: Mapping[str, str] | None = None,
    rows_per_match: str | None = None,
    after_match_skip: str | None = None,
    pattern: str,
    within: str | timedelta | None = None,
    subset: Mapping[str, str | Sequence[str]] | None = None,
    define: Mapping[str, str] | None = None,
) -> str:
    """Return a MATCH_RECOGNIZE clause as text.

    The arguments are those of `match_recognize`. The text is the one that `match_recognize` runs;
    in a statement it is written after a table: `f"SELECT * FROM ticks {text}"`.

    Examples:
        >>> import spark_match_recognize as mr
        >>> print(mr.to_sql(
        ...     partition_by="symbol",
        ...     order_by="ts",
        ...     measures={"start": "FIRST(ts)", "lowest price": "LAST(DOWN.price)"},
        ...     pattern="STRT DOWN+ UP+",
        ...     define={"DOWN": "price < PREV(price)", "UP": "price > PREV(price)"},
        ... ))
        MATCH_RECOGNIZE (
          PARTITION BY symbol
          ORDER BY ts
          MEASURES
            FIRST(ts) AS start,
            LAST(DOWN.price) AS `lowest price`
          PATTERN (STRT DOWN+ UP+)
          DEFINE
            DOWN AS price < PREV(price),
            UP AS price > PREV(price)
        )

    Args:
        partition_by: What follows PARTITION BY: one SQL text or several. A column of pyspark is
            taken by its name, as in `F.col("symbol")`, also with `alias`.
        order_by: What follows ORDER BY: one SQL text or several, or columns by their names, as in
            `F.col("ts").desc()`.
        measures: The measures: SQL texts by the names of their columns.
        rows_per_match: This part as in SQL, as in `"ALL ROWS PER MATCH"`.
        after_match_skip: What follows AFTER MATCH SKIP, as in `"TO NEXT ROW"`.
        pattern: What is in the parentheses of PATTERN.
        within: What follows WITHIN, as in `"INTERVAL '5' MINUTE"`, or a timedelta.
        subset: The union variables: names of variables, or a SQL text, by their names.
        define: The conditions: SQL texts by the names of the variables.

    Returns:
        The clause, without a table before it.

    Raises:
        TypeError: If an argument, or an entry of one, is not a string, or a column is computed.
        ValueError: If an argument repeats words that it implies, as in `within="WITHIN ..."`.
    """
    clause = write(
        partition_by=partition_by,
        order_by=order_by,
        measures=measures,
        rows_per_match=rows_per_match,
        after_match_skip=after_match_skip,
        pattern=pattern,
        within=within,
        subset=subset,
        define=define,
    )
    return clause.text


def match_recognize(  # noqa: PLR0913 - the parts of the clause
    df: DataFrame,
    *,
    partition_by: str | Column | Sequence[str | Column] | None = None,
    order_by: str | Column | Sequence[str | Column] | None = None,
    measures: Mapping[str, str] | None = None,
    rows_per_match: str | None = None,
    after_match_skip: str | None = None,
    pattern: str,
    within: str | timedelta | None = None,
    subset: Mapping[str, str | Sequence[str]] | None = None,
    define: Mapping[str, str] | None = None,
) -> DataFrame:
    r"""Find the rows of a DataFrame that match a pattern.

    The arguments are the parts of the clause, in its order and with its names. Their strings are
    SQL, as in `selectExpr`, so a column whose name is not an identifier is written in backticks.
    The keys of the dicts are names, which are quoted where SQL needs it.

    Examples:
        >>> import spark_match_recognize as mr
        >>> ticks = spark.createDataFrame(
        ...     [("A", 1, 50), ("A", 2, 40), ("A", 3, 30), ("A", 4, 45)],
        ...     "symbol STRING, ts INT, price INT",
        ... )
        >>> mr.match_recognize(
        ...     ticks,
        ...     partition_by="symbol",
        ...     order_by="ts",
        ...     measures={"bottom": "LAST(DOWN.price)", "rows": "COUNT(*)"},
        ...     pattern="STRT DOWN+ UP+",
        ...     define={"DOWN": "price < PREV(price)", "UP": "price > PREV(price)"},
        ... ).show()
        +------+------+----+
        |symbol|bottom|rows|
        +------+------+----+
        |     A|    30|   4|
        +------+------+----+
        <BLANKLINE>

    Args:
        df: A DataFrame, batch or streaming, classic or Connect.
        partition_by: What follows PARTITION BY: one SQL text or several. A column of pyspark is
            taken by its name, as in `F.col("symbol")`, also with `alias`.
        order_by: What follows ORDER BY: one SQL text or several, or columns by their names, as in
            `F.col("ts").desc()`.
        measures: The measures: SQL texts by the names of their columns.
        rows_per_match: This part as in SQL, as in `"ALL ROWS PER MATCH"`.
        after_match_skip: What follows AFTER MATCH SKIP, as in `"TO NEXT ROW"`.
        pattern: What is in the parentheses of PATTERN.
        within: What follows WITHIN, as in `"INTERVAL '5' MINUTE"`, or a timedelta.
        subset: The union variables: names of variables, or a SQL text, by their names.
        define: The conditions: SQL texts by the names of the variables.

    Returns:
        The result of the clause as a DataFrame. Nothing is computed yet.

    Raises:
        AnalysisException: As for the same clause in SQL (a syntax error is its subclass
            ParseException); the message shows the argument and the place in it.
        PluginNotLoadedError: If the session does not have the plugin.
        TypeError: If `df` is not a DataFrame, an argument or an entry of one is not a string, or a
            column is computed.
        ValueError: If an argument repeats words that it implies, as in `within="WITHIN ..."`.
    """
    arguments.frame("df", df)
    clause = write(
        partition_by=partition_by,
        order_by=order_by,
        measures=measures,
        rows_per_match=rows_per_match,
        after_match_skip=after_match_skip,
        pattern=pattern,
        within=within,
        subset=subset,
        define=define,
    )
    messages_of_own_conditions()
    spark = df.sparkSession
    # Spark makes a temporary view of `df` and drops it, and dropping one clears the cache of a plan
    # that is the view's: here that plan is the filter, which nobody caches and Spark optimises away
    frame = df.where("true")
    text = clause.text.replace("{", "{{").replace("}", "}}")
    try:
        return spark.sql(f"SELECT * FROM {{df}}\n{text}", df=frame)
    except importlib.import_module("pyspark.errors").AnalysisException as error:
        if not retell(error, clause, df.columns) and not is_enabled(spark):
            raise PluginNotLoadedError from error
        raise
