"""How old a match is: Kafka to Kafka, the clause in each order and trigger, by hand, and in Flink.

Each query runs in a process of its own, with a broker beside it. Rows are sent at an even rate. The
age of a match is the time between its last row and its record, by the clock of the broker, or from
its deadline, if it is an absence; the first record of a match counts. CPU seconds are those of the
query's process and of its children while the rows that count are sent. Before a figure is printed,
the matches in the topic are compared with those that the clause finds in a table of the rows.

Run it with `make bench-latency`. Figures are kept in a file, in which a run replaces its own ones,
and some of them are drawn.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import latency_spark
import matplotlib.pyplot as plt
from kafka_broker import broker
from latency_rows import ACTIVE, BOUND_MS, STREAMS
from latency_run import Figures, Run, measure

# By watermark and in the order of arrival in micro-batches; in Real-Time Mode; there by hand, with
# transformWithState; Flink by event and by processing time. With 5 rows wait in a half-full buffer
# for 5 ms at most, and Flink sends a watermark each 5 ms.
SYSTEMS = {
    "watermark": "by watermark, micro-batches",
    "arrival": "order of arrival, micro-batches",
    "real-time": "order of arrival, Real-Time Mode",
    "real-time-5": "the same, wait of 5 ms",
    "by-hand": "by hand, Real-Time Mode",
    "by-hand-5": "the same, wait of 5 ms",
    "flink-event": "Flink, event time",
    "flink-event-5": "the same, wait and watermark of 5 ms",
    "flink-processing": "Flink, processing time",
    "flink-processing-5": "the same, wait of 5 ms",
}
BROKER = Path("out/kafka/broker")
RESULTS = Path(__file__).parent / "results" / "latency.json"
PICTURE = Path("out/bench/latency.svg")
# The runs in the picture.
DRAWN = {"stream": "v-shape", "rate": 1_000, "keys": 1_000, "rules": 1}
HEADER = (
    f"{'stream':9s} {'rows/s':>6s} {'keys':>7s} {'rules':>5s} {'system':19s}"
    f" {'p50':>6s} {'p90':>6s} {'p99':>6s} {'max':>6s}   away {'p50':>5s} {'p99':>5s} {'ends':>4s}"
    f" {'CPU s':>6s} {'state bytes':>12s}"
)


def line(figures: Figures) -> str:
    """Return a line of the table; ages are in milliseconds."""
    text = f"{figures['stream']:9s} {figures['rate']:6,} {figures['keys']:7,}"
    text += f" {figures['rules']:5,} {figures['system']:19s}"
    for name in ("p50", "p90", "p99", "max"):
        text += f" {figures[name]:6,}"
    away = figures.get("away", {})
    text += f"        {away.get('p50', '-'):>5} {away.get('p99', '-'):>5}"
    text += f" {figures.get('batch_ends', '-'):>4} {figures['cpu_seconds']:6.1f}"
    state = figures["state_bytes"]
    return f"{text} {'-' if state is None else f'{state:,}':>12s}"


def keep(figures: Figures, file: Path) -> None:
    """Put the figures of a run into a file, in place of those of the same run."""
    names = ("stream", "rate", "keys", "rules", "system")

    def place(each: Figures) -> tuple[int, ...]:
        stream, system = list(STREAMS).index(each["stream"]), list(SYSTEMS).index(each["system"])
        return stream, each["keys"], each["rate"], each["rules"], system

    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    others = [each for each in kept if any(each[name] != figures[name] for name in names)]
    runs = ",\n".join(json.dumps(each) for each in sorted([*others, figures], key=place))
    file.write_text(f"[\n{runs}\n]\n", encoding="utf-8")


def draw(results: list[Figures], file: Path) -> None:
    """Draw p50, p90 and p99 of each system's run as points on a logarithmic axis."""
    plt.rcParams["svg.hashsalt"] = "benchmarks"  # equal bytes for equal figures
    drawn = [each for each in results if DRAWN.items() <= each.items()][::-1]
    drawing, axes = plt.subplots(figsize=(9, 0.36 * len(drawn) + 1.2), layout="constrained")
    heights = range(len(drawn))
    axes.hlines(heights, [e["p50"] for e in drawn], [e["p99"] for e in drawn], color="lightgrey")
    for marker, name in zip("osD", ("p50", "p90", "p99"), strict=True):
        axes.plot([each[name] for each in drawn], heights, marker, label=name)
    axes.set_xscale("log")
    ticks = [1, 3, 10, 30, 100, 300, 1_000, 3_000]
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(heights, [SYSTEMS[each["system"]] for each in drawn])
    axes.set_xlabel("milliseconds from the last row of a match to its record")
    axes.grid(axis="x", alpha=0.2)
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1), ncols=3, frameon=False)
    drawing.savefig(file, metadata={"Date": None})


def runs(options: argparse.Namespace) -> Iterable[Run]:
    """Return what is to be measured."""
    for stream, keys, rate, rules, system in product(
        options.streams, options.keys, options.rates, options.rules, options.systems
    ):
        flink = system.startswith("flink")
        if stream == "absence" and (flink or system.startswith("by-hand")):
            continue  # Flink does not have the clause
        if stream == "absence" and rate * BOUND_MS[stream] <= 1_000 * ACTIVE:
            continue  # rows of a key are further apart than its bound: each would be an absence
        if rules > 1 and (stream == "v-shape" or system.startswith("by-hand")):
            continue  # a shape would be a match of each rule
        yield Run(
            stream=stream,
            system=system,
            rate=rate,
            keys=keys,
            rules=rules,
            warm_up=options.warm_up,
            seconds=options.seconds,
            batch=options.batch,
        )


def main() -> None:
    """Measure, and print a line of figures for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", nargs="+", choices=list(STREAMS), default=list(STREAMS))
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--rates", nargs="+", type=int, default=[1_000])
    parser.add_argument("--keys", nargs="+", type=int, default=[1_000])
    parser.add_argument("--rules", nargs="+", type=int, default=[1])
    parser.add_argument("--seconds", type=int, default=60, help="that count")
    parser.add_argument("--warm-up", type=int, default=20, help="seconds before them")
    parser.add_argument("--batch", type=int, default=20, help="seconds of one in Real-Time Mode")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file of the figures")
    parser.add_argument("--picture", type=Path, default=PICTURE, help="the file of their picture")
    options = parser.parse_args()
    if min(options.keys) < ACTIVE:
        parser.error(f"at least {ACTIVE} keys are active at a time")
    failed: list[str] = []
    place = TemporaryDirectory(dir="out/bench", prefix="latency-", ignore_cleanup_errors=True)
    with place as name, broker(BROKER, Path(name)) as servers:
        spark = latency_spark.session()
        try:
            print(HEADER, flush=True)
            for run in runs(options):
                date = f"{datetime.now().astimezone():%Y-%m-%d}"
                try:
                    figures = measure(spark, servers, run, Path(name))
                except SystemExit as error:
                    failed.append(f"{run}: {error}")
                    print(failed[-1], flush=True)
                    continue
                figures = {"date": date, **asdict(run), **figures}
                print(line(figures), flush=True)
                keep(figures, options.results)
        finally:
            spark.stop()
    draw(json.loads(options.results.read_text(encoding="utf-8")), options.picture)
    if failed:
        message = f"{len(failed)} runs failed"
        raise SystemExit(message)


if __name__ == "__main__":
    main()
