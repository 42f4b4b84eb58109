"""The clause of each system: what is written, and that the rest of the text stays."""

from __future__ import annotations

import pytest
from translating import CLAUSE, left, translated


def test_nothing_else_changes() -> None:
    sql = """
    SELECT  a,b  -- a comment
    FROM t MATCH_RECOGNIZE (
      PARTITION BY p ORDER BY k NULLS FIRST MEASURES FIRST(A.x) AS f, COUNT(B.*) n
      ONE ROW PER MATCH AFTER MATCH SKIP TO LAST B /* one */
      PATTERN (^ A{2,} (B | {- C -})*? PERMUTE(D, E)?? $) SUBSET U = (A, B)
      DEFINE B AS B.x > PREV(B.x, 2) AND x IN (1, 2) AND NOT (x BETWEEN 3 AND 4))
    AS m WHERE f IS NOT NULL GROUP BY ROLLUP (a, b) HAVING COUNT(*) > 1
    """
    for read in ("flink", "oracle", "snowflake", "trino"):
        assert translated(sql, read) == (" ".join(sql.split()), ())


@pytest.mark.parametrize(
    ("read", "key", "written"),
    [
        ("oracle", "a", "a NULLS LAST"),
        ("oracle", "a DESC", "a DESC NULLS FIRST"),
        ("snowflake", "a ASC, b + (c) DESC", "a ASC NULLS LAST, b + (c) DESC NULLS FIRST"),
        ("trino", "a, b DESC, c NULLS FIRST", "a NULLS LAST, b DESC, c NULLS FIRST"),
        ("flink", "a, b DESC", "a, b DESC"),
        ("trino", "t.rows, one ROWS UNBOUNDED PRECEDING", "t.rows NULLS LAST, one NULLS LAST"),
    ],
)
def test_order_of_nulls(read: str, key: str, written: str) -> None:
    ends = " ROWS UNBOUNDED PRECEDING" if "ROWS U" in key else ""
    got, _ = translated(f"SELECT SUM(x) OVER (ORDER BY {key}) FROM t ORDER BY {key[:1]}", read)
    assert got.startswith(f"SELECT SUM(x) OVER (ORDER BY {written}{ends}) FROM t ORDER BY")
    clause = CLAUSE.format("COUNT(*) AS n", "x > 1").replace("BY k", f"BY {key}")
    assert f"ORDER BY {written}{ends} MEASURES" in translated(clause, read)[0]


def test_flink() -> None:
    sql = CLAUSE.format("MATCH_ROWTIME() AS t", "LAST(A.x, 1) IS NULL")
    added = sql.replace(" PATTERN", " AFTER MATCH SKIP TO NEXT ROW PATTERN")
    assert translated(sql, "flink") == (added, ())
    assert "SKIP TO NEXT ROW" in translated(sql.replace("BY k", "BY after"), "flink")[0]
    got, notes = translated(added.replace("(A) D", "(A) WITHIN INTERVAL '2' HOUR D"), "flink")
    assert got == added.replace("(A) D", "(A) WITHIN INTERVAL '2' HOUR D")
    assert left(notes) == ["WITHIN includes its bound in Spark, and excludes it in Flink."]


def test_snowflake() -> None:
    measures = "CLASSIFIER AS c, MATCH_NUMBER AS n, match_sequence_number() AS i, b.classifier AS x"
    got, notes = translated(CLAUSE.format(measures, "LAG(x) < LEAD(x, 2)"), "snowflake")
    written = "CLASSIFIER() AS c, MATCH_NUMBER() AS n, MATCH_ROW_NUMBER() AS i, b.classifier AS x"
    assert written in got
    assert got.endswith("LAG(x) < LEAD(x, 2))")
    assert not notes
    got, notes = translated(CLAUSE.format("1 AS n", "LAG(x, 1, 0) < 1"), "snowflake")
    assert got.endswith("LAG(x, 1, 0) < 1)")
    assert left(notes) == ["LAG"]
    notes = translated(CLAUSE.format("1 AS n", "AVG(x) OVER (ORDER BY k) < 1"), "snowflake")[1]
    assert left(notes) == ["AVG", "OVER"]


def test_names_of_variables() -> None:
    sql = CLAUSE.format('CLASSIFIER() AS c, "a b" AS d', "x > 1").replace("(A)", '(Up+ "Down")')
    for read in ("oracle", "snowflake", "trino"):
        got, notes = translated(sql, read)
        assert "PATTERN (UP+ `Down`)" in got
        assert "`a b` AS d" in got
        assert not notes
        assert "(Up+ `Down`)" in translated(sql.replace("CLASSIFIER()", "1"), read)[0]
    assert "(Up+ Down)" in translated(sql.replace('"', ""), "flink")[0]


def test_variables_that_differ_in_case_only() -> None:
    sql = CLAUSE.format("1 AS n", "x > 1").replace("(A)", '("up" up+ "DOWN" down)')
    (note,) = translated(sql, "oracle")[1]
    assert note.endswith('"up" and UP are one variable in Spark: rename one.')


def test_an_anchor_or_a_name() -> None:
    sql = CLAUSE.format("1 AS n", "x > 1")
    got, notes = translated(sql.replace("(A)", "(A B$)"), "oracle")
    assert "(A `B$`)" in got
    assert left(notes) == ["B$ is one name, in backticks; write a space before an anchor."]
    assert translated(sql.replace("(A)", "(A B $)"), "oracle")[1] == ()
    assert translated(sql.replace("(A)", "(A B$)"), "trino")[1] == ()


def test_windows_of_trino() -> None:
    sql = (
        "SELECT n OVER w FROM t WINDOW w AS (PARTITION BY p ORDER BY k NULLS LAST "
        "MEASURES RUNNING LAST(x) AS n ROWS BETWEEN CURRENT ROW AND 5 FOLLOWING "
        "AFTER MATCH SKIP PAST LAST ROW SEEK PATTERN (A B+) DEFINE B AS x > PREV(x))"
    )
    assert translated(sql, "trino") == (sql, ())
    assert translated(sql.replace(" NULLS LAST", ""), "trino") == (sql, ())


def test_places_of_notes() -> None:
    sql = "SELECT 'a\nb',\r\n  foo(x), bar(foo(y))\nFROM t"
    told = [note.partition(" is left")[0] for note in translated(sql, "trino")[1]]
    assert told == ["line 3, column 3: foo", "line 3, column 11: bar", "line 3, column 15: foo"]
