"""What a cluster finds is what a local session finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from cluster.application import Applications, elements
from cluster.standalone import Cluster
from cluster.work import MANY, SEARCHES_OF, Work, digests, rows
from conformance_cases import Case, all_cases, check, lacking
from pyspark.sql import SparkSession

pytestmark = pytest.mark.matrix

SAMPLE = [case for case in list(all_cases())[::16] if not lacking(case)]


@pytest.fixture
def session(applications: Applications, two: Cluster) -> SparkSession:
    """Return a session on a cluster."""
    return applications.on(two).spark


@pytest.mark.parametrize("two", ["executors serve"], indirect=True)
@pytest.mark.parametrize("case", SAMPLE, ids=[case["id"] for case in SAMPLE])
def test_case(session: SparkSession, case: Case) -> None:
    check(session.newSession(), case)


@pytest.mark.parametrize("search", SEARCHES_OF)
def test_search(session: SparkSession, work: Work, search: str, tmp_path: Path) -> None:
    before = tasks(session)
    work.write(session, search, tmp_path / "found")
    assert rows(tmp_path / "found") == work.expected[search]
    after = tasks(session)
    assert after.keys() == before.keys()
    assert [after[one] > before[one] for one in after] == [True, True]


@pytest.mark.slow
def test_searches_of_many_rows(session: SparkSession, work: Work) -> None:
    assert all(int(str(matches)) > MANY // 100 for matches, _ in work.digests)
    assert digests(session) == work.digests


def tasks(session: SparkSession) -> dict[str, int]:
    """Return how many tasks each executor has had."""
    store = session.sparkContext._jsc.sc().statusStore()
    executors = elements(store.executorList(True))  # noqa: FBT003 - Java
    return {one.id(): one.totalTasks() for one in executors if one.id() != "driver"}
