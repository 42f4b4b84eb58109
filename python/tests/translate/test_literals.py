"""Literals and types that sqlglot reads in another way than the systems do."""

from __future__ import annotations

import pytest
from translating import item, translated


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
