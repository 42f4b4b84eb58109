"""The page of `report`: what is on it, and that nothing of the data runs."""

from __future__ import annotations

import base64
import html
import re

import pytest
from pyspark.sql import SparkSession

import spark_match_recognize as mr

MARKUP = "</table><script>document.title='run'</script><img src=x onerror=document.title='run'>"
QUOTE = "{rows.columns[0]:.1}"  # as a field of a format: the first letter of s, a quote
NAMES = ["{", "a{b}{}{rows.x}{{rows}}'\"\\$`\n<b>"]
VALUES = [
    *NAMES,
    MARKUP,
    "{rows.sparkSession.__class__.__init__.__globals__[os].environ[HOME]}",
    (
        f"x{QUOTE} OR reflect({QUOTE}java.lang.System{QUOTE}, {QUOTE}setProperty{QUOTE}, "
        f"{QUOTE}set.by.data{QUOTE}, {QUOTE}x{QUOTE}) = {QUOTE}x"
    ),
    "${env:HOME}",
    "a\0b",
    "NULL",
    "",
]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    session = spark.newSession()
    session.sql("""
        SELECT * FROM VALUES (1, 5, 'NULL'), (2, 3, NULL), (3, 6, 'NULL'), (4, 2, NULL)
        AS t(k, v, s)
    """).createOrReplaceTempView("ticks")
    return session


def sections(page: mr.Report) -> list[str]:
    """Return the part of each partition."""
    return page.html.split("<section>")[1:]


