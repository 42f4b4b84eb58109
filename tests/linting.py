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
      PARTITION BY symbol ORDER BY seq MEASURES COUNT(*) AS n
      PATTERN (BUY SELL) DEFINE BUY AS side = 'BUY', SELL AS side = 'sell' AND price > 0)
"""
CLAUSE: dict[str, Any] = {
    "partition_by": "symbol",
    "order_by": "seq",
    "measures": {"n": "COUNT(*)"},
    "pattern": "BUY SELL",
    "define": {"BUY": "side = 'BUY'", "SELL": "side = 'sell' AND price > 0"},
}


def of_rows(spark: SparkSession) -> Any:
    """Warnings of a statement and of a DataFrame, without data and with it."""
    trades = spark.createDataFrame(
        [("A", "9", "buy", 5), ("A", "10", "sell", 6), ("A", "11", "look", 7)],
        "symbol STRING, seq STRING, side STRING, price INT",
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


def of_stream(spark: SparkSession) -> Any:
    """Warnings of a streaming DataFrame."""
    rates = spark.readStream.format("rate").load().withWatermark("timestamp", "1 second")
    frame = mr.match_recognize(
        rates, order_by="timestamp", measures={"n": "COUNT(*)"}, pattern="A B"
    )
    return [list(mr.lint(frame)), list(mr.lint(frame, data=True))]


def in_sql(spark: SparkSession) -> Any:
    """The function in SQL, and its wrong arguments."""
    told = []
    for arguments in (
        "query => 'SELECT 1', data => true",
        "query => 'SELECT 1', data => 'perhaps'",
        "query => 'SELECT 1', data => NULL",
        "data => true",
    ):
        try:
            rows = spark.sql(f"SELECT * FROM match_recognize_warnings({arguments})").collect()
            told.append(len(rows))
        except PySparkException as error:  # noqa: PERF203 - each call may fail
            told.append(str(error).partition("SQLSTATE")[0].strip())
    return told


def everything(spark: SparkSession, _: Path) -> dict[str, Any]:
    """Return all answers of a session."""
    return {check.__name__: check(spark) for check in (of_rows, of_stream, in_sql)}


if __name__ == "__main__":
    print_answers(everything)
