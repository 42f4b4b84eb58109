"""A query that is killed at any moment, or goes on under another Spark, returns every row once."""

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
from environments import (
    NEWEST_OF_EACH,
    Column,
    environment,
    javas,
    minors_of_wheel,
    oldest_patch,
    variables,
)
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


def run_under(version: str, arguments: list[str]) -> None:
    """Run the job on what there is, under a Spark that is installed for it."""
    column = Column(version, next(iter(javas())))
    python = environment(column)
    command = [python, stream_job.__file__, *arguments]
    subprocess.run(command, env=variables(column, python), check=True, timeout=600)


@pytest.mark.slow
@pytest.mark.parametrize(("order", "disorder"), [("watermark", 20), ("arrival", 0)])
@pytest.mark.parametrize("newest", [one for one in NEWEST_OF_EACH if one != oldest_patch(one)])
def test_another_patch_of_spark_continues_a_checkpoint(
    spark: SparkSession, tmp_path: Path, order: str, disorder: float, newest: str
) -> None:
    """The first patch of a minor processes half of the files, the newest one the others."""
    if newest.rpartition(".")[0] not in minors_of_wheel():
        pytest.skip(f"the wheel has no jar for Spark {newest}")
    source, sink, checkpoint = (tmp_path / name for name in ("in", "out", "checkpoint"))
    rng = random.Random(6)  # noqa: S311 - not for cryptography
    write_events(source, rng, FILES // 10, disorder)
    files = sorted(source.iterdir())
    later = tmp_path / "later"
    later.mkdir()
    for file in files[len(files) // 2 :]:
        file.rename(later / file.name)
    arguments = [str(source), str(sink), str(checkpoint), order]
    run_under(oldest_patch(newest), arguments)
    first = lines(spark, sink)
    for file in later.iterdir():
        file.rename(source / file.name)
    run_under(newest, arguments)
    spark.read.schema(stream_job.SCHEMA).json(str(source)).createOrReplaceTempView("events")
    spark.sql(stream_job.CLAUSE).write.parquet(str(tmp_path / "table"))
    expected = lines(spark, tmp_path / "table")
    assert 0 < len(first) < len(expected)
    assert lines(spark, sink) == expected
