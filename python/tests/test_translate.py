"""What `translate` changes, says and refuses; tests/test_translate.py runs the results."""

from __future__ import annotations

import sys

import pytest
from translating import CLAUSE, VERTICA, translated

import spark_match_recognize as mr


@pytest.fixture(autouse=True)
def _sqlglot() -> None:
    pytest.importorskip("sqlglot")


def test_nothing_is_lost() -> None:
    sql = (
        "SELECT * FROM t AS x MATCH_RECOGNIZE ( PARTITION BY g, YEAR(d) AS y ORDER BY k DESC NULLS"
        " FIRST MEASURES FINAL LAST(A.v, 1) - RUNNING FIRST(B.v) AS n, CLASSIFIER(U) AS c ONE ROW"
        " PER MATCH SHOW TIMEOUT MATCHES AFTER MATCH SKIP TO U PATTERN (^ A{2,}? | {- B -} `c d` $)"
        " WITHIN INTERVAL '5' MINUTE SUBSET U = (A, B), V = (A) DEFINE A AS v > 1, B AS v < 2 ) AS"
        " m JOIN u MATCH_RECOGNIZE ( PATTERN (A) ) AS n ON m.k = n.k"
    )
    assert translated(sql, "spark") == (sql, ())


def test_names_in_double_quotes() -> None:
    sql = (
        'SELECT * FROM t MATCH_RECOGNIZE (ORDER BY "a b" PATTERN ("x y"+ Z) SUBSET "u""v" = (Z) '
        'DEFINE "x y" AS 1 = 1) m'
    )
    got, _ = translated(sql, "trino")
    assert "ORDER BY `a b`" in got
    assert 'PATTERN (`x y`+ Z) SUBSET `u"v` = (Z) DEFINE `x y` AS 1 = 1 ) AS m' in got


def test_comments_in_the_pattern() -> None:
    sql = "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A -- the first\n B))"
    assert "PATTERN (A /* the first */ B)" in translated(sql, "spark")[0]


def test_order_of_nulls() -> None:
    for read in ("oracle", "snowflake", "trino"):
        got, notes = translated(CLAUSE.format("A.k AS a", "k > 1"), read)
        assert "ORDER BY k NULLS LAST" in got
        assert [n for n in notes if "NULLS LAST was added" in n]
    for read in ("spark", "databricks", "flink"):
        got, notes = translated(CLAUSE.format("A.k AS a", "k > 1"), read)
        assert "NULLS" not in got
        assert not [n for n in notes if "NULLS" in n]


def test_flink() -> None:
    got, notes = translated(CLAUSE.format("A.k AS a", "k > 1"), "flink")
    assert "AFTER MATCH SKIP TO NEXT ROW PATTERN" in got
    assert notes == (
        "Flink continues at the next row if there is no AFTER MATCH SKIP: TO NEXT ROW was added.",
    )
    written = CLAUSE.replace("PATTERN (A)", "AFTER MATCH SKIP PAST LAST ROW PATTERN (A) WITHIN 5")
    got, notes = translated(written.format("A.k AS a", "k > 1"), "flink")
    assert "AFTER MATCH SKIP PAST LAST ROW PATTERN (A) WITHIN 5" in got
    assert [note[:6] for note in notes] == ["WITHIN"]


def test_snowflake() -> None:
    measures = "CLASSIFIER AS c, MATCH_NUMBER AS n, MATCH_SEQUENCE_NUMBER() AS s"
    got, notes = translated(CLAUSE.format(measures, "LAG(k) < k AND LEAD(k, 2) > k"), "snowflake")
    assert "CLASSIFIER() AS c, MATCH_NUMBER() AS n, RUNNING COUNT(*) AS s" in got
    assert "A AS PREV(k) < k AND NEXT(k, 2) > k" in got
    assert {"MATCH_SEQUENCE_NUMBER() is RUNNING COUNT(*).", "LAG in the clause is PREV."} < {*notes}
    got, notes = translated(CLAUSE.format("1 AS n", "k > AVG(k) OVER ()"), "snowflake")
    assert [n for n in notes if n.startswith("Window functions cannot be used in the clause")]


