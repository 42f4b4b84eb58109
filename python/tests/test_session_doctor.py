"""`doctor(spark)` on sessions that are too expensive to start in a test."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from fakes import Gateway, Loader, install
from pyspark.errors import AnalysisException

import spark_match_recognize as mr

MINOR = mr.jar_path().name.split("-")[4].partition("_")[0]


class Session:
    """A session that answers the doctor's queries; `loaded` if it has the plugin."""

    def __init__(self, version: str, *, loaded: bool, confs: dict[str, str] | None = None) -> None:
        self.version = version
        self.loaded = loaded
        self.conf = SimpleNamespace(get=(confs or {}).get)

    def sql(self, text: str) -> Any:
        if not self.loaded:
            raise AnalysisException("unknown function")
        rows = [("0.1.0",)] if "match_recognize_version" in text else [(1, 3)]
        return SimpleNamespace(collect=lambda: rows)


class RemoteSession(Session):
    """A session of a Connect server elsewhere."""


RemoteSession.__module__ = "pyspark.sql.connect.session"

Report = Callable[[Session], tuple[bool, list[str]]]


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Report:
    """Return a function that examines a session and returns the verdict and the lines."""

    def examine(session: Session) -> tuple[bool, list[str]]:
        well = mr.doctor(session)
        return well, capsys.readouterr().out.splitlines()

    return examine


def test_connect_server_without_the_plugin(report: Report) -> None:
    well, lines = report(RemoteSession(f"{MINOR}.0", loaded=False))
    assert not well
    assert "Connect session" in lines[1]
    assert lines[-1].startswith(
        "FAILED  plugin: [MATCH_RECOGNIZE_SETUP] The Connect server has not"
    )
    assert (
        f"start it with --jars and the jar for Spark {MINOR}.0, here {mr.jar_path()}" in lines[-1]
    )


def test_connect_server_of_a_minor_that_this_package_has_no_jar_for(report: Report) -> None:
    well, lines = report(RemoteSession("3.5.1", loaded=False))
    assert not well
    assert lines[-1].startswith("FAILED  jar: [MATCH_RECOGNIZE_WRONG_SPARK_VERSION]")
    well, lines = report(RemoteSession("3.5.1", loaded=True))
    assert well
    assert "none here for Spark 3.5.1; the session has one of its own" in lines[2]


def test_pyspark_and_spark_of_two_versions(report: Report) -> None:
    well, lines = report(Session("3.5.1", loaded=True))
    assert well
    assert lines[1].endswith("Spark wants both of one version: pip install pyspark==3.5.1")


def test_jar_of_another_minor(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = Loader(mutable=True)
    loader.addURL("/old.jar")
    install(monkeypatch, Gateway(loader, "3.9"))
    well, lines = report(Session(f"{MINOR}.0", loaded=False))
    assert not well
    assert "has the plugin for Spark 3.9 (file:/old.jar)" in lines[-1]


def test_probe_that_fails(report: Report) -> None:
    session = Session(f"{MINOR}.0", loaded=True)
    answer = session.sql
    session.sql = lambda text: answer(text.replace("VALUES", "match_recognize_version"))  # type: ignore[method-assign]
    well, lines = report(session)
    assert not well
    assert lines[-1].startswith("FAILED  query: ")
    assert "returns [('0.1.0',)], not [(1, 3)]" in lines[-1]
