"""The clause after a table: all of it is read and written."""

from __future__ import annotations

from translating import CLAUSE, translated


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


def test_comments_of_other_forms_in_the_pattern() -> None:
    sql = "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A // one\n B))"
    assert "PATTERN (A /* one */ B)" in translated(sql, "snowflake")[0]
    sql = "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A /* a -- b */ B))"
    assert "PATTERN (A /* a -- b */ B)" in translated(sql, "trino")[0]


def test_next_of_oracle() -> None:
    sql = CLAUSE.format("NEXT(LAST(p)) AS x, NEXT(B.p, 2) AS y", "p < NEXT(p)")
    assert (
        "MEASURES NEXT(LAST(p)) AS x, NEXT(B.p, 2) AS y PATTERN (A) DEFINE A AS p < NEXT(p)"
        in (translated(sql, "oracle")[0])
    )


def test_outside_of_the_clause_names_are_free() -> None:
    sql = "SELECT first, classifier, x.match_number FROM x WHERE running > final"
    assert translated(sql, "snowflake")[0] == sql


def test_columns_that_are_called_like_functions() -> None:
    sql = "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY match_number ORDER BY classifier DESC "
    got, _ = translated(
        sql + "MEASURES MATCH_NUMBER AS n PATTERN (A) DEFINE A AS 1 = 1)", "snowflake"
    )
    assert "PARTITION BY match_number ORDER BY classifier DESC" in got
    assert "MEASURES MATCH_NUMBER() AS n" in got
