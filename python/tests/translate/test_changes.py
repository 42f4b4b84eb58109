"""What is written in another way, so that Spark computes the same."""

from __future__ import annotations

import pytest
from translating import CLAUSE, item, translated


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


def test_lag_with_a_default() -> None:
    got, notes = translated(CLAUSE.format("1 AS n", "LAG(k, 1, 0) < k"), "snowflake")
    assert "COALESCE(PREV(k, 1), 0) < k" in got
    assert [note for note in notes if note.startswith("`COALESCE(PREV(k, 1), 0)`: the default")]


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


@pytest.mark.parametrize(
    ("read", "expression", "written"),
    [
        ("trino", "CAST(x AS DECIMAL)", "CAST(x AS DECIMAL(38, 0))"),
        ("trino", "DECIMAL '1.50'", "1.50BD"),
        ("trino", "DECIMAL '-10' / 4", "-10BD / 4"),
        ("snowflake", "x::NUMBER", "CAST(x AS DECIMAL(38, 0))"),
        ("duckdb", "x::DECIMAL", "CAST(x AS DECIMAL(18, 3))"),
        ("vertica", "x::NUMERIC", "CAST(x AS DECIMAL(37, 15))"),
        ("flink", "CAST(x AS DECIMAL)", "CAST(x AS DECIMAL)"),
        ("oracle", "CAST(x AS NUMBER(5, 2))", "CAST(x AS DECIMAL(5, 2))"),
    ],
)
def test_decimals_without_a_precision(read: str, expression: str, written: str) -> None:
    assert item(expression, read) == written


def test_names_of_variables_in_capitals() -> None:
    sql = CLAUSE.format("CLASSIFIER() AS c", "k > 1").replace("(A)", '(a /* x */ Bc+ "De")')
    for read in ("oracle", "snowflake", "trino"):
        got, notes = translated(sql, read)
        assert "PATTERN (A /* x */ BC+ `De`)" in got
        assert [n for n in notes if n.endswith("in capitals: PATTERN has them now.")]
    assert "PATTERN (a /* x */ Bc+ `De`)" in translated(sql, "databricks")[0]
    got, notes = translated(sql.replace("CLASSIFIER()", "k"), "trino")
    assert "PATTERN (a /* x */ Bc+ `De`)" in got
    assert not [n for n in notes if "capitals" in n]


def test_elements_are_not_called_like_a_column() -> None:
    sql = "SELECT x = ANY(ARRAY[1, 2]), element > ANY(a) FROM t WHERE y = ANY(SELECT 1)"
    got = translated(sql, "vertica")[0]
    assert "EXISTS(ARRAY(1, 2), element_ -> x = element_)" in got
    assert "EXISTS(a, element_ -> element > element_)" in got
    assert got.replace("( ", "(").replace(" )", ")").endswith("y = ANY (SELECT 1)")


def test_qualify() -> None:
    """The columns are those of the query; what is left is sorted and counted."""
    sql = "SELECT {} FROM t QUALIFY RANK() OVER (ORDER BY k) = 1 ORDER BY k LIMIT 2"
    got = translated(sql.format("*"), "databricks")[0]
    assert got == (
        "SELECT * EXCEPT (_w) FROM ( SELECT *, RANK() OVER (ORDER BY k) AS _w FROM t ) AS _t "
        "WHERE _w = 1 ORDER BY k LIMIT 2"
    )
    got = translated(f"SELECT * FROM ({sql.format('k')})", "databricks")[0]
    assert got.startswith("SELECT * FROM ( SELECT k FROM ( SELECT k, RANK()")
    assert got.endswith("WHERE _w = 1 ORDER BY k LIMIT 2 )")
