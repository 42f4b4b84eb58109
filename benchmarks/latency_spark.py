"""A query of the latency benchmark in Spark, in a process of its own: see latency.py.

It prints a line when it runs, and after a line on its input it stops and prints, as JSON, the times
of its batches and the figures of its state.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import realtime
from latency_rows import BOUND_MS, STREAMS, Stream
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamReader
from session import start

CONNECTOR = Path("out/kafka/connector")
WAIT = "spark.shuffle.streaming.networkBufferMaxWaitTimeMs"
READY_SECONDS = 120


def session(system: str = "") -> SparkSession:
    """Return a session with the connector and the settings of a system."""
    settings = dict(realtime.SETTINGS)
    if system == "watermark":
        del settings["spark.matchRecognize.stream.inputOrder"]
    if not system.endswith("-5"):
        del settings[WAIT]
    if system.startswith("by-hand"):
        # all that it uses is on Spark's list
        del settings["spark.sql.streaming.realTimeMode.allowlistCheck"]
    provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    settings |= {
        "spark.jars": ",".join(map(str, sorted(CONNECTOR.resolve().glob("*.jar")))),
        "spark.driver.extraClassPath": str(Path("out/bench/java").resolve()),
        "spark.sql.streaming.stateStore.providerClass": provider,
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
        "spark.sql.streaming.numRecentProgressUpdates": "100000",
        "spark.sql.session.timeZone": "UTC",
        "spark.log.level": "OFF",
    }
    # more threads than cores: in Real-Time Mode all tasks of a batch run at once
    return start(2, settings, cores="8")


def rows(reader: DataFrameReader | DataStreamReader, servers: str, topic: str) -> DataFrame:
    """Read the rows of a topic, as a table or as a stream: k, ms, seq, price and ts."""
    source = reader.format("kafka").option("kafka.bootstrap.servers", servers)
    records = source.option("subscribe", topic).option("startingOffsets", "earliest").load()
    fields = sf.split(sf.col("value").cast("string"), ",")
    parts = records.select(sf.col("key").cast("string").alias("k"), fields.alias("v"))
    found = parts.selectExpr(
        "k", "CAST(v[0] AS BIGINT) ms", "CAST(v[1] AS BIGINT) seq", "CAST(v[2] AS DOUBLE) price"
    )
    return found.withColumn("ts", sf.timestamp_millis("ms"))


def matches(spark: SparkSession, stream: Stream, source: DataFrame, rules: int = 1) -> DataFrame:
    """Return the matches of the rules as records: the key, and the figures that name a match."""
    source.createOrReplaceTempView("input")
    text = " UNION ALL ".join(f"SELECT * FROM input {each}" for each in stream.searches(rules))
    return spark.sql(text).selectExpr(
        "k AS key", "concat_ws(',', ms, first_seq, last_seq) AS value"
    )


def by_hand(spark: SparkSession, stream: Stream, source: DataFrame) -> DataFrame:
    """Return the matches that the hand-written matcher finds."""
    events = source.selectExpr("k AS key", "ms", "seq", "price AS value")
    jvm: Any = spark.sparkContext._jvm  # noqa: SLF001 - a Java class is called
    bound = BOUND_MS.get(stream.name, 0)
    return DataFrame(jvm.HandWrittenNow.matches(stream.name, bound, events._jdf).toDF(), spark)  # noqa: SLF001


def delay_of(system: str, stream: Stream) -> str:
    """Return the delay of the watermark.

    By watermark every match waits for it, in the order of arrival those that a deadline ends.
    """
    if stream.name == "absence":
        # rows of one partition of the topic may be read that much later than those of the other
        return "1 second"
    return "0 seconds" if system == "watermark" else "1 minute"


def run(spark: SparkSession, options: argparse.Namespace) -> StreamingQuery:
    """Start the query; return when it reads."""
    stream = STREAMS[options.stream]
    source = rows(spark.readStream, options.servers, options.input)
    if options.system.startswith("by-hand"):
        found = by_hand(spark, stream, source)
    else:
        watermarked = source.withWatermark("ts", delay_of(options.system, stream))
        found = matches(spark, stream, watermarked, options.rules)
    writer = found.writeStream.format("kafka").option("kafka.bootstrap.servers", options.servers)
    writer = writer.option("topic", options.output).option("checkpointLocation", options.folder)
    if options.system in {"watermark", "arrival"}:
        query = writer.start()
    else:
        # pyspark's overloads of `trigger` do not have it
        query = writer.outputMode("update").trigger(realTime=options.batch).start()  # type: ignore[call-overload]
    deadline = time.monotonic() + READY_SECONDS
    tracker = spark.sparkContext.statusTracker()
    while time.monotonic() < deadline and query.isActive:
        if query.recentProgress or tracker.getActiveJobsIds():
            break
        # micro-batches that wait for rows
        if query.status["message"] == "Waiting for data to arrive":
            break
        time.sleep(0.1)
    time.sleep(2)
    return query


def millis(text: str) -> int:
    """Return a time of a progress report in milliseconds."""
    return int(datetime.fromisoformat(text).timestamp() * 1_000)


def report(query: StreamingQuery) -> dict[str, Any]:
    """Return the times at which batches began, in milliseconds, and figures of the last one."""
    done: list[dict[str, Any]] = [dict(progress) for progress in query.recentProgress]
    with_state = [progress["stateOperators"][0] for progress in done if progress["stateOperators"]]
    last = with_state[-1] if with_state else {"customMetrics": {}}
    begins = [millis(progress["timestamp"]) for progress in done]
    if done:  # that of the batch which is running, since a report is of one that has ended
        begins.append(begins[-1] + done[-1]["durationMs"]["triggerExecution"])
    return {
        "batches": begins,
        "state_bytes": last["customMetrics"].get("stateBytes"),
        "keys_with_state": last["customMetrics"].get("keysWithState"),
        "late": sum(state["numRowsDroppedByWatermark"] for state in with_state),
    }


def main() -> None:
    """Run one query until it is told to stop."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("system", "stream", "servers", "input", "output", "folder", "batch"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--rules", type=int, required=True)
    options = parser.parse_args()
    spark = session(options.system)
    query = run(spark, options)
    print("READY", flush=True)
    sys.stdin.readline()
    found = report(query)
    if error := query.exception():
        raise SystemExit(str(error)[:2_000])
    query.stop()
    print(json.dumps(found), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
