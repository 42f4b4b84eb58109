"""A query that is killed at any moment and restarted returns every row once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import stream_job
from pyspark.sql import SparkSession
from stream_events import write_events

KILLS = 30
FILES = 120


def start(arguments: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, stream_job.__file__, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def kill_and_restart(arguments: list[str], rng: random.Random) -> int:
    """Kill the job at random moments until it has been killed often enough or is done."""
    kills = 0
    while kills < KILLS:
        job = start(arguments)
        assert job.stdout is not None
        assert "ready" in job.stdout.readline()
        # Mostly a moment in the middle of the first micro-batches, sometimes a later one.
        time.sleep(rng.random() * rng.choice([1.5, 3, 6]))
        if job.poll() is not None:
            break
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        kills += 1
    return kills


def lines(spark: SparkSession, path: Path) -> list[str]:
    rows = spark.read.parquet(str(path)).where("g <> 'end'").collect()
    return sorted(str(tuple(row)) for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize(("order", "disorder"), [("watermark", 20), ("arrival", 0)])
def test_killed_jobs_give_what_the_table_gives(
    spark: SparkSession, tmp_path: Path, order: str, disorder: float
) -> None:
    rng = random.Random(5)  # noqa: S311 - not for cryptography
    source, sink, checkpoint = (tmp_path / name for name in ("in", "out", "checkpoint"))
    write_events(source, rng, FILES, disorder)
    arguments = [str(source), str(sink), str(checkpoint), order]
    kills = kill_and_restart(arguments, rng)
    assert kills > KILLS // 2
    done = start(arguments)
    assert done.communicate(timeout=900)[0] is not None
    assert done.returncode == 0
    table = tmp_path / "table"
    spark.read.schema(stream_job.SCHEMA).json(str(source)).createOrReplaceTempView("events")
    spark.sql(stream_job.CLAUSE).write.parquet(str(table))
    expected = lines(spark, table)
    assert len(expected) > FILES
    assert lines(spark, sink) == expected
    print(f"{kills} kills, {len(expected)} rows")
