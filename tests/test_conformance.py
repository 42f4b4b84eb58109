"""The conformance cases of tests/conformance on the installed wheel; its README has the format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from conformance_cases import FOLDER, Case, all_cases, check, lacking
from pyspark.sql import SparkSession


def not_yet() -> dict[str, str]:
    """Return the reasons of not-yet.txt by the id of the case."""
    lines = (FOLDER / "not-yet.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("#") for line in lines)
    return {name.strip(): reason.strip() or "not yet" for name, _, reason in pairs if name.strip()}


def parameters() -> Iterator[Any]:
    """Return every case of every file, those of not-yet.txt as strict expected failures."""
    missing = not_yet()
    for case in all_cases():
        reason = missing.get(case["id"])
        marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
        yield pytest.param(case, id=case["id"], marks=marks)


@pytest.fixture(scope="module")
def plugin(spark: SparkSession) -> SparkSession:
    """Return the session after checking that it supports the clause.

    Without the plugin every statement fails, and cases that expect an error would seem to pass.
    """
    clause = "MATCH_RECOGNIZE (ORDER BY k MEASURES COUNT(*) AS n PATTERN (A+))"
    probe = f"SELECT * FROM VALUES (1), (2) AS t(k) {clause}"
    assert [tuple(row) for row in spark.sql(probe).collect()] == [(2,)]
    return spark


@pytest.mark.parametrize("case", list(parameters()))
def test_case(plugin: SparkSession, case: Case) -> None:
    if missing := lacking(case):
        pytest.skip(missing)
    check(plugin.newSession(), case)


def test_list_of_missing_cases_names_cases() -> None:
    known = {parameter.id for parameter in parameters()}
    assert set(not_yet()) <= known
