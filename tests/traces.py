"""What the tests of `trace` and `explain` do in a session, classic or Connect.

Run as a program, it does everything in a Connect session and prints the answers as JSON.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from through_connect import print_answers

import spark_match_recognize as mr

TICKS = [
    ("A", 1, 50),
    ("A", 2, 40),
    ("A", 3, 39),
    ("A", 4, 30),
    ("it's \\", 1, 9),
    ("it's \\", 2, None),
    (None, 1, 7),
]
CLAUSE: dict[str, Any] = {
    "partition_by": "symbol",
    "order_by": "ts",
    "measures": {"n": "COUNT(*)"},
    "pattern": "A B+ C",
    "define": {"B": "price < A.price", "C": "price > A.price AND ts > 0"},
}


def found(spark: SparkSession) -> DataFrame:
    """Return a clause over the ticks."""
    ticks = spark.createDataFrame(TICKS, "symbol STRING, ts INT, price INT")
    return mr.match_recognize(ticks, **CLAUSE)


def ends(steps: DataFrame) -> list[list[Any]]:
    """Return how attempts ended."""
    shown = steps.where("event = 'end'").select(
        "partition_key", "start_row", "row_number", "variable", "evaluated", "result", "path"
    )
    return [list(row) for row in shown.collect()]


def of_frame(spark: SparkSession) -> Any:
    """The trace of a DataFrame: all of it, one partition, and what is left behind."""
    frame = found(spark)
    return [
        len(ends(mr.trace(frame))),
        ends(mr.trace(frame, {"symbol": "it's \\"})),
        ends(mr.trace(frame, partition="symbol IS NULL")),
        ends(mr.trace(frame.where("n > 1").select("n"), {"symbol": None})),
        [table.name for table in spark.catalog.listTables()],
    ]


def of_text(spark: SparkSession) -> Any:
    """The trace of a statement, with a session and with the active one."""
    text = f"SELECT n FROM ({numbers()}) WHERE n > 5 -- a comment"
    return [ends(mr.trace(text, spark=spark)), len(ends(mr.trace(text)))]


def numbers() -> str:
    return """SELECT * FROM range(3) MATCH_RECOGNIZE (
        ORDER BY id MEASURES COUNT(*) AS n PATTERN (A {- B -}) DEFINE B AS id > 1
    )"""


def types(spark: SparkSession) -> Any:
    """Partitions of other types."""
    time = dt.datetime(2024, 2, 29, 1, 2, 3, tzinfo=dt.timezone.utc)
    values: list[tuple[Any, Any]] = [
        (value, value)
        for value in (True, -7, 0.5, math.nan, decimal.Decimal("1.50"), time.date(), time, b"\x00")
    ]
    values += [  # a key, and what pandas and numpy return of it
        (True, np.bool_(True)),  # noqa: FBT003 - numpy's
        (-7, np.int64(-7)),
        (0.1, np.float64(0.1)),
        ("x", np.str_("x")),
        (time.date(), np.datetime64("2024-02-29")),
        (time, np.datetime64("2024-02-29T01:02:03")),
        (time, pd.Timestamp(time)),
    ]
    counts = []
    for value, given in values:
        frame = spark.createDataFrame([(value, 1)], ["my key", "ts"])
        clause = mr.match_recognize(
            frame.unionByName(frame.limit(0)),
            partition_by="`my key`",
            order_by="ts",
            measures={"n": "1"},
            pattern="A",
        )
        counts.append(len(ends(mr.trace(clause, {"my key": given}))))
    counts.append(len(ends(mr.trace(found(spark), Row(symbol="it's \\")))))
    counts.append(len(ends(mr.trace(found(spark), {"symbol": pd.NA}))))
    counts += [*of_collected_times(spark), *of_strings(spark)]
    try:
        mr.trace(clause, {"my key": [1]})
    except TypeError as error:
        return [counts, str(error)]
    return []


def of_collected_times(spark: SparkSession) -> list[int]:
    """Rows of `collect`, where the time zones of the session and of this process differ."""
    here = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Pacific/Marquesas")
    try:
        counts = []
        for kind in "TIMESTAMP_LTZ", "TIMESTAMP_NTZ":
            rows = spark.sql(f"SELECT {kind} '2024-02-29 01:02:03.5' AS k")
            query = mr.match_recognize(rows, partition_by="k", measures={"n": "1"}, pattern="A")
            counts.append(len(ends(mr.trace(query, rows.collect()[0]))))
        return counts
    finally:
        spark.conf.set("spark.sql.session.timeZone", here)


def of_strings(spark: SparkSession) -> list[int]:
    """Quotes and backslashes in keys and queries, with both ways to read strings."""
    text = """SELECT * FROM (VALUES ('it"s'), ('b')) AS t(k) MATCH_RECOGNIZE (
        PARTITION BY k MEASURES k AS one PATTERN (A) DEFINE A AS k LIKE '%"s' AND k <> '\\d')"""
    counts = []
    query = found(spark)
    for is_escaped in "true", "false":
        spark.conf.set("spark.sql.parser.escapedStringLiterals", is_escaped)
        counts.append(len(ends(mr.trace(query, {"symbol": "it's \\"}))))
        counts.append(len(ends(mr.trace(text, "k <> 'b'", spark=spark))))
        counts.append(len(mr.lint(text, spark)))
    spark.conf.unset("spark.sql.parser.escapedStringLiterals")
    return counts


def told(spark: SparkSession) -> Any:
    """The sentences."""
    frame = found(spark)
    empty = "SELECT * FROM range(0) MATCH_RECOGNIZE (MEASURES COUNT(*) AS n PATTERN (A))"
    wrong = """SELECT * FROM range(2) MATCH_RECOGNIZE (ORDER BY id MEASURES COUNT(*) AS n
        PATTERN (A B) DEFINE B AS 1 DIV (id - 1) > 0)"""
    return [
        mr.explain(frame),
        mr.explain(frame, {"symbol": "A"}),
        mr.explain(empty, spark=spark),
        mr.explain(wrong, spark=spark),
        mr.explain(numbers(), spark=spark),
    ]


def in_sql(spark: SparkSession) -> Any:
    """The rows of the table function, and what is said of a limit."""
    rows = spark.sql(
        "SELECT * FROM match_recognize_explain(:query) ORDER BY ordinal", {"query": numbers()}
    ).collect()
    told = [row.sentence for row in rows]
    return [
        told == mr.explain(numbers(), spark=spark) == mr.explain(numbers(), max_rows=3),
        [row.ordinal for row in rows][:3],
        mr.explain(numbers(), max_rows=1, spark=spark)[0],
    ]


def refused(spark: SparkSession) -> Any:
    """Mistakes: their conditions."""
    frame = found(spark)
    stream = spark.readStream.format("rate").load()
    of_stream = mr.match_recognize(
        stream.withWatermark("timestamp", "1 second"),
        order_by="timestamp",
        measures={"n": "1"},
        pattern="A",
    )
    calls: list[Callable[[], Any]] = [
        lambda: mr.trace(frame, "ts > 1"),
        lambda: mr.trace(frame, max_rows=0),
        lambda: mr.trace("SELECT 1", spark=spark),
        lambda: mr.trace(of_stream),
        lambda: mr.trace(frame, max_rows=2).collect(),
        lambda: mr.explain(frame, "ts > 1"),
        lambda: mr.explain(frame, max_rows=0),
        lambda: mr.explain("SELECT 1", spark=spark),
        lambda: mr.explain(of_stream),
    ]
    conditions = []
    for call in calls:
        try:
            call()
        except PySparkException as error:  # noqa: PERF203 - each call may fail
            conditions.append(error.getCondition())
    return conditions


def places(spark: SparkSession) -> Any:
    """Whether an error of a statement is told as if the statement ran: class, condition, text."""
    told = []
    for text in (
        numbers().replace("PATTERN", "PATERN"),
        numbers().replace("id > 1", "idd > 1"),
        numbers().replace("COUNT(*)", "C.id"),
    ):
        calls: list[Callable[[str], Any]] = [
            lambda sql: spark.sql(sql).collect(),
            mr.trace,
            mr.explain,
            mr.report,
            mr.lint,
        ]
        errors = []
        for call in calls:
            try:
                call(text)
            except PySparkException as error:  # noqa: PERF203 - each call fails
                shown = str(error).partition("\nJVM stacktrace")[0].strip()
                errors.append([type(error).__name__, error.getCondition(), shown])
        told.append([len(errors), all(error == errors[0] for error in errors), errors[0][:2]])
    return told


def kinds(spark: SparkSession) -> Any:
    """Arguments of wrong kinds: the messages."""
    frame: Any = found(spark)
    session: Any = spark
    table: Any = pd.DataFrame({"a": [1]})
    text: Any = "ticks"
    calls: list[Callable[[Any], Any]] = [
        lambda _: mr.trace(table),
        mr.explain,
        lambda _: mr.report(numbers(), session),
        lambda _: mr.trace(frame, max_rows=table),
        lambda _: mr.lint(table, spark),
        lambda _: mr.lint(numbers(), table),
        lambda _: mr.plot(text, x="a", y="b"),
    ]
    told = []
    for call in calls:
        try:
            call(None)
        except TypeError as error:  # noqa: PERF203 - each call fails
            told.append(str(error))
    return told


def messages(spark: SparkSession) -> Any:
    """What `getMessage` returns of conditions of the plugin and of Spark."""
    told = []
    for text in (numbers().replace("COUNT(*)", "C.id"), "SELECT nosuch", "SELEC 1"):
        try:
            spark.sql(text).collect()
        except PySparkException as error:  # noqa: PERF203 - each statement fails
            told.append(str(error.getMessage()).strip().partition(".")[0])
    return told


def pages(spark: SparkSession) -> Any:
    """The report: what is in it."""
    page = mr.report(found(spark), title="<ticks>")
    return [
        "&lt;ticks&gt;" in page.html,
        "<ticks>" not in page.html,
        page.html.count("<section>"),
        page.html.count("data:image/svg+xml"),
    ]


CHECKS: dict[str, Callable[[SparkSession], Any]] = {
    check.__name__: check
    for check in (
        of_frame,
        of_text,
        types,
        told,
        in_sql,
        refused,
        places,
        kinds,
        messages,
        pages,
    )
}


def everything(spark: SparkSession, _folder: Path) -> dict[str, Any]:
    """Return all answers of a session."""
    return {name: check(spark) for name, check in CHECKS.items()}


if __name__ == "__main__":
    print_answers(everything)
