"""What is left as it is, and named in a note."""

from __future__ import annotations

from translating import CLAUSE, translated


def test_oracle() -> None:
    got, notes = translated(CLAUSE.format("A.d - PREV(A.d) AS n", "s = '' OR foo(s) = 1"), "oracle")
    assert "A.d - PREV(A.d) AS n" in got
    assert "s = CAST(NULL AS STRING)" in got
    told = " ".join(notes)
    assert "difference of two DATEs" in told
    assert "'' is NULL" in told
    assert "The function foo is left as it is." in told


def test_what_oracle_has_alone() -> None:
    got, notes = translated("SELECT SYSDATE, 1 + 1 AS n FROM dual", "oracle")
    assert got == "SELECT CURRENT_TIMESTAMP(), 1 + 1 AS n"
    assert [note for note in notes if "return for `CURRENT_TIMESTAMP()`" in note]
    got, notes = translated("SELECT a || b FROM t, dual WHERE ROWNUM < 3", "oracle")
    assert got == "SELECT NULLIF(CONCAT_WS('', a, b), '') FROM t, dual LIMIT 2"
    assert [note.partition(" ")[0] for note in notes] == ["A", "The", "`NULLIF(CONCAT_WS('',"]
    notes = translated("SELECT ROWNUM FROM t WHERE ROWNUM > 1", "oracle")[1]
    assert [note.partition(" ")[0] for note in notes] == ["ROWNUM"]
    sql = CLAUSE.format("LAST(x) IGNORE NULLS AS n", "PREV(x) IGNORE NULLS > 3")
    found = [n for n in translated(sql, "oracle")[1] if "does not take the words" in n]
    assert [note.partition(":")[0] for note in found] == [
        "`LAST(x) IGNORE NULLS`",
        "`PREV(x) IGNORE NULLS`",
    ]


def test_types_of_oracle() -> None:
    casts = "CAST(ts AS DATE), CAST(x AS NUMBER), CAST(x AS NUMBER(5))"
    notes = translated(f"SELECT {casts} FROM t", "oracle")[1]
    assert [n.split("`")[1] for n in notes if "of Oracle has" in n] == [
        "DATE_TRUNC('SECOND', ts)",
        "CAST(x AS DECIMAL)",
    ]


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


def test_elements_of_arrays() -> None:
    for read, name in (("flink", "TRY_"), ("trino", ""), ("duckdb", "TRY_")):
        got, notes = translated("SELECT a[1], a[k], m['k'] FROM t", read)
        assert got == f"SELECT {name}ELEMENT_AT(a, 1), {name}ELEMENT_AT(a, k), m['k'] FROM t"
        assert not notes
    assert translated("SELECT a[1] FROM t", "spark") == ("SELECT a[1] FROM t", ())


def test_backslash_in_like() -> None:
    for read in ("duckdb", "flink", "oracle", "snowflake", "trino"):
        written = r"x LIKE 'a\\_b'" if read == "snowflake" else r"x LIKE 'a\_b'"
        notes = translated(f"SELECT 1 FROM t WHERE {written}", read)[1]
        assert [n.partition(":")[0] for n in notes if "backslash" in n] == [r"`x LIKE 'a\\_b'`"]
        sql = "SELECT 1 FROM t WHERE x LIKE 'a!_b' ESCAPE '!' OR x LIKE 'a%'"
        assert not [n for n in translated(sql, read)[1] if "backslash" in n]
    for read in ("spark", "vertica"):  # it escapes there as well
        assert not translated(r"SELECT 1 FROM t WHERE x LIKE 'a\_b'", read)[1]


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
