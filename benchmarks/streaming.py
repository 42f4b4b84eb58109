"""The streams of the benchmarks in Spark: the clause against other queries on the same stream.

Each workload runs these queries alternately, over the same files, in 20 micro-batches
unless another number is given:

- source: the file stream with its watermark, into the noop sink; its cost is subtracted from all
  others;
- shuffle: the same, shuffled by the key of the clause;
- hand-written: flatMapGroupsWithState with a matcher made for this stream (HandWritten.java);
- clause: as one writes it here, several rules as one UNION ALL; flink clause: in a form that Flink
  accepts too;
- Flink source, Flink: the same rows and rules in Flink, in a process of its own, several rules as
  statements of a set; the cost of its own source is subtracted.

The matches of all of them are counted first and must agree; the size of the state is the largest
that the operator reports, or that a checkpoint of Flink has. Figures are medians of CPU seconds of
the whole JVM after rounds in which its compilers warm up, as streams run for days. With a rate
files of so many rows come once a second.
`make bench-stream` runs it without Flink, `make bench-flink` beside Flink.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from session import Cost, measure_run, paired_rounds, start
from stream_workloads import DELAY_SECONDS, WORKLOADS, Workload, fed, stream_files

BATCHES = 20
PROVIDERS = {
    "hdfs": "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    "rocksdb": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}

# The default starts processes for each file that it writes to a local disk.
FILE_MANAGER = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)


def session(provider: str, partitions: int = 4) -> SparkSession:
    """Return a session for streams that can also load the hand-written matcher."""
    settings = {
        "spark.sql.streaming.stateStore.providerClass": PROVIDERS[provider],
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.extraClassPath": str(Path("out/bench/java").resolve()),
        "spark.sql.streaming.numRecentProgressUpdates": "1000",
        "spark.sql.streaming.checkpointFileManagerClass": FILE_MANAGER,
    }
    return start(partitions, settings)


def source(spark: SparkSession, folder: Path, types: dict[str, str]) -> DataFrame:
    """Return the files of a folder as a stream, one for each micro-batch."""
    reader = spark.readStream.schema(schema(types)).option("maxFilesPerTrigger", 1)
    return reader.parquet(str(folder)).withWatermark("ts", f"{DELAY_SECONDS} seconds")


def schema(types: dict[str, str]) -> str:
    """Return the schema of the files."""
    return ", ".join([*(f"{name} {kind}" for name, kind in types.items()), "ts TIMESTAMP"])


def drain(
    frame: DataFrame, checkpoint: Path | None = None, feeder: Thread | None = None
) -> list[dict[str, Any]]:
    """Run a stream over all available data into the noop sink and return its progress.

    Args:
        frame: The stream.
        checkpoint: Where its state is; by default a temporary folder.
        feeder: Adds the data, so that a micro-batch begins each second.
    """
    folder = checkpoint or Path(tempfile.mkdtemp(dir="out/bench"))
    try:
        writer = frame.writeStream.format("noop").option("checkpointLocation", str(folder))
        if feeder:
            query = writer.trigger(processingTime="1 second").start()
            feeder.start()
            feeder.join()
            query.processAllAvailable()
            query.stop()
        else:
            query = writer.trigger(availableNow=True).start()
            query.awaitTermination()
        return [dict(progress) for progress in query.recentProgress]
    finally:
        if checkpoint is None:
            # state store maintenance may still write there
            shutil.rmtree(folder, ignore_errors=True)


def play(make: Callable[[Path], DataFrame], files: Path, how: str) -> list[dict[str, Any]]:
    """Run a query over files and return its progress.

    Args:
        make: Makes the query over a folder.
        files: The folder.
        how: `stream`, with all files there; `fed`, with one more each second; or `batch`.
    """
    if how == "batch":
        make(files).write.format("noop").mode("overwrite").save()
        return []
    if how == "fed":
        with fed(files) as (folder, feeder):
            return drain(make(folder), feeder=feeder)
    return drain(make(files))


def count(make: Callable[[Path], DataFrame], files: Path, how: str) -> tuple[int, int]:
    """Return how many rows a query returns, and the largest size of its state in bytes."""
    if how == "batch":
        return make(files).count(), 0
    done = play(make, files, how)
    states = [
        sum(each["customMetrics"].get("stateBytes", 0) for each in progress["stateOperators"])
        for progress in done
    ]
    return sum(progress["sink"]["numOutputRows"] for progress in done), max(states)


def hand_written(spark: SparkSession, work: Workload, rows: DataFrame) -> DataFrame:
    """Return the matches that the hand-written matcher finds."""
    text = sf.lit(None).cast("string")
    price = sf.col("price") if "price" in work.types else sf.lit(0.0)
    action = next((sf.col(name) for name in ("action", "kind") if name in work.types), text)
    events = rows.select(
        sf.col(work.key).cast("string").alias("key"),
        "ts",
        price.cast("double").alias("price"),
        action.alias("action"),
    )
    jvm = spark.sparkContext._jvm  # noqa: SLF001 - a Java class is called
    assert jvm is not None  # noqa: S101 - a classic session has one
    return DataFrame(jvm.HandWritten.matches(work.name, events._jdf).toDF(), spark)  # noqa: SLF001


def contestants(
    spark: SparkSession, work: Workload, *, batch: bool
) -> dict[str, Callable[[Path], DataFrame]]:
    """Return the queries over the files of a folder by their names, the source first."""

    def rows(folder: Path) -> DataFrame:
        if batch:
            return spark.read.schema(schema(work.types)).parquet(str(folder))
        return source(spark, folder, work.types)

    def rules(clauses: list[str]) -> Callable[[Path], DataFrame]:
        # with keyword arguments Spark's formatter would interpret braces
        escaped = [clause.replace("{", "{{").replace("}", "}}") for clause in clauses]
        text = " UNION ALL ".join(f"SELECT * FROM {{rows}} {clause}" for clause in escaped)
        return lambda folder: spark.sql(text, rows=rows(folder))

    found = {"source": rows, "shuffle": lambda folder: rows(folder).repartition(work.key)}
    if work.by_hand and not batch:
        found["hand-written"] = lambda folder: hand_written(spark, work, rows(folder))
    found["clause"] = rules(work.spark_clauses())
    if work.spark != work.flink:
        found["flink clause"] = rules(work.flink_clauses())
    return found


class Flink:
    """Flink, in a process of its own: see stream_flink.py."""

    def __init__(self, how: str) -> None:
        """Start it.

        Args:
            how: As in `play`.
        """
        self.how = how
        self.log = Path("out/bench/flink.log")
        command = [".venv-flink/bin/python", str(Path(__file__).with_name("stream_flink.py"))]
        with self.log.open("w") as errors:
            self.child = subprocess.Popen(  # noqa: S603 - our own program
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )

    def run(self, work: Workload, files: Path, *, clause: bool, count: bool) -> dict[str, Any]:
        """Return what `run` of stream_flink.py does.

        Raises:
            SystemExit: If it fails.
        """
        request: dict[str, object] = {"work": work.name, "files": str(files), "how": self.how}
        request |= {"clause": clause, "count": count}
        assert self.child.stdin  # noqa: S101 - both are pipes
        assert self.child.stdout  # noqa: S101
        self.child.stdin.write(f"{json.dumps(request)}\n")
        self.child.stdin.flush()
        for line in self.child.stdout:
            if line.startswith("{"):
                return dict(json.loads(line))
        message = f"Flink ended. The end of {self.log}:\n{self.log.read_text()[-2_000:]}"
        raise SystemExit(message)

    def cost(self, work: Workload, files: Path, *, clause: bool) -> Cost:
        """Return what the rules cost, or the bare source."""
        found = self.run(work, files, clause=clause, count=False)
        return Cost(found["cpu"], found["wall"])

    def stop(self) -> None:
        """End its process."""
        assert self.child.stdin  # noqa: S101 - it is a pipe
        self.child.stdin.close()
        self.child.wait()


def run(
    spark: SparkSession, work: Workload, options: argparse.Namespace, flink: Flink | None
) -> None:
    """Measure one workload and print its figures."""
    how = "fed" if options.rate else "batch" if options.batch else "stream"
    rows = min(options.rows, work.flink_rows) if flink else options.rows
    batches = -(-rows // options.rate) if options.rate else options.batches
    files = stream_files(work, rows, batches)
    queries = contestants(spark, work, batch=options.batch)
    if flink:
        queries = {
            name: queries[name] for name in queries if name not in {"shuffle", "flink clause"}
        }
    found = {
        name: count(make, files, how)
        for name, make in queries.items()
        if name not in {"source", "shuffle"}
    }
    runs = {
        name: partial(measure_run, spark, partial(play, make, files, how))
        for name, make in queries.items()
    }
    if flink:
        lines = stream_files(work, rows, batches if options.rate else 1, "csv")
        counted = flink.run(work, lines, clause=True, count=True)
        found["Flink"] = counted["matches"], counted["state_bytes"]
        runs["Flink source"] = partial(flink.cost, work, lines, clause=False)
        runs["Flink"] = partial(flink.cost, work, lines, clause=True)
    matches = {name: number for name, (number, _) in found.items()}
    if len(set(matches.values())) > 1:
        message = f"{work.name}: the matches differ: {matches}"
        raise AssertionError(message)
    costs = paired_rounds(runs, options.warm_up, options.rounds)
    states = "".join(
        f", {size:,} bytes of state ({name})" for name, (_, size) in found.items() if size
    )
    print(
        f"{work.name}, {how}: {rows:,} rows, {batches} files, {matches['clause']:,} matches{states}"
    )
    medians = {name: statistics.median(cost.cpu for cost in costs[name]) for name in runs}
    own = {
        name: medians[name] - medians["Flink source" if name.startswith("Flink") else "source"]
        for name in runs
    }
    for name in runs:
        wall = statistics.median(cost.wall for cost in costs[name])
        speed = (
            f"; less source {own[name]:6.2f} s, {rows / own[name]:10,.0f} rows per CPU second, "
            f"{own[name] / own['clause']:5.2f} times the clause"
            if own[name]
            else ""
        )
        print(f"  {name:13s} {medians[name]:6.2f} s CPU {wall:6.2f} s wall{speed}", flush=True)


def main() -> None:
    """Run the workloads and print their figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--batches", type=int, default=BATCHES, help="unless there is a rate")
    parser.add_argument("--only", default="", help="a part of the workload's name")
    parser.add_argument("--provider", choices=list(PROVIDERS), default="hdfs")
    parser.add_argument("--warm-up", type=int, default=5, help="rounds")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--flink", action="store_true", help="beside Flink")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--rate", type=int, default=0, help="of the source, in rows a second")
    how.add_argument("--batch", action="store_true", help="tables instead of streams")
    options = parser.parse_args()
    spark = session(options.provider, partitions=2)
    flink = None
    if options.flink:
        flink = Flink("fed" if options.rate else "batch" if options.batch else "stream")
    for work in WORKLOADS:
        if options.only in work.name:
            run(spark, work, options, flink)
    if flink:
        flink.stop()
    spark.stop()


if __name__ == "__main__":
    main()