def test_oracle() -> None:
    got, notes = translated(CLAUSE.format("A.d - PREV(A.d) AS n", "s = '' OR foo(s) = 1"), "oracle")
    assert "A.d - PREV(A.d) AS n" in got
    told = " ".join(notes)
    assert "difference of two DATEs" in told
    assert "'' is NULL" in told
    assert "The function foo is left as it is." in told


def test_next_of_oracle() -> None:
    sql = CLAUSE.format("NEXT(LAST(p)) AS x, NEXT(B.p, 2) AS y", "p < NEXT(p)")
    assert (
        "MEASURES NEXT(LAST(p)) AS x, NEXT(B.p, 2) AS y PATTERN (A) DEFINE A AS p < NEXT(p)"
        in (translated(sql, "oracle")[0])
    )


@pytest.mark.parametrize("read", ["trino", "flink"])
def test_division(read: str) -> None:
    """What is certain to be an integer is divided as one; what is not gets a note in its place."""
    name = read.capitalize()
    integers = "COUNT(*) / 2 AS a, CAST(LAST(x) AS INT) / (1 + 2) AS b, MATCH_NUMBER() / 2 AS c"
    got, notes = translated(CLAUSE.format(integers, "SUM(CAST(x AS INT)) / COUNT(*) > 1"), read)
    assert "COUNT(*) DIV 2 AS a, CAST(LAST(x) AS INT) DIV (1 + 2) AS b" in got.replace(
        "( 1 + 2 )", "(1 + 2)"
    )
    assert "MATCH_NUMBER() DIV 2 AS c" in got
    assert "SUM(CAST(x AS INT)) DIV COUNT(*) > 1" in got
    told = f"`COUNT(*) DIV 2`: in {name} the quotient of two integers is an integer."
    assert told in notes
    doubles = "CAST(x AS DOUBLE) / 2 AS a, x / 2e0 AS b, SQRT(x) / COUNT(*) AS c"
    got, notes = translated(CLAUSE.format(doubles, "x > 1"), read)
    assert "DIV" not in got
    assert not [note for note in notes if "quotient" in note]
    got, notes = translated(CLAUSE.format("LAST(p) / COUNT(*) AS a", "x / 2 > 3"), read)
    assert "LAST(p) / COUNT(*) AS a" in got
    found = [note for note in notes if "quotient" in note]
    assert [note.partition(":")[0] for note in found] == ["`LAST(p) / COUNT(*)`", "`x / 2`"]
    assert [note.rpartition(". ")[2] for note in found] == [
        "For integers write LAST(p) DIV COUNT(*).",
        "For integers write x DIV 2.",
    ]
    got, notes = translated(CLAUSE.format("10 / (4 / 2) AS a, 9 / 4 / 2 AS b", "x > 1"), read)
    assert "10 DIV (4 DIV 2) AS a, 9 DIV 4 DIV 2 AS b" in got.replace("( 4 DIV 2 )", "(4 DIV 2)")
    assert [note.partition(":")[0] for note in notes if "quotient" in note] == [
        "`10 DIV (4 DIV 2)`",
        "`4 DIV 2`",
        "`9 DIV 4 DIV 2`",
        "`9 DIV 4`",
    ]
    decimals = [
        n for n in translated(CLAUSE.format("p / 2.5 AS a", "x > 1"), read)[1] if "2.5" in n
    ]
    assert len(decimals) == (read == "trino")  # its decimals have a scale of their own


def test_differences_of_dates() -> None:
    measures = (
        "LAST(d) - FIRST(d) AS a, MAX(price) - MIN(price) AS b, LAST(d) - 1 AS c, "
        "(LAST(d) - FIRST(d)) * 24 AS e, COUNT(*) - A.n AS f"
    )
    for read in ("oracle", "snowflake", "duckdb", "vertica"):
        sql = CLAUSE.format(measures, "price > 10")
        if read == "vertica":
            sql = "SELECT LAST(d) - FIRST(d), MAX(price) - MIN(price), LAST(d) - 1 FROM t WHERE "
            sql += "price > 10"
        found = [note for note in translated(sql, read)[1] if "two DATEs" in note]
        assert [note.partition(":")[0] for note in found] == ["`LAST(d) - FIRST(d)`"], read
    notes = translated(CLAUSE.format(measures, "price > 10"), "trino")[1]
    assert not [note for note in notes if "two DATEs" in note]


