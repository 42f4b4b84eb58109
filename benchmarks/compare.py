"""Searches against what plain Spark does: a table of figures, and their picture.

    python benchmarks/compare.py [--rows N] [--only W4] [--rounds 5] [--picture FILE]

Each workload alternately runs, in one JVM, the clause and its controls over the same files:

- sort: scan, shuffle and Spark's sort by the keys of the clause, the floor of a query that sorts;
- lag: one `lag()` over the same window;
- spark: the clause over rows that Spark sorts, `spark.matchRecognize.sort` = spark;
- rows: the clause without blocks in its shuffle, `spark.matchRecognize.shuffle` = spark;
- window: window functions that find the same matches;
- pandas: `applyInPandas` with a loop in Python that finds the same matches.

It prints medians of paired ratios, for CPU of the JVM with its Python workers and for wall time:
what the clause costs, over what the control costs. A control that finds another number of matches
is an error. `make bench` runs it.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

import loops
import matplotlib.pyplot as plt
from pyspark.sql import DataFrame, SparkSession
from session import measure, paired_rounds, ratio, start
from workloads import Workload, workloads

CONTROLS = ("sort", "lag", "spark", "rows", "window", "pandas")
Query = Callable[[], DataFrame]
# by workload and control: ratio of CPU, ratio of wall time
Figures = dict[str, dict[str, tuple[float, float]]]


def queries(spark: SparkSession, work: Workload) -> dict[str, Query]:
    """Return the clause and the controls of a workload."""
    keys = [work.key] if work.key else []
    by_key = f"PARTITION BY {work.key} " if work.key else ""
    window = f"({by_key}ORDER BY {work.order})"
    lag = f"SELECT lag({work.read}) OVER {window} AS before FROM input"
    made: dict[str, Query] = {}

    def clause(sort: str = "auto", shuffle: str = "auto") -> DataFrame:
        # read when the query is planned, which its run does right after this
        spark.conf.set("spark.matchRecognize.sort", sort)
        spark.conf.set("spark.matchRecognize.shuffle", shuffle)
        return spark.sql(work.clause.format(t="input"))

    def floor() -> DataFrame:
        rows = spark.table("input").select(
            *dict.fromkeys([*keys, work.order, work.read, *work.more])
        )
        divided = rows.repartition(*keys) if keys else rows.repartition(1)
        return divided.sortWithinPartitions(*keys, work.order)

    made["clause"] = clause
    made["sort"] = floor
    made["lag"] = lambda: spark.sql(lag)
    made["spark"] = lambda: clause(sort="spark")
    if keys:
        made["rows"] = lambda: clause(shuffle="spark")
    if work.window:
        made["window"] = lambda: spark.sql(work.window.format(t="input"))
    if work.loop:
        loop, schema = work.loop
        columns = dict.fromkeys([work.key, work.order, work.read])
        made["pandas"] = lambda: (
            spark.table("input").select(*columns).groupBy(work.key).applyInPandas(loop, schema)
        )
    return made


def run(spark: SparkSession, work: Workload, warm_up: int, rounds: int) -> Figures:
    """Measure one workload, print its line of figures and return them."""
    spark.read.parquet(str(work.folder)).createOrReplaceTempView("input")
    contestants = queries(spark, work)
    matches = contestants["clause"]().count()
    for name in {"window", "pandas"} & contestants.keys():
        found = contestants[name]().count()
        if found != matches:
            message = f"{work.name}: {matches:,} matches, {name} finds {found:,}"
            raise AssertionError(message)
    runs = {name: partial(measure, spark, make) for name, make in contestants.items()}
    costs = paired_rounds(runs, warm_up, rounds)
    ours = costs.pop("clause")
    figures = {
        name: (ratio(ours, theirs, 0), ratio(ours, theirs, 1)) for name, theirs in costs.items()
    }
    cpu = statistics.median(cost.cpu for cost in ours)
    over = ", ".join(f"{name} {c:.2f} CPU {w:.2f} wall" for name, (c, w) in figures.items())
    print(f"{work.name}: {matches:,} matches, {cpu:.2f} s CPU; over {over}", flush=True)
    return {work.name: figures}


def draw(figures: Figures, file: Path) -> None:
    """Draw the CPU ratios as points on a logarithmic axis, a row per workload."""
    plt.rcParams["svg.hashsalt"] = "benchmarks"  # equal bytes for equal figures
    names = list(figures)[::-1]
    drawing, axes = plt.subplots(figsize=(9, 0.36 * len(names) + 1.4), layout="constrained")
    shown = {"sort": "scan, shuffle, sort", "lag": "one lag()", "window": "window functions"}
    shown["pandas"] = "applyInPandas"
    for marker, (control, label) in zip("osD^", shown.items(), strict=True):
        points = [(figures[n][control][0], y) for y, n in enumerate(names) if control in figures[n]]
        axes.plot(*zip(*points, strict=True), marker, label=label, alpha=0.8)
    axes.axvline(1, color="grey", linewidth=1)
    axes.set_xscale("log")
    ticks = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 2, 3, 5]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    ratios = [point[0] for controls in figures.values() for point in controls.values()]
    axes.set_xlim(min(ratios) / 1.1, max(ratios) * 1.1)
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("CPU of the clause over that of the control; left of 1 the clause is cheaper")
    axes.grid(axis="x", which="both", alpha=0.2)
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.4, 1.0 + 1.1 / len(names)), ncols=4, frameon=False
    )
    drawing.savefig(file, metadata={"Date": None})


def main() -> None:
    """Run the workloads, print a line of ratios for each, draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", default="", help="a part of the workload's name")
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--picture", type=Path, default=Path("out/bench/compare.svg"))
    options = parser.parse_args()
    spark = start(shuffle_partitions=4)
    spark.sparkContext.addPyFile(loops.__file__)  # for the Python workers
    figures: Figures = {}
    for work in workloads(options.rows):
        if options.only in work.name:
            figures |= run(spark, work, options.warm_up, options.rounds)
    spark.stop()
    draw(figures, options.picture)
    options.picture.with_suffix(".json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
