"""The demo of a nightly job, with few nights; the demo itself compares them with one search."""

from __future__ import annotations

import importlib
import re
from datetime import date
from pathlib import Path
from types import ModuleType

import pytest
from pyspark.sql import SparkSession

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the demo as a module; it imports the other demos next to it."""
    monkeypatch.syspath_prepend(EXAMPLES)
    module = importlib.import_module("demo_incremental")
    monkeypatch.setattr(module, "BEGIN", date(2013, 3, 6))
    monkeypatch.setattr(module, "FIRST_NIGHT", date(2013, 3, 8))
    return module


def test_nights_give_what_one_search_gives(
    spark: SparkSession, demo: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo.nightly(spark.newSession(), demo.flights(), tmp_path / "demo", 3)
    said = capsys.readouterr().out
    rows = r"^(\S+): [\d,]+ departures arrived, [\d,]+ read, \d+ chains from (\S+) on$"
    days = [f"2013-03-{day:02d}" for day in range(6, 11)]
    nights = re.findall(rows, said, re.MULTILINE)
    assert nights == list(zip(days[2:], days, strict=False))
    same = re.findall(r"^(.+): the same \d+ chains as in one search of", said, re.MULTILINE)
    assert [text.partition(" that")[0] for text in same] == ["3 nights", "The first night again"]
    assert int(re.findall(r"^(\d+) of them are over a midnight", said, re.MULTILINE)[0]) > 3


def test_a_difference_ends_the_demo(spark: SparkSession, demo: ModuleType, tmp_path: Path) -> None:
    job = demo.Job(spark.newSession(), tmp_path)
    departures = demo.flights()
    days = departures["sched_dep"].dt.date
    job.arrive(departures[(days >= demo.BEGIN) & (days <= demo.FIRST_NIGHT)])
    job.run(demo.BEGIN)
    demo.check("First", job)
    # the next day arrives, and no night reads the one before
    job.arrive(departures[days == date(2013, 3, 9)])
    job.run(date(2013, 3, 9))  # `plan` was not called, so the span is 0
    with pytest.raises(SystemExit, match=r"^Then: \d+ chains in the table, \d+ in one search$"):
        demo.check("Then", job)
