"""Executors that die or are slow, files that are lost, workers that go away: the rows are equal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from cluster import faults
from cluster.standalone import Cluster, cluster
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
    "spark.storage.decommission.enabled": "true",
    "spark.storage.decommission.rddBlocks.enabled": "true",
    "spark.storage.decommission.shuffleBlocks.enabled": "true",
}


def test_an_executor_killed_in_the_map_stage(two: Cluster, work: Work, seed: int) -> None:
    log = work.run(two, work.search(seed), faults.kill_in_map, seed)
    assert log.ends["map", LOST] > 0


def test_an_executor_killed_in_the_search(two: Cluster, work: Work, seed: int) -> None:
    log = work.run(two, work.search(seed), faults.kill_in_search, seed)
    assert log.ends["search", LOST] > 0
    # its shuffle files are lost with it, if no worker serves them
    assert (log.attempts["map"] > 1) == (two.settings.get("spark.shuffle.service.enabled") is None)


def test_an_executor_killed_while_spilling(two: Cluster, work: Work, seed: int) -> None:
    log = work.run(two, work.search(seed), faults.kill_while_spilling, seed, SPILLING)
    assert log.ends["search", LOST] > 0
    assert log.spilled > 0


def test_lost_shuffle_files(two: Cluster, work: Work, seed: int) -> None:
    log = work.run(two, work.search(seed), faults.delete_shuffle_files, seed)
    assert log.ends["search", "FetchFailed"] > 0
    assert log.attempts["map"] > 1
    assert log.attempts["search"] > 1


@pytest.mark.skipif(sys.platform != "linux", reason="workers have one host")
def test_a_copy_of_a_slow_task_that_spills(work: Work, seed: int, tmp_path: Path) -> None:
    settings = {**SPECULATING, **SPILLING}
    with cluster(tmp_path, workers=2) as two:
        log = work.run(two, work.search(seed), faults.slow_down, seed, settings)
    assert log.copies["search"] > 0
    assert log.ends["search", "TaskKilled"] > 0
    assert log.spilled > 0


def test_a_decommissioned_worker(work: Work, seed: int, tmp_path: Path) -> None:
    """Its shuffle files move to the other worker, so no map task runs again."""
    with cluster(tmp_path, workers=2) as two:
        log = work.run(two, work.search(seed), faults.decommission, seed, DECOMMISSIONING)
    assert any("decommission" in reason.lower() for reason in log.removed.values())
    assert log.attempts["map"] == 1
