"""What `translate` changes, says and refuses; tests/test_translate.py runs the results."""

from __future__ import annotations

import sys

import pytest

import spark_match_recognize as mr

CLAUSE = "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k MEASURES {} PATTERN (A) DEFINE A AS {})"


@pytest.fixture(autouse=True)
def _sqlglot() -> None:
    pytest.importorskip("sqlglot")


def translated(sql: str, read: str) -> tuple[str, tuple[str, ...]]:
    found = mr.translate(sql, read=read)
    assert str(found) == found.sql
    return " ".join(found.sql.split()), found.notes


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
        ("SELECT 1; SELECT 2", "spark", "one statement"),
    ],
)
def test_refused(sql: str, read: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        mr.translate(sql, read=read)
    assert "\033" not in str(caught.value)


def test_extra_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(mr.MissingExtraError, match=r"spark-match-recognize\[translate\]"):
        mr.translate("SELECT 1", read="spark")


VERTICA = "SELECT {} FROM t MATCH (ORDER BY k DEFINE A AS v > 1, B AS v < 9 PATTERN P AS ({}){})"


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
