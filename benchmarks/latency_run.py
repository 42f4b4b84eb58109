"""One run of the latency benchmark: a query in a process of its own, rows, and its matches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import latency_spark
from kafka_broker import create_topics
from latency_rows import ACTIVE, STREAMS, lines
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf
from session import workers

PARTITIONS = 2
OPENING_RATE = 10_000
# rows that follow those that count, so that the watermark passes them
TAIL_SECONDS = 4
SETTLE_SECONDS = 6
# a match whose last row was sent so long before or after a batch began is not away from it
NEAR_MS = 1_500
HERE = Path(__file__).parent
Figures = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Run:
    """What is measured.

    Attributes:
        stream: The name of the stream.
        system: The name of the system.
        rate: Rows a second.
        keys: Their number.
        rules: Their number; each is searched in all rows.
        warm_up: Seconds before those that count.
        seconds: Seconds that count.
        batch: Length of a batch in Real-Time Mode, and between checkpoints of Flink, in seconds.
    """

    stream: str
    system: str
    rate: int
    keys: int
    rules: int
    warm_up: int
    seconds: int
    batch: int

    @property
    def real_time(self) -> bool:
        """Whether the query is in Real-Time Mode."""
        return self.system.startswith(("real-time", "by-hand"))


@contextmanager
def query(run: Run, names: dict[str, str], log: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a query, wait until it runs, and end its process with the block.

    Args:
        run: What is measured.
        names: The address of the broker, the topics, and the folder of the checkpoint.
        log: Where its errors are written.

    Raises:
        SystemExit: If it does not start.
    """
    flink = run.system.startswith("flink")
    python = ".venv-flink/bin/python" if flink else sys.executable
    program = HERE / ("latency_flink.py" if flink else "latency_spark.py")
    given = {**names, "system": run.system, "stream": run.stream, "rules": str(run.rules)}
    given["batch"] = f"{run.batch} seconds"
    command = [python, str(program)]
    for name, value in given.items():
        command += [f"--{name}", value]
    with log.open("w") as errors:
        child = subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    try:
        line_of(child, "READY", log)
        yield child
        child.wait(60)
    finally:
        child.terminate()  # if the block has failed
        child.wait()


def line_of(child: subprocess.Popen[str], begin: str, log: Path) -> str:
    """Return the next line of a process that begins with a text.

    Raises:
        SystemExit: If it ends before.
    """
    assert child.stdout  # noqa: S101 - it is a pipe
    for line in child.stdout:
        if line.startswith(begin):
            return line
    end = log.read_text(errors="replace")[-2_000:]
    message = f"The query ended. The end of {log}:\n{end}"
    raise SystemExit(message)