def test_what_oracle_has_alone() -> None:
    got, notes = translated("SELECT SYSDATE, 1 + 1 AS n FROM dual", "oracle")
    assert got == "SELECT CURRENT_TIMESTAMP(), 1 + 1 AS n"
    assert [note for note in notes if "return for `CURRENT_TIMESTAMP()`" in note]
    got, notes = translated("SELECT a || b FROM t, dual WHERE ROWNUM < 3", "oracle")
    assert "ROWNUM < 3" in got
    assert [note.partition(" ")[0] for note in notes] == ["The", "ROWNUM", "`a"]
    sql = CLAUSE.format("LAST(x) IGNORE NULLS AS n", "PREV(x) IGNORE NULLS > 3")
    found = [n for n in translated(sql, "oracle")[1] if "does not take the words" in n]
    assert [note.partition(":")[0] for note in found] == [
        "`LAST(x) IGNORE NULLS`",
        "`PREV(x) IGNORE NULLS`",
    ]


def test_elements_of_arrays() -> None:
    for read, shown in (("flink", "a[1]"), ("trino", "a[0]"), ("duckdb", "a[0]")):
        got, notes = translated("SELECT a[1], m['k'] FROM t", read)
        assert got == f"SELECT {shown}, m['k'] FROM t"
        found = [note for note in notes if "elements of an array from 1" in note]
        assert [note.partition(":")[0] for note in found] == [f"`{shown}`"]
    assert translated("SELECT a[1] FROM t", "spark") == ("SELECT a[1] FROM t", ())


def test_lag_with_a_default() -> None:
    got, notes = translated(CLAUSE.format("1 AS n", "LAG(k, 1, 0) < k"), "snowflake")
    assert "PREV(k, 1) < k" in got
    assert [note for note in notes if "PREV has no default value" in note]


@pytest.mark.parametrize(
    ("read", "expression", "named"),
    [
        ("trino", "extract(DOW FROM d)", ["EXTRACT(DOW FROM d)"]),
        ("trino", "CAST(x AS BIGINT) + greatest(y, z)", ["CAST(x AS BIGINT)", "GREATEST(y, z)"]),
        ("flink", "CAST(x AS BIGINT)", []),  # both truncate
        ("flink", "AVG(x)", ["AVG(x)"]),
        ("trino", "AVG(x) + AVG(CAST(x AS DOUBLE))", ["AVG(x)"]),
        ("oracle", "AVG(x)", []),
        ("oracle", "UPPER(TO_CHAR(d, 'DD'))", ["CAST(d AS STRING)"]),
        ("snowflake", "x::INT + 'a'::VARCHAR::DATE", ["CAST(x AS INT)"]),
        ("duckdb", "COALESCE(ABS(x), 1) + YEAR(d) + EXTRACT(MONTH FROM d)", []),
        ("spark", "DAYOFWEEK(d) + GREATEST(x, y) / 2", []),
    ],
)
def test_calls_that_are_not_known_to_be_equal(read: str, expression: str, named: list[str]) -> None:
    notes = translated(f"SELECT {expression} FROM t", read)[1]
    found = [note for note in notes if note.startswith("Compare what")]
    shown = ", ".join(f"`{call}`" for call in named)
    who = f"{read.capitalize()} and Spark"
    told = f"Compare what {who} return for {shown}: it is not known to be equal."
    assert found == ([told] if named else [])


def test_outside_of_the_clause_names_are_free() -> None:
    sql = "SELECT first, classifier, x.match_number FROM x WHERE running > final"
    assert translated(sql, "snowflake")[0] == sql


