"""The cost of a stream's state: bytes, latency, restart, many micro-batches.

Four parts, each for one state store provider; `make bench-stream` runs them:

- bytes: state for each open attempt, where a thousand attempts begin each second;
- latency: micro-batches of 10,000 rows over 1,000 active partitions, with and without 99,000 idle
  partitions that have an open attempt;
- batches: the rows of one open match, in 10 and in 40 micro-batches;
- restart: time of the first micro-batch after a restart with a million rows in state.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from session import measure_run
from stream_workloads import START, STARTS, arrivals, write_batches
from streaming import BATCHES, PROVIDERS, drain, play, session, source

FOLDER = Path("out/bench/streams")
TYPES = {"k": "BIGINT", "kind": "STRING", "v": "BIGINT"}

# attempts stay open until the rare end: only their first row is needed
AWAITED = """MATCH_RECOGNIZE (
  PARTITION BY k ORDER BY ts MEASURES A.v AS first_v, C.v AS last_v
  PATTERN (A X*? C) WITHIN INTERVAL '1' DAY DEFINE A AS kind = 'a', C AS kind = 'c')"""
# one match that ends with the first 'c', its rows folded into a sum
FOLDED = """MATCH_RECOGNIZE (
  PARTITION BY k ORDER BY ts MEASURES COUNT(*) AS n, SUM(v) AS total
  PATTERN (A+ C) DEFINE A AS kind = 'a', C AS kind = 'c')"""
# the same with all its rows, which must be kept
HELD = """MATCH_RECOGNIZE (
  PARTITION BY k ORDER BY ts MEASURES COUNT(*) AS n, SUM(v) AS total ALL ROWS PER MATCH
  PATTERN (A+ C) DEFINE A AS kind = 'a', C AS kind = 'c')"""


def write(name: str, keys: np.ndarray, batches: int, first: int = START, step: int = 1) -> Path:
    """Write rows of the given partitions, each of kind 'a', once, in files for micro-batches.

    Args:
        name: Of the folder.
        keys: The partition of each row.
        batches: How many files.
        first: Time of the first row, in milliseconds.
        step: Time between two rows, in milliseconds.
    """
    folder = FOLDER / f"state-{name}"
    if not (folder / "_SUCCESS").exists():
        folder.mkdir(parents=True, exist_ok=True)
        number = np.arange(len(keys))
        columns = {
            "k": keys,
            "kind": np.full(len(keys), "a"),
            "v": number,
            "ms": first + number * step,
        }
        write_batches(pa.table(columns), folder, batches)
        (folder / "_SUCCESS").touch()
    return folder


def clause(spark: SparkSession, folder: Path, text: str) -> DataFrame:
    """Return a clause over the rows of a folder."""
    return spark.sql(f"SELECT * FROM {{rows}} {text}", rows=source(spark, folder, TYPES))


def metric(progress: dict[str, Any], name: str) -> int:
    """Return one of the operator's own metrics."""
    return int(progress["stateOperators"][0]["customMetrics"][name])


def state_bytes(spark: SparkSession, rows: int) -> None:
    """Print the state size of an open attempt."""
    folder = FOLDER / f"state-starts-{rows}"
    if not (folder / "_SUCCESS").exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_batches(arrivals(STARTS, rows).slice(0, rows - 5_000), folder, BATCHES)
        (folder / "_SUCCESS").touch()
    stream = source(spark, folder, STARTS.types)
    found = drain(spark.sql(f"SELECT * FROM {{rows}} {STARTS.spark_clauses()[0]}", rows=stream))
    # all rows except pending ones are start rows that the end could still complete
    last = found[-1]
    held, pending, size = (
        metric(last, name) for name in ("rowsInState", "pendingRows", "stateBytes")
    )
    starts = sum(progress["numInputRows"] for progress in found) - pending
    print(
        f"bytes: {starts:,} open starts and {pending:,} pending rows, {held:,} rows held, "
        f"{size:,} bytes of state, {size / (starts + pending):.1f} for each"
    )


