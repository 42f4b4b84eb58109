"""Many patterns over one input as a UNION ALL: what one more costs, with and without sharing.

    python benchmarks/many_clauses.py [--counts 1 2 8 50] [--rules events prices] [--rounds 5]

Event rules look for three kinds in turn within an hour, each rule for others of 400; price rules
for falls and rises of other lengths. Control: scan, shuffle and sort of the columns that they read.
Everything runs alternately in one JVM; CPU is that of the whole process, planning included. `apart`
is the same statement with the optimizer rule that merges the clauses switched off, `singly` a query
for each rule. `planning` is the time from text to plan, beside that of as many SELECTs. From about
1,000 rules or SELECTs on, Spark's parser needs `--stack 64m`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import tables
from pyspark.sql import DataFrame, SparkSession
from session import OPEN, Cost, measure, measure_run, paired_rounds, ratio, spread, start

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
) -> dict[str, dict[int, float]]:
    """Measure each number of rules, print a line of figures for it, and return the ratios."""
    read = spark.table("input").columns
    points: dict[str, dict[int, float]] = {}

    def sort() -> DataFrame:
        return spark.table("input").select(*read).repartition(keys[0]).sortWithinPartitions(*keys)

    def union(count: int, excluded: str = "") -> DataFrame:
        spark.conf.set("spark.sql.optimizer.excludedRules", excluded)
        return spark.sql("\nUNION ALL\n".join(rule(i) for i in range(count)))

    def singly(count: int) -> Cost:
        def each() -> None:
            for i in range(count):
                spark.sql(rule(i)).write.format("noop").mode("overwrite").save()

        return measure_run(spark, each)

    for count in options.counts:
        runs = {"sort": partial(measure, spark, sort)}
        runs["merged"] = partial(measure, spark, partial(union, count))
        if count <= options.apart:
            runs["apart"] = partial(measure, spark, partial(union, count, MERGE))
            runs["singly"] = partial(singly, count)
        costs = paired_rounds(runs, options.warm_up, options.rounds)
        sorts = costs.pop("sort")
        floor = [cost.cpu for cost in sorts]
        ratios = ", ".join(
            f"{name} {spread((cost.cpu for cost in found), floor)}" for name, found in costs.items()
        )
        for name, found in costs.items():
            points.setdefault(name, {})[count] = ratio(found, sorts, 0)
        planned = planning(partial(union, count), options.rounds)
        selects = "\nUNION ALL\n".join(
            f"SELECT 'rule {i}' AS rule, * FROM input WHERE {keys[1]} IS NOT NULL"
            for i in range(count)
        )
        print(
            f"{count} rules: {ratios}; sort {statistics.median(floor):.2f} s CPU;"
            f" planning {planned:.2f} s,"
            f" of SELECTs {planning(partial(spark.sql, selects), options.rounds):.2f} s",
            flush=True,
        )
    return points


def planning(frame: Callable[[], DataFrame], rounds: int) -> float:
    """Return the median of the seconds from the text to the physical plan."""
    seconds = []
    for _ in range(rounds):
        began = time.perf_counter()
        frame()._jdf.queryExecution().executedPlan()  # noqa: SLF001 - there is no public way
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def draw(figures: dict[str, dict[str, dict[int, float]]], file: Path) -> None:
    """Draw the ratios over the number of rules, both logarithmic."""
    plt.rcParams["svg.hashsalt"] = "benchmarks"  # equal bytes for equal figures
    drawing, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    styles = {"merged": "o-", "apart": "s--", "singly": "^:"}
    for color, (rules, runs) in zip(("C0", "C1"), figures.items(), strict=False):
        for name, points in runs.items():
            axes.plot(*zip(*points.items(), strict=True), styles[name], color=color,
                      label=f"{rules}, {name}")  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    counts = sorted({n for runs in figures.values() for points in runs.values() for n in points})
    axes.set_xticks(counts, [f"{count:,}" for count in counts])
    ticks = [0.5, 1, 2, 3, 5, 10]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("rules")
    axes.set_ylabel("CPU over scan, shuffle and sort")
    axes.grid(alpha=0.2)
    axes.legend(frameon=False)
    drawing.savefig(file, metadata={"Date": None})


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
    parser.add_argument("--picture", type=Path, default=Path("out/bench/many-clauses.svg"))
    options = parser.parse_args()
    stack = f" -Xss{options.stack}" if options.stack else ""
    spark = start(4, {"spark.driver.extraJavaOptions": OPEN + stack})
    figures = {}
    for name in options.rules:
        print(f"{name} rules", flush=True)
        is_events = name == "events"
        folder = events(options.rows) if is_events else tables.ticks(options.rows, 1000)
        spark.read.parquet(str(folder)).createOrReplaceTempView("input")
        keys = ("u", "ts") if is_events else ("symbol", "ts")
        figures[name] = run(spark, event_rule if is_events else price_rule, keys, options)
    spark.stop()
    draw(figures, options.picture)
    options.picture.with_suffix(".json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
