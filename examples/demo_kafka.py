"""The demo on Kafka: flights in one topic, matches in another, with a restart in between.

Run it with `make demo-kafka`, which fetches a broker and Spark's connector. The broker is started
here and stopped at the end. The departures of the demo are sent out of order, a week at a time. One
query reads them, finds chains of late departures and writes the matches to a topic; it is stopped
halfway and restarted from its checkpoint. A second query reads that topic and prints the matches as
they arrive. In the end the topic is compared with the matches of the clause on a table of all
flights.
"""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from types import FrameType

import pandas as pd
from demo_data import create_view, flights
from demo_stream import DELAY as DISORDER
from demo_stream import Printer, arrivals, check, closing_row, session
from kafka_broker import broker, create_topics
from pyspark.sql import DataFrame, DataFrameReader, Row, SparkSession
from pyspark.sql.functions import col, concat_ws, from_json, struct, to_json
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamReader

JARS = Path(__file__).resolve().parent.parent / "out" / "kafka"
WEEK = timedelta(days=7)

# Records that are sent at once may be read in any order, because Kafka keeps the order only within
# a partition. So the watermark's delay covers the week that is sent and the disorder of the
# flights.
DELAY = WEEK + DISORDER

FLIGHT = """tailnum STRING, sched_dep TIMESTAMP, flight INT, origin STRING, dest STRING,
  dep_delay INT"""
MATCH = """tailnum STRING, since TIMESTAMP, late_flights BIGINT, worst_delay INT, route STRING,
  first_partition INT, first_offset BIGINT"""

# The first row's place in its topic names the match: no row begins two.
LATE_CHAINS = """
SELECT * FROM (SELECT * FROM flights WHERE tailnum IS NOT NULL)
MATCH_RECOGNIZE (
  PARTITION BY tailnum
  ORDER BY sched_dep, partition, offset
  MEASURES
    FIRST(sched_dep)    AS since,
    COUNT(LATE.*)       AS late_flights,
    MAX(LATE.dep_delay) AS worst_delay,
    ARRAY_JOIN(COLLECT_LIST(origin || '-' || dest), ' ') AS route,
    FIRST(partition)    AS first_partition,
    FIRST(offset)       AS first_offset
  AFTER MATCH SKIP PAST LAST ROW
  PATTERN (ON_TIME LATE{2,} RECOVERED) WITHIN INTERVAL '7' DAY
  DEFINE
    ON_TIME   AS dep_delay <= 5,
    LATE      AS dep_delay > 15 AND dep_delay > PREV(dep_delay),
    RECOVERED AS dep_delay <= 5
)
"""


def topic(
    reader: DataFrameReader | DataStreamReader, servers: str, name: str, schema: str, *more: str
) -> DataFrame:
    """Read the records of a topic, as a table or as a stream.

    Returns:
        The columns of the JSON value, where the record is, `partition` and `offset`, and others of
        Kafka's source that are named.
    """
    source = reader.format("kafka").option("kafka.bootstrap.servers", servers)
    records = source.option("subscribe", name).option("startingOffsets", "earliest").load()
    value = from_json(col("value").cast("string"), schema).alias("value")
    places = ("partition", "offset", *more)
    return records.select(value, *places).select("value.*", *places)


def send(spark: SparkSession, servers: str, departures: pd.DataFrame) -> None:
    """Send flights in the given order; return when Kafka has them all."""
    create_view(spark, "departures", departures)
    value = to_json(struct("*")).alias("value")
    rows = spark.table("departures").coalesce(1).select(col("tailnum").alias("key"), value)
    sink = rows.write.format("kafka").option("kafka.bootstrap.servers", servers)
    sink.option("topic", "flights").save()


def start(spark: SparkSession, servers: str, folder: Path) -> StreamingQuery:
    """Start the query that reads flights and writes matches; a second start continues.

    Args:
        spark: A session with the plugin and the connector.
        servers: The address of the broker.
        folder: Has the checkpoint.
    """
    rows = topic(spark.readStream, servers, "flights", FLIGHT)
    delay = f"{DELAY.total_seconds():.0f} seconds"
    rows.withWatermark("sched_dep", delay).createOrReplaceTempView("flights")
    key = concat_ws("/", "first_partition", "first_offset").alias("key")
    matches = spark.sql(LATE_CHAINS).select(key, to_json(struct("*")).alias("value"))
    writer = matches.writeStream.format("kafka").option("kafka.bootstrap.servers", servers)
    writer = writer.option("topic", "matches")
    return writer.option("checkpointLocation", f"{folder}/checkpoint").start()


def compare(written: list[Row], table: list[Row]) -> None:
    """Compare the records of the topic with the matches of the table.

    Kafka's sink writes a match at least once. A record that is there again is the same in all of
    its columns, the place of the first row included, so a set of the records is exact.

    Raises:
        SystemExit: If they differ.
    """
    matches = list(set(written))
    again = len(written) - len(matches)
    print(f"\nThe topic of matches has {len(written):,} records, {again} of them repeated.")
    check("Topic and table", matches, table)


def replay(spark: SparkSession, servers: str, departures: pd.DataFrame, folder: Path) -> None:
    """Run the demo.

    Args:
        spark: A session with the plugin and the connector.
        servers: The address of a broker that has no topics yet.
        departures: The flights.
        folder: Where the checkpoints go.
    """
    create_topics(spark, servers, {"flights": 3, "matches": 2})
    query = start(spark.newSession(), servers, folder)
    shown = topic(spark.newSession().readStream, servers, "matches", MATCH).writeStream
    shown = shown.option("checkpointLocation", f"{folder}/printed").foreachBatch(Printer())
    printing = shown.start()
    weeks = [*arrivals(departures, WEEK.days), closing_row(departures, DELAY)]
    half = len(weeks) // 2
    for week in weeks[:half]:
        send(spark, servers, week)
    query.stop()
    print("The query is stopped. Another week of flights is sent.", flush=True)
    send(spark, servers, weeks[half])
    query = start(spark.newSession(), servers, folder)
    print("The query continues from its checkpoint.", flush=True)
    for week in weeks[half + 1 :]:
        send(spark, servers, week)
    query.processAllAvailable()
    query.stop()
    printing.processAllAvailable()
    printing.stop()
    written = topic(spark.read, servers, "matches", MATCH).drop("partition", "offset").collect()
    topic(spark.read, servers, "flights", FLIGHT).createOrReplaceTempView("flights")
    compare(written, spark.sql(LATE_CHAINS).collect())


def end(number: int, _frame: FrameType | None) -> None:
    """Exit on a signal as on an error, so that the broker is stopped too."""
    sys.exit(128 + number)


def run(
    target: str,
    folder: Path,
    demo: Callable[[SparkSession, str, pd.DataFrame, Path], None],
    settings: Mapping[str, str] | None = None,
) -> None:
    """Start a broker, make a session and run a demo.

    Args:
        target: The one of make that runs it.
        folder: For the broker's log and data and the checkpoints; emptied first.
        demo: Takes the session, the address of the broker, the flights, and the folder.
        settings: More settings of the session.
    """
    connector = sorted(map(str, (JARS / "connector").glob("*.jar")))
    if not connector:
        message = f"The jars of the broker are not in {JARS}. Run the demo with: make {target}"
        raise SystemExit(message)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with broker(JARS / "broker", folder) as servers:
        spark = session(f"match_recognize {target}", *connector, settings=settings)
        try:
            demo(spark, servers, flights(), folder)
        finally:
            spark.stop()


def main(folder: Path) -> None:
    """Run the demo in a folder, which is emptied first."""
    run("demo-kafka", folder, replay)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo-kafka"))
