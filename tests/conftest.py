"""Fixtures of the end-to-end tests: one session with the plugin, and ways to start programs."""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from loading import Run, free_port, program_runner
from pyspark.sql import SparkSession
from through_connect import Answers, answers_of

from spark_match_recognize import configure, jar_path

# collect() returns timestamps in the time zone of this process, which the JVM inherits
os.environ["TZ"] = "UTC"
time.tzset()
# the workers of Python functions need the packages of this environment
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

ROOT = Path(__file__).resolve().parent.parent

# Dozens of short-lived JVMs: optimising compilation costs more than it saves. Without it the code
# cache is small by default, and the JVM would search it for code to evict all the time.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
JAVA_OPTIONS += " -XX:ReservedCodeCacheSize=512m -XX:-UseCodeCacheFlushing"
JAVA_OPTIONS += " -XX:MetaspaceSize=256m -XX:NewRatio=1"  # fewer collections of everything
CLASS_DATA = Path(os.environ.get("CLASS_DATA", ROOT / "out/class-data.jsa"))
if CLASS_DATA.is_file():  # written by tools/class_data.py
    JAVA_OPTIONS += f' -XX:SharedArchiveFile="{CLASS_DATA}" -Xlog:cds=off -Xlog:cds+dynamic=off'
os.environ.setdefault("JDK_JAVA_OPTIONS", JAVA_OPTIONS)

# Checkpoints of streams without a program for each file.
PLAIN_FILES = ROOT / "out/plain-files.jar"
PLAIN_CONFS = {}
if PLAIN_FILES.is_file():
    PLAIN_CONFS["spark.jars"] = str(PLAIN_FILES)
    files = "io.matchrecognize.PlainFiles$Context"
    PLAIN_CONFS["spark.hadoop.fs.AbstractFileSystem.file.impl"] = files

LONGEST = (
    "snippets",
    "tutorial",
    "settings",
    "plans",
    "loading",
    "stream_conformance",
    "conformance",
    "frames",
    "stream_use",
    "doctor",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sample", type=int, help="run this many of each file's tests")


@pytest.hookimpl(trylast=True)  # after the selection by marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest files first, and keep a sample of each file if the command line asks for it.

    A file runs in one process: one that begins late would run alone at the end.
    """
    order = {f"test_{name}.py": rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))
    size = config.getoption("--sample")
    if not size:
        return
    kept: list[pytest.Item] = []
    for file in dict.fromkeys(item.path for item in items):
        mine = [item for item in items if item.path == file]
        kept += mine[:: max(1, len(mine) // size)][:size]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let one test at a time start a Connect server in its own process, since its port is fixed.

    Such a test has Connect in its name or mark; the lock holds for every checkout of this machine.
    The server of `run_connected` has a port of its own, so that its tests need not wait.
    """
    marked = "connect" in item.nodeid.lower() or item.get_closest_marker("connect") is not None
    if not marked or {"run_connected", "answers"}.intersection(getattr(item, "fixturenames", ())):
        return (yield)
    with (Path(tempfile.gettempdir()) / "spark-match-recognize-connect.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return (yield)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Return a classic session with the plugin, started once for all tests."""
    warehouse = tmp_path_factory.mktemp("warehouse")
    builder = SparkSession.builder.master("local[2]").appName("match_recognize tests")
    builder = builder.config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    # what a page would show is neither renewed while a query runs nor kept for thousands of them
    builder = builder.config("spark.ui.liveUpdate.period", "-1")
    for kept in (
        "spark.sql.ui.retainedExecutions",
        "spark.ui.retainedJobs",
        "spark.ui.retainedStages",
    ):
        builder = builder.config(kept, "100")
    # a few rows take a page and their broadcast a block: by default of up to 64 and 4 MiB
    builder = builder.config("spark.buffer.pageSize", "4m")
    builder = builder.config("spark.broadcast.blockSize", "64k")
    builder = builder.config("spark.sql.session.timeZone", "UTC")
    # tasks would ask the driver for each class that compiled code names and that there is not
    builder = builder.config("spark.sql.artifact.isolation.enabled", "false")
    builder = builder.config("spark.sql.warehouse.dir", str(warehouse))
    session = configure(builder.config(map=PLAIN_CONFS)).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def plain_confs() -> dict[str, str]:
    """Return confs of a session whose streams start no program for each file."""
    return PLAIN_CONFS


@pytest.fixture(scope="session")
def kafka_jars() -> Path:
    """Fetch the jars of the demos' broker and of Spark's connector, as a user does."""
    subprocess.run(["make", "-C", str(ROOT), "out/kafka/.complete"], check=True)  # noqa: S607
    return ROOT / "out/kafka"


@pytest.fixture(scope="session")
def load_tool() -> Callable[[str], ModuleType]:
    """Return a function that loads a file of tools/, which is not a package."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, ROOT / f"tools/{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def jar() -> str:
    """Return the path of the installed jar."""
    return str(jar_path())


@pytest.fixture(scope="session")
def run_connected(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Return a function that runs Python programs with sessions of one Connect server.

    The JVM of the tests serves them: one of its own would have to start, and to load and compile
    what this one has.
    """
    jvm: Any = spark._jvm
    service = jvm.org.apache.spark.sql.connect.service.SparkConnectService
    context = spark.sparkContext._jsc.sc()
    port = free_port()
    context.conf().set("spark.connect.grpc.binding.port", str(port))
    service.start(context)
    run = program_runner(tmp_path_factory.mktemp("connect"))
    yield partial(run, sys.executable, env={"SPARK_REMOTE": f"sc://localhost:{port}"})
    none = jvm.scala.Option.empty()
    service.stop(none, none)


# The blocks of the pages also show what a classic session returns.
@pytest.fixture(scope="module", params=[pytest.param("classic", marks=pytest.mark.slow), "connect"])
def answers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """Return what `everything` of the test's ASKED, a module, answers in a kind of session."""
    asked, folder = request.module.ASKED, tmp_path_factory.mktemp(request.param)
    if request.param == "connect":
        return answers_of(asked.__file__, request.getfixturevalue("run_connected"), folder)
    session = request.getfixturevalue("spark").newSession()
    return dict(json.loads(json.dumps(asked.everything(session, folder))))


@pytest.fixture
def run_program(tmp_path: Path) -> Run:
    """Return a function that runs a program in an empty folder and returns its output."""
    return program_runner(tmp_path)


@pytest.fixture
def run_python(run_program: Run) -> Run:
    """Return a function that runs Python source in a new interpreter."""

    def run(source: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return run_program(sys.executable, "-", stdin=source, env=env)

    return run
