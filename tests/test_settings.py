"""The conformance cases under settings that must not change their results, in all pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conformance_cases import Case, all_cases, judge, lacking, prepare
from pyspark.sql import SparkSession
from settings_array import (
    ANSI,
    ARRAY,
    PARTS,
    PATHS,
    SPACE,
    VALUES,
    combinations,
    covered,
    keeps_ansi,
    rows_of,
    settings_of,
)

CONFS = "src/main/scala/io/matchrecognize/conf/MatchRecognizeConf.scala"


def parameters() -> Iterator[Any]:
    """Return each case with the rows of each part, if any; one part has no mark.

    An error of the parser or the analyzer comes before any of the settings is read but ANSI mode.
    """
    for number, case in enumerate(all_cases()):
        is_early = case.get("expected_error", "").startswith(("parse", "analysis"))
        for part in range(PARTS):
            rows = rows_of(number, part)[: 1 if is_early else None]
            if not rows:
                continue
            marks = [pytest.mark.matrix] if part else []
            yield pytest.param(case, rows, id=f"{case['id']}-{part}", marks=marks)


@pytest.mark.parametrize(("case", "rows"), list(parameters()))
def test_case(spark: SparkSession, case: Case, rows: list[int]) -> None:
    if missing := lacking(case):
        pytest.skip(missing)
    session = spark.newSession()
    prepare(session, case)
    for row in rows:
        settings = settings_of(row, case)
        for key, value in settings.items():
            session.conf.set(key, value)
        try:
            judge(session, case)
        except Exception as error:
            error.add_note(f"row {row}: {settings}")
            raise


def test_the_rows_have_all_pairs_of_values_and_most_triples() -> None:
    assert len(ARRAY) < 20
    assert covered(ARRAY, 2) == set(combinations(VALUES, 2))
    assert set(combinations(PATHS, 3)) <= covered(ARRAY, 3)
    assert len(covered(ARRAY, 3)) > 0.9 * len(set(combinations(VALUES, 3)))


def test_each_row_has_all_cases_in_its_parts() -> None:
    for number in range(PARTS):
        parts = [row for part in range(PARTS) for row in rows_of(number, part)]
        assert sorted(parts) == list(range(len(ARRAY)))
    for row in range(len(ARRAY)):
        assert sum(row in rows_of(number, 0) for number in range(20 * PARTS)) == 20


def test_each_setting_of_the_plugin_is_in_the_array_or_has_a_reason() -> None:
    source = (Path(__file__).parent.parent / CONFS).read_text(encoding="utf-8")
    declared = set(re.findall(r'\("(spark\.matchRecognize\.[\w.]+)"', source))
    assert len(declared) > 10
    ours = {key for key in VALUES if key.startswith("spark.matchRecognize.")}
    assert not ours & set(SPACE["changes results"])
    assert ours | set(SPACE["changes results"]) == declared


def test_few_cases_need_ansi_mode() -> None:
    kept = {case["id"] for case in all_cases() if keeps_ansi(case)}
    assert kept == {"err-runtime-division", "ansi-backtracking", "ansi-cast"}
    assert set(VALUES[ANSI]) == {"true", "false"}
