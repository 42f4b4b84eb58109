"""The streams of the benchmarks in Spark: the clause against other queries on the same stream.

Each workload runs these queries alternately in one JVM, over the same files in 20 micro-batches:

- source: the file stream with its watermark, into the noop sink; its cost is subtracted from all
  others;
- shuffle: the same, shuffled by the key of the clause;
- hand-written: flatMapGroupsWithState with a matcher made for this stream (HandWritten.java);
- clause: as one writes it here; flink clause: in a form that Flink accepts too.

The matches of all of them are counted first and must agree. Figures are medians of CPU seconds of
the whole JVM after a warm-up. `make bench-stream` runs it.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from session import measure_run, paired_rounds, start
from stream_workloads import DELAY_SECONDS, WORKLOADS, Workload, parquet_files

BATCHES = 20
PROVIDERS = {
    "hdfs": "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    "rocksdb": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}


def session(provider: str, partitions: int = 4) -> SparkSession:
    """Return a session for streams that can also load the hand-written matcher."""
    settings = {
        "spark.sql.streaming.stateStore.providerClass": PROVIDERS[provider],
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.extraClassPath": str(Path("out/bench/java").resolve()),
        "spark.sql.streaming.numRecentProgressUpdates": "1000",
    }
    return start(partitions, settings)


def source(spark: SparkSession, folder: Path, types: dict[str, str]) -> DataFrame:
    """Return the files of a folder as a stream, one for each micro-batch."""
    schema = ", ".join([*(f"{name} {kind}" for name, kind in types.items()), "ts TIMESTAMP"])
    reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    return reader.parquet(str(folder)).withWatermark("ts", f"{DELAY_SECONDS} seconds")


def drain(frame: DataFrame, checkpoint: Path | None = None) -> list[dict[str, Any]]:
    """Run a stream over all available data into the noop sink and return its progress.

    Args:
        frame: The stream.
        checkpoint: Where its state is; by default a temporary folder.
    """
    folder = checkpoint or Path(tempfile.mkdtemp(dir="out/bench"))
    try:
        writer = frame.writeStream.format("noop").option("checkpointLocation", str(folder))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        return [dict(progress) for progress in query.recentProgress]
    finally:
        if checkpoint is None:
            # state store maintenance may still write there
            shutil.rmtree(folder, ignore_errors=True)


def drain_new(make: Callable[[], DataFrame]) -> None:
    """Make a stream and run it, to be measured together."""
    drain(make())


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
    spark: SparkSession, work: Workload, folder: Path
) -> dict[str, Callable[[], DataFrame]]:
    """Return the queries over one stream by their names, the source first."""

    def rows() -> DataFrame:
        return source(spark, folder, work.types)

    def clause(text: str) -> Callable[[], DataFrame]:
        return lambda: spark.sql(f"SELECT * FROM {{rows}} {text}", rows=rows())

    # with keyword arguments Spark's formatter would interpret braces
    flink, own = (
        text.replace("{", "{{").replace("}", "}}")
        for text in (work.flink_clause(), work.spark_clause())
    )
    found = {
        "source": rows,
        "shuffle": lambda: rows().repartition(work.key),
        "hand-written": lambda: hand_written(spark, work, rows()),
        "clause": clause(own),
    }
    return found if own == flink else {**found, "flink clause": clause(flink)}


def count(frame: DataFrame) -> int:
    """Return how many rows a stateful stream returns."""
    return sum(progress["sink"]["numOutputRows"] for progress in drain(frame))


def run(spark: SparkSession, work: Workload, rows: int, warm_up: int, rounds: int) -> None:
    """Measure one workload and print its figures."""
    folder = parquet_files(work, rows, BATCHES)
    queries = contestants(spark, work, folder)
    matches = {name: count(make()) for name, make in queries.items() if "clause" in name}
    matches["hand-written"] = count(queries["hand-written"]())
    if len(set(matches.values())) > 1:
        message = f"{work.name}: the matches differ: {matches}"
        raise AssertionError(message)
    runs = {
        name: partial(measure_run, spark, partial(drain_new, make))
        for name, make in queries.items()
    }
    costs = paired_rounds(runs, warm_up, rounds)
    medians = {name: statistics.median(cost.cpu for cost in costs[name]) for name in queries}
    walls = {name: statistics.median(cost.wall for cost in costs[name]) for name in queries}
    print(f"{work.name}: {rows:,} rows, {BATCHES} batches, {matches['clause']:,} matches")
    for name in queries:
        own = medians[name] - medians["source"]
        speed = (
            f"; less source {own:6.2f} s, {rows / own:12,.0f} rows per CPU second" if own else ""
        )
        ratio = f", {medians['clause'] / medians[name]:.2f} times it is the clause"
        print(f"  {name:13s} {medians[name]:6.2f} s CPU {walls[name]:6.2f} s wall{speed}{ratio}")


def main() -> None:
    """Run the workloads and print their figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", default="", help="a part of the workload's name")
    parser.add_argument("--provider", choices=list(PROVIDERS), default="hdfs")
    parser.add_argument("--warm-up", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    spark = session(options.provider)
    for work in WORKLOADS:
        if options.only in work.name:
            run(spark, work, options.rows, options.warm_up, options.rounds)
    spark.stop()


if __name__ == "__main__":
    main()
