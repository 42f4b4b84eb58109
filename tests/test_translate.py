"""`translate` on examples of public manuals; data and rows are theirs, the words are ours."""

from __future__ import annotations

import json
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
