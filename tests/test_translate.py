"""`translate` on examples of public manuals; data and rows are theirs, the words are ours."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conformance_cases import comparable, source
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import spark_match_recognize as mr

FILE = Path(__file__).parent / "translations.json"
DATA = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    session = spark.newSession()
    for name, table in DATA["tables"].items():
        session.sql(source(table["columns"], table["rows"])).createOrReplaceTempView(name)
    return session


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in DATA["cases"]])
def test_manual(session: SparkSession, case: dict[str, Any]) -> None:
    if "possessive" in case.get("refused", ""):
        with pytest.raises(ValueError, match="possessive"):
            mr.translate(case["sql"], read=case["read"])
        return
    found = mr.translate(case["sql"], read=case["read"])
    if "refused" in case:
        assert any(note.startswith("Window functions") for note in found.notes)
        with pytest.raises(AnalysisException) as caught:
            session.sql(found.sql)
        assert str(caught.value.getCondition()).startswith("MATCH_RECOGNIZE_")
        return
    frame = session.sql(found.sql)
    assert [name.lower() for name in frame.columns] == [name.lower() for name in case["columns"]]
    assert [comparable(list(row)) for row in frame.collect()] == [
        comparable(row) for row in case["rows"]
    ]


# The rows are (1, 7, a Monday), (2, 8, a Sunday) and (3, 5, a Saturday), computed by hand.
COMPUTED = [
    ("trino", "COUNT(*) / 2", 1),
    ("trino", "CAST(LAST(x) AS INTEGER) / 2", 2),
    ("trino", "-CAST(LAST(x) AS INTEGER) / 2", -2),
    ("trino", "SUM(CAST(x AS BIGINT)) / COUNT(*)", 6),
    ("trino", "AVG(CAST(x AS BIGINT)) / 2", 20 / 3 / 2),
    ("trino", "COUNT(*) / 2 * 2", 2),
    ("trino", "day_of_week(FIRST(d))", 1),
    ("trino", "day_of_week(FIRST(d, 1))", 7),
    ("trino", "day_of_week(LAST(d))", 6),
    ("flink", "COUNT(*) / 2", 1),
    ("flink", "CAST(LAST(x) AS DOUBLE) / 2", 2.5),
    ("oracle", "NEXT(FIRST(x))", 8),
    ("oracle", "NEXT(FIRST(x), 2)", 5),
    ("oracle", "COUNT(*) / 2", 1.5),
    ("snowflake", "COUNT(*) / 2", 1.5),
    ("duckdb", "isodow(FIRST(d, 1))", 7),
    ("trino", "CAST(LAST(x) / DECIMAL '0.50' AS DOUBLE)", 10),
    ("oracle", "EXTRACT(HOUR FROM TIMESTAMP '2024-01-01 10:00:00')", 10),
    ("oracle", "CAST(0.1 AS FLOAT) * 3", 0.1 * 3),
    ("vertica", "COUNT(x)::INT / 2", 1.5),
    ("flink", r"LENGTH('it''s \d')", 7),
    ("spark", "LENGTH('it''s')", 4),
    ("spark", r"LENGTH('it\'s')", 4),
]
DAYS = """(VALUES (1, 7, DATE '2024-01-01'), (2, 8, DATE '2024-01-07'), (3, 5, DATE '2024-02-10')
    AS days(k, x, d))"""


def written(read: str, clause: str) -> str:
    """Translate a clause over a table, and let it read the rows."""
    clause = clause.replace("PATTERN", "AFTER MATCH SKIP PAST LAST ROW PATTERN")
    sql = mr.translate(f"SELECT * FROM days MATCH_RECOGNIZE (ORDER BY k {clause})", read=read).sql
    return sql.replace("FROM days", f"FROM {DAYS}")


@pytest.mark.parametrize(("read", "expression", "value"), COMPUTED)
def test_value(spark: SparkSession, read: str, expression: str, value: float) -> None:
    rows = spark.sql(written(read, f"MEASURES {expression} AS v PATTERN (A+)")).collect()
    assert [row[0] for row in rows] == [value]


PIECES = ("'", '"', "\\", "\\n", "\\u0041", "%", "_", " ", "--", "/*", "a", "é", "${x}", "\n")
ESCAPES = ("databricks", "snowflake", "spark")  # where a backslash is written twice
SYSTEMS = (*ESCAPES, "duckdb", "flink", "oracle", "trino", "vertica")


@pytest.mark.parametrize("read", SYSTEMS)
def test_strings_of_any_characters(spark: SparkSession, read: str) -> None:
    """A string has the same characters in Spark."""
    chosen = random.Random(read)  # noqa: S311 - texts of a test
    texts = [*PIECES, *("".join(chosen.choices(PIECES, k=6)) for _ in range(50))]
    written = [text.replace("'", "''") for text in texts]
    if read in ESCAPES:
        written = [text.replace("\\", "\\\\") for text in written]
    sql = mr.translate("SELECT " + ", ".join(f"'{text}'" for text in written), read=read).sql
    session = spark.newSession()
    session.conf.set("spark.sql.variable.substitute", "false")
    assert list(session.sql(sql).collect()[0]) == texts


def test_names_of_variables(spark: SparkSession) -> None:
    clause = "MEASURES CLASSIFIER() AS v PATTERN (Up) DEFINE up AS k > 2"
    names = {"databricks": "Up", "oracle": "UP", "snowflake": "UP", "trino": "UP"}
    for read, name in names.items():
        assert spark.sql(written(read, clause)).collect() == [(name,)], read


def test_condition_on_integers(spark: SparkSession) -> None:
    for read in ("trino", "flink"):
        clause = "MEASURES A.k AS v PATTERN (A) DEFINE A AS CAST(x AS INT) / 2 > 3"
        assert [row[0] for row in spark.sql(written(read, clause)).collect()] == [2]


def test_next_of_oracle(spark: SparkSession) -> None:
    clause = "MEASURES A.k AS v PATTERN (A) DEFINE A AS x < NEXT(x)"
    assert [row[0] for row in spark.sql(written("oracle", clause)).collect()] == [1]
    assert spark.sql(mr.translate("SELECT 1 + 1 FROM dual", read="oracle").sql).first() == (2,)
