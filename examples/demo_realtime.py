"""The demo in milliseconds: flights arrive one by one, and a match is printed with its age.

Run it with `make demo-realtime`, which fetches what `make demo-kafka` does. A month of departures
is sent to a topic, keyed by aircraft and in the order of departure, five hundred a second. A query
in Real-Time Mode searches them in the order of arrival and writes the matches to a second topic,
from which they are read and printed. Age is the time between the records of a match and of its last
flight in their topics. Halfway the query is stopped and restarted from its checkpoint: what it had
returned of the batch that had not ended is returned again, and recognised by its key. In the end
the topic is compared with the matches of the clause on a table of all flights.
"""

from __future__ import annotations

import json
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import realtime
from demo_kafka import DELAY, FLIGHT, LATE_CHAINS, MATCH, compare, run, topic
from kafka_broker import create_topics
from pyspark.sql import SparkSession
from pyspark.sql.functions import concat_ws, struct, to_json
from pyspark.sql.streaming.query import StreamingQuery

FLIGHTS = 27_000  # January
RATE = 500  # rows a second
PARTITIONS = 2
# So short that state passes from one batch to the next here. Rows wait while a batch ends, for up
# to a second: the default of five minutes is better for all that runs longer.
BATCH = "20 seconds"
PATIENCE = 60  # seconds that the last matches may take
SETTINGS = {
    **realtime.SETTINGS,
    # all tasks of a batch run at once, and so does what reads the topics beside them
    "spark.master": "local[8]",
    # Spark logs the tasks that stop() ends as errors
    "spark.log.level": "OFF",
}

# With the time at which the last flight was sent, in milliseconds.
AGED_CHAINS = LATE_CHAINS.replace("MEASURES", "MEASURES\n    LAST(unix_millis(sent)) AS sent,")
AGED_MATCH = MATCH.replace("tailnum STRING,", "tailnum STRING, sent BIGINT,")


def records(departures: pd.DataFrame) -> list[tuple[str | None, str]]:
    """Return flights as key and value of records, in the order of departure."""
    ordered = departures.sort_values("sched_dep", kind="stable")
    lines = ordered.to_json(orient="records", lines=True, date_format="iso").splitlines()
    return [(json.loads(line)["tailnum"], line) for line in lines]


def client(spark: SparkSession, name: str, servers: str) -> tuple[Any, Any]:
    """Return a client of Kafka in the session's JVM, and the package with the others.

    Args:
        spark: A classic session with the connector.
        name: The class, such as `producer.KafkaProducer`.
        servers: The address of the broker.
    """
    kind, _, of = name.partition(".")
    java = spark.sparkContext._jvm  # noqa: SLF001 - the way to a class of Java
    assert java is not None  # noqa: S101 - a running session has one
    texts = "org.apache.kafka.common.serialization.String"
    settings = {"bootstrap.servers": servers}
    for part in ("key", "value"):
        settings[f"{part}.serializer"] = f"{texts}Serializer"
        settings[f"{part}.deserializer"] = f"{texts}Deserializer"
    package = getattr(java.org.apache.kafka.clients, kind)
    return getattr(package, of)(settings), package


class Sender:
    """Sends records one by one, at an even pace."""

    def __init__(self, spark: SparkSession, servers: str, rate: int = RATE) -> None:
        """Connect to a broker; `rate` is in records a second."""
        self.producer, self.package = client(spark, "producer.KafkaProducer", servers)
        self.rate = rate

    def send(self, rows: list[tuple[str | None, str]]) -> None:
        """Send the records to the topic of flights; return when Kafka has them all."""
        begin = time.monotonic()
        for number, (key, value) in enumerate(rows):
            wait = begin + number / self.rate - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            self.producer.send(self.package.ProducerRecord("flights", key, value))
        self.producer.flush()


