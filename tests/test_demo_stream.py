"""The demo on a stream, with a part of its flights; the demo itself compares stream and table."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from pyspark.sql import Row, SparkSession

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the demo as a module; it imports the other demo next to it."""
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module("demo_stream")


def test_replay_gives_what_the_table_gives(
    spark: SparkSession, demo: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flights = demo.flights()
    # the part ends on an evening with storms
    weeks = flights[flights["sched_dep"] < "2013-03-08 18:00"]
    demo.replay(spark.newSession(), weeks, tmp_path / "demo", days=21)
    said = capsys.readouterr().out
    same = [line for line in said.splitlines() if "the same" in line]
    assert [line.partition(":")[0] for line in same] == [
        "Up to the watermark",
        "After a last row, which moves the watermark",
    ]
    assert said.count("decided,") > 2
    assert "\n0 matches of the table end later" not in said


def test_arrivals_are_all_flights_in_disorder(demo: ModuleType) -> None:
    flights = demo.flights().head(5_000)
    parts = list(demo.arrivals(flights, 1))
    arrived = pd.concat(parts)
    assert len(parts) > 5
    assert sorted(arrived.index) == list(flights.index)
    behind = arrived["sched_dep"].cummax() - arrived["sched_dep"]
    assert pd.Timedelta(hours=6) < behind.max() < demo.DELAY


def test_a_difference_ends_the_demo(demo: ModuleType) -> None:
    row = Row(tailnum="N1", late_flights=2)
    with pytest.raises(SystemExit, match="1 matches on the stream, 2 on the table"):
        demo.check("Here", [row], [row, row])
