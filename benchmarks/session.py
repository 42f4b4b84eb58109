"""A local session for benchmarks, and the cost of a query in it."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from pyspark.sql import DataFrame, SparkSession

from spark_match_recognize import configure

# py4j may only call the bean's methods if its package is open
OPEN = "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED"


Name = TypeVar("Name")
Figures = TypeVar("Figures")


class Cost(NamedTuple):
    """Seconds that one run took: CPU of the JVM and of its Python workers, and wall time."""

    cpu: float
    wall: float


def start(
    shuffle_partitions: int, settings: dict[str, str] | None = None, cores: str = "2"
) -> SparkSession:
    """Return a local session on some cores with the plugin and some more settings."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Python workers need its packages
    builder = SparkSession.builder.master(f"local[{cores}]").appName("match_recognize benchmark")
    builder = builder.config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.driver.memory", "3g")
    builder = builder.config("spark.driver.extraJavaOptions", OPEN)
    builder = builder.config("spark.sql.shuffle.partitions", str(shuffle_partitions))
    builder = builder.config("spark.sql.adaptive.coalescePartitions.enabled", "false")
    for key, value in (settings or {}).items():
        builder = builder.config(key, value)
    return configure(builder).getOrCreate()


def measure(spark: SparkSession, frame: Callable[[], DataFrame]) -> Cost:
    """Run a query into the noop sink, analysis and planning included."""
    return measure_run(spark, lambda: frame().write.format("noop").mode("overwrite").save())


def measure_run(spark: SparkSession, run: Callable[[], object]) -> Cost:
    """Measure any call on a session."""
    jvm = spark.sparkContext._jvm  # noqa: SLF001 - there is no public way to ask for CPU time
    assert jvm is not None  # noqa: S101 - a classic session has one
    system = jvm.java.lang.management.ManagementFactory.getOperatingSystemMXBean()
    jvm.java.lang.System.gc()
    pid = str(jvm.java.lang.ProcessHandle.current().pid())

    def cpu() -> float:
        return float(system.getProcessCpuTime()) / 1e9 + workers(pid)

    before, wall = cpu(), time.perf_counter()
    run()
    return Cost(cpu() - before, time.perf_counter() - wall)


def paired_rounds(
    runs: Mapping[Name, Callable[[], Figures]], warm_up: int, rounds: int
) -> dict[Name, list[Figures]]:
    """Measure every contestant in every round, and return the costs without those of the warm-up.

    Which one runs first changes from round to round; costs of one round have equal indexes.
    """
    costs: dict[Name, list[Figures]] = {name: [] for name in runs}
    names = list(runs)
    for number in range(warm_up + rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            cost = runs[name]()
            if number >= warm_up:
                costs[name].append(cost)
    return costs


def ratio(ours: list[Cost], theirs: list[Cost], of: int) -> float:
    """Return the median ratio of the rounds, of CPU (0) or of wall time (1)."""
    return statistics.median(a[of] / b[of] for a, b in zip(ours, theirs, strict=True))


def spread(ours: Iterable[float], theirs: Iterable[float]) -> str:
    """Return the median and the range of the ratios of paired figures, as text."""
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def workers(pid: str) -> float:
    """Return the CPU seconds of a process's descendants, as Linux counts them; elsewhere none."""
    parents: dict[str, str] = {}
    ticks: dict[str, int] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[file.parent.name] = fields[1]
        # its own, and those of its children that have ended
        ticks[file.parent.name] = sum(int(field) for field in fields[11:15])

    def descends(process: str) -> bool:
        parent = parents.get(process, "")
        return parent == pid or (parent in parents and descends(parent))

    return sum(ticks[process] for process in parents if descends(process)) / os.sysconf(
        "SC_CLK_TCK"
    )
