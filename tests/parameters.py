"""Parameters at the places of literals in the clause, in a classic or Connect session.

Run as a program, it does everything in a Connect session and prints the answers as JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from pyspark import __version__ as VERSION  # noqa: N812
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from through_connect import print_answers

CLAUSE = """SELECT {outside} AS o, m FROM (
  SELECT id, id * 10 AS v, timestamp_seconds(id) AS ts FROM range(6)
) MATCH_RECOGNIZE (
  ORDER BY ts MEASURES {measure} AS m PATTERN (A B*) WITHIN {bound} DEFINE B AS {condition}
)"""
# Whether the parser itself writes values of parameters into the statement.
WRITTEN = not VERSION.startswith("4.0.")


def first(spark: SparkSession, args: Any = None, **parts: str) -> list[Any]:
    """Return the first row of the statement with some parts of its own."""
    default = {"outside": "0", "measure": "COUNT(*)", "bound": "9 SECONDS", "condition": "true"}
    row = spark.sql(CLAUSE.format(**(default | parts)), args=args).head()
    assert row is not None
    return list(row)


def literals(spark: SparkSession) -> Any:
    """Values where Spark's grammar has a literal, named and positional."""
    return [
        first(spark, {"w": 3}, bound="INTERVAL :w SECOND")[1],
        first(spark, ["2"], bound="? SECONDS")[1],
        first(spark, {"w": timedelta(seconds=3)}, bound=":w")[1],
        first(spark, {"n": 1}, measure="CAST(LAST(v) AS VARCHAR(:n))")[1],
        first(spark, ["b"], measure="'a' ?")[1],
        first(spark, {"n": 2}, measure="PREV(v, :n)")[1],
        first(spark, {"e": "#"}, condition="'a' LIKE 'a' ESCAPE :e")[1],
    ]


def types(spark: SparkSession) -> Any:
    """Values whose type inside the clause differs from that outside it."""
    values = (datetime(2024, 1, 2, 3, 4, 5), date(2024, 1, 2), Decimal("2.50"), 2.5, [1, 2], b"x")  # noqa: DTZ001
    different = []
    for setting in ("TIMESTAMP_LTZ", "TIMESTAMP_NTZ"):
        spark.conf.set("spark.sql.timestampType", setting)
        for value in values:
            args = {"p": value}
            outside, inside = first(spark, args, outside="typeof(:p)", measure="typeof(:p)")
            same = first(spark, args, outside=":p", measure=":p")
            if outside != inside or same[0] != same[1]:
                different.append([setting, str(value), outside, inside])
    spark.conf.unset("spark.sql.timestampType")
    return different


def errors(spark: SparkSession) -> Any:
    """Conditions of values that are no such literals, and of markers without a value."""
    found = []
    for args in ({"w": 3.5}, {"w": date(2024, 1, 2)}, {"other": 1}, None):
        try:
            first(spark, args, bound="INTERVAL :w SECOND")
        except PySparkException as error:  # noqa: PERF203 - each statement may fail
            found.append(error.getCondition())
    return found


def quantifiers(spark: SparkSession) -> Any:
    """Values that are bounds of quantifiers, in the clause and in a window, and of a view."""
    clause = """SELECT * FROM range(1, 12) MATCH_RECOGNIZE (
      ORDER BY id MEASURES FIRST(id) AS f, COUNT(*) AS n PATTERN (A{}) DEFINE A AS id % 7 > 0)"""
    window = """SELECT count(*) OVER (ORDER BY id
      ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A{}) DEFINE A AS id % 7 > 0) AS n
      FROM range(1, 12)"""
    found: list[Any] = [
        sorted(list(row) for row in spark.sql(sql, args=args).collect())
        for sql, args in (
            (clause.format("{:n,}"), {"n": 4}),
            (clause.format("{?,?}? A*?"), [2, 3]),
            (window.format("{,:n}"), {"n": 3}),
        )
    ]
    view = "CREATE OR REPLACE TEMPORARY VIEW bounded AS " + clause.format("{:lo,:hi}")
    spark.sql(view, args={"lo": 3, "hi": 4}).collect()
    found.append(sorted(list(row) for row in spark.table("bounded").collect()))
    try:
        spark.sql(clause.format("{:n}"), args={"n": 1.5}).collect()
    except PySparkException as error:
        found.append(error.getCondition())
    return found


CHECKS: dict[str, Callable[[SparkSession], Any]] = (
    {"literals": literals, "types": types, "errors": errors, "quantifiers": quantifiers}
    if WRITTEN
    else {}
)


def everything(spark: SparkSession, folder: Path) -> dict[str, Any]:  # noqa: ARG001
    """Return all answers."""
    return {name: check(spark) for name, check in CHECKS.items()}


if __name__ == "__main__":
    print_answers(everything)
