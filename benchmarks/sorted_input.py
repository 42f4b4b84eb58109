"""Searches of tables that are bucketed and sorted by the keys of the clause: no shuffle, no sort.

    python benchmarks/sorted_input.py [--rows N] [--only W4] [--rounds 7]

Each search alternately runs, in one JVM, with and without whole-stage code
(`spark.matchRecognize.wholeStage`), and beside two controls over the same table: the bare scan of
the columns that the clause reads, and one `lag()` by the same keys. It prints medians and ranges of
the paired ratios of CPU time. `make bench` runs it.
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
WHOLE_STAGE = "spark.matchRecognize.wholeStage"


def make_table(spark: SparkSession, work: Workload) -> None:
    """Make the table `input`: one file per bucket, each in the order of the clause."""
    keys = [work.key, work.order]
    rows = spark.read.parquet(str(work.folder)).repartition(BUCKETS, work.key)
    writer = rows.sortWithinPartitions(*keys).write.bucketBy(BUCKETS, work.key).sortBy(*keys)
    writer.mode("overwrite").option("path", f"{work.folder}-sorted").saveAsTable("input")


def queries(spark: SparkSession, work: Workload) -> dict[str, Callable[[], DataFrame]]:
    """Return the clause in both forms, then the controls."""

    def clause(whole_stage: str) -> DataFrame:
        # read when the query is planned, which its run does right after this
        spark.conf.set(WHOLE_STAGE, whole_stage)
        return spark.sql(work.clause.format(t="input"))

    columns = dict.fromkeys([work.key, work.order, work.read, *work.more])
    window = f"(PARTITION BY {work.key} ORDER BY {work.order})"
    lag = f"SELECT {', '.join(columns)}, lag({work.read}) OVER {window} AS before FROM input"
    return {
        "whole stage": lambda: clause("true"),
        "alone": lambda: clause("false"),
        "scan": lambda: spark.table("input").select(*columns),
        "lag": lambda: spark.sql(lag),
    }


def run(spark: SparkSession, work: Workload, warm_up: int, rounds: int) -> None:
    """Measure one search and print its line of figures."""
    make_table(spark, work)
    contestants = queries(spark, work)
    found = {name: contestants[name]().count() for name in ("whole stage", "alone")}
    if len(set(found.values())) > 1:
        message = f"{work.name}: {found}"
        raise AssertionError(message)
    runs = {name: partial(measure, spark, make) for name, make in contestants.items()}
    costs = paired_rounds(runs, warm_up, rounds)

    def over(ours: str, theirs: str) -> str:
        pair = ((cost.cpu for cost in costs[name]) for name in (ours, theirs))
        return f"{spread(*pair)} of {theirs}"

    scan = statistics.median(cost.cpu for cost in costs["scan"])
    print(
        f"{work.name}: {found['alone']:,} rows, {scan:.2f} s CPU scan; "
        + "; ".join(f"{ours} {over(ours, 'scan')}, {over(ours, 'lag')}" for ours in found),
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
