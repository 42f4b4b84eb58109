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


@pytest.mark.slow
def test_partitions_whose_keys_look_alike(session: SparkSession) -> None:
    query = """SELECT * FROM ticks MATCH_RECOGNIZE (
        PARTITION BY s ORDER BY k MEASURES COUNT(*) AS n PATTERN (A B) DEFINE B AS v > A.v)"""
    page = mr.report(query, spark=session).html
    assert page.count('<section class="partition">') == 2
    assert mr.explain(query, spark=session)[0] == (
        "3 attempts in 4 rows of 2 partitions found 1 match."
    )
    # that of the text is the first one, as it has the match; the rows of NULL are in none
    of_text, of_null = page.split('<section class="partition">')[1:]
    assert re.findall(r"match 1, (\w+): 1 row, (\d)<", of_text) == [("A", "1"), ("B", "3")]
    assert '<rect class="s' not in of_null
    assert re.findall(r'<tr tabindex="0".*?class="chip c\d">(.*?)</span>', of_text) == [
        "A 1",
        "B 1",
    ]
    assert 'class="chip' not in of_null
    assert of_null.count('<tr tabindex="0"') == of_text.count('<tr tabindex="0"') == 2


@pytest.mark.slow
def test_key_that_begins_and_ends_with_a_backtick(session: SparkSession) -> None:
    query = """SELECT * FROM (SELECT *, v % 2 AS `v 2` FROM ticks) MATCH_RECOGNIZE (
        PARTITION BY `v 2` - `v 2` ORDER BY k MEASURES COUNT(*) AS n PATTERN (A))"""
    page = html.unescape(mr.report(query, spark=session).html)
    assert page.count("`v 2` - `v 2` = 0") > 0
    plain = query.replace("BY `v 2` - `v 2`", "BY `v 2`")
    assert "v 2 = 0" in html.unescape(mr.report(plain, spark=session).html)


def test_value_and_order(session: SparkSession) -> None:
    query = """SELECT * FROM ticks MATCH_RECOGNIZE (
        PARTITION BY v % 2 ORDER BY k DESC MEASURES COUNT(*) AS n PATTERN (A B)
        DEFINE B AS v > A.v)"""
    page = mr.report(query, spark=session).html
    assert "Line: v" in page
    assert "Line: k" in mr.report(query, value="k", spark=session).html
    found = re.findall(r'<rect class="s\d" x="([\d.]+)"[^>]*><title>(.*?)</title>', page)
    spans = {text: float(place) for place, text in found}
    # 4 comes first
    assert spans["match 1, A: 1 row, 4"] < spans["match 1, B: 1 row, 3"]
    with pytest.raises(
        ValueError, match=r"value must be a column of numbers .* s is not one of v, k"
    ):
        mr.report(query, value="s", spark=session)


@pytest.mark.slow
def test_values_at_the_ends_of_doubles(session: SparkSession) -> None:
    """As a key and as the value; what has no place in the picture is said."""
    query = """SELECT * FROM VALUES (-1.7976931348623157e308D, 1.7976931348623157e308D),
        (0D, -1.7976931348623157e308D), (1D, DOUBLE('NaN')), (1.7e308D, NULL),
        (DOUBLE('Infinity'), 5D) AS t(k, v) MATCH_RECOGNIZE (
        ORDER BY k MEASURES COUNT(*) AS n PATTERN (A+) DEFINE A AS k < 2D)"""
    page = html.unescape(mr.report(query, spark=session).html)
    assert "1 match with 3 of 5 rows. 1 row has no place on the axis." in page
    assert "1 row has an infinite value or NaN, which the line leaves out." in page
    assert re.findall(r"<title>(match 1.*?)<", page) == ["match 1, A: 3 rows, -1.79769e+308 to 1"]
    assert 'd="M70.0 10.0L542.8 262.0"' in page
    assert set(re.findall(r">(-?1e\+308)<", page)) == {"-1e+308", "1e+308"}


@pytest.mark.slow
def test_a_key_that_spark_would_replace(session: SparkSession) -> None:
    rows = [("${env:HOME}", 1, 5), ("${env:HOME}", 2, 6)]
    frame = session.createDataFrame(rows, "s STRING, k INT, v INT")
    found = mr.match_recognize(
        frame, partition_by="s", order_by="k", measures={"n": "COUNT(*)"}, pattern="A+"
    )
    page = mr.report(found).html
    assert "Partition s = ${env:HOME}" in page
    assert re.findall(r"<title>(match 1.*?)<", page) == ["match 1, A: 2 rows, 1 to 2"]
    assert mr.explain(found, {"s": "${env:HOME}"})[0] == "1 attempt in 2 rows found 1 match."


