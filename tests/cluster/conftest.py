"""Clusters of two executors, and the one application at a time that runs on them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from cluster.application import Applications
from cluster.standalone import Cluster, cluster
from cluster.work import Work

ROUNDS = int(os.environ.get("ROUNDS", "1"))
"""How often each fault is played, with other seeds."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(ROUNDS))


@pytest.fixture(scope="session", autouse=True)  # a session on a cluster would be used instead
def work(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Work:
    """Return rows, and what a local session finds there."""
    many = any("many_rows" in item.name for item in request.session.items)
    return Work(tmp_path_factory.mktemp("work"), many=many)


@pytest.fixture(scope="session")
def applications() -> Iterator[Applications]:
    """Return what starts applications; the last one ends with the tests."""
    made = Applications()
    yield made
    made.end()


@pytest.fixture(scope="session", params=["executors serve", "workers serve"])
def two(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    applications: Applications,
) -> Iterator[Cluster]:
    """Return a cluster of two executors whose shuffle files they, or their worker, serve."""
    folder = tmp_path_factory.mktemp("cluster")
    if request.param == "executors serve":
        made = cluster(folder, workers=2)
    else:
        made = cluster(folder, workers=1, executors=2, service=True)
    with made as running:
        yield running
        applications.end()
