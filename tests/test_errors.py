"""What an error of the clause looks like from Python."""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession

ROWS = "(SELECT id, id % 2 AS v FROM range(4))"


def test_mistake_in_the_clause(spark: SparkSession) -> None:
    sql = (
        f"SELECT *\nFROM {ROWS} MATCH_RECOGNIZE (\n  ORDER BY id\n  MEASURES B.v AS m PATTERN (A))"
    )
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    error = caught.value
    assert error.getCondition() == "MATCH_RECOGNIZE_INVALID_VARIABLE.UNKNOWN"
    assert error.getSqlState() == "42704"
    assert error.getMessageParameters() == {"name": "`B`", "variables": "`A`"}
    message = error.getMessage()
    assert message is not None
    assert "Did you mean one of `A`?" in message
    text = str(error)
    assert "== SQL (line 4, position 12) ==" in text
    assert "  MEASURES B.v AS m PATTERN (A))" in text
    assert "^^^" in text
    (context,) = error.getQueryContext()
    assert context.fragment() == "B.v"


def test_error_of_a_task(spark: SparkSession) -> None:
    sql = f"""SELECT * FROM {ROWS} MATCH_RECOGNIZE (PARTITION BY v ORDER BY id MEASURES 1 AS m
        AFTER MATCH SKIP TO B PATTERN (A+ | B))"""
    with pytest.raises(PySparkException) as caught:
        spark.sql(sql).collect()
    error = caught.value
    assert error.getCondition() == "MATCH_RECOGNIZE_SKIP_TO_MISSING_ROW"
    assert error.getSqlState() == "2202K"
    message = error.getMessage()
    assert message is not None
    assert "in partition v = 0 has no row of `B`" in message
    assert "in partition v = 0 has no row of `B`" in str(error)


def test_syntax_error(spark: SparkSession) -> None:
    with pytest.raises(PySparkException) as caught:
        spark.sql(f"SELECT * FROM {ROWS} MATCH_RECOGNIZE (ORDER BY id PATTERN (A |))")
    error = caught.value
    assert error.getCondition() == "PARSE_SYNTAX_ERROR"
    assert error.getSqlState() == "42601"
    assert "write () to match no row" in str(error)
