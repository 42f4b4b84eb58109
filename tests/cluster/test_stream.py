"""A stream whose driver is killed, and continued by another one, on a cluster."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import stream_job
from cluster import stream_on_cluster
from cluster.standalone import PATIENCE, Cluster, cluster, wait_for
from cluster.work import check_vanish, local
from pyspark.sql import DataFrame
from stream_events import write_events

pytestmark = pytest.mark.matrix

FILES = 10
TESTS = Path(stream_job.__file__).parent


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster of two executors."""
    with cluster(tmp_path_factory.mktemp("cluster"), workers=2) as made:
        yield made


def start(cluster: Cluster, folder: Path, name: str) -> subprocess.Popen[bytes]:
    """Start a driver."""
    places = [str(folder / place) for place in ("in", "out", "checkpoint")]
    program = [sys.executable, stream_on_cluster.__file__]
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    with (folder / f"{name}.log").open("w") as log:
        return subprocess.Popen(
            [*program, cluster.url, str(cluster.folder), name, *places],
            env={**os.environ, "PYTHONPATH": path},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def commits(folder: Path) -> int:
    """Return how many micro-batches are done."""
    return len([path for path in folder.glob("checkpoint/commits/*") if path.name.isdigit()])


def kill_driver(
    two: Cluster, folder: Path, name: str, rng: random.Random, *, executor_too: bool
) -> None:
    """Start a driver and kill it after a micro-batch or two, and before an executor of it."""
    driver, done = start(two, folder, name), commits(folder)

    def wait(more: int) -> None:
        def advanced() -> bool:
            assert driver.poll() is None, (folder / f"{name}.log").read_text()[-3000:]
            return commits(folder) >= done + more

        wait_for(f"{more} micro-batches", advanced)

    try:
        wait(rng.randrange(1, 3))
        if executor_too:
            rng.choice(two.executors()).kill()
            wait(3)
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    # nobody tells them but the connection that is gone
    wait_for("end of the executors", lambda: not two.executors())


def test_killed_drivers_and_executors(two: Cluster, tmp_path: Path, seed: int) -> None:
    """The first driver is killed, an executor of the second one, then that driver too."""
    rng = random.Random(seed)  # noqa: S311 - not for cryptography
    write_events(tmp_path / "in", rng, FILES)
    kill_driver(two, tmp_path, "driver-0", rng, executor_too=False)
    kill_driver(two, tmp_path, "driver-1", rng, executor_too=True)
    assert commits(tmp_path) < FILES
    last = start(two, tmp_path, "driver-2")
    assert last.wait(PATIENCE * 2) == 0, (tmp_path / "driver-2.log").read_text()[-3000:]
    check_vanish(two.left_files)
    with local(tmp_path) as spark:
        events = spark.read.schema(stream_job.SCHEMA).json(str(tmp_path / "in"))
        events.createOrReplaceTempView("events")
        expected = matches(spark.sql(stream_job.CLAUSE))
        # files of attempts that were killed may be there, and are not in the sink's own list
        assert matches(spark.read.parquet(str(tmp_path / "out"))) == expected
    assert len(expected) > FILES


def matches(frame: DataFrame) -> list[str]:
    """Return the matches but those of the rows that only end the stream."""
    return sorted(str(tuple(row)) for row in frame.where("g <> 'end'").collect())
