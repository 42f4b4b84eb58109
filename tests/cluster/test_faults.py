"""Executors that die or are slow, files that are lost, workers that go away: the rows are equal."""

from __future__ import annotations

import pytest
from cluster import faults
from cluster.application import MAPS, Application, Applications
from cluster.standalone import Cluster
from cluster.work import SPILLING, Work

pytestmark = pytest.mark.matrix

LOST = "ExecutorLostFailure"


@pytest.fixture
def app(applications: Applications, two: Cluster) -> Application:
    """Return an application on each kind of cluster."""
    return applications.on(two)


def test_an_executor_killed_in_the_map_stage(app: Application, work: Work, seed: int) -> None:
    log = work.run(app, work.search(seed), faults.kill_in_map, seed)
    assert log.ends["map", LOST] > 0


def test_an_executor_killed_in_the_search(app: Application, work: Work, seed: int) -> None:
    log = work.run(app, work.search(seed), faults.kill_in_search, seed)
    assert log.ends["search", LOST] > 0
    # its shuffle files are lost with it, if no worker serves them
    served = "spark.shuffle.service.enabled" in app.cluster.settings
    assert (log.attempts["map"] > 1) != served


def test_an_executor_killed_while_spilling(app: Application, work: Work, seed: int) -> None:
    log = work.run(app, work.search(seed), faults.kill_while_spilling, seed, SPILLING)
    assert log.ends["search", LOST] > 0
    assert log.spilled > 0


def test_lost_shuffle_files(app: Application, work: Work, seed: int) -> None:
    log = work.run(app, work.search(seed), faults.delete_shuffle_files, seed)
    assert log.ends["search", "FetchFailed"] > 0
    assert log.attempts["map"] > 1
    assert log.attempts["search"] > 1


@pytest.mark.parametrize("two", ["executors serve"], indirect=True)
def test_a_decommissioned_worker(app: Application, work: Work, seed: int) -> None:
    """Its shuffle files move to the other worker, so no map task runs again.

    A task of the search that knows only their old place may fail once.
    """
    log = work.run(app, work.search(seed), faults.decommission, seed)
    assert any("decommission" in reason for reason in log.removed)
    assert log.ends["map", "Success"] == MAPS
