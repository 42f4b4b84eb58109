"""How the cost of a row grows: with the rows, the shuffle partitions, the keys, and one hot key.

    .venv/bin/python benchmarks/scale.py --series rows [--sizes 1000000 4000000] [--memory 1g]

V shapes over rows in no order, made as they are read, on two cores. A line for each size: seconds
of CPU of the tasks for a million rows, the most memory that a task of Spark's memory manager had,
bytes spilled to disk and bytes shuffled for each row. Then the exponents with which each of them
grows with the size: 0 if the cost of a row stays, 1 if it doubles with the size. The first run of a
session is not counted.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from pyspark.sql import SparkSession
from session import start
from task_metrics import TaskMetrics, last_stage, task_metrics

# a prime number, which maps the rows to themselves in another order
STEP = 7_919_573
CLAUSE = """
  SELECT * FROM events MATCH_RECOGNIZE (
    PARTITION BY k ORDER BY i
    MEASURES STRT.i AS from_i, LAST(DOWN.v) AS low, LAST(UP.i) AS to_i
    AFTER MATCH SKIP TO LAST UP
    PATTERN (STRT DOWN+ UP+)
    DEFINE DOWN AS v < PREV(v), UP AS v > PREV(v))
"""
MIB = 2**20


class Size(NamedTuple):
    """One query: its rows, its keys, the share of the first key, and the partitions."""

    rows: int
    keys: int
    hot: float = 0.0
    partitions: int = 64


# What varies, and its sizes; `--sizes` replaces them.
SERIES: dict[str, tuple[Callable[[float], Size], list[float]]] = {
    # 1,000 rows of each key, and as many rows of each task
    "rows": (
        lambda n: Size(rows=int(n), keys=max(1, int(n) // 1000), partitions=int(n) // 250_000),
        [1e6, 4e6, 16e6],
    ),
    # 1,000 rows of each key, and ever more rows of each task
    "task": (lambda n: Size(rows=int(n), keys=int(n) // 1000, partitions=8), [1e6, 4e6, 16e6]),
    "partitions": (
        lambda n: Size(rows=4_000_000, keys=100_000, partitions=int(n)),
        [8, 64, 500, 2000],
    ),
    "keys": (lambda n: Size(rows=10_000_000, keys=int(n)), [1, 100, 1e4, 1e6, 1e7]),
    # half of the rows have one key, so one task has them
    "hot": (lambda n: Size(rows=int(n), keys=10_000, hot=0.5), [1e6, 4e6, 16e6]),
}


def run(spark: SparkSession, size: Size) -> TaskMetrics:
    """Run the query of a size, and return what its tasks report."""
    spark.conf.set("spark.sql.shuffle.partitions", str(size.partitions))
    key = f"pmod(hash(id), {size.keys})"
    key = f"IF(pmod(hash(id, 5), 1000) < {1000 * size.hot}, 0, {key})"
    events = spark.range(0, size.rows, 1, 16).selectExpr(
        f"{key} AS k", f"id * {STEP} % {size.rows} AS i", "CAST(hash(id, 7) % 1000 AS INT) AS v"
    )
    events.createOrReplaceTempView("events")
    before = last_stage(spark)
    spark.sql(CLAUSE).write.format("noop").mode("overwrite").save()
    return task_metrics(spark, after=before)


def exponent(sizes: list[float], costs: list[float]) -> str:
    """Return the exponent of the power of the size that fits the costs best, as text."""
    if min(costs) <= 0 or len(sizes) < 2:  # noqa: PLR2004 - a line needs two points
        return "-"
    slope, _ = np.polyfit(np.log(sizes), np.log(costs), 1)
    return f"{slope:.2f}"


def main() -> None:
    """Measure one series."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", choices=SERIES, required=True)
    parser.add_argument("--sizes", type=float, nargs="*", help="sizes of the series")
    parser.add_argument("--memory", default="1g", help="heap of the JVM, in which two tasks run")
    options = parser.parse_args()
    size_of, sizes = SERIES[options.series]
    sizes = options.sizes or sizes
    spark = start(64, {"spark.driver.memory": options.memory, "spark.log.level": "OFF"})
    run(spark, Size(rows=1_000_000, keys=1000, partitions=8))
    print(f"{options.series}, heap {options.memory}: two tasks at a time")
    heads = "CPU s/M rows  peak MiB  spilled  shuffled  wall s"
    print(f"       size       rows       keys  partitions  {heads}")
    columns: list[list[float]] = []
    for number in sizes:
        size, began = size_of(number), time.perf_counter()
        found = run(spark, size)
        cost = [
            found.cpu / size.rows * 1e6,
            found.peak / MIB,
            found.spilled_disk / size.rows,
            found.shuffled / size.rows,
        ]
        columns.append(cost)
        print(
            f"{number:11,.0f} {size.rows:10,} {size.keys:10,} {size.partitions:11,}"
            f" {cost[0]:13.2f} {cost[1]:9.1f} {cost[2]:8.1f} {cost[3]:9.1f}"
            f" {time.perf_counter() - began:7.1f}",
            flush=True,
        )
    fits = [exponent(sizes, [cost[place] for cost in columns]) for place in range(4)]
    print(f"{'exponent':45} {fits[0]:>13} {fits[1]:>9} {fits[2]:>8} {fits[3]:>9}")
    spark.stop()


if __name__ == "__main__":
    main()
