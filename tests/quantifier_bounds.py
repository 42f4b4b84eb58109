"""Bounds of quantifiers that are parameters or session variables, in a classic or Connect session.

Run as a program, it does everything in a Connect session and prints the answers as JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark import __version__ as VERSION  # noqa: N812
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from through_connect import print_answers

import spark_match_recognize as mr

CLAUSE = """SELECT * FROM range(1, 12) MATCH_RECOGNIZE (
  ORDER BY id MEASURES FIRST(id) AS f, COUNT(*) AS n PATTERN (A{}) DEFINE A AS id % 7 > 0
)"""
WINDOW = """SELECT id, count(*) OVER (ORDER BY id
  ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A{}) DEFINE A AS id % 7 > 0) AS n
FROM range(1, 12)"""


def rows(spark: SparkSession, sql: str, args: Any = None) -> list[list[Any]]:
    """Return the rows of a statement, in order."""
    return sorted(list(row) for row in spark.sql(sql, args=args).collect())


def parameters(spark: SparkSession) -> Any:
    """Named and positional parameters, in the clause and in a window."""
    return [
        rows(spark, CLAUSE.format("{:n,}"), {"n": 4}),
        rows(spark, CLAUSE.format("{?,?}? A*?"), [2, 3]),
        [row[1] for row in rows(spark, WINDOW.format("{,:n}"), {"n": 3})],
        [row[1] for row in rows(spark, WINDOW.format("{?}"), [5])],
    ]


def variables(spark: SparkSession) -> Any:
    """A session variable, before and after SET."""
    spark.sql("DECLARE OR REPLACE VARIABLE least INT DEFAULT 2")
    sql = CLAUSE.format("{least,5}")
    before = rows(spark, sql)
    spark.sql("SET VAR least = 5")
    found = [before, rows(spark, sql), rows(spark, WINDOW.format("{session.least}"))[0]]
    spark.sql("DROP TEMPORARY VARIABLE least")
    return found


def views(spark: SparkSession) -> Any:
    """A view keeps the values of parameters."""
    sql = "CREATE OR REPLACE TEMPORARY VIEW bounded AS " + CLAUSE.format("{:lo,:hi}")
    spark.sql(sql, args={"lo": 3, "hi": 4}).collect()
    return rows(spark, "SELECT * FROM bounded")


def errors(spark: SparkSession) -> Any:
    """Conditions of values that are not bounds."""
    found = []
    for value in (-1, 0, None, "x", 1.5):
        try:
            spark.sql(CLAUSE.format("{:n}"), args={"n": value}).collect()
        except PySparkException as error:  # noqa: PERF203 - each statement may fail
            found.append([error.getCondition(), "PATTERN (A{:n})" in str(error)])
    return found


CHECKS: dict[str, Callable[[SparkSession], Any]] = {
    check.__name__: check for check in (parameters, variables, errors)
}
if not VERSION.startswith("4.0."):  # which has no parameters in views
    CHECKS["views"] = views


def everything(spark: SparkSession, _folder: Path) -> dict[str, Any]:
    """Return all answers of a session."""
    assert mr.is_enabled(spark)
    return {name: check(spark) for name, check in CHECKS.items()}


if __name__ == "__main__":
    print_answers(everything)