def latency(spark: SparkSession, keys: int, batches: int = 50, skipped: int = 10) -> None:
    """Print the duration of micro-batches while most partitions are idle.

    Args:
        spark: The session.
        keys: Partitions, in each of which an attempt is opened first.
        batches: Micro-batches over the first thousand of them.
        skipped: How many of the first ones do not count.
    """
    active = np.random.default_rng(5).integers(0, 1_000, batches * 10_000)
    opening = write(f"opening-{keys}", np.arange(keys), -(-keys // 10_000))
    more = write(f"active-{batches}", active, batches, first=START + 1_000_000)
    place = Path(tempfile.mkdtemp(dir=FOLDER))
    files, checkpoint = place / "files", place / "checkpoint"
    shutil.copytree(opening, files)
    drain(clause(spark, files, AWAITED), checkpoint)
    for file in sorted(more.glob("*.parquet")):
        shutil.copy(file, files / f"x{file.name}")
    runs: list[dict[str, Any]] = []
    cost = measure_run(spark, lambda: runs.extend(drain(clause(spark, files, AWAITED), checkpoint)))
    times = sorted(run["durationMs"]["triggerExecution"] for run in runs[skipped:batches])
    print(
        f"latency: {metric(runs[-1], 'keysWithState'):,} partitions with state, 1,000 of them "
        f"active: {cost.cpu / batches * 1_000:.0f} ms CPU a micro-batch, "
        f"p50 {times[len(times) // 2]} ms, p99 {times[int(len(times) * 0.99)]} ms",
        flush=True,
    )
    shutil.rmtree(place, ignore_errors=True)


def many_batches(spark: SparkSession, rows: int, rounds: int) -> None:
    """Print the cost of the rows of one open match, by the number of micro-batches.

    The cost of a tenth of the rows is taken as that of the micro-batches themselves and subtracted.
    """
    for name, text in (("folded", FOLDED), ("held", HELD)):
        costs = {}
        for batches in (10, 40):
            for size in (rows, rows // 10):
                folder = write(f"one-{size}-{batches}", np.zeros(size, dtype=np.int64), batches)
                own = []
                for number in range(rounds + 1):
                    bare, full = (
                        measure_run(spark, partial(play, make, folder, "stream"))
                        for make in (
                            partial(source, spark, types=TYPES),
                            partial(clause, spark, text=text),
                        )
                    )
                    if number:
                        own.append(full.cpu - bare.cpu)
                costs[batches, size] = statistics.median(own)
        more = {b: costs[b, rows] - costs[b, rows // 10] for b in (10, 40)}
        print(
            f"batches: {rows:,} rows of one open match, {name}, less source: "
            f"{costs[10, rows]:.2f} s CPU in 10 micro-batches, {costs[40, rows]:.2f} s in 40; "
            f"less a tenth of the rows {more[10]:.2f} s and {more[40]:.2f} s, "
            f"{more[40] / more[10]:.2f} times that",
            flush=True,
        )


def fill(provider: str, rows: int, checkpoint: Path) -> None:
    """Run a stream that leaves `rows` rows in state, a thousand per partition."""
    spark = session(provider)
    keys = np.arange(rows) % (rows // 1_000)
    folder = write(f"restart-{rows}", keys, 10)
    found = drain(clause(spark, folder, HELD), checkpoint)
    print(f"restart: {metric(found[-1], 'rowsInState'):,} rows held", flush=True)
    spark.stop()


def again(provider: str, rows: int, checkpoint: Path) -> None:
    """Restart the stream of `fill` with a few rows and print how long it takes."""
    spark = session(provider)
    folder = write(f"restart-{rows}", np.arange(0), 10)
    more = pa.table(
        {
            "k": np.arange(1_000) % (rows // 1_000),
            "kind": np.full(1_000, "a"),
            "v": np.arange(1_000),
            "ms": START + rows + 10_000 + np.arange(1_000),
        }
    )
    new = folder / f"more-{time.time_ns()}"
    new.mkdir()
    write_batches(more, new, 1)
    (new / "part-00000.parquet").rename(folder / f"{new.name}.parquet")
    new.rmdir()
    begin = time.perf_counter()
    found = drain(clause(spark, folder, HELD), checkpoint)
    wall = time.perf_counter() - begin
    size = sum(file.stat().st_size for file in checkpoint.rglob("*") if file.is_file())
    first = found[0]["durationMs"]["triggerExecution"] / 1_000
    print(
        f"restart: {metric(found[-1], 'rowsInState'):,} rows held, checkpoint of "
        f"{size / 2**20:.0f} MiB: first micro-batch after {first:.1f} s, all of it {wall:.1f} s"
    )
    spark.stop()


def restart(provider: str, rows: int) -> None:
    """Fill a state and restart, each in a separate process."""
    checkpoint = Path("out/bench/restart-checkpoint")
    shutil.rmtree(checkpoint, ignore_errors=True)
    shutil.rmtree(FOLDER / f"state-restart-{rows}", ignore_errors=True)
    for part in ("fill", "again"):
        command = [sys.executable, __file__, "--part", part, "--provider", provider]
        subprocess.run(  # noqa: S603 - this program
            [*command, "--rows", str(rows)], check=True
        )


def main() -> None:
    """Run the parts and print their figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="", help="one of them; all if left out")
    parser.add_argument("--provider", choices=list(PROVIDERS), default="")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    if options.part in {"fill", "again"}:
        step = fill if options.part == "fill" else again
        step(options.provider, options.rows, Path("out/bench/restart-checkpoint"))
        return
    for provider in [options.provider] if options.provider else list(PROVIDERS):
        print(f"{provider}, {datetime.now().astimezone():%Y-%m-%d}", flush=True)
        spark = session(provider)
        if options.part in {"", "bytes"}:
            state_bytes(spark, options.rows // 5)
        if options.part in {"", "latency"}:
            for keys in (1_000, 100_000):
                latency(spark, keys)
        if options.part in {"", "batches"}:
            many_batches(spark, options.rows // 2, options.rounds)
        spark.stop()
        if options.part in {"", "restart"}:
            restart(provider, options.rows)


if __name__ == "__main__":
    main()
