"""The demo in Real-Time Mode: its parts, and as a slow test the whole demo."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the demo as a module; it imports its sibling modules."""
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module("demo_realtime")


def test_records_are_keyed_and_in_the_order_of_departure(demo: ModuleType) -> None:
    times = pd.to_datetime(["2013-01-02 05:00", "2013-01-01 06:00", "2013-01-01 06:00"])
    flights = pd.DataFrame(
        {"tailnum": ["N2", None, "N1"], "sched_dep": times, "dep_delay": [None, 3, 4]}
    )
    records = demo.records(flights.astype({"dep_delay": "Int32"}))
    assert [key for key, _ in records] == [None, "N1", "N2"]
    assert [json.loads(value)["dep_delay"] for _, value in records] == [3, 4, None]
    assert json.loads(records[2][1])["sched_dep"].startswith("2013-01-02T05:00:00")


def test_a_match_is_read_as_it_was_written(spark: SparkSession, demo: ModuleType) -> None:
    """It has the time of its last row, and the topic has the schema of the query."""
    session = spark.newSession()
    schema = f"{demo.FLIGHT}, sent TIMESTAMP, partition INT, offset BIGINT"
    rows = [
        ("N1", datetime(2013, 1, 1, hour), 1, "A", "B", delay, datetime(2026, 1, 1, hour), 0, hour)  # noqa: DTZ001 - the process is in UTC
        for hour, delay in enumerate((0, 20, 30, 1))
    ]
    session.createDataFrame(rows, schema).createOrReplaceTempView("flights")
    matches = session.sql(demo.AGED_CHAINS)
    assert matches.dtypes == session.createDataFrame([], demo.AGED_MATCH).dtypes
    (match,) = matches.collect()
    assert match.sent == 1_767_225_600_000 + 3 * 3_600_000


def test_a_repeated_match_is_printed_once(
    demo: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = demo.Reader.__new__(demo.Reader)
    reader.ages = {}
    match = {"sent": 100, "tailnum": "N1", "late_flights": 2, "worst_delay": 30, "route": "A-B"}
    reader.take("0/1", match, 105)
    reader.take("0/1", match, 9_000)
    reader.take("0/2", match, 107)
    assert reader.ages == {"0/1": 5, "0/2": 7}
    assert re.findall(r"(\d+) ms  N1 late 2 times", capsys.readouterr().out) == ["5", "7"]


def test_the_demo_without_jars_names_its_target(
    demo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["demo_kafka"], "JARS", tmp_path)
    with pytest.raises(SystemExit, match="make demo-realtime"):
        demo.run("demo-realtime", tmp_path / "out", demo.replay, demo.SETTINGS)


@pytest.mark.slow
def test_matches_are_milliseconds_old(kafka_jars: Path, tmp_path: Path) -> None:
    assert kafka_jars.is_dir()
    command = [sys.executable, str(EXAMPLES / "demo_realtime.py"), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    before, stopped, after = run.stdout.partition("The query is stopped.")
    assert stopped
    assert len(re.findall(r"^ *[\d,]+ ms  N", before, re.MULTILINE)) > 20
    assert len(re.findall(r"^ *[\d,]+ ms  N", after, re.MULTILINE)) > 20
    median = re.search(r"Half of the matches are at most ([\d,]+) ms old", after)
    assert median
    # in micro-batches it is hundreds
    assert int(median[1].replace(",", "")) < 200
    last = run.stdout.splitlines()[-1]
    assert last == "Topic and table: the same 134 matches on the stream and on the table"
