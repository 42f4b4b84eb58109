"""How old a match is: Kafka to Kafka, the clause in each order and trigger, by hand, and in Flink.

Each query runs in a process of its own, with a broker beside it. Rows are sent at an even rate. The
age of a match is the time between its last row and its record, by the clock of the broker, or from
its deadline, if it is an absence; the first record of a match counts. CPU seconds are those of the
query's process and of its children while the rows that count are sent. Before a figure is printed,
the matches in the topic are compared with those that the clause finds in a table of the rows.

Run it with `make bench-latency`. Figures are kept in a file, in which a run replaces its own ones.
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
from kafka_broker import broker
from latency_rows import ACTIVE, BOUND_MS, STREAMS
from latency_run import Figures, Run, measure

# By watermark and in the order of arrival in micro-batches; in Real-Time Mode; there by hand, with
# transformWithState; Flink by event and by processing time. With 5 rows wait in a half-full buffer
# for 5 ms at most, and Flink sends a watermark each 5 ms.
SYSTEMS = [
    "watermark",
    "arrival",
    "real-time",
    "real-time-5",
    "by-hand",
    "by-hand-5",
    "flink-event",
    "flink-event-5",
    "flink-processing",
    "flink-processing-5",
]
BROKER = Path("out/kafka/broker")
RESULTS = Path(__file__).parent / "results" / "latency.json"
HEADER = (
    f"{'stream':9s} {'rows/s':>6s} {'keys':>7s} {'system':19s} {'p50':>6s} {'p90':>6s} {'p99':>6s}"
    f" {'max':>6s}   away {'p50':>5s} {'p99':>5s} {'ends':>4s} {'CPU s':>6s} {'state bytes':>12s}"
)


def line(figures: Figures) -> str:
    """Return a line of the table; ages are in milliseconds."""
    text = (
        f"{figures['stream']:9s} {figures['rate']:6,} {figures['keys']:7,} {figures['system']:19s}"
    )
    for name in ("p50", "p90", "p99", "max"):
        text += f" {figures[name]:6,}"
    away = figures.get("away", {})
    text += f"        {away.get('p50', '-'):>5} {away.get('p99', '-'):>5}"
    text += f" {figures.get('batch_ends', '-'):>4} {figures['cpu_seconds']:6.1f}"
    state = figures["state_bytes"]
    return f"{text} {'-' if state is None else f'{state:,}':>12s}"


def keep(figures: Figures, file: Path) -> None:
    """Put the figures of a run into a file, in place of those of the same run."""
    names = ("stream", "rate", "keys", "system")

    def place(each: Figures) -> tuple[int, int, int, int]:
        systems = SYSTEMS.index(each["system"])
        return list(STREAMS).index(each["stream"]), each["keys"], each["rate"], systems

    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    others = [each for each in kept if any(each[name] != figures[name] for name in names)]
    runs = ",\n".join(json.dumps(each) for each in sorted([*others, figures], key=place))
    file.write_text(f"[\n{runs}\n]\n", encoding="utf-8")


def runs(options: argparse.Namespace) -> Iterable[Run]:
    """Return what is to be measured."""
    for stream, keys, rate, system in product(
        options.streams, options.keys, options.rates, options.systems
    ):
        flink = system.startswith("flink")
        if stream == "absence" and (flink or system.startswith("by-hand")):
            continue  # Flink does not have the clause
        if stream == "absence" and rate * BOUND_MS[stream] <= 1_000 * ACTIVE:
            continue  # rows of a key are further apart than its bound: each would be an absence
        yield Run(
            stream=stream,
            system=system,
            rate=rate,
            keys=keys,
            warm_up=options.warm_up,
            seconds=options.seconds,
            batch=options.batch,
        )


def main() -> None:
    """Measure, and print a line of figures for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", nargs="+", choices=list(STREAMS), default=list(STREAMS))
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS)
    parser.add_argument("--rates", nargs="+", type=int, default=[1_000])
    parser.add_argument("--keys", nargs="+", type=int, default=[1_000])
    parser.add_argument("--seconds", type=int, default=60, help="that count")
    parser.add_argument("--warm-up", type=int, default=20, help="seconds before them")
    parser.add_argument("--batch", type=int, default=20, help="seconds of one in Real-Time Mode")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file of the figures")
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
    if failed:
        message = f"{len(failed)} runs failed"
        raise SystemExit(message)


if __name__ == "__main__":
    main()
