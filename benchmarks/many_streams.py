"""Many patterns over one stream as a UNION ALL: what one more costs, with and without sharing.

    python benchmarks/many_streams.py [--counts 1 2 8 20 50] [--apart 8] [--rows 400000]

Each rule looks for three kinds of events in turn within an hour, as the eight rules beside Flink
do, and each for others. `merged` is one stateful operator, `apart` the same statement with one for
each rule. CPU is that of the whole process less that of the bare source; the state is the largest
that the store reports, the checkpoint all files of its state. In the order of the watermark and in
that of arrival; CPU and checkpoint are drawn. What runs first changes from round to round.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
from many_clauses import MERGE
from pyspark.sql import DataFrame, SparkSession
from session import measure_run, paired_rounds
from stream_workloads import EIGHT, event_rules, stream_files
from streaming import PROVIDERS, drain, session, source

BATCHES = 16
ORDERS = ("watermark", "arrival")


class Figures(NamedTuple):
    """CPU seconds, bytes of state, bytes of the checkpoint."""

    cpu: float
    state: int
    checkpoint: int


def query(spark: SparkSession, files: Path, clauses: list[str]) -> DataFrame:
    """Return the rules as one query, or the bare source without any."""
    rows = source(spark, files, EIGHT.types)
    if not clauses:
        return rows
    rows.createOrReplaceTempView("events")
    return spark.sql(" UNION ALL ".join(f"SELECT * FROM events {clause}" for clause in clauses))


def run(spark: SparkSession, files: Path, clauses: list[str]) -> Figures:
    """Run the rules once over all files."""
    with tempfile.TemporaryDirectory(dir="out/bench", ignore_cleanup_errors=True) as folder:
        progress = []

        def play() -> None:
            progress.extend(drain(query(spark, files, clauses), Path(folder)))

        cpu = measure_run(spark, play).cpu
        state = (
            sum(operator["memoryUsedBytes"] for operator in each["stateOperators"])
            for each in progress
        )
        written = (file for file in Path(folder, "state").rglob("*") if file.is_file())
        return Figures(cpu, max(state), sum(file.stat().st_size for file in written))


def sweep(
    spark: SparkSession, options: argparse.Namespace
) -> dict[str, dict[str, dict[int, Figures]]]:
    """Measure each number of rules in turn, and return the medians by order and way to run."""
    files = stream_files(EIGHT, options.rows, BATCHES)
    counts = {"merged": [0, *options.counts]}
    counts["apart"] = [count for count in options.counts if count <= options.apart]
    runs = [(order, way, n) for way, some in counts.items() for n in some for order in ORDERS]

    def measured(order: str, way: str, count: int) -> Figures:
        spark.conf.set("spark.matchRecognize.stream.inputOrder", order)
        spark.conf.set("spark.sql.optimizer.excludedRules", MERGE if way == "apart" else "")
        return run(spark, files, event_rules(count))

    found = paired_rounds(
        {key: partial(measured, *key) for key in runs}, options.warm_up, options.rounds
    )
    medians = {
        key: [statistics.median(values) for values in zip(*figures, strict=True)]
        for key, figures in found.items()
    }
    points: dict[str, dict[str, dict[int, Figures]]] = {}
    for order in ORDERS:
        bare = medians.pop((order, "merged", 0))[0]
        print(f"order of {order}, source {bare:.2f} s CPU")
        for key, (cpu, state, checkpoint) in medians.items():
            if key[0] == order:
                figures = Figures(cpu - bare, int(state), int(checkpoint))
                points.setdefault(order, {}).setdefault(key[1], {})[key[2]] = figures
                print(
                    f"  {key[1]} {key[2]:3d} rules: {figures.cpu:6.2f} s CPU less source,"
                    f" {state / 1e6:5.1f} MB of state, {checkpoint / 1e6:5.1f} MB of checkpoint"
                )
    return points


def draw(figures: dict[str, dict[str, dict[int, Figures]]], file: Path) -> None:
    """Draw CPU and checkpoint over the number of rules, all logarithmic."""
    plt.rcParams["svg.hashsalt"] = "benchmarks"  # equal bytes for equal figures
    drawing, both = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    panels: dict[str, tuple[list[int], Callable[[Figures], float]]] = {
        "CPU less the source, s": ([2, 5, 10, 20], lambda f: f.cpu),
        "checkpoint, MB": ([5, 10, 20, 50], lambda f: f.checkpoint / 1e6),
    }
    counts = sorted({n for runs in figures.values() for points in runs.values() for n in points})
    for axes, (title, (ticks, value)) in zip(both, panels.items(), strict=True):
        for color, (order, runs) in zip(("C0", "C1"), figures.items(), strict=False):
            for name, points in runs.items():
                axes.plot(list(points), [value(each) for each in points.values()],
                          "o-" if name == "merged" else "s--", color=color,
                          label=f"{order}, {name}")  # fmt: skip
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(counts, [str(count) for count in counts])
        axes.set_yticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set_xlabel("rules")
        axes.set_ylabel(title)
        axes.grid(alpha=0.2)
    drawing.legend(*both[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    drawing.savefig(file, metadata={"Date": None})


def main() -> None:
    """Measure both orders, in one session."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--counts", type=int, nargs="+", default=[1, 2, 8, 20, 50])
    parser.add_argument("--apart", type=int, default=8, help="the most rules that are run apart")
    parser.add_argument("--warm-up", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--provider", choices=list(PROVIDERS), default="hdfs")
    parser.add_argument("--picture", type=Path, default=Path("out/bench/many-streams.svg"))
    options = parser.parse_args()
    spark = session(options.provider, partitions=2)
    figures = sweep(spark, options)
    spark.stop()
    draw(figures, options.picture)
    options.picture.with_suffix(".json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
