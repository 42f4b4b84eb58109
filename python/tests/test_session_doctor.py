"""`doctor(spark)` on sessions that are too expensive to start in a test."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from fakes import Gateway, Loader, install
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import spark_match_recognize as mr
from spark_match_recognize import _doctor, _session_doctor

MINOR = mr.jar_path().name.split("-")[4].partition("_")[0]


class Session:
    """A session that answers the doctor's queries; `loaded` if it has the plugin."""

    def __init__(self, version: str, *, loaded: bool, confs: dict[str, str] | None = None) -> None:
        self.version = version
        self.loaded = loaded
        self.conf = SimpleNamespace(get=(confs or {}).get, getAll=confs or {})

    def sql(self, text: str) -> Any:
        if not self.loaded:
            raise AnalysisException("unknown function")
        rows: list[Any] = [("0.1.0",)] if "match_recognize_version" in text else [(1, 3)]
        if text == "SET -v":
            rows = []
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
    assert (
        "A jar of the client (spark.jars, configure, addArtifacts) does not reach it." in lines[-1]
    )


def test_connect_server_of_a_minor_that_this_package_has_no_jar_for(report: Report) -> None:
    well, lines = report(RemoteSession("3.5.1", loaded=False))
    assert not well
    assert lines[-1].startswith("FAILED  jar: [MATCH_RECOGNIZE_WRONG_SPARK_VERSION]")
    well, lines = report(RemoteSession("3.5.1", loaded=True))
    assert well
    assert "none here for Spark 3.5.1; the session has one of its own" in lines[3]


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


def test_jars_of_two_versions(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = Loader(Loader(mutable=False), mutable=True)
    assert loader.parent is not None
    loader.parent.addURL("/spark/jars/old.jar")
    loader.addURL("/home/new.jar")
    install(monkeypatch, Gateway(loader, MINOR))
    well, lines = report(Session(f"{MINOR}.0", loaded=True))
    assert not well
    assert lines[-1].startswith("FAILED  plugin: ")
    assert "has 2 jars of the plugin, and Spark uses the first" in lines[-1]
    assert "file:/spark/jars/old.jar, file:/home/new.jar. Keep the one" in lines[-1]


def test_one_jar_in_two_places_is_harmless(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = Loader(Loader(mutable=False), mutable=True)
    assert loader.parent is not None
    loader.parent.addURL("/spark/jars/same.jar")
    loader.addURL("/home/same.jar")
    install(monkeypatch, Gateway(loader, MINOR))
    assert report(Session(f"{MINOR}.0", loaded=True))[0]


def test_a_jar_that_is_not_of_this_package(report: Report) -> None:
    _, lines = report(Session(f"{MINOR}.0", loaded=True))
    assert f"version 0.1.0 is loaded, not from this package, which has {mr.version()}" in lines[4]


@pytest.mark.parametrize(
    "cause",
    [
        "java.lang.ClassNotFoundException: io.matchrecognize.plans.PatternClause",
        "java.lang.ClassCastException: cannot assign instance of java.lang.invoke.SerializedLambda",
    ],
)
def test_executors_without_the_jar(report: Report, cause: str) -> None:
    session = Session(f"{MINOR}.0", loaded=True)
    answer = session.sql

    def sql(text: str) -> Any:
        if "MATCH_RECOGNIZE (" not in text:
            return answer(text)
        message = f"Job aborted\n{cause}"
        raise RuntimeError(message)

    session.sql = sql  # type: ignore[method-assign]
    well, lines = report(session)
    assert not well
    assert "The driver has the jar and the executors do not" in lines[-1]
    assert "Name the jar in --jars or spark.jars" in lines[-1]


def test_probe_that_fails(report: Report) -> None:
    session = Session(f"{MINOR}.0", loaded=True)
    answer = session.sql
    session.sql = lambda text: answer(text.replace("VALUES", "match_recognize_version"))  # type: ignore[method-assign]
    well, lines = report(session)
    assert not well
    assert lines[-1].startswith("FAILED  query: ")
    assert "returns [('0.1.0',)], not [(1, 3)]" in lines[-1]


@pytest.mark.parametrize(
    ("confs", "told", "partitions"),
    [
        (
            {},
            (
                "set spark.matchRecognize.stream.inputOrder = arrival and "
                "spark.sql.streaming.realTimeMode.allowlistCheck = false"
            ),
            200,
        ),
        (
            {
                "spark.matchRecognize.stream.inputOrder": "arrival",
                "spark.sql.streaming.realTimeMode.allowlistCheck": "false",
                "spark.sql.shuffle.partitions": "2",
            },
            "the settings are made",
            2,
        ),
    ],
)
def test_what_real_time_mode_needs(confs: dict[str, str], told: str, partitions: int) -> None:
    session = Session("4.3.0", loaded=True, confs=confs)
    finding = dict(_session_doctor.checks_of(session))
    assert finding["session"]()
    assert finding["real time"]() == (
        f"for a trigger of Real-Time Mode {told}; write in update mode, with a free slot for each "
        f"partition of the source and {partitions} for spark.sql.shuffle.partitions"
    )


def test_real_time_mode_before_spark_4_3() -> None:
    finding = dict(_session_doctor.checks_of(Session("4.2.1", loaded=True)))
    assert finding["session"]()
    assert finding["real time"]() == (
        "Spark 4.2.1 has no Real-Time Mode for this clause, 4.3 has; "
        "spark.matchRecognize.stream.inputOrder = arrival returns matches in the micro-batch of "
        "their last row"
    )


def test_no_session() -> None:
    told = r"no active Spark session: .*mr.doctor\(spark\)"
    with (
        mock.patch.object(SparkSession, "getActiveSession", return_value=None),
        pytest.raises(RuntimeError, match=told),
    ):
        mr.doctor()


def test_active_session(capsys: pytest.CaptureFixture[str]) -> None:
    active = Session("4.3.0", loaded=True)
    with mock.patch.object(SparkSession, "getActiveSession", return_value=active):
        assert mr.doctor()
    assert "All is well" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("remote", "loaded", "end"),
    [
        (
            None,
            False,
            "FAILED  server: [MATCH_RECOGNIZE_SETUP] No server is named. Set SPARK_REMOTE",
        ),
        (
            "sc://a:1/;token=b",
            False,
            "FAILED  server: [MATCH_RECOGNIZE_SETUP] The Connect server has",
        ),
        ("sc://a:1/;token=b", True, "All is well: MATCH_RECOGNIZE works here."),
        (
            "sc://b:1/;token=b",
            True,
            "FAILED  server: [MATCH_RECOGNIZE_SETUP] No session starts at sc:",
        ),
    ],
)
def test_client_without_spark(
    monkeypatch: pytest.MonkeyPatch,
    remote: str | None,
    loaded: bool,  # noqa: FBT001 - a parameter of the test
    end: str,
) -> None:
    monkeypatch.setattr(_doctor, "is_client", lambda: True)
    if remote:
        monkeypatch.setenv("SPARK_REMOTE", remote)
    session = RemoteSession("4.3.0", loaded=loaded)
    session.stop = lambda: None

    def start(address: str) -> RemoteSession:
        if "//b" in address:
            raise ValueError("nobody answers")
        return session

    builder = SimpleNamespace(
        remote=lambda address: SimpleNamespace(getOrCreate=lambda: start(address))
    )
    monkeypatch.setattr(SparkSession, "builder", builder)
    lines: list[str] = []
    assert _doctor.examine(lines.append) == loaded * ("a:1" in str(remote))
    assert lines[1].startswith("ok      client: pyspark-client ")
    assert lines[-1].startswith(end)
    assert "token" not in lines[-1]
