"""The demo on Kafka: its parts, and as slow tests the whole demo and its early ends."""

from __future__ import annotations

import importlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from pyspark.sql import Row, SparkSession

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the demo as a module; it imports its sibling modules."""
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module("demo_kafka")


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the module that starts a broker."""
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module("kafka_broker")


def port_of(folder: Path) -> int | None:
    """Return the port of the broker that was started in a folder, or None."""
    settings = folder / "server.properties"
    if not settings.exists():
        return None
    found = re.search(r"PLAINTEXT://127\.0\.0\.1:(\d+)", settings.read_text(encoding="utf-8"))
    return int(found[1]) if found else None


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until a condition holds, while a process runs."""
    deadline = time.monotonic() + 300
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_no_flight_can_be_late(demo: ModuleType) -> None:
    """Whichever part of a week Kafka delivers first, the rest is after the watermark."""
    sent = list(demo.arrivals(demo.flights(), demo.WEEK.days))
    assert len(sent) > 50
    behind = []
    latest = pd.Timestamp.min
    for week in sent:
        latest = max(latest, week["sched_dep"].max())
        behind.append(latest - week["sched_dep"].min())
    assert pd.Timedelta(days=7) < max(behind) < demo.DELAY
    # out of order, not only in parts
    assert not sent[0]["sched_dep"].is_monotonic_increasing


def test_the_last_flight_moves_the_watermark_past_all(demo: ModuleType) -> None:
    flights = demo.flights().head(100)
    closing = demo.closing_row(flights, demo.DELAY)["sched_dep"].item()
    assert closing - demo.DELAY > flights["sched_dep"].max()


def test_partition_and_offset_settle_ties(spark: SparkSession, demo: ModuleType) -> None:
    session = spark.newSession()
    noon = datetime(2013, 1, 1, 12)  # noqa: DTZ001 - the process is in UTC
    delays = {(0, 7): 0, (0, 8): 20, (1, 2): 30, (1, 3): 1}
    rows = [("N1", noon, 1, "JFK", "SFO", delay, *place) for place, delay in delays.items()]
    schema = f"{demo.FLIGHT}, partition INT, offset BIGINT"
    session.createDataFrame(rows[::-1], schema).createOrReplaceTempView("flights")
    (match,) = session.sql(demo.LATE_CHAINS).collect()
    assert (match.late_flights, match.worst_delay) == (2, 30)
    assert (match.first_partition, match.first_offset) == (0, 7)


def test_a_match_is_read_as_it_was_written(spark: SparkSession, demo: ModuleType) -> None:
    """The topic has the schema of the query, so that nothing is lost."""
    session = spark.newSession()
    schema = f"{demo.FLIGHT}, partition INT, offset BIGINT"
    session.createDataFrame([], schema).createOrReplaceTempView("flights")
    columns = session.sql(demo.LATE_CHAINS).dtypes
    assert columns == session.createDataFrame([], demo.MATCH).dtypes


def test_repeated_records_are_counted(demo: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = Row(tailnum="N1", first_offset=1), Row(tailnum="N1", first_offset=2)
    demo.compare([first, second, first], [second, first])
    said = capsys.readouterr().out
    assert "has 3 records, 1 of them repeated." in said
    assert "the same 2 matches" in said


def test_a_difference_ends_the_demo(demo: ModuleType) -> None:
    first, second = Row(tailnum="N1", first_offset=1), Row(tailnum="N1", first_offset=2)
    with pytest.raises(SystemExit, match="1 matches on the stream, 2 on the table"):
        demo.compare([first, first], [first, second])
    with pytest.raises(SystemExit, match="2 matches on the stream, 1 on the table"):
        demo.compare([first, second], [first])


def test_a_broker_without_jars_says_so(broker: ModuleType, tmp_path: Path) -> None:
    with (
        pytest.raises(SystemExit, match=r"not formatted:\n(.*\n)*.*StorageTool"),
        broker.broker(tmp_path / "none", tmp_path),
    ):
        pytest.fail("there is no broker")


def test_the_demo_without_jars_names_the_target(
    demo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "JARS", tmp_path)
    with pytest.raises(SystemExit, match="make demo-kafka"):
        demo.main(tmp_path / "out")


@pytest.mark.slow
def test_a_broker_stops_after_an_error(
    broker: ModuleType, kafka_jars: Path, tmp_path: Path
) -> None:
    ports = []

    def fail() -> None:
        with broker.broker(kafka_jars / "broker", tmp_path) as servers:
            ports.append(int(servers.partition(":")[2]))
            assert broker.accepts(ports[0])
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fail()
    assert not broker.accepts(ports[0])


@pytest.mark.slow
def test_a_broker_that_ends_shows_its_log(
    broker: ModuleType, kafka_jars: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = [*broker.free_ports(1), taken.getsockname()[1]]
        monkeypatch.setattr(broker, "free_ports", lambda count: ports[:count])
        with (
            pytest.raises(SystemExit, match=r"did not start(.*\n)*.*in use"),
            broker.broker(kafka_jars / "broker", tmp_path),
        ):
            pytest.fail("there is no broker")


@pytest.mark.slow
def test_the_topic_has_what_the_table_has(
    broker: ModuleType, kafka_jars: Path, tmp_path: Path
) -> None:
    assert any((kafka_jars / "connector").iterdir())
    command = [sys.executable, str(EXAMPLES / "demo_kafka.py"), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    before, stopped, after = run.stdout.partition("The query is stopped.")
    assert stopped
    assert before.count(" decided, ") > 2
    assert after.count(" decided, ") > 2
    last = run.stdout.splitlines()[-1]
    found = re.fullmatch(r"Topic and table: the same ([\d,]+) matches on .*", last)
    assert found, last
    assert int(found[1].replace(",", "")) > 2_000
    # the page shows this line
    assert last in (ROOT / "docs" / "streaming" / "kafka.md").read_text(encoding="utf-8")
    port = port_of(tmp_path)
    assert port
    assert not broker.accepts(port)


@pytest.mark.slow
def test_rules_go_on_when_the_topic_gets_more_partitions(kafka_jars: Path, tmp_path: Path) -> None:
    assert kafka_jars.is_dir()
    run = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "kafka_partitions.py"), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(EXAMPLES)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    found = re.fullmatch(r"1 operator, 3 partitions, (\d+) matches", run.stdout.splitlines()[-1])
    assert found, run.stdout
    assert int(found[1]) > 100


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_stops_the_broker_too(
    broker: ModuleType, kafka_jars: Path, tmp_path: Path, number: signal.Signals
) -> None:
    assert kafka_jars.is_dir()
    process = subprocess.Popen(
        [sys.executable, str(EXAMPLES / "demo_kafka.py"), str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        # the query is running
        wait_for((tmp_path / "checkpoint" / "commits" / "0").exists, process)
        port = port_of(tmp_path)
        assert port
        assert broker.accepts(port)
        process.send_signal(number)
        process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode not in {0, -signal.SIGKILL}
    assert not broker.accepts(port)
