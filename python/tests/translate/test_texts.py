"""Names, strings, literals, types, comments and operators."""

from __future__ import annotations

import pytest
from translating import item, translated


@pytest.mark.parametrize(
    ("read", "given", "written", "notes"),
    [
        ("oracle", '"a ""b""", e#1, v$x', '`a "b"`, `e#1`, `v$x`', []),
        ("snowflake", '"a`b", é', "`a``b`, `é`", []),
        ("flink", "`a``b`", "`a``b`", []),
        ("trino", '"${x}"', "`${x}`", ['"${x}"']),
        ("oracle", r"'it''s \d', q'!a'b!', nq'(c)', N'd'", r"'it\'s \\d', 'a\'b', 'c', 'd'", []),
        ("snowflake", r"'a\'b\\', $$c'\$$, '\t'", "'a\\'b\\\\', 'c\\'\\\\', '\t'", []),
        ("trino", "'${x}', '$', 1.5, .5, 1e5", r"'\u0024{x}', '$', 1.5, .5, 1e5", []),
        ("oracle", "'' || x", "CAST(NULL AS STRING) || x", ["||"]),
        ("trino", "1_000, 0xF", "1_000, 0xF", ["1_000", "0xF"]),
        ("oracle", "1.5f", "1.5f", ["1.5f"]),
        ("trino", "X'ff', U&'a'", "X'ff', U&'a'", ["X before a string", "&"]),
        (
            "trino",
            "DECIMAL '1', TIME '10:00'",
            "DECIMAL '1', TIME '10:00'",
            ["DECIMAL before a string", "TIME before a string"],
        ),
        ("trino", "DATE '2024-1-1'", "DATE '2024-1-1'", ["the literal"]),
        (
            "trino",
            "TIMESTAMP '2024-01-01 10:00 UTC'",
            "TIMESTAMP '2024-01-01 10:00 UTC'",
            ["the literal"],
        ),
        ("oracle", "INTERVAL '4' DAY(3)", "INTERVAL '4' DAY(3)", ["the interval"]),
        (
            "oracle",
            "INTERVAL '4 10' DAY(3) TO HOUR",
            "INTERVAL '4 10' DAY(3) TO HOUR",
            ["the interval"],
        ),
        ("trino", "INTERVAL '1.5' HOUR", "INTERVAL '1.5' HOUR", ["the interval"]),
        ("snowflake", "INTERVAL '1 year, 2 days'", "INTERVAL '1 year, 2 days'", ["the interval"]),
        (
            "trino",
            "CAST(x AS INTEGER), TRY_CAST(x AS DATE)",
            "CAST(x AS INTEGER), TRY_CAST(x AS DATE)",
            ["INTEGER"],
        ),
        ("trino", "CAST(x AS VARCHAR(3))", "CAST(x AS VARCHAR(3))", ["VARCHAR(3)"]),
        (
            "oracle",
            "CAST(x AS NUMBER(3,1)), CAST(d AS DATE)",
            "CAST(x AS DECIMAL(3,1)), CAST(d AS DATE)",
            ["DATE"],
        ),
        ("oracle", "CAST(x AS DATE, 'YYYY')", "CAST(x AS DATE, 'YYYY')", ["DATE, 'YYYY'"]),
        ("oracle", "CAST(x AS NUMBER)", "CAST(x AS NUMBER)", ["NUMBER"]),
        (
            "snowflake",
            "x::FLOAT, y::INT, z::VARCHAR(3)",
            "x::DOUBLE, y::INT, z::VARCHAR(3)",
            ["INT", "VARCHAR(3)"],
        ),
        ("snowflake", "x::DOUBLE PRECISION", "x::DOUBLE PRECISION", ["DOUBLE PRECISION"]),
        (
            "snowflake",
            "b - a, b - 1, -b, ts - INTERVAL '1 day'",
            "b - a, b - 1, -b, ts - INTERVAL '1 day'",
            ["-"],
        ),
        (
            "trino",
            "b - a, a / 2, a % 2, a[1], m -> 1",
            "b - a, a / 2, a % 2, a[1], m -> 1",
            ["/", "[", "->"],
        ),
        (
            "oracle",
            "a / 2, SYSDATE, t.level, prior.x",
            "a / 2, SYSDATE, t.level, prior.x",
            ["/", "SYSDATE"],
        ),
        ("snowflake", "$lim, v:a, @s, ?", "$lim, v:a, @s, ?", ["$", ":", "@", "?"]),
        ("trino", r"x LIKE 'a\_', x LIKE y", r"x LIKE 'a\\_', x LIKE y", ["LIKE", "LIKE"]),
        ("trino", r"x LIKE 'a\_' ESCAPE '\'", r"x LIKE 'a\\_' ESCAPE '\\'", []),
        (
            "snowflake",
            "x LIKE ANY ('a', 'b'), x RLIKE 'a'",
            "x LIKE ANY ('a', 'b'), x RLIKE 'a'",
            ["LIKE", "RLIKE"],
        ),
        (
            "trino",
            "d AT TIME ZONE 'UTC', CURRENT_DATE",
            "d AT TIME ZONE 'UTC', CURRENT_DATE",
            ["AT", "CURRENT_DATE"],
        ),
    ],
)
def test_written(read: str, given: str, written: str, notes: list[str]) -> None:
    got, told = item(given, read)
    assert got == " ".join(written.split())
    assert told == notes


def test_comments() -> None:
    sql = "SELECT /*+ HINT */ 1 /* a /* b */ // c\n, 2 -- d\\\n, 3"
    got = "SELECT /* + HINT */ 1 /* a / * b */ -- c , 2 -- d\\ , 3"
    note = "line 1, column 8: the hint is a comment in Spark."
    assert translated(sql, "snowflake") == (got, (note,))


def test_relations_with_columns_are_no_calls() -> None:
    sql = "WITH a (x) AS (SELECT 1), b (y) AS (SELECT 2) SELECT * FROM (VALUES (1)) AS t (z), a"
    assert translated(sql, "trino") == (sql, ())
    for call in ("AS f(x)", "AS t.f(x)"):
        sql = f"SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A) DEFINE A {call} > 1)"
        assert len(translated(sql, "trino")[1]) == 1
