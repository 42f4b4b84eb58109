"""The streams of the benchmarks in Flink, for comparison, in its own environment, .venv-flink.

For each workload one JVM alternately runs the bare source into a blackhole sink and the same source
through the clause. The cost of the clause is the difference in CPU seconds of the whole JVM, as
medians after a warm-up that also counts the matches. Both have parallelism 2, the heap state
backend and no checkpoints, which is the cheapest setup in Flink. Run it with `make bench-flink`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import time
from pathlib import Path
from typing import NamedTuple

from pyflink.java_gateway import get_gateway
from pyflink.table import EnvironmentSettings, TableDescriptor, TableEnvironment
from stream_workloads import DELAY_SECONDS, WORKLOADS, Workload, csv_file

# rows that take Flink less than minutes; the last workload costs it more than quadratic time
ROWS = {"V shape": 1_000_000, "gap sequence": 1_000_000, "falling bids": 1_000_000}
SQUARE = (400, 800)


class Cost(NamedTuple):
    """Seconds that one run took: CPU of all threads of the JVM, and wall time."""

    cpu: float
    wall: float


def tables(mode: str, file: Path, work: Workload) -> TableEnvironment:
    """Return an environment with the table `input` over a CSV file.

    Args:
        mode: `streaming` or `batch`.
        file: The rows.
        work: Their workload.
    """
    settings = EnvironmentSettings.new_instance()
    settings = settings.in_batch_mode() if mode == "batch" else settings.in_streaming_mode()
    env = TableEnvironment.create(settings.build())
    env.get_config().set("parallelism.default", "2")
    columns = ", ".join(f"{name} {kind}" for name, kind in work.types.items())
    env.execute_sql(f"""
        CREATE TABLE input ({columns}, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3),
          WATERMARK FOR ts AS ts - INTERVAL '{DELAY_SECONDS}' SECOND)
        WITH ('connector' = 'filesystem', 'path' = '{file.resolve()}', 'format' = 'csv')
    """)
    return env


def measure(env: TableEnvironment, query: str) -> Cost:
    """Run a query into the blackhole sink until it ends, planning included."""
    jvm = get_gateway().jvm
    system = jvm.java.lang.management.ManagementFactory.getOperatingSystemMXBean()
    jvm.java.lang.System.gc()
    cpu, wall = system.getProcessCpuTime(), time.perf_counter()
    sink = TableDescriptor.for_connector("blackhole").build()
    env.sql_query(query).execute_insert(sink).wait()
    return Cost((system.getProcessCpuTime() - cpu) / 1e9, time.perf_counter() - wall)


def count(env: TableEnvironment, query: str, folder: Path) -> int:
    """Return how many rows a query writes to files."""
    path = folder / str(time.time_ns())
    sink = TableDescriptor.for_connector("filesystem").option("path", str(path.resolve()))
    env.sql_query(query).execute_insert(sink.format("csv").build()).wait()
    return sum(len(file.read_bytes().splitlines()) for file in path.iterdir() if file.is_file())


def run(work: Workload, mode: str, rows: int, rounds: int) -> None:
    """Measure one workload and print its figures."""
    file = csv_file(work, rows)
    env = tables(mode, file, work)
    columns = ", ".join([*work.types, "ts"])
    source = f"SELECT {columns} FROM input"
    clause = f"SELECT * FROM input {work.flink_clause()} AS m"
    matches = count(env, clause, file.with_suffix(".counts"))
    costs: dict[str, list[Cost]] = {"bare": [], "found": []}
    for number in range(rounds + 1):
        for name, query in (("bare", source), ("found", clause)):
            cost = measure(env, query)
            if number:
                costs[name].append(cost)
    cpu = {name: statistics.median(cost.cpu for cost in costs[name]) for name in costs}
    wall = {name: statistics.median(cost.wall for cost in costs[name]) for name in costs}
    own = cpu["found"] - cpu["bare"]
    print(
        f"Flink {mode}, {work.name}: {rows:,} rows, {matches:,} matches; "
        f"source {cpu['bare']:.2f} s CPU {wall['bare']:.2f} s wall, "
        f"with the clause {cpu['found']:.2f} s CPU {wall['found']:.2f} s wall; "
        f"clause alone {own:.2f} s CPU, {rows / own:,.0f} rows per CPU second",
        flush=True,
    )


def size(folder: Path) -> int:
    """Return the bytes of the files in a folder that may have been deleted."""
    with contextlib.suppress(FileNotFoundError):
        return sum(file.stat().st_size for file in folder.iterdir())
    return 0


def state_bytes(rows: int, rows_per_second: int) -> None:
    """Print the size of a checkpoint with at most `rows` open attempts.

    Each row of one key begins an attempt that is never completed. The largest checkpoint of a run
    is taken, and all rows count as open attempts, although the last ones arrived after it.
    """
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    folder = Path(f"out/bench/flink-checkpoints-{time.time_ns()}").resolve()
    for key, value in {
        "parallelism.default": "1",
        "execution.checkpointing.interval": "1s",
        "execution.checkpointing.dir": f"file://{folder}",
        "execution.checkpointing.num-retained": "1000",
        "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
    }.items():
        env.get_config().set(key, value)
    env.execute_sql(f"""
        CREATE TABLE input (ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts)
        WITH ('connector' = 'datagen', 'rows-per-second' = '{rows_per_second}',
          'fields.ms.kind' = 'sequence', 'fields.ms.start' = '1', 'fields.ms.end' = '{rows}')
    """)
    sink = TableDescriptor.for_connector("blackhole").build()
    table = env.sql_query("""
        SELECT * FROM input MATCH_RECOGNIZE (
          ORDER BY ts MEASURES A.ts AS first_ts, C.ts AS last_ts
          PATTERN (A X*? C) WITHIN INTERVAL '6' HOUR DEFINE C AS ms < 0)
    """)
    result = table.execute_insert(sink)
    largest = 0
    end = time.perf_counter() + rows / rows_per_second
    while time.perf_counter() < end:
        # checkpoints are dropped when the job ends
        largest = max([largest, *(size(checkpoint) for checkpoint in folder.rglob("chk-*"))])
        time.sleep(0.2)
    result.wait()
    print(
        f"Flink state: {rows:,} open attempts, largest checkpoint {largest:,} bytes, "
        f"{largest / rows:,.0f} an attempt"
    )


def main() -> None:
    """Run the workloads and print a line of figures for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a part of the workload's name")
    parser.add_argument("--mode", default="", help="streaming or batch; both if left out")
    parser.add_argument("--rows", type=int, default=0, help="instead of the workload's own")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--state", action="store_true", help="the size of state only")
    options = parser.parse_args()
    # py4j may only call the methods of the bean that knows the CPU time if its package is open
    opened = "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED"
    os.environ["JDK_JAVA_OPTIONS"] = opened
    if options.state:
        for rows in (200, 400):
            state_bytes(rows, rows_per_second=20)
        return
    for work in WORKLOADS:
        if options.only not in work.name:
            continue
        for mode in [options.mode] if options.mode else ["streaming", "batch"]:
            sizes = [options.rows] if options.rows else [ROWS.get(work.name, 0)]
            for rows in sizes if sizes[0] else SQUARE:
                run(work, mode, rows, options.rounds)


if __name__ == "__main__":
    main()