QUOTE = "{rows.columns[0]:.1}"  # as a field of a format: the first letter of s, a quote
NAMES = ["{", "a{b}{}{rows.x}{{rows}}'\"\\$`\n"]
VALUES = [
    *NAMES,
    "}",
    "{rows.sparkSession.__class__.__init__.__globals__[os].environ[HOME]}",
    (
        f"x{QUOTE} OR reflect({QUOTE}java.lang.System{QUOTE}, {QUOTE}setProperty{QUOTE}, "
        f"{QUOTE}set.by.data{QUOTE}, {QUOTE}x{QUOTE}) = {QUOTE}x"
    ),
    "a\0b",
    "",
]


def test_no_value_is_read_as_sql_or_as_a_format(session: SparkSession) -> None:
    rows = [(text, k, k) for text in VALUES for k in (1, 2)]
    frame = session.createDataFrame(rows, "s STRING, k INT, v INT")
    found = mr.match_recognize(
        frame, partition_by="s", order_by="k", measures={"n": "COUNT(*)"}, pattern="A+"
    )
    page = html.unescape(mr.report(found).html)
    assert page.count("<title>match 1, A: 2 rows, 1 to 2<") == len(VALUES)
    for text in VALUES:
        assert f"Partition s = {text}" in page
        assert mr.explain(found, {"s": text})[0] == "1 attempt in 2 rows found 1 match."
    runtime = session.sql("SELECT reflect('java.lang.System', 'getProperty', 'set.by.data')")
    assert runtime.collect()[0][0] == "null"


@pytest.mark.parametrize("name", NAMES)
def test_no_name_is_read_as_sql_or_as_a_format(session: SparkSession, name: str) -> None:
    frame = session.createDataFrame([(1, 1, 1), (1, 2, 2)], ["p", "k", "v"])
    renamed = {"p": f"{name}p", "k": f"{name}k", "v": f"{name}v"}
    key, order, value = (f"`{each.replace('`', '``')}`" for each in renamed.values())
    found = mr.match_recognize(
        frame.withColumnsRenamed(renamed),
        partition_by=key,
        order_by=order,
        measures={f"{name}n": f"MAX({value})"},
        pattern="A+",
    )
    page = html.unescape(mr.report(found).html)
    assert page.count("<title>match 1, A: 2 rows, 1 to 2<") == 1
    assert f"Line: {name}v" in page


def test_a_query_that_ends_in_an_error(session: SparkSession) -> None:
    query = """SELECT * FROM ticks MATCH_RECOGNIZE (ORDER BY k MEASURES COUNT(*) AS n
        PATTERN (A B) DEFINE B AS 1 DIV (k - 2) > 0)"""
    page = html.unescape(mr.report(query, spark=session).html)
    assert "There is no picture, because the query ends in an error." in page
    assert "raised an error, which ends the query" in page


@pytest.mark.slow
def test_nothing_to_draw(session: SparkSession) -> None:
    query = "SELECT * FROM nothing MATCH_RECOGNIZE (ORDER BY s MEASURES 1 AS n PATTERN (A))"
    session.sql("SELECT * FROM ticks WHERE k > 9").createOrReplaceTempView("nothing")
    assert "There are no rows" in mr.report(query, spark=session).html
    texts = """SELECT * FROM (SELECT s FROM ticks)
        MATCH_RECOGNIZE (ORDER BY s MEASURES 1 AS n PATTERN (A))"""
    page = mr.report(texts, spark=session).html
    assert "No column is a number" in page
    assert page.count('<rect class="s') == 4


def test_few_rows_for_attempts(session: SparkSession) -> None:
    query = "SELECT * FROM ticks MATCH_RECOGNIZE (ORDER BY k MEASURES 1 AS n PATTERN (A B))"
    page = mr.report(query, max_rows=3, spark=session).html
    assert "Attempts are not shown: each of these partitions has more than 3 rows" in page
    assert "2 attempts in 4 rows found 2 matches." in page
    assert page.count('<rect class="s') == 4


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
