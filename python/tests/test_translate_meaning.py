"""Constructs that another system reads in another way: rewritten, or named in a note."""

from __future__ import annotations

import pytest
from translating import CLAUSE, VERTICA, translated


@pytest.fixture(autouse=True)
def _sqlglot() -> None:
    pytest.importorskip("sqlglot")


def item(expression: str, read: str) -> str:
    """Return what an item of a SELECT list becomes."""
    return translated(f"SELECT {expression} FROM t", read)[0][len("SELECT ") : -len(" FROM t")]


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


@pytest.mark.parametrize(
    ("read", "kind", "written"),
    [
        ("oracle", "FLOAT", "DOUBLE"),
        ("oracle", "FLOAT(10)", "DOUBLE"),
        ("oracle", "REAL", "DOUBLE"),
        ("oracle", "BINARY_FLOAT", "FLOAT"),
        ("snowflake", "FLOAT", "DOUBLE"),
        ("snowflake", "REAL", "DOUBLE"),
        ("snowflake", "FLOAT4", "DOUBLE"),
        ("vertica", "FLOAT(5)", "DOUBLE"),
        ("vertica", "REAL", "DOUBLE"),
        ("trino", "REAL", "FLOAT"),
        ("flink", "FLOAT", "FLOAT"),
    ],
)
def test_numbers_of_64_bits(read: str, kind: str, written: str) -> None:
    assert item(f"CAST(x AS {kind})", read) == f"CAST(x AS {written})"


@pytest.mark.parametrize(
    ("read", "text", "written"),
    [
        ("trino", r"'a\d'", r"'a\\d'"),
        ("flink", r"'a\d'", r"'a\\d'"),
        ("flink", "'it''s'", r"'it\'s'"),
        ("spark", "'it''s'", r"'it\'s'"),
        ("spark", '"say ""no"""', "'say \"no\"'"),
        ("databricks", "'it''s' \"a\"\"b\"", "CONCAT('it\\'s', 'a\"b')"),
        ("spark", "'a' 'b''c'", r"CONCAT('a', 'b\'c')"),
        ("spark", "'a'\"b\"", "CONCAT('a', 'b')"),
        ("oracle", "q'[it's]'", r"'it\'s'"),
    ],
)
def test_strings(read: str, text: str, written: str) -> None:
    assert item(text, read) == written


def test_strings_in_other_places() -> None:
    sql = "SELECT * FROM t WHERE x LIKE 'it''s' ESCAPE '!'"
    assert translated(sql, "spark")[0].endswith(r"LIKE 'it\'s' ESCAPE '!'")


def test_backslash_in_like() -> None:
    for read in ("duckdb", "flink", "oracle", "snowflake", "trino"):
        written = r"x LIKE 'a\\_b'" if read == "snowflake" else r"x LIKE 'a\_b'"
        notes = translated(f"SELECT 1 FROM t WHERE {written}", read)[1]
        assert [n.partition(":")[0] for n in notes if "backslash" in n] == [r"`x LIKE 'a\\_b'`"]
        sql = "SELECT 1 FROM t WHERE x LIKE 'a!_b' ESCAPE '!' OR x LIKE 'a%'"
        assert not [n for n in translated(sql, read)[1] if "backslash" in n]
    for read in ("spark", "vertica"):  # it escapes there as well
        assert not translated(r"SELECT 1 FROM t WHERE x LIKE 'a\_b'", read)[1]


@pytest.mark.parametrize(
    ("read", "expression", "named"),
    [
        ("trino", "MAX(x, 2)", "GREATEST(x, 2)"),
        ("trino", "TRIM(x)", "TRIM(x)"),
        ("oracle", "TRIM(x)", ""),
        ("trino", "LN(x)", "LN(x)"),
        ("oracle", "STDDEV(x)", "STDDEV(x)"),
        ("trino", "STDDEV(x)", ""),
        ("trino", "ts AT TIME ZONE 'UTC'", "FROM_UTC_TIMESTAMP(ts, 'UTC')"),
        ("trino", "CAST(ts AS TIMESTAMP)", "CAST(ts AS TIMESTAMP)"),
        ("trino", "TIMESTAMP '2024-01-01 00:00:00'", ""),
        ("flink", "CAST(ts AS TIMESTAMP(3))", "CAST(ts AS TIMESTAMP)"),
        ("flink", "CAST(ts AS TIMESTAMP(6))", ""),
        ("trino", "CAST(x AS TIME)", "CAST(x AS TIMESTAMP)"),
        ("snowflake", "ROUND(x, 1, 'HALF_TO_EVEN')", "ROUND(x, 1, 'HALF_TO_EVEN')"),
    ],
)
def test_calls_with_another_meaning(read: str, expression: str, named: str) -> None:
    notes = translated(f"SELECT {expression} FROM t", read)[1]
    found = [note.split("`")[1] for note in notes if note.startswith("Compare what")]
    assert found == ([named] if named else [])


