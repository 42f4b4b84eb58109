"""A task that is slow until Spark copies it: the rows are equal, and the loser leaves no file."""

from __future__ import annotations

import sys

import pytest
from cluster import faults
from cluster.application import ONE_EACH, Applications
from cluster.standalone import Cluster
from cluster.work import Work

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(sys.platform != "linux", reason="workers have one host"),
]

SPECULATING = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "100ms",
    "spark.speculation.quantile": "0.25",
    "spark.speculation.multiplier": "1.1",
    # a stopped executor reports no progress to judge by
    "spark.speculation.efficiency.enabled": "false",
}
# A task is long, and no other one waits for the executor that is to run its copy.
LONG = {
    "spark.sql.shuffle.partitions": str(ONE_EACH),
    "spark.matchRecognize.buffer.spillThresholdRows": "5000",
}


@pytest.mark.parametrize("two", ["executors serve"], indirect=True)
def test_a_copy_of_a_slow_task_that_spills(
    applications: Applications, two: Cluster, work: Work, seed: int
) -> None:
    app = applications.on(two, SPECULATING)
    log = work.run(app, work.search(seed), faults.slow_down, seed, LONG)
    assert log.copies["search"] > 0
    assert log.ends["search", "TaskKilled"] > 0
    assert log.spilled > 0
