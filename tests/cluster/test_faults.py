"""Executors that die or are slow, files that are lost, workers that go away: the rows are equal."""

from __future__ import annotations

import sys

import pytest
from cluster import faults
from cluster.application import Application, Applications
from cluster.standalone import Cluster
from cluster.work import SPILLING, Work

pytestmark = pytest.mark.matrix

LOST = "ExecutorLostFailure"
SPECULATING = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "100ms",
    "spark.speculation.quantile": "0.25",
    "spark.speculation.multiplier": "1.1",
    # a stopped executor reports no progress to judge by
    "spark.speculation.efficiency.enabled": "false",
}
DECOMMISSIONING = {
    # an executor goes when it has looked for files once more after its last task
    "spark.storage.decommission.replicationReattemptInterval": "200ms",
    "spark.storage.decommission.enabled": "true",
    "spark.storage.decommission.rddBlocks.enabled": "true",
    "spark.storage.decommission.shuffleBlocks.enabled": "true",
}


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


@pytest.mark.skipif(sys.platform != "linux", reason="workers have one host")
def test_a_copy_of_a_slow_task_that_spills(
    applications: Applications, pair: Cluster, work: Work, seed: int
) -> None:
    app = applications.on(pair, SPECULATING)
    log = work.run(app, work.search(seed), faults.slow_down, seed, SPILLING)
    assert log.copies["search"] > 0
    assert log.ends["search", "TaskKilled"] > 0
    assert log.spilled > 0


def test_a_decommissioned_worker(
    applications: Applications, pair: Cluster, work: Work, seed: int
) -> None:
    """Its shuffle files move to the other worker, so no map task runs again."""
    app = applications.on(pair, DECOMMISSIONING)
    log = work.run(app, work.search(seed), faults.decommission, seed)
    assert "decommission" in str(log.removed).lower()
    assert log.attempts["map"] == 1
