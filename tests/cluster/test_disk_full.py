"""Disks that are full while tasks spill: an error that says so, or a retry that succeeds."""

from __future__ import annotations

import contextlib
import errno
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cluster.application import Application, Applications
from cluster.faults import catch, spilling
from cluster.standalone import PATIENCE, Cluster, cluster, wait_for, why_no_mount
from cluster.work import SPILLING, Work, check_no_temporary_files, rows, set_for

NO_MOUNT = why_no_mount()
pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(bool(NO_MOUNT), reason=f"no small file system: {NO_MOUNT}"),
]
FULL = "No space left on device"


@pytest.fixture(scope="session")
def small(
    tmp_path_factory: pytest.TempPathFactory, applications: Applications
) -> Iterator[Cluster]:
    """Return a cluster of two executors with small disks."""
    with cluster(tmp_path_factory.mktemp("small"), workers=2, quota=96) as made:
        yield made
        applications.end()


@pytest.fixture
def app(applications: Applications, small: Cluster) -> Application:
    """Return an application on such a cluster."""
    return applications.on(small)


@contextlib.contextmanager
def full_disks(cluster: Cluster) -> Iterator[None]:
    """Fill the disks of all workers for a while."""
    ballast = [worker.local / "ballast" for worker in cluster.workers]
    try:
        for path in ballast:
            fill(path)
        yield
    finally:
        for path in ballast:
            path.unlink(missing_ok=True)


def fill(path: Path) -> None:
    """Write a file until its disk is full."""
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            with contextlib.suppress(DiskFullError):
                while True:
                    write(file, bytes(size))


class DiskFullError(Exception):
    """There is no space for more."""


def write(file: object, data: bytes) -> None:
    try:
        file.write(data)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFullError from error
        raise


def test_there_is_space_again(app: Application, work: Work, seed: int) -> None:
    def fault(app: Application, rng: random.Random) -> None:
        executor = catch(app, "search", rng, at=spilling)
        with full_disks(app.cluster):
            executor.process.resume()
            wait_for("a task that fails", lambda: has_failed(app))

    log = work.run(app, work.search(seed), fault, seed, SPILLING)
    assert log.errors
    assert [error for error in log.errors if FULL not in error] == []


def has_failed(app: Application) -> bool:
    """Return whether a task of the search has failed."""
    return any(task.status == "FAILED" for task in app.tasks("search"))


def test_there_is_none(app: Application, work: Work, seed: int) -> None:
    """The job fails, writes nothing, and its application goes on with the executors it had."""
    search, rng = work.search(seed), random.Random(seed)  # noqa: S311 - not for cryptography
    target, again = app.cluster.folder / f"none-{seed}", app.cluster.folder / f"again-{seed}"
    executors = {executor.id for executor in app.executors()}
    with set_for(app.spark, SPILLING) as session, ThreadPoolExecutor(1) as pool:
        running = pool.submit(work.write, session, search, target)
        executor = catch(app, "search", rng, at=spilling)
        with full_disks(app.cluster):
            executor.process.resume()
            with pytest.raises(Exception, match=FULL):
                running.result(PATIENCE)
    assert [path for path in target.rglob("*") if path.is_file()] == []
    check_no_temporary_files(app)
    work.write(app.spark, search, again)
    assert rows(again) == work.expected[search]
    assert {executor.id for executor in app.executors()} == executors