def table(section: str, name: str) -> list[list[str]]:
    """Return the cells of a table of a partition."""
    found = re.search(rf"<summary>{name} \(.*?</details>", section, re.DOTALL)
    assert found is not None, section
    rows = re.findall(r"<tr>(<td>.*?)</tr>", found[0], re.DOTALL)
    return [
        [html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", row, re.DOTALL)]
        for row in rows
    ]


def pictures(text: str) -> list[str]:
    """Return the pictures of a page, each an SVG document."""
    found = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', text)
    return [base64.b64decode(picture).decode() for picture in found]


def test_partitions_matches_and_rows(session: SparkSession) -> None:
    query = """SELECT * FROM ticks MATCH_RECOGNIZE (
        PARTITION BY s ORDER BY k MEASURES COUNT(*) AS n PATTERN (A B) DEFINE B AS v > A.v)"""
    page = mr.report(query, title="<Ticks>", spark=session)
    assert "<title>&lt;Ticks&gt;</title>" in page.html
    assert "3 attempts in 4 rows of 2 partitions found 1 match." in page.html
    assert html.escape(query.strip()) in page.html
    # the text NULL is the first, as it has the match; its rows are not those of the value
    of_text, of_null = sections(page)
    assert "<h2>s = NULL</h2>" in of_text
    assert table(of_text, "Matches") == [["1", "1", "2", "A B"]]
    matched = {row[-1] for row in table(of_text, "Rows")}
    assert matched == {"A of match 1", "B of match 1"}
    assert "No match." in of_null
    assert {row[-1] for row in table(of_null, "Rows")} == {""}
    assert len(pictures(page.html)) == 2
    assert "partitions are on this page" not in page.html


def test_no_value_is_read_as_sql_as_a_format_or_as_markup(session: SparkSession) -> None:
    rows = [(text, k, k) for text in VALUES for k in (1, 2)]
    frame = session.createDataFrame(rows, "s STRING, k INT, v INT")
    found = mr.match_recognize(
        frame, partition_by="s", order_by="k", measures={"n": "COUNT(*)"}, pattern="A+"
    )
    page = mr.report(found, title=MARKUP)
    assert sorted(re.findall(r"<h2>s = (.*?)</h2>", page.html, re.DOTALL)) == sorted(
        map(html.escape, VALUES)
    )
    assert all(table(each, "Matches") == [["1", "1", "2", "A{2}"]] for each in sections(page))
    assert "<script" not in page.html
    assert page.html.count("<img ") == len(VALUES)
    runtime = session.sql("SELECT reflect('java.lang.System', 'getProperty', 'set.by.data')")
    assert runtime.collect()[0][0] == "null"
    for text in VALUES[:3]:
        one = mr.report(found, {"s": text})
        assert "1 attempt in 2 rows found 1 match." in one.html
        assert len(sections(one)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_no_name_is_read_as_sql_as_a_format_or_as_markup(session: SparkSession, name: str) -> None:
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
    page = mr.report(found).html
    assert f'alt="{html.escape(f"{name}v by {name}k {name}p = 1")}"' in page
    assert "<b>" not in page


def test_value_and_order(session: SparkSession) -> None:
    query = """SELECT * FROM ticks MATCH_RECOGNIZE (
        ORDER BY {order} MEASURES COUNT(*) AS n PATTERN (A B) DEFINE B AS v > A.v)"""
    by_number = mr.report(query.format(order="k"), spark=session).html
    assert 'alt="v by k"' in by_number
    assert "<h2>Rows</h2>" in by_number
    assert 'alt="k by k"' in mr.report(query.format(order="k"), value="k", spark=session).html
    assert 'alt="v by row"' in mr.report(query.format(order="s, k"), spark=session).html
    (section,) = sections(mr.report(query.format(order="k DESC"), spark=session))
    assert [row[1] for row in table(section, "Rows")] == ["4", "3", "2", "1"]
    assert [row[1:3] for row in table(section, "Matches")] == [["1", "2"], ["3", "4"]]
    (section,) = sections(mr.report(query.format(order="s NULLS LAST, k"), spark=session))
    assert [row[1] for row in table(section, "Rows")] == ["1", "3", "2", "4"]
    by_time = query.format(order="DATE '2026-01-01' + k").replace(
        "ticks", "(SELECT k, v FROM ticks)"
    )
    assert "found 1 match" in mr.report(by_time, spark=session).html
    wrong = r"value must be a column of numbers .* s is not one of v, k"
    with pytest.raises(ValueError, match=wrong):
        mr.report(query.format(order="k"), value="s", spark=session)


@pytest.mark.parametrize(
    ("keys", "titles", "matches"),
    [
        ([f"'{key}' COLLATE UTF8_LCASE" for key in "aAab"], ["g = A", "g = b"], ["A B{2}"]),
        (["-0.0D", "0.0D", "-0.0D", "1D"], ["g = -0.0", "g = 1.0"], ["A B{2}"]),
        (["X'ff'", "X'fe'", "X'ff'", "X'fe'"], ["g = \ufffd"] * 2, ["A B", "A B"]),
        (["struct('{1}')"] * 3 + ["struct('}{')"], ["g = {{1}}", "g = {}{}"], ["A B{2}"]),
    ],
)
def test_one_picture_for_each_partition(
    session: SparkSession, keys: list[str], titles: list[str], matches: list[str]
) -> None:
    rows = ", ".join(f"({key}, {at}, {at + 1})" for at, key in enumerate(keys))
    page = mr.report(
        f"""SELECT * FROM (SELECT * FROM VALUES {rows} AS t(g, k, v)) MATCH_RECOGNIZE (
        PARTITION BY g ORDER BY k MEASURES 1 AS n PATTERN (A B+) DEFINE B AS v > PREV(v))""",
        spark=session,
    )
    assert [html.unescape(t) for t in re.findall("<h2>(g = .*?)</h2>", page.html)] == titles
    found = [table(each, "Matches") for each in sections(page) if "No match." not in each]
    assert [row[-1] for (row,) in found] == matches
    assert len(pictures(page.html)) == len(titles)


def test_values_without_a_place(session: SparkSession) -> None:
    query = """SELECT * FROM VALUES (-1e100D, 1e100D),
        (0D, DOUBLE('NaN')), (1D, NULL), (DOUBLE('Infinity'), 5D), (NULL, 5D) AS t(k, v)
        MATCH_RECOGNIZE (ORDER BY k MEASURES COUNT(*) AS n PATTERN (A+) DEFINE A AS k < 2D)"""
    (section,) = sections(mr.report(query, spark=session))
    assert table(section, "Matches") == [["1", "2", "4", "A{3}"]]
    assert len(table(section, "Rows")) == 5


def test_nothing_to_draw(session: SparkSession) -> None:
    empty = """SELECT * FROM (SELECT * FROM ticks WHERE k > 9) MATCH_RECOGNIZE (
        ORDER BY s MEASURES 1 AS n PATTERN (A))"""
    assert sections(mr.report(empty, spark=session)) == []
    texts = """SELECT * FROM (SELECT s FROM ticks) MATCH_RECOGNIZE (
        ORDER BY s MEASURES 1 AS n PATTERN (A))"""
    page = mr.report(texts, spark=session).html
    assert "no column of the input is a number" in page
    assert pictures(page) == []


def test_what_is_left_out_is_said(session: SparkSession) -> None:
    query = """SELECT * FROM (SELECT id % 25 AS p, id FROM range(3000)) MATCH_RECOGNIZE (
        PARTITION BY p ORDER BY id MEASURES 1 AS n PATTERN (A B))"""
    page = mr.report(query, max_rows=300, spark=session)
    assert "2 of 25 partitions are on this page" in page.html
    (first, _) = sections(page)
    assert "Rows (the first 100 of 120)" in first
    assert len(table(first, "Rows")) == 100
    assert len(table(first, "Matches")) == 60
    none = mr.report(query, max_rows=10, spark=session)
    assert "0 of 25 partitions are on this page" in none.html
    assert "1,500 matches" in none.html


def test_page_loads_and_runs_nothing(session: SparkSession) -> None:
    query = "SELECT * FROM ticks MATCH_RECOGNIZE (ORDER BY k MEASURES 1 AS n PATTERN (A B))"
    page = mr.report(query, spark=session)
    assert "default-src 'none'" in page.html
    assert re.findall(r"""(?:src|href)\s*=\s*["'](?!data:)[^"']*|url\(""", page.html) == []
    shown = page._repr_html_()
    frame = re.fullmatch(r'<iframe [^>]*sandbox srcdoc="([^"]*)"></iframe>', shown)
    assert frame is not None
    assert html.unescape(frame[1]) == page.html
