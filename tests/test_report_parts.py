"""What `report` shows of partitions that look alike, and of queries with several clauses."""

from __future__ import annotations

import html
import re

import pytest
from pyspark.sql import SparkSession

import spark_match_recognize as mr


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    session = spark.newSession()
    session.sql("""
        SELECT * FROM VALUES (1, 5, 'NULL'), (2, 3, NULL), (3, 6, 'NULL'), (4, 2, NULL)
        AS t(k, v, s)
    """).createOrReplaceTempView("ticks")
    return session


def drawn(page: mr.Report) -> list[str]:
    """Return the patterns that a page has as drawings."""
    pytest.importorskip("railroad")
    return re.findall(r"<title>PATTERN \((.*?)\)</title>", html.unescape(page.html))


def test_partitions_whose_keys_look_alike(session: SparkSession) -> None:
    query = """SELECT * FROM ticks MATCH_RECOGNIZE (
        PARTITION BY s ORDER BY k MEASURES COUNT(*) AS n PATTERN (A B) DEFINE B AS v > A.v)"""
    page = mr.report(query, spark=session).html
    assert page.count('<section class="partition">') == 2
    assert mr.explain(query, spark=session)[0] == (
        "3 attempts in 4 rows of 2 partitions found 1 match."
    )
    # the rows of the partition of NULL are in no match
    of_null, of_text = page.split('<section class="partition">')[1:]
    assert re.findall(r"<title>row \d: (.*?)</title>", of_null) == ["in no match"] * 2
    assert "A of match 1" in of_text


def test_number_of_a_partition_of_float(session: SparkSession) -> None:
    query = """SELECT * FROM (SELECT *, CAST(v / 10 AS FLOAT) AS f FROM ticks) MATCH_RECOGNIZE (
        PARTITION BY f ORDER BY k MEASURES COUNT(*) AS n PATTERN (A))"""
    told = ["1 attempt in 1 row found 1 match."]
    assert mr.explain(query, {"f": 0.3}, spark=session) == told


def test_pattern_of_the_clause_that_is_traced(session: SparkSession) -> None:
    inner = (
        "SELECT * FROM ticks MATCH_RECOGNIZE (ORDER BY k MEASURES COUNT(*) AS n PATTERN (IN_A+))"
    )
    outer = """SELECT * FROM ticks MATCH_RECOGNIZE (
        ORDER BY k MEASURES COUNT(*) AS n PATTERN (OUT_A OUT_B))"""
    above = f"SELECT * FROM ({outer}) WHERE n > (SELECT MIN(n) FROM ({inner})) - 10"
    assert drawn(mr.report(above, spark=session)) == ["OUT_A OUT_B"]
    window = f"""SELECT n, COUNT(*) OVER (
        ORDER BY n ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (OVER_A+)
        ) AS rows_of_match FROM ({inner})"""
    assert drawn(mr.report(window, spark=session)) == ["OVER_A+"]
