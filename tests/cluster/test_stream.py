"""Streams whose driver is killed, and continued by another one, on a cluster."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import stream_job
from cluster import stream_on_cluster
from cluster.application import Application, Applications
from cluster.standalone import Cluster, Executor, cluster, ending_with_this, kill, wait_for
from cluster.stream_on_cluster import HALF, ORDERS
from pyspark.sql import DataFrame
from stream_events import write_events

pytestmark = pytest.mark.matrix

FILES = 7
TESTS = Path(stream_job.__file__).parent


@pytest.fixture(scope="session")
def shared(
    tmp_path_factory: pytest.TempPathFactory, applications: Applications
) -> Iterator[Cluster]:
    """Return a cluster that has room for two applications of two executors."""
    with cluster(tmp_path_factory.mktemp("shared"), workers=2, executors=2) as made:
        yield made
        applications.end()


class Events(NamedTuple):
    """Input of a query in each order, in folders of its name, and what the clause finds there."""

    folder: Path
    expected: dict[str, list[str]]


@pytest.fixture(scope="session")
def events(
    tmp_path_factory: pytest.TempPathFactory, applications: Applications, shared: Cluster
) -> Events:
    """Return events that all rounds share."""
    spark, folder = applications.on(shared, HALF).spark, tmp_path_factory.mktemp("events")
    expected = {}
    for order, disorder in ORDERS.items():
        source = folder / order / "in"
        source.parent.mkdir()
        write_events(source, random.Random(1), FILES, disorder)  # noqa: S311 - not for cryptography
        spark.read.schema(stream_job.SCHEMA).json(str(source)).createOrReplaceTempView("events")
        expected[order] = matches(spark.sql(stream_job.CLAUSE))
        assert len(expected[order]) > FILES
    return Events(folder, expected)


def start(cluster: Cluster, folder: Path) -> subprocess.Popen[bytes]:
    """Start a driver of the queries of a folder."""
    program = [sys.executable, stream_on_cluster.__file__]
    program += [cluster.url, str(cluster.folder), "killed", str(folder)]
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    with (folder / "log").open("w") as log:
        return subprocess.Popen(
            ending_with_this(program),
            env={**os.environ, "PYTHONPATH": path},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def commits(folder: Path) -> list[int]:
    """Return how many micro-batches of each query are done."""
    found = [folder.glob(f"{order}/checkpoint/commits/*") for order in ORDERS]
    return [len([path for path in paths if path.name.isdigit()]) for paths in found]


def kill_executor_and_driver(app: Application, folder: Path, rng: random.Random) -> None:
    """Start a driver; kill an executor of it after a micro-batch or two, and then it too."""
    driver = start(app.cluster, folder)

    def wait(more: int) -> None:
        before = commits(folder)

        def advanced() -> bool:
            assert driver.poll() is None, (folder / "log").read_text()[-3000:]
            return (
                min(now - then for now, then in zip(commits(folder), before, strict=True)) >= more
            )

        wait_for(f"{more} micro-batches", advanced)

    def executors() -> list[Executor]:
        return [one for one in app.cluster.executors() if one.application != app.id]

    try:
        wait(rng.randrange(1, 3))
        rng.choice(executors()).kill()
        wait(2)
    finally:
        kill(driver)
    # nobody tells them but the connection that is gone
    wait_for("end of the executors", lambda: not executors())


def test_killed_drivers_and_executors(
    applications: Applications, shared: Cluster, events: Events, tmp_path: Path, seed: int
) -> None:
    """Queries in both orders: an executor is killed, then their driver; another one ends them."""
    app = applications.on(shared, HALF)
    for order in ORDERS:
        shutil.copytree(events.folder / order, tmp_path / order)
    kill_executor_and_driver(app, tmp_path, random.Random(seed))  # noqa: S311 - not for cryptography
    assert min(commits(tmp_path)) < FILES
    stream_on_cluster.run(app.spark, tmp_path)
    for order in ORDERS:
        # files of attempts that were killed may be there, and are not in the sink's own list
        found = matches(app.spark.read.parquet(str(tmp_path / order / "out")))
        assert found == events.expected[order]


def matches(frame: DataFrame) -> list[str]:
    """Return the matches but those of the rows that only end the stream."""
    return sorted(str(tuple(row)) for row in frame.where("g <> 'end'").collect())