@pytest.mark.parametrize(
    ("sql", "read", "message"),
    [
        ("SELECT 1", "mysql", "translate reads databricks, .*, vertica, not 'mysql'"),
        ("SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k)", "oracle", "Expecting PATTERN"),
        ("SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A) DEFINE A > 1)", "trino", "Expecting AS"),
        ("SELECT (1", "spark", r"cannot read this statement: Expecting \)"),
        ("SELECT 1; SELECT 2", "spark", "takes one statement, not 2"),
        (" -- nothing", "oracle", "takes one statement, not an empty text"),
    ],
)
def test_refused(sql: str, read: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        mr.translate(sql, read=read)
    assert "\033" not in str(caught.value)


def test_no_text() -> None:
    with pytest.raises(TypeError, match="sql must be a string, not None"):
        mr.translate(None, read="spark")  # type: ignore[arg-type]


def test_extra_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(mr.MissingExtraError, match=r"spark-match-recognize\[translate\]"):
        mr.translate("SELECT 1", read="spark")


def test_vertica() -> None:
    sql = VERTICA.format("k, EVENT_NAME(), match_id() AS pos", "A+ B?", " ROWS MATCH FIRST EVENT")
    got, notes = translated(sql, "vertica")
    assert got == (
        "SELECT k, event_name, match_id AS pos FROM t MATCH_RECOGNIZE ( ORDER BY k MEASURES "
        "CLASSIFIER() AS event_name, RUNNING COUNT(*) AS match_id ALL ROWS PER MATCH OMIT EMPTY "
        "MATCHES PATTERN (A+ B?) DEFINE A AS v > 1, B AS v < 9 AND NOT ( v > 1 ) IS TRUE ) AS t"
    )
    assert [note.split()[0] for note in notes] == ["EVENT_NAME()", "MATCH_ID()", "ROWS", "Vertica"]


def test_vertica_reads_what_where_leaves() -> None:
    sql = VERTICA.format("c.k, c.pattern_id, PATTERN_ID()", "A", "").replace(
        "t MATCH", "s.t c WHERE c.v::INT > 0 MATCH"
    )
    got, notes = translated(sql.replace("A AS v", "A AS c.v"), "vertica")
    assert got.startswith(
        "SELECT c.k, c.pattern_id, pattern_id_of_match AS pattern_id FROM ( SELECT * FROM s.t AS c "
        "WHERE CAST(c.v AS INT) > 0 ) MATCH_RECOGNIZE ( ORDER BY k MEASURES MATCH_NUMBER() AS "
        "pattern_id_of_match"
    )
    assert got.endswith("DEFINE A AS v > 1, B AS v < 9 ) AS c")
    assert [note for note in notes if "two events are true" in note]
    assert [n for n in translated(VERTICA.format("*", "A", ""), "vertica")[1] if n[0] == "*"]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (VERTICA.format("k", "A*+ B", ""), r"possessive quantifier \*\+"),
        (VERTICA.format("k", "A{2}", ""), r"PATTERN has \{"),
        (VERTICA.format("DISTINCT k", "A", ""), "its query has DISTINCT"),
        (VERTICA.format("k", "A", "").replace("t MATCH", "t, u MATCH"), "it reads a join"),
        (VERTICA.format("k", "A", "").replace("ORDER BY k", ""), "Expecting ORDER BY"),
        (VERTICA.format("k", "A", "").replace("PATTERN P AS", "PATTERN"), "Expecting AS"),
    ],
)
def test_vertica_refused(sql: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mr.translate(sql, read="vertica")


def test_windows() -> None:
    window = (
        "( PARTITION BY g ORDER BY k MEASURES FINAL LAST(A.v) AS m ROWS BETWEEN CURRENT ROW AND "
        "UNBOUNDED FOLLOWING AFTER MATCH SKIP TO NEXT ROW SEEK PATTERN (A `b c`+) SUBSET "
        "U = (A, `b c`) DEFINE A AS v > ( SELECT MAX(x) OVER (ORDER BY x) FROM u ) )"
    )
    sql = f"SELECT k, m OVER w, COUNT(*) OVER {window} AS n FROM t WINDOW w AS {window}"
    assert translated(sql, "spark") == (sql, ())
    trino = sql.replace("`", '"')
    assert " ".join(mr.translate(trino, read="trino").sql.split()) == sql.replace(
        "ORDER BY k", "ORDER BY k NULLS LAST"
    ).replace("ORDER BY x", "ORDER BY x NULLS LAST")
