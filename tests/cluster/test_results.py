"""What a cluster finds is what a local session finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster.application import application, elements
from cluster.standalone import Cluster
from cluster.work import SEARCHES_OF, Work, rows
from conformance_cases import Case, all_cases, check, lacking
from pyspark.sql import SparkSession

pytestmark = pytest.mark.matrix

SAMPLE = [case for case in list(all_cases())[::16] if not lacking(case)]


@pytest.fixture(scope="module")
def session(two: Cluster) -> Iterator[SparkSession]:
    """Return a session on a cluster."""
    with application(two) as app:
        yield app.spark


@pytest.mark.parametrize("case", SAMPLE, ids=[case["id"] for case in SAMPLE])
def test_case(session: SparkSession, case: Case) -> None:
    check(session.newSession(), case)


@pytest.mark.parametrize("search", SEARCHES_OF)
def test_search(session: SparkSession, work: Work, search: str, tmp_path: Path) -> None:
    work.write(session, search, tmp_path / "found")
    assert rows(tmp_path / "found") == work.expected[search]
    store = session.sparkContext._jsc.sc().statusStore()
    workers = [one for one in elements(store.executorList(True)) if one.id() != "driver"]  # noqa: FBT003 - Java
    assert [one.totalTasks() > 0 for one in workers] == [True, True]
