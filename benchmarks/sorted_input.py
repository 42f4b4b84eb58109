"""Searches of tables that are bucketed and sorted by the keys of the clause: no shuffle, no sort.

    python benchmarks/sorted_input.py [--rows N] [--only W4] [--rounds 7]

Each search runs, in one JVM, beside two controls over the same table: the bare scan of the columns
that the clause reads, and one `lag()` by the same keys. It prints medians and ranges of the paired
ratios of CPU time. `make bench` runs it.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from session import measure, paired_rounds, spread, start
from workloads import Workload, workloads

BUCKETS = 2


def make_table(spark: SparkSession, work: Workload) -> None:
    """Make the table `input`: one file per bucket, each in the order of the clause."""
    keys = [work.key, work.order]
    rows = spark.read.parquet(str(work.folder)).repartition(BUCKETS, work.key)
    writer = rows.sortWithinPartitions(*keys).write.bucketBy(BUCKETS, work.key).sortBy(*keys)
    writer.mode("overwrite").option("path", f"{work.folder}-sorted").saveAsTable("input")


def queries(spark: SparkSession, work: Workload) -> dict[str, Callable[[], DataFrame]]:
    """Return the clause, then the controls."""
    columns = dict.fromkeys([work.key, work.order, work.read, *work.more])
    window = f"(PARTITION BY {work.key} ORDER BY {work.order})"
    lag = f"SELECT {', '.join(columns)}, lag({work.read}) OVER {window} AS before FROM input"
    return {
        "clause": lambda: spark.sql(work.clause.format(t="input")),
        "scan": lambda: spark.table("input").select(*columns),
        "lag": lambda: spark.sql(lag),
    }


def run(spark: SparkSession, work: Workload, warm_up: int, rounds: int) -> None:
    """Measure one search and print its line of figures."""
    make_table(spark, work)
    contestants = queries(spark, work)
    found = contestants["clause"]().count()
    runs = {name: partial(measure, spark, make) for name, make in contestants.items()}
    costs = paired_rounds(runs, warm_up, rounds)

    def over(control: str) -> str:
        pair = ((cost.cpu for cost in costs[name]) for name in ("clause", control))
        return f"{spread(*pair)} of {control}"

    scan = statistics.median(cost.cpu for cost in costs["scan"])
    print(
        f"{work.name}: {found:,} rows, {scan:.2f} s CPU scan; {over('scan')}, {over('lag')}",
        flush=True,
    )


def main() -> None:
    """Run the searches that have a PARTITION BY column."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--only", default="", help="a part of the workload's name")
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    # Spark does not report the order of a bucketed table without it
    settings = {"spark.sql.legacy.bucketedTableScan.outputOrdering": "true"}
    spark = start(shuffle_partitions=4, settings=settings)
    for work in workloads(options.rows):
        if work.key and options.only in work.name:
            run(spark, work, options.warm_up, options.rounds)
    spark.stop()


if __name__ == "__main__":
    main()
