"""Row patterns in windows from Python: classic and Connect, parameters, expressions, views."""

from __future__ import annotations

import pytest
from loading import Run, answer
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

import spark_match_recognize as mr

ROWS = "(SELECT id AS k, array(9, 8, 6, 7, 7)[id] AS v FROM range(5))"
SPEC = """ORDER BY k MEASURES LAST(v) AS low
  ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
  AFTER MATCH SKIP TO NEXT ROW PATTERN (A B+) DEFINE B AS v < PREV(v)"""
QUERY = f"SELECT k, low OVER w, count(*) OVER w AS n FROM {ROWS} WINDOW w AS ({SPEC}) ORDER BY k"
FOUND = [(0, 6, 3), (1, 6, 2), (2, None, 0), (3, None, 0), (4, None, 0)]

PROGRAM = """
import json
import spark_match_recognize as mr
from pyspark.sql import SparkSession
from pyspark.sql import functions as f
spark = mr.configure(SparkSession.builder).getOrCreate()
frame = spark.sql(QUERY)
rows = [list(row) for row in frame.collect()]
inline = spark.sql(f"SELECT * FROM {ROWS}").select(f.expr(f"count(*) OVER ({SPEC})").alias("n"))
print("ANSWER", json.dumps([frame.columns, rows, sorted(row[0] for row in inline.collect())]))
spark.stop()
"""


def rows(spark: SparkSession, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in spark.sql(sql).collect()]


def test_named_window(spark: SparkSession) -> None:
    frame = spark.sql(QUERY)
    assert frame.columns == ["k", "low", "n"]
    assert [tuple(row) for row in frame.collect()] == FOUND


def test_through_connect(run_connected: Run) -> None:
    values = {"QUERY": QUERY, "ROWS": ROWS, "SPEC": SPEC}
    head = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    done = run_connected("-", stdin=head + PROGRAM)
    columns, found, counts = answer(done)
    assert columns == ["k", "low", "n"]
    assert [tuple(row) for row in found] == FOUND
    assert counts == [0, 0, 0, 2, 3]


def test_expressions_of_the_dataframe_api(spark: SparkSession) -> None:
    frame = spark.sql(f"SELECT * FROM {ROWS}")
    found = frame.select("k", f.expr(f"low OVER ({SPEC})"), f.expr(f"count(*) OVER ({SPEC})"))
    assert found.columns == ["k", "low", "count(1) OVER (PATTERN (A B+))"]
    assert sorted(tuple(row) for row in found.collect()) == FOUND


def test_parameter_as_the_end_of_the_frame(spark: SparkSession) -> None:
    bounded = QUERY.replace("UNBOUNDED FOLLOWING", ":n FOLLOWING")
    bounded = bounded.replace("v < ", ":w < 9 AND v < ")
    found = spark.sql(bounded, args={"n": 1, "w": 0}).collect()
    assert [row.n for row in found] == [2, 2, 0, 0, 0]
    marked = QUERY.replace("UNBOUNDED FOLLOWING", "? FOLLOWING")
    assert [row.n for row in spark.sql(marked, args=[2]).collect()] == [3, 2, 0, 0, 0]


def test_view_keeps_the_window(spark: SparkSession) -> None:
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW lows AS {QUERY}")
    assert rows(spark, "SELECT * FROM lows WHERE n > 0 ORDER BY k") == FOUND[:2]


def test_ordinary_windows_are_sparks(spark: SparkSession) -> None:
    window = "count(*) OVER (PARTITION BY pattern ORDER BY k)"
    sql = f"SELECT {window} over FROM (SELECT *, 1 AS pattern FROM {ROWS})"
    assert sorted(rows(spark, sql)) == [(1,), (2,), (3,), (4,), (5,)]
    with pytest.raises(ParseException):
        spark.sql(f"SELECT low OVER w FROM {ROWS} WINDOW w AS (ORDER BY k)")


def test_mistake_shows_its_place(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException) as caught:
        spark.sql(QUERY.replace("low OVER", "lo OVER"))
    assert caught.value.getCondition() == "MATCH_RECOGNIZE_INVALID_WINDOW.UNKNOWN_MEASURE"
    assert caught.value.getSqlState() == "42P20"
    assert "== SQL (line 1, position 11) ==" in str(caught.value)


def test_switched_off(spark: SparkSession) -> None:
    session = spark.newSession()
    session.conf.set("spark.matchRecognize.enabled", "false")
    with pytest.raises(ParseException) as caught:
        session.sql(QUERY)
    assert caught.value.getCondition() == "FEATURE_NOT_ENABLED"


def test_lint(spark: SparkSession) -> None:
    spec = SPEC.replace("(A B+)", "(STRT DWON* DOWN)").replace("B AS v < PREV(v)", "DOWN AS v = 1")
    assert mr.lint(QUERY, spark) == []
    (warning,) = mr.lint(QUERY.replace(SPEC, spec), spark)
    assert warning.startswith("DWON has no definition and matches any row.")
