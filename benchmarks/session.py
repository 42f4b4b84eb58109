"""A local session for benchmarks, and the cost of a query in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession

from spark_match_recognize import configure

# py4j may only call the bean's methods if its package is open
OPEN = "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED"


class Cost(NamedTuple):
    """Seconds that one run took: CPU of all threads of the JVM, and wall time."""

    cpu: float
    wall: float


def start(shuffle_partitions: int, settings: dict[str, str] | None = None) -> SparkSession:
    """Return a local session on two cores with the plugin and some more settings."""
    builder = SparkSession.builder.master("local[2]").appName("match_recognize benchmark")
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
    cpu, wall = system.getProcessCpuTime(), time.perf_counter()
    run()
    return Cost((system.getProcessCpuTime() - cpu) / 1e9, time.perf_counter() - wall)
