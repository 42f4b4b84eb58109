"""Calls that are not known to be equal."""

from __future__ import annotations

import pytest
from translating import translated


@pytest.mark.parametrize(
    ("read", "expression", "named"),
    [
        ("trino", "extract(TIMEZONE_HOUR FROM d)", ["EXTRACT(TIMEZONE_HOUR FROM d)"]),
        (
            "trino",
            "CAST(x AS BIGINT) + try_cast(y AS INT)",
            ["CAST(x AS BIGINT)", "TRY_CAST(y AS INT)"],
        ),
        ("flink", "CAST(x AS BIGINT)", []),  # both truncate
        ("flink", "AVG(x)", ["AVG(x)"]),
        ("trino", "AVG(x) + AVG(CAST(x AS DOUBLE))", ["AVG(x)"]),
        ("oracle", "AVG(x)", []),
        ("oracle", "UPPER(TO_CHAR(d, 'J'))", ["CAST(d AS STRING)"]),
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