class Reader:
    """Reads the topic of matches while it is written, and prints each match once."""

    def __init__(self, spark: SparkSession, servers: str) -> None:
        """Connect to a broker and begin to read, in a thread of its own."""
        self.spark, self.servers = spark, servers
        self.ages: dict[str, int] = {}
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self) -> None:
        """Read until the end is told."""
        consumer, _ = client(self.spark, "consumer.KafkaConsumer", self.servers)
        java: Any = self.spark.sparkContext._jvm  # noqa: SLF001 - the way to a class of Java
        place = java.org.apache.kafka.common.TopicPartition
        places = [place("matches", number) for number in range(PARTITIONS)]
        consumer.assign(places)
        consumer.seekToBeginning(places)
        wait = java.java.time.Duration.ofMillis(100)
        while not self.ended.is_set():
            for record in consumer.poll(wait).iterator():
                self.take(record.key(), json.loads(record.value()), record.timestamp())
        consumer.close()

    def take(self, key: str, match: dict[str, Any], written: int) -> None:
        """Print a match, unless it was there before.

        Args:
            key: Of its record.
            match: Its columns.
            written: The time of its record, in milliseconds.
        """
        if key in self.ages:
            return
        self.ages[key] = written - match["sent"]
        late = f"late {match['late_flights']} times, worst {match['worst_delay']} minutes"
        print(f"{self.ages[key]:6,} ms  {match['tailnum']} {late}: {match['route']}", flush=True)

    def stop(self) -> None:
        """Disconnect."""
        self.ended.set()
        self.thread.join()


def start(spark: SparkSession, servers: str, folder: Path) -> StreamingQuery:
    """Start the query that reads flights and writes matches; a second start continues.

    Args:
        spark: A session with the plugin, the connector and the settings above.
        servers: The address of the broker.
        folder: Has the checkpoint.
    """
    rows = topic(spark.readStream, servers, "flights", FLIGHT, "timestamp")
    rows = rows.withColumnRenamed("timestamp", "sent")
    delay = f"{DELAY.total_seconds():.0f} seconds"
    rows.withWatermark("sched_dep", delay).createOrReplaceTempView("flights")
    key = concat_ws("/", "first_partition", "first_offset").alias("key")
    matches = spark.sql(AGED_CHAINS).select(key, to_json(struct("*")).alias("value"))
    writer = matches.writeStream.format("kafka").option("kafka.bootstrap.servers", servers)
    writer = writer.option("topic", "matches").option("checkpointLocation", f"{folder}/checkpoint")
    # pyspark's overloads of `trigger` do not have it
    query: StreamingQuery = writer.outputMode("update").trigger(realTime=BATCH).start()  # type: ignore[call-overload]
    tracker = spark.sparkContext.statusTracker()
    wait_for(lambda: bool(tracker.getActiveJobsIds()), query)
    return query


def wait_for(condition: Callable[[], bool], query: StreamingQuery) -> None:
    """Wait until a condition holds, or patience is over.

    Raises:
        SystemExit: If the query fails.
    """
    deadline = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < deadline:
        if error := query.exception():
            raise SystemExit(str(error))
        time.sleep(0.1)


def replay(spark: SparkSession, servers: str, departures: pd.DataFrame, folder: Path) -> None:
    """Run the demo.

    Args:
        spark: A session with the plugin, the connector and the settings above.
        servers: The address of a broker that has no topics yet.
        departures: The flights.
        folder: Where the checkpoint goes.
    """
    create_topics(spark, servers, {"flights": PARTITIONS, "matches": PARTITIONS})
    rows = records(departures.nsmallest(FLIGHTS, "sched_dep"))
    half = len(rows) // 2
    reader, sender = Reader(spark, servers), Sender(spark, servers)
    query = start(spark.newSession(), servers, folder)
    sender.send(rows[:half])
    query.stop()
    print("The query is stopped.", flush=True)
    query = start(spark.newSession(), servers, folder)
    print("The query continues from its checkpoint.", flush=True)
    sender.send(rows[half:])
    sent = topic(spark.read, servers, "flights", FLIGHT, "timestamp")
    sent.withColumnRenamed("timestamp", "sent").createOrReplaceTempView("flights")
    table = spark.sql(AGED_CHAINS).collect()
    wait_for(lambda: len(reader.ages) >= len(table), query)
    query.stop()
    reader.stop()
    median, ninth = statistics.quantiles(reader.ages.values(), n=10)[4::4]
    print(f"\nHalf of the matches are at most {median:,.0f} ms old, nine of ten {ninth:,.0f} ms.")
    written = topic(spark.read, servers, "matches", AGED_MATCH)
    compare(written.drop("partition", "offset").collect(), table)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo-realtime")
    run("demo-realtime", folder, replay, SETTINGS)