def test_types_of_oracle() -> None:
    casts = "CAST(ts AS DATE), CAST(x AS NUMBER), CAST(x AS NUMBER(5))"
    notes = translated(f"SELECT {casts} FROM t", "oracle")[1]
    assert [n.split("`")[1] for n in notes if "of Oracle has" in n] == [
        "CAST(ts AS DATE)",
        "CAST(x AS DECIMAL)",
    ]


def test_rows_that_a_limit_leaves_out() -> None:
    for words, told in (
        ("3 ROWS WITH TIES", "LIMIT 3: WITH TIES is left out."),
        ("ROW WITH TIES", "LIMIT 1: WITH TIES is left out."),
        ("10 PERCENT ROWS ONLY", "LIMIT 10: PERCENT is left out."),
    ):
        assert told in translated(f"SELECT * FROM t ORDER BY k FETCH FIRST {words}", "oracle")[1]
    got, notes = translated("SELECT * FROM t ORDER BY k FETCH FIRST 3 ROWS ONLY", "oracle")
    assert got.endswith("LIMIT 3")
    assert not [n for n in notes if "left out" in n]


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


def test_columns_that_are_called_like_functions() -> None:
    sql = "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY match_number ORDER BY classifier DESC "
    got, _ = translated(
        sql + "MEASURES MATCH_NUMBER AS n PATTERN (A) DEFINE A AS 1 = 1)", "snowflake"
    )
    assert "PARTITION BY match_number ORDER BY classifier DESC" in got
    assert "MEASURES MATCH_NUMBER() AS n" in got


def test_databricks() -> None:
    sql = CLAUSE.format("COUNT(*) AS n", "k > 1").replace("PATTERN (A)", "{} PATTERN ({})")
    for pattern, told in (("A+", False), ("A*", True), ("(A | ()) B?", True), ("A B*", False)):
        notes = translated(sql.format("", pattern), "databricks")[1]
        assert bool([n for n in notes if n.startswith("PATTERN can match no row")]) == told
        assert not [n for n in notes if "FINAL" in n]
    notes = translated(sql.format("ALL ROWS PER MATCH", "A"), "databricks")[1]
    assert [n for n in notes if n.endswith("which is FINAL.")]
    written = sql.replace("COUNT", "RUNNING COUNT").format("ALL ROWS PER MATCH", "A")
    assert not translated(written, "databricks")[1]


def test_elements_are_not_called_like_a_column() -> None:
    sql = "SELECT x = ANY(ARRAY[1, 2]), element > ANY(a) FROM t WHERE y = ANY(SELECT 1)"
    got = translated(sql, "vertica")[0]
    assert "EXISTS(ARRAY(1, 2), element_ -> x = element_)" in got
    assert "EXISTS(a, element_ -> element > element_)" in got
    assert got.replace("( ", "(").replace(" )", ")").endswith("y = ANY (SELECT 1)")


def test_intervals_that_sqlglot_cuts() -> None:
    for text in ("1 day 02:00", "1 hour 30"):
        with pytest.raises(ValueError, match="of the interval '1 "):
            translated(f"SELECT INTERVAL '{text}'", "vertica")
    assert item("INTERVAL '1 day 2 hours'", "vertica") == "INTERVAL '1 day 2 hours'"
    assert item("INTERVAL '-1 day'", "vertica") == "INTERVAL '-1' DAY"
    assert item("INTERVAL '1 02:00' DAY TO MINUTE", "trino") == "INTERVAL '1 02:00' DAY TO MINUTE"


def test_literals_of_times() -> None:
    got, notes = translated("SELECT TIMESTAMP '2024-01-01 10:00:00', DATE '2024-01-01'", "oracle")
    assert got == "SELECT CAST('2024-01-01 10:00:00' AS TIMESTAMP), CAST('2024-01-01' AS DATE)"
    assert not notes


def test_nested_too_deeply() -> None:
    with pytest.raises(ValueError, match="cannot read this statement: maximum recursion"):
        translated("SELECT " + "(" * 2_000 + "1" + ")" * 2_000, "trino")


def test_comments_in_the_pattern() -> None:
    sql = "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A // one\n B))"
    assert "PATTERN (A /* one */ B)" in translated(sql, "snowflake")[0]
    sql = "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A /* a -- b */ B))"
    assert "PATTERN (A /* a -- b */ B)" in translated(sql, "trino")[0]


def test_arrays_and_quotients_of_vertica() -> None:
    assert item("a[0]", "vertica") == "a[0]"
    assert item("x::INT / y::INT", "vertica") == "CAST(x AS INT) / CAST(y AS INT)"


def test_columns_of_vertica_with_a_schema() -> None:
    sql = VERTICA.format("k", "A", "").replace("FROM t", "FROM s.t").replace("A AS v", "A AS s.t.v")
    assert "DEFINE A AS v > 1" in translated(sql, "vertica")[0]
