"""What the tests of `lint` ask in a session, classic or Connect, and the answers.

Run as a program, it asks in a Connect session and prints the answers as JSON.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from through_connect import print_answers

import spark_match_recognize as mr

QUERY = """
    SELECT * FROM trades MATCH_RECOGNIZE (
      PARTITION BY `sym``{bol}` ORDER BY seq MEASURES COUNT(*) AS n
      PATTERN (BUY SELL) DEFINE BUY AS side = NULL, SELL AS side > BUY.side AND price > BUY.price)
"""
CLAUSE: dict[str, Any] = {
    "partition_by": "`sym``{bol}`",
    "order_by": "seq",
    "measures": {"n": "COUNT(*)"},
    "pattern": "BUY SELL",
    "define": {"BUY": "side = NULL", "SELL": "side > BUY.side AND price > BUY.price"},
}


def of_rows(spark: SparkSession) -> Any:
    """Warnings of a statement and of a DataFrame, without data and with it."""
    trades = spark.createDataFrame(
        [
            ("A", "9", "buy", "5"),
            ("A", "10", "sell", "16"),
            ("A", "10", "look", " 7.5"),
            (None, "11", "look", None),
            ("{rows}", None, "look", "+8"),
        ],
        "`sym``{bol}` STRING, seq STRING, side STRING, price STRING",
    )
    trades.createOrReplaceTempView("trades")
    frame = mr.match_recognize(trades, **CLAUSE)
    told = [
        list(mr.lint(QUERY, spark)),
        list(mr.lint(QUERY, spark=spark, data=True)),
        mr.lint(frame) == mr.lint(QUERY),
        mr.lint(frame, data=True) == mr.lint(QUERY, data=True),
    ]
    views = len(spark.catalog.listTables())
    spark.catalog.dropTempView("trades")
    return [*told, views]


def of_sizes(spark: SparkSession) -> Any:
    """Warnings of an input without rows, without keys, with a large partition, and of none."""
    told = []
    for rows, keys in (
        ("(SELECT STRING(id) AS id FROM range(0))", "ORDER BY id"),
        ("range(3)", ""),
        ("range(3)", "PARTITION BY id % 2 ORDER BY id"),
        ("range(3)", "PARTITION BY id = 1 OR NULL ORDER BY id"),
        ("range(30000)", "PARTITION BY greatest(id, 20000) ORDER BY id"),
        ("(SELECT id DIV 2 AS id FROM range(4))", "ORDER BY id"),
        ("(SELECT CAST(id + 10 AS STRING) AS id FROM range(4))", "ORDER BY id"),
    ):
        query = f"SELECT * FROM {rows} MATCH_RECOGNIZE ({keys} MEASURES COUNT(*) AS n PATTERN (A))"
        told.append(list(mr.lint(query, spark, data=True)))
    return told


def of_stream(spark: SparkSession) -> Any:
    """Warnings of a streaming DataFrame, whose data are not read, and of no clause."""
    rates = spark.readStream.format("rate").load().withWatermark("timestamp", "1 second")
    frame = mr.match_recognize(
        rates, order_by="timestamp", measures={"n": "COUNT(*)"}, pattern="A B"
    )
    told: list[Any] = [list(mr.lint(frame)), list(mr.lint("SELECT 1", spark))]
    for query in (frame, "SELECT 1"):
        try:
            mr.lint(query, data=True)
        except PySparkException as error:  # noqa: PERF203 - each call fails
            told.append(error.getCondition())
    return told


def of_lookback(spark: SparkSession) -> Any:
    """Where searches may be cut: of keys that are times and numbers, nowhere, of a stream."""
    hours = "AFTER MATCH SKIP TO NEXT ROW PATTERN (A B) WITHIN INTERVAL '90' MINUTE"
    told: list[Any] = []
    queries = [
        f"(SELECT timestamp_seconds(id) AS k FROM range(3)) {_clause(hours)}",
        f"(SELECT id AS k, 1 AS v FROM range(3)) {_clause(_STEPS)}",
        f"(SELECT id AS k FROM range(3)) {_clause('PATTERN (A B+)')}",
    ]
    for query in queries:
        sql = f"SELECT * FROM {query}"
        found = mr.lookback(sql, spark)
        told.append([repr(value) for value in vars(found).values()][:-1])
        assert str(found) == found.advice
        assert mr.lint(sql, spark, incremental=True) == [found.advice]
        assert mr.lint(sql, spark) == []
    rates = spark.readStream.format("rate").load().withWatermark("timestamp", "1 second")
    frame = mr.match_recognize(
        rates, order_by="timestamp", pattern="A B", within="1 hour", measures={"n": "COUNT(*)"}
    )
    told.append(mr.lookback(frame).advice)
    for sql in ("SELECT 1", " UNION ALL ".join([f"SELECT * FROM {queries[2]}"] * 2)):
        try:
            mr.lookback(sql, spark)
        except ValueError as error:  # noqa: PERF203 - each call fails
            told.append(str(error))
    return told


_STEPS = (
    "PATTERN (A B{2} C*) DEFINE A AS v > PREV(v), B AS k <= PREV(k) + 5, C AS k < LAST(B.k) + 50"
)


def _clause(parts: str) -> str:
    return f"MATCH_RECOGNIZE (ORDER BY k MEASURES MATCH_NUMBER() AS m {parts})"


def everything(spark: SparkSession, _: Path) -> dict[str, Any]:
    """Return all answers of a session."""
    return {check.__name__: check(spark) for check in (of_rows, of_sizes, of_stream, of_lookback)}


if __name__ == "__main__":
    print_answers(everything)
