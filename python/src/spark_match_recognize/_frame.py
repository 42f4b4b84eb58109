"""The clause on a DataFrame."""

from __future__ import annotations

import importlib
from datetime import timedelta
from typing import Any, get_args

from spark_match_recognize._captured import messages_of_own_conditions
from spark_match_recognize._clause import Clause, InputOrder, RowsPerMatch, Sets, write
from spark_match_recognize._columns_connect import may_be_of
from spark_match_recognize._errors import PluginNotLoadedError
from spark_match_recognize._hints import DataFrame, Keys, Named
from spark_match_recognize._kinds import checked, frame, optional, text
from spark_match_recognize._retell import retell
from spark_match_recognize._session import is_enabled
from spark_match_recognize._sql import statement

_SELECT = "SELECT {hint}* FROM {df}\n{clause}"


def to_sql(  # noqa: PLR0913 - the parts of the clause
    *,
    partition_by: Keys | None = None,
    order_by: Keys | None = None,
    measures: Named | None = None,
    rows_per_match: RowsPerMatch | str | None = None,
    after_match_skip: str | None = None,
    pattern: str,
    within: str | timedelta | None = None,
    subset: Sets | None = None,
    define: Named | None = None,
) -> str:
    """Return a MATCH_RECOGNIZE clause as text.

    The arguments are those of `match_recognize`. The text is the one that `match_recognize` runs;
    in a statement it is written after a table: `f"SELECT * FROM ticks {text}"`. A column is written
    by its name, whichever DataFrame it is from.

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
        partition_by: What follows PARTITION BY: SQL texts or columns, one or several, as in
            `F.col("symbol")` and `F.to_date("ts").alias("day")`.
        order_by: What follows ORDER BY: SQL texts or columns, one or several, as in
            `F.col("ts").desc()`.
        measures: The measures: SQL texts or columns by their names, or columns with `alias`, one or
            several.
        rows_per_match: This part as in SQL, as in `"ALL ROWS PER MATCH"`.
        after_match_skip: What follows AFTER MATCH SKIP, as in `"TO NEXT ROW"`.
        pattern: What is in the parentheses of PATTERN.
        within: What follows WITHIN, as in `"INTERVAL '5' MINUTE"`, or a timedelta.
        subset: The union variables: names of variables, or a SQL text, by their names.
        define: The conditions: SQL texts or columns by the names of the variables, or columns with
            `alias`.

    Returns:
        The clause, without a table before it.

    Raises:
        TypeError: If an argument, or an entry of one, is of a wrong kind, or a column has a part
            that is not written as SQL, such as a window.
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


@checked(df=frame, input_order=optional(text))
def match_recognize(  # noqa: PLR0913 - the parts of the clause
    df: DataFrame,
    *,
    partition_by: Keys | None = None,
    order_by: Keys | None = None,
    measures: Named | None = None,
    rows_per_match: RowsPerMatch | str | None = None,
    after_match_skip: str | None = None,
    pattern: str,
    within: str | timedelta | None = None,
    subset: Sets | None = None,
    define: Named | None = None,
    input_order: InputOrder | None = None,
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
        partition_by: What follows PARTITION BY: SQL texts or columns, one or several, as in
            `F.col("symbol")` and `F.to_date("ts").alias("day")`.
        order_by: What follows ORDER BY: SQL texts or columns, one or several, as in
            `F.col("ts").desc()`.
        measures: The measures: SQL texts or columns by their names, or columns with `alias`, one or
            several.
        rows_per_match: This part as in SQL, as in `"ALL ROWS PER MATCH"`.
        after_match_skip: What follows AFTER MATCH SKIP, as in `"TO NEXT ROW"`.
        pattern: What is in the parentheses of PATTERN.
        within: What follows WITHIN, as in `"INTERVAL '5' MINUTE"`, or a timedelta.
        subset: The union variables: names of variables, or a SQL text, by their names.
        define: The conditions: SQL texts or columns by the names of the variables, or columns with
            `alias`.
        input_order: On a stream, when rows are searched: `"watermark"`, once the watermark has
            passed them, or `"arrival"`, as they arrive. None for that of the session,
            `spark.matchRecognize.stream.inputOrder`. Not a part of the clause: it becomes the
            hint `INPUT_ORDER`.

    Returns:
        The result of the clause as a DataFrame. Nothing is computed yet.

    Raises:
        AnalysisException: As for the same clause in SQL (a syntax error is its subclass
            ParseException); the message shows the argument and the place in it.
        PluginNotLoadedError: If the session does not have the plugin.
        TypeError: If `df` is not a DataFrame, an argument or an entry of one is of a wrong kind, or
            a column has a part that is not written as SQL, such as a window.
        ValueError: If an argument repeats words that it implies, as in `within="WITHIN ..."`, a
            column is one of another DataFrame, or `input_order` is neither of its values.
    """
    hint = _hint(input_order)
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
        columns=lambda: df.columns,
    )
    messages_of_own_conditions()
    _check_leaves(df, clause)
    spark = df.sparkSession
    # Spark makes a temporary view of `df` and drops it, and dropping one clears the cache of a plan
    # that is the view's: here that plan is the filter, which nobody caches and Spark optimises away
    below = df.where("true")
    try:
        return statement(spark, _SELECT, frames={"df": below}, hint=hint, clause=clause.text)
    except importlib.import_module("pyspark.errors").AnalysisException as error:
        if not retell(error, clause, df.columns) and not is_enabled(spark):
            raise PluginNotLoadedError from error
        raise


def _hint(input_order: str | None) -> str:
    if input_order is None:
        return ""
    orders = get_args(InputOrder)
    if input_order not in orders:
        message = f"input_order is {input_order!r}. Write {' or '.join(map(repr, orders))}"
        raise ValueError(message)
    return f"/*+ INPUT_ORDER({input_order}) */ "


_OTHER_FRAME = (
    "CANNOT_RESOLVE_DATAFRAME_COLUMN",
    "MISSING_ATTRIBUTES",
    "AMBIGUOUS_COLUMN_REFERENCE",
)


def _check_leaves(df: DataFrame, clause: Clause) -> None:
    """Refuse columns such as `other.price`: the clause would read the column of `df` of that name.

    Raises:
        ValueError: If there is one.
    """
    if not clause.leaves:
        return
    error = _why_not_of(df, [leaf for _, leaf in clause.leaves])
    if error is None:
        # Connect may be told to read a column of any other frame by its name
        wrong = [found for found in clause.leaves if not may_be_of(df, found[1])]
        if not wrong:
            return
    elif not str(error.getCondition()).startswith(_OTHER_FRAME):
        raise error
    else:
        wrong = [found for found in clause.leaves if _why_not_of(df, [found[1]]) is not None]
    argument, leaf = [*wrong, clause.leaves[0]][0]
    message = (
        f"{argument} reads {leaf!r} of a DataFrame that is not df, or not one that df is made "
        'of without change. Write F.col("...") for the column of df with that name'
    )
    raise ValueError(message) from error


def _why_not_of(df: DataFrame, columns: list[Any]) -> Any:  # noqa: ANN401 - an error of pyspark
    """Return Spark's error if columns are not of a frame; Connect analyses on demand."""
    try:
        _ = df.select(*columns).columns
    except importlib.import_module("pyspark.errors").AnalysisException as error:
        return error
    return None
