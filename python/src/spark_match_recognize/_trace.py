"""The steps of a search, and how functions of the plugin are called."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from spark_match_recognize import _kinds as kinds
from spark_match_recognize._captured import messages_of_own_conditions
from spark_match_recognize._errors import PluginNotLoadedError, SetupError
from spark_match_recognize._hints import DataFrame, SparkSession
from spark_match_recognize._jars import version
from spark_match_recognize._partition import condition_of
from spark_match_recognize._session import is_enabled
from spark_match_recognize._sql import statement

_OF_TEXT = "SELECT * FROM match_recognize_{function}(query => :query{rest})"
_OF_FRAME = "SELECT * FROM match_recognize_{function}(query => 'SELECT * FROM {df}'{rest})"
_LACKS = re.compile(r"\[UNRESOLVABLE_TABLE_VALUED_FUNCTION\][^`\n]*`(match_recognize_\w+)`")


@kinds.checked(query=kinds.query, spark=kinds.optional(kinds.session))
def trace(
    query: DataFrame | str,
    partition: Mapping[str, Any] | str | None = None,
    *,
    max_rows: int = 10_000,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Return the search of a query, step by step: each variable that was tried on each row.

    The clause is compiled and searched as in the query. The page "When nothing matches, or it is
    slow" describes the rows of the result. The rows of a partition come first, then the attempts,
    one for each row at which a match was looked for; the last row of an attempt says how it ended.

    Examples:
        >>> import spark_match_recognize as mr
        >>> steps = mr.trace('''
        ...     SELECT * FROM VALUES (1, 50), (2, 40), (3, 40) AS ticks(ts, price) MATCH_RECOGNIZE (
        ...       ORDER BY ts MEASURES COUNT(*) AS n PATTERN (STRT DOWN UP)
        ...       DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price))
        ... ''', spark=spark)
        >>> ends = steps.where("event = 'end'")
        >>> ends.select("start_row", "row_number", "variable", "evaluated").show()
        +---------+----------+--------+---------+
        |start_row|row_number|variable|evaluated|
        +---------+----------+--------+---------+
        |        1|         3|      UP|  40 > 40|
        |        2|         3|    DOWN|  40 < 40|
        |        3|      NULL|    NULL|     NULL|
        +---------+----------+--------+---------+
        <BLANKLINE>

    Args:
        query: A statement, or a DataFrame, such as `match_recognize` returns. What is traced is
            its outermost clause.
        partition: The partition: values by the names of its PARTITION BY columns, as a dict or a
            Row, or a condition as SQL text that reads only PARTITION BY keys. None, NaT and NA
            are NULL. A time without a time zone is one of the session's; in a Row it is what
            `collect` returns, for TIMESTAMP a time in the time zone of the Python process. All
            partitions if it is not given.
        max_rows: How many rows the traced partitions may have.
        spark: The session of a statement; the active one if it is not given.

    Returns:
        A DataFrame with the steps, in their order.

    Raises:
        AnalysisException: If the query is not valid, has no clause, or reads a stream.
        PluginNotLoadedError: If the session does not have the plugin.
        RuntimeError: If there is no session.
        TypeError: If an argument is of a wrong kind, or a value of `partition` has a type that is
            not written in SQL.
        ValueError: If a value of `partition` cannot occur in Spark.
    """
    rows = {"max_rows": kinds.count("max_rows", max_rows)}
    return searched("trace", query, partition, spark, rows)


def searched(
    function: str,
    query: DataFrame | str,
    partition: Mapping[str, Any] | str | None,
    spark: SparkSession | None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> DataFrame:
    """Return the rows of a table function of the plugin that searches a query.

    Args:
        function: Its name without `match_recognize_`.
        query: A statement or a DataFrame.
        partition: The partition, as in `trace`.
        spark: The session of a statement.
        more: Arguments of the function besides these.
    """
    return called(function, query, spark, {"partition": condition_of(partition), **more})


def called(
    function: str,
    query: DataFrame | str,
    spark: SparkSession | None,
    values: Mapping[str, Any] = MappingProxyType({}),
) -> DataFrame:
    """Return the rows of a table function of the plugin that gets a query.

    Args:
        function: Its name without `match_recognize_`.
        query: A statement or a DataFrame.
        spark: The session of a statement.
        values: Its other arguments.

    Raises:
        PluginNotLoadedError: If the session does not have the plugin.
        SetupError: If its plugin is older than this package and lacks the function.
    """
    rest = "".join(f", {name} => :{name}" for name in values)
    session = session_of(query, spark)
    messages_of_own_conditions()
    try:
        if isinstance(query, str):
            values = {"query": query, **values}
            return statement(session, _OF_TEXT, values, function=function, rest=rest)
        # as in match_recognize: dropping the temporary view must not clear a cache
        frames = {"df": query.where("true")}
        return statement(session, _OF_FRAME, values, frames, function=function, rest=rest)
    except importlib.import_module("pyspark.errors").AnalysisException as error:
        if not is_enabled(session):
            raise PluginNotLoadedError from error
        missing = _LACKS.match(str(error))
        if missing is None:
            raise
        loaded = session.sql("SELECT match_recognize_version()").collect()[0][0]
        message = (
            f"The plugin of this session is version {loaded}, which does not have the function "
            f"{missing[1]}; this package is {version()}. Give the driver, with Connect the server, "
            f"the jar of version {version()}, or install version {loaded} of the package."
        )
        raise SetupError(message) from error


def session_of(query: DataFrame | str, spark: SparkSession | None) -> SparkSession:
    """Return the session of a query.

    Raises:
        RuntimeError: If there is none.
        TypeError: If `spark` is something else.
    """
    if not isinstance(query, str):
        return query.sparkSession
    sessions = importlib.import_module("pyspark.sql").SparkSession
    session: SparkSession | None = spark or sessions.getActiveSession()
    if session is None:
        message = "There is no active Spark session: pass one, as in spark=spark."
        raise RuntimeError(message)
    return session
