"""Many patterns over one input as a UNION ALL: what one more costs, with and without sharing.

    python benchmarks/many_clauses.py [--counts 1 2 8 50] [--rules events prices] [--rounds 5]

Event rules look for three kinds in turn within an hour, each rule for others of 400; price rules
for falls and rises of other lengths. Control: scan, shuffle and sort of the columns that they read.
Everything runs alternately in one JVM; CPU is that of the whole process, planning included. `apart`
is the same statement with the optimizer rule that merges the clauses switched off. Beyond some
hundred rules the parser needs `--stack 64m`, as Spark's does for as many SELECTs.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from functools import partial

import numpy as np
import tables
from pyspark.sql import DataFrame, SparkSession
from session import OPEN, measure, paired_rounds, spread, start

KINDS = 400
MERGE = "io.matchrecognize.optimizer.MergeClauses"


def event_rule(number: int) -> str:
    """Return a rule for three kinds of events of one user within an hour."""
    first, second, third = (
        f"'kind{(number * step + number // KINDS) % KINDS}'" for step in (1, 7, 3)
    )
    return f"""SELECT 'rule {number}' AS rule, u, a, b, n FROM input MATCH_RECOGNIZE (
      PARTITION BY u ORDER BY ts MEASURES A.ts AS a, LAST(C.ts) AS b, COUNT(*) AS n
      PATTERN (A X*? B Y*? C) WITHIN INTERVAL '1' HOUR
      DEFINE A AS kind = {first}, B AS kind = {second} AND amount > {100 * (number % 9)},
        C AS kind = {third})"""


def price_rule(number: int) -> str:
    """Return a rule for a fall and a rise of a symbol's price."""
    return f"""SELECT 'rule {number}' AS rule, symbol, a, b, n FROM input MATCH_RECOGNIZE (
      PARTITION BY symbol ORDER BY ts MEASURES S.ts AS a, LAST(U.ts) AS b, COUNT(*) AS n
      PATTERN (S D{{{number % 8 + 1},}} U{{{number % 3 + 1},}})
      DEFINE D AS price < PREV(price), U AS price > PREV(price))"""


def events(rows: int) -> str:
    """Return the folder of `u`, `ts`, `kind` and `amount`; a hundred rows per user."""
    start_time = np.datetime64("2026-01-01", "us")
    folder = tables.write(
        f"kinds-{rows}",
        lambda random: {
            "u": np.arange(rows) // 100,
            "ts": start_time + (np.arange(rows) % 100 * 30).astype("timedelta64[s]"),
            "kind": np.array([f"kind{i}" for i in range(KINDS)])[random.integers(0, KINDS, rows)],
            "amount": random.random(rows) * 1000,
        },
    )
    return str(folder)


def run(
    spark: SparkSession,
    rule: Callable[[int], str],
    keys: tuple[str, str],
    options: argparse.Namespace,
) -> None:
    """Measure each number of rules, and print a line of figures for it."""
    read = spark.table("input").columns

    def sort() -> DataFrame:
        return spark.table("input").select(*read).repartition(keys[0]).sortWithinPartitions(*keys)

    def union(count: int, excluded: str) -> DataFrame:
        spark.conf.set("spark.sql.optimizer.excludedRules", excluded)
        return spark.sql("\nUNION ALL\n".join(rule(i) for i in range(count)))

    for count in options.counts:
        runs = {"sort": partial(measure, spark, sort)}
        runs["merged"] = partial(measure, spark, partial(union, count, ""))
        if count <= options.apart:
            runs["apart"] = partial(measure, spark, partial(union, count, MERGE))
        costs = paired_rounds(runs, options.warm_up, options.rounds)
        floor = [cost.cpu for cost in costs["sort"]]
        ratios = ", ".join(
            f"{name} {spread((cost.cpu for cost in costs[name]), floor)}" for name in list(runs)[1:]
        )
        print(f"{count} rules: {ratios}; sort {statistics.median(floor):.2f} s CPU", flush=True)


def main() -> None:
    """Run both kinds of rules."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--counts", type=int, nargs="+", default=[1, 2, 8, 50])
    parser.add_argument("--rules", nargs="+", default=["events", "prices"])
    parser.add_argument("--apart", type=int, default=8, help="the most rules that are run apart")
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stack", default="", help="of the JVM's threads")
    options = parser.parse_args()
    stack = f" -Xss{options.stack}" if options.stack else ""
    spark = start(4, {"spark.driver.extraJavaOptions": OPEN + stack})
    for name in options.rules:
        print(f"{name} rules", flush=True)
        is_events = name == "events"
        folder = events(options.rows) if is_events else tables.ticks(options.rows, 1000)
        spark.read.parquet(str(folder)).createOrReplaceTempView("input")
        keys = ("u", "ts") if is_events else ("symbol", "ts")
        run(spark, event_rule if is_events else price_rule, keys, options)
    spark.stop()


if __name__ == "__main__":
    main()
