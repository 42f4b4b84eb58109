"""The streams of the benchmarks in Flink, the rival; it runs in its own environment, .venv-flink.

For each workload one JVM runs, in turn, the bare source into a blackhole sink and the same source
through the clause. The cost of the clause is the difference of the CPU seconds of the whole JVM,
medians after a warm-up that also counts the matches. Both runs have parallelism 2, the heap state
backend and no checkpoints, which is Flink at its cheapest. Run it with `make bench-flink`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path
from typing import NamedTuple

from pyflink.java_gateway import get_gateway
from pyflink.table import EnvironmentSettings, TableDescriptor, TableEnvironment
from stream_workloads import DELAY_SECONDS, WORKLOADS, Workload, csv_file

# rows that take Flink less than minutes; the last workload costs it more than their square
ROWS = {"V shape": 1_000_000, "gap sequence": 1_000_000, "falling bids": 1_000_000}
SQUARE = (400, 800)


class Cost(NamedTuple):
    """Seconds that one run took: CPU of all threads of the JVM, and on the wall."""

    cpu: float
    wall: float


def tables(mode: str, file: Path, work: Workload) -> TableEnvironment:
    """Return an environment with the table `input` over a CSV file.

    Args:
        mode: `streaming` or `batch`.
        file: The rows.
        work: What they are.
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
    """Run a query into the blackhole sink to its end, planning included."""
    jvm = get_gateway().jvm
    system = jvm.java.lang.management.ManagementFactory.getOperatingSystemMXBean()
    jvm.java.lang.System.gc()
    cpu, wall = system.getProcessCpuTime(), time.perf_counter()
    sink = TableDescriptor.for_connector("blackhole").build()
    env.sql_query(query).execute_insert(sink).wait()
    return Cost((system.getProcessCpuTime() - cpu) / 1e9, time.perf_counter() - wall)


def count(env: TableEnvironment, query: str, folder: Path) -> int:
    """Return how many rows a query gives, written to files."""
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


def main() -> None:
    """Run the workloads and print a line of figures for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a part of the workload's name")
    parser.add_argument("--mode", default="", help="streaming or batch; both if left out")
    parser.add_argument("--rows", type=int, default=0, help="instead of the workload's own")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    # py4j may only call the methods of the bean that knows the CPU time if its package is open
    opened = "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED"
    os.environ["JDK_JAVA_OPTIONS"] = opened
    for work in WORKLOADS:
        if options.only not in work.name:
            continue
        for mode in [options.mode] if options.mode else ["streaming", "batch"]:
            sizes = [options.rows] if options.rows else [ROWS.get(work.name, 0)]
            for rows in sizes if sizes[0] else SQUARE:
                run(work, mode, rows, options.rounds)


if __name__ == "__main__":
    main()
