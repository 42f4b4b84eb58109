"""Wide rows in a small heap, through each plan of the operator.

Rows of 4 KB, of 150 KB and of 1 MB, and rows of many widths in turn, more than the heap of each, in
one partition per task, so the operator has to spill. It runs over the blocks of its own shuffle,
over Spark's shuffle with its own sort, and over rows that Spark has sorted. Exits with 1 if a plan
fails, a figure is wrong or nothing was spilled. `--plans window` runs Spark's window over the same
rows, which may fail. `make test-memory` runs the plans with one task and with sixteen at a time.
"""

from __future__ import annotations

import argparse
import sys
import time

from memory import start
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from task_metrics import task_metrics

SIZES = (4_000, 150_000, 1_000_000)
# rows of these sizes in turn
MIXED = 0
MIXTURE = (10, 4_000, 20_000, 150_000, 1_000_000)
CLAUSE = """
SELECT COUNT(*), SUM(LENGTH(payload)), MIN(last_id), MAX(last_id)
FROM wide_rows MATCH_RECOGNIZE (
  PARTITION BY key ORDER BY id
  MEASURES FINAL LAST(id) AS last_id
  ALL ROWS PER MATCH
  PATTERN (A+)
)
"""
WINDOW = """
SELECT COUNT(*), SUM(LENGTH(payload)), MIN(last_id), MAX(last_id)
FROM (
  SELECT payload, LAST_VALUE(id) OVER (
    PARTITION BY key ORDER BY id
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_id
  FROM wide_rows
)
"""
PLANS = {
    "blocks": (CLAUSE, {"spark.matchRecognize.shuffle": "blocks"}),
    "rows": (CLAUSE, {"spark.matchRecognize.shuffle": "spark"}),
    "sorted": (CLAUSE, {"spark.matchRecognize.sort": "spark"}),
    "window": (WINDOW, {}),
}


def run(spark: SparkSession, size: int, total: int, tasks: int, plan: str) -> str | None:
    """Run one plan and print its cost; return what is wrong with it, if anything."""
    sizes = MIXTURE if size == MIXED else (size,)
    # as many of each size, in each task
    per_task = max(1, total // sum(sizes) // tasks) * len(sizes)
    width = f"ARRAY({', '.join(map(str, sizes))})[id DIV {tasks} % {len(sizes)}]"
    # not sorted: a prime number maps the rows to themselves in another order
    frame = spark.range(0, per_task * tasks, 1, max(2, tasks)).selectExpr(
        f"id % {tasks} AS key",
        f"CAST(FLOOR(id / {tasks}) * 7919 % {per_task} AS BIGINT) AS id",
        f"RPAD(CAST(id AS STRING), {width}, UUID()) AS payload",
    )
    frame.createOrReplaceTempView("wide_rows")
    query, settings = PLANS[plan]
    for key, value in settings.items():
        spark.conf.set(key, value)
    before, began = task_metrics(spark).spilled_memory, time.perf_counter()
    problem = None
    try:
        got = tuple(spark.sql(query).collect()[0])
        rows = per_task * tasks
        want = (rows, rows // len(sizes) * sum(sizes), per_task - 1, per_task - 1)
        if got != want:
            problem = f"{got} is not {want}"
        elif task_metrics(spark).spilled_memory == before:
            problem = "nothing was spilled"
    except (PySparkException, Py4JError) as failure:
        text = str(failure)
        is_full = "OutOfMemoryError: Java heap" in text
        problem = "OutOfMemoryError" if is_full else text.splitlines()[0][:200]
    seconds = time.perf_counter() - began
    for key in settings:
        spark.conf.unset(key)
    outcome = f"FAILED: {problem}"
    if problem is None:
        outcome = f"spilled {(task_metrics(spark).spilled_memory - before) / 2**20:,.0f} MiB"
    shown = "10 to 1M" if size == MIXED else f"{size:,}"
    print(f"{shown:>9} bytes a row, {plan:<7} {seconds:6.1f} s, {outcome}", flush=True)
    return problem


def main() -> int:
    """Run all plans; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", type=int, default=512, help="heap of the JVM, in MB")
    parser.add_argument("--tasks", type=int, default=1, help="tasks at a time")
    plans = [plan for plan in PLANS if plan != "window"]
    parser.add_argument("--plans", nargs="+", default=plans, choices=list(PLANS))
    parser.add_argument("--sizes", nargs="+", type=int, default=(*SIZES, MIXED), help="0: mixed")
    parser.add_argument("--times", type=float, default=1.1, help="heaps of rows of each size")
    options = parser.parse_args()
    spark = start(f"{options.memory}m", options.tasks)
    spark.conf.set("spark.sql.shuffle.partitions", str(options.tasks))
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    total = int(options.memory * 2**20 * options.times)
    print(f"heap of {options.memory} MB, {options.tasks} tasks, {total / 2**20:,.0f} MiB per width")
    # the window last, since it may take the JVM with it
    problems = [
        run(spark, size, total, options.tasks, plan)
        for plan in options.plans
        if plan != "window"
        for size in options.sizes
    ]
    if "window" in options.plans:
        try:
            for size in options.sizes:
                run(spark, size, total, options.tasks, "window")
        except (Py4JError, OSError):
            print("the window has ended the JVM")
    return 1 if any(problems) else 0


if __name__ == "__main__":
    sys.exit(main())
