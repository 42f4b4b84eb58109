"""Every query of the conformance cases, read and written by `translate`, has the same rows."""

from __future__ import annotations

from typing import Any

import pytest
from conformance_cases import Case, all_cases, check, lacking
from pyspark.sql import SparkSession

import spark_match_recognize as mr

QUERIES = [case for case in all_cases() if "expected_error" not in case]


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in QUERIES])
def test_case(spark: SparkSession, case: Case) -> None:
    if missing := lacking(case):
        pytest.skip(missing)
    written: dict[str, Any] = {**case, "sql": mr.translate(case["sql"], read="spark").sql}
    check(spark.newSession(), written)


def test_every_query_is_read_and_written_again() -> None:
    """What was written is read as the same statement."""
    for case in QUERIES:
        once = mr.translate(case["sql"], read="spark").sql
        assert mr.translate(once, read="spark").sql == once, case["id"]
    assert len(QUERIES) >= 399