def feed(servers: str, topic: str, file: Path, parts: list[tuple[int, int]]) -> Iterator[int]:
    """Send rows.

    Args:
        servers: The address of the broker.
        topic: Where they are sent.
        file: Has the rows.
        parts: Numbers of rows, and how many of them are sent a second.

    Yields:
        When a part begins, and when the last one has ended, in milliseconds, as soon as it does.
    """
    path = ["out/kafka/broker/*", "out/bench/java"]
    home = os.environ.get("JAVA_HOME")
    java = [f"{home}/bin/java" if home else "java", "-cp", ":".join(path), "Feed"]
    pairs = [str(number) for part in parts for number in part]
    with subprocess.Popen(  # noqa: S603 - our own program
        [*java, servers, topic, str(file), *pairs], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout  # noqa: S101 - it is a pipe
        for line in child.stdout:
            yield int(line)
    if child.returncode:
        message = "The rows were not sent."
        raise SystemExit(message)


def quantiles(ages: list[int]) -> Figures:
    """Return percentiles of ages, in milliseconds, and their number."""
    ordered = sorted(ages)
    last = len(ordered) - 1
    parts = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
    return {name: ordered[round(part * last)] for name, part in parts.items()} | {"n": last + 1}


def compare(table: set[str], written: set[str], rows: int) -> None:
    """Compare matches, each `ms,first_seq,last_seq`.

    Args:
        table: Those of the clause on a table.
        written: Those of the topic.
        rows: Matches that end within so many rows have to be in the topic.

    Raises:
        SystemExit: If one of them is missing, or one of the topic is not in the table.
    """
    due = {match for match in table if int(match.rpartition(",")[2]) < rows}
    missing, wrong = len(due - written), len(written - table)
    if missing or wrong or not due:
        message = (
            f"no figures: of {len(due):,} matches {missing:,} are missing; {wrong:,} are wrong"
        )
        raise SystemExit(message)


def ages_of(
    spark: SparkSession, servers: str, run: Run, names: dict[str, str], rows: int
) -> tuple[dict[str, int], int]:
    """Compare the matches of a query with those of the clause on a table of all its rows.

    Returns:
        Matches, with their ages in milliseconds, and how many records were repeated.
    """
    source = latency_spark.rows(spark.read, servers, names["input"])
    table = latency_spark.matches(spark, STREAMS[run.stream], source, run.rules)
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", servers)
    records = reader.option("subscribe", names["output"]).load()
    value = sf.col("value").cast("string").alias("value")
    written = records.select(value, sf.unix_millis("timestamp").alias("at"))
    first = written.groupBy("value").agg(sf.min("at").alias("at"), sf.count("*").alias("n"))
    found = {row.value: (row.at, row.n) for row in first.collect()}
    compare({row.value for row in table.collect()}, set(found), rows)
    ages = {match: at - int(match.partition(",")[0]) for match, (at, _) in found.items()}
    return ages, sum(n - 1 for _, n in found.values())


def measure(spark: SparkSession, servers: str, run: Run, folder: Path) -> Figures:
    """Run a query and return its figures.

    Args:
        spark: A session with the connector, for what is beside the query.
        servers: The address of the broker.
        run: What is measured.
        folder: For rows, checkpoints and logs.
    """
    name = f"{run.system}-{time.time_ns()}"
    names = {"servers": servers, "input": f"in-{name}", "output": f"out-{name}"}
    names["folder"] = str((folder / name).resolve())
    create_topics(spark, servers, {names["input"]: PARTITIONS})
    # the time of a record is when the broker gets it, whoever sends it
    stamped = {"message.timestamp.type": "LogAppendTime"}
    create_topics(spark, servers, {names["output"]: PARTITIONS}, stamped)
    # the few keys of the smaller runs come into the state during the warm-up
    opening = run.keys if run.keys > 4 * ACTIVE else 0
    warm_up, counted, tail = (
        run.rate * seconds for seconds in (run.warm_up, run.seconds, TAIL_SECONDS)
    )
    rows = folder / f"{name}.tsv"
    sent = lines(STREAMS[run.stream], run.keys, opening, warm_up + counted + tail, run.rules)
    rows.write_text(sent, encoding="utf-8")
    parts = [(opening, OPENING_RATE), *((size, run.rate) for size in (warm_up, counted, tail))]
    log = folder / f"{name}.log"
    with query(run, names, log) as child:
        times, spent = [], []
        for moment in feed(servers, names["input"], rows, parts):
            times.append(moment)
            spent.append(workers(str(child.pid)))
        # what waits for the watermark is returned at the begin of the next batch
        wait = 2 * run.batch if run.real_time and run.stream == "absence" else 0
        time.sleep(SETTLE_SECONDS + wait)
        assert child.stdin  # noqa: S101 - it is a pipe
        child.stdin.write("stop\n")
        child.stdin.flush()
        said = json.loads(line_of(child, "{", log))
    ages, repeated = ages_of(spark, servers, run, names, opening + warm_up + counted)
    _, _, begin, end, _ = times
    moments = {match: int(match.partition(",")[0]) for match in ages}
    inside = [match for match, moment in moments.items() if begin <= moment < end]
    figures = {
        **quantiles([ages[match] for match in inside]),
        "cpu_seconds": round(spent[3] - spent[2], 1),
        "state_bytes": said["state_bytes"],
        "repeated": repeated,
        "matches": len(ages),
    }
    if run.real_time:
        ends = [at for at in said["batches"] if begin <= at < end]
        away = [
            ages[match]
            for match in inside
            if all(abs(moments[match] - at) > NEAR_MS for at in said["batches"])
        ]
        figures |= {"batch_ends": len(ends), "away": quantiles(away) if away else {}}
    return figures
