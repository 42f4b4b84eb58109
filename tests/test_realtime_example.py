"""The clause and the sink of examples/realtime.py, in micro-batches: its mode reads Kafka only."""

from __future__ import annotations

import importlib
import sqlite3
from pathlib import Path
from types import ModuleType

import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
COLUMNS = "card STRING, ts TIMESTAMP, amount DOUBLE, partition INT, offset BIGINT"
RECORDS = [
    "a,2026-03-01 10:00:00,0.5,0,0",
    "b,2026-03-01 10:00:00,0.5,1,0",
    "a,2026-03-01 10:01:00,700,0,1",
    "b,2026-03-01 10:20:00,900,1,1",
    "a,2026-03-01 10:02:00,0.1,0,2",
    "a,2026-03-01 10:03:00,800,0,3",
]


@pytest.fixture
def realtime(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the example as a module whose classes reach Spark's workers."""
    monkeypatch.syspath_prepend(EXAMPLES)
    module = importlib.import_module("realtime")
    cloudpickle.register_pickle_by_value(module)
    return module


def test_matches_that_come_twice_are_in_the_database_once(
    spark: SparkSession, realtime: ModuleType, tmp_path: Path
) -> None:
    session = spark.newSession()
    session.conf.set("spark.matchRecognize.stream.inputOrder", "arrival")
    topic = tmp_path / "topic"
    topic.mkdir()
    (topic / "0.csv").write_text("\n".join(RECORDS))
    payments = session.readStream.schema(COLUMNS).csv(str(topic))
    payments.withWatermark("ts", "1 hour").createOrReplaceTempView("payments")
    database = str(tmp_path / "matches.db")
    for run in ("first", "second"):
        writer = session.sql(realtime.DOUBLE_CHARGES).writeStream.outputMode("update")
        writer = writer.foreach(realtime.ToDatabase(database)).trigger(availableNow=True)
        writer.option("checkpointLocation", str(tmp_path / run)).start().awaitTermination()
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT * FROM matches ORDER BY first_offset").fetchall()
    connection.close()
    assert rows == [(0, 0, 1, "a", 700.0), (0, 2, 3, "a", 800.0)]
