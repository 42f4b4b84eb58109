"""One match of ten million rows in half a gigabyte: it must spill, and still be correct.

With ALL ROWS PER MATCH and FINAL measures the pattern `A+` cannot return a row before the whole
partition is read (about 1 GB), so the operator cannot keep all rows in memory. Exits with 1 if the
query fails, a figure is wrong or nothing was spilled. `make test-memory` runs it with `--shuffled`
rows, which the operator sorts in the blocks of a shuffle; and with five million rows, which are
still more than the heap, that are `--unsorted`, so it has to sort them first, or sorted already.
"""

from __future__ import annotations

import argparse
import re
import sys
import time

from pyspark.sql import SparkSession
from task_metrics import task_metrics

from spark_match_recognize import configure

# reading the payload above the clause keeps it in the rows of the operator
QUERY = """
SELECT COUNT(*), SUM(id), SUM(LENGTH(payload)), MIN(last_id), MAX(last_id), MIN(total), MAX(total)
FROM rows_of_one_partition MATCH_RECOGNIZE (
  {partition} ORDER BY id
  MEASURES FINAL LAST(id) AS last_id, FINAL COUNT(*) AS total
  ALL ROWS PER MATCH
  PATTERN (A+)
)
"""
PAYLOAD = 84
# a prime number, which maps the rows to themselves in another order
STEP = 7_919_573
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def start(memory: str, cores: int = 1) -> SparkSession:
    """Return a local session on some cores with this heap size."""
    builder = SparkSession.builder.master(f"local[{cores}]").appName("match_recognize memory")
    builder = builder.config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.driver.memory", memory)
    return configure(builder).getOrCreate()


def operator_spill(spark: SparkSession, operator: str) -> int:
    """Return the bytes that an operator of the last query reports as its metric `spill size`.

    Args:
        spark: The session that ran the query.
        operator: Prefix of the operator's name in the plan.

    Returns:
        Bytes, or -1 if no operator of that name has the metric.
    """
    session = spark._jsparkSession  # noqa: SLF001 - metrics have no public Python API
    store = session.sharedState().statusStore()
    execution = max(
        store.executionsList().apply(i).executionId() for i in range(store.executionsCount())
    )
    values = store.executionMetrics(execution)
    nodes = store.planGraph(execution).allNodes()
    spilled = -1
    for node in (nodes.apply(i) for i in range(nodes.size())):
        metrics = node.metrics()
        for metric in (metrics.apply(i) for i in range(metrics.size())):
            if node.name().startswith(operator) and metric.name() == "spill size":
                value = values.get(metric.accumulatorId())
                spilled = max(spilled, 0) + (in_bytes(value.get()) if value.isDefined() else 0)
    return spilled


def in_bytes(text: str) -> int:
    """Return a size as the SQL tab shows it, such as `1.5 GiB` or a list with a total, in bytes."""
    match = re.search(r"([\d.,]+) ([KMGT]i)?B", text)
    if match is None:
        return 0
    return round(float(match[1].replace(",", "")) * UNITS[(match[2] or "") + "B"])


def main() -> int:
    """Run the query and print its cost; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--memory", default="512m", help="heap of the JVM")
    parser.add_argument("--unsorted", action="store_true", help="rows in no order")
    parser.add_argument("--shuffled", action="store_true", help="unsorted rows with a key")
    parser.add_argument("--shuffle", default="auto", help="spark.matchRecognize.shuffle")
    parser.add_argument("--sort", default="auto", help="spark.matchRecognize.sort")
    options = parser.parse_args()
    spark = start(options.memory)
    spark.conf.set("spark.matchRecognize.sort", options.sort)
    spark.conf.set("spark.matchRecognize.shuffle", options.shuffle)
    # one partition, or two tasks with a key of one value, so that there is a shuffle; if the rows
    # are already sorted, only the search buffers them
    frame = spark.range(0, options.rows, 1, 2 if options.shuffled else 1)
    if options.unsorted or options.shuffled:
        frame = frame.selectExpr(f"id * {STEP} % {options.rows} AS id")
    key = "CAST(id % 1 AS INT) AS key" if options.shuffled else "0 AS key"
    frame = frame.selectExpr(key, "id", f"RPAD(CAST(id AS STRING), {PAYLOAD}, '.') AS payload")
    frame.createOrReplaceTempView("rows_of_one_partition")
    began = time.perf_counter()
    query = QUERY.format(partition="PARTITION BY key" if options.shuffled else "")
    got = tuple(spark.sql(query).collect()[0])
    seconds = time.perf_counter() - began
    n = options.rows
    want = (n, n * (n - 1) // 2, n * PAYLOAD, n - 1, n - 1, n, n)
    operator = operator_spill(spark, "MatchRecognize")
    tasks = task_metrics(spark)
    spark.stop()
    mib = 2**20
    order = f"unsorted, sort {options.sort}" if options.unsorted else "sorted"
    if options.shuffled:
        order = f"shuffled, sort {options.sort}, shuffle {options.shuffle}"
    print(f"{n:,} rows of {PAYLOAD + 16} bytes in one partition, {order}, heap {options.memory}")
    print(f"{seconds:.1f} s, result {got}")
    print(f"spilled by the operator: {operator / mib:,.0f} MiB (its metric 'spill size')")
    memory, disk = (tasks.spilled_memory / mib, tasks.spilled_disk / mib)
    print(f"spilled by the tasks: {memory:,.0f} MiB of memory, {disk:,.0f} MiB on disk")
    problems = []
    if got != want:
        problems.append(f"the result is not {want}")
    if max(operator, tasks.spilled_disk) <= 0:
        problems.append("nothing was spilled")
    for problem in problems:
        print(f"FAILED: {problem}")
    if not problems:
        print("passed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
