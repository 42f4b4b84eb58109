"""Rules of a UNION ALL over a topic that gets more partitions: a job of test_demo_kafka.py.

Takes a folder for the broker, the checkpoint and the rows found; prints what it has compared.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from demo_data import create_view
from demo_kafka import DELAY, FLIGHT, LATE_CHAINS, WEEK, arrivals, closing_row, run, topic
from kafka_broker import create_topics
from pyspark.sql import SparkSession

# They differ in which departures are late.
RULES = " UNION ALL ".join(
    f"SELECT {late} AS rule, * FROM ({LATE_CHAINS.replace('> 15', f'> {late}')})"
    for late in (15, 30, 60)
)


def more_partitions(spark: SparkSession, servers: str, name: str, count: int) -> None:
    """Give a topic more partitions."""
    java = spark.sparkContext._jvm
    assert java is not None
    admin = java.org.apache.kafka.clients.admin
    client = admin.Admin.create({"bootstrap.servers": servers})
    try:
        client.createPartitions({name: admin.NewPartitions.increaseTo(count)}).all().get()
    finally:
        client.close()


def send(spark: SparkSession, servers: str, departures: pd.DataFrame, partitions: int) -> None:
    """Send flights to so many partitions, which the producer learns of from their numbers."""
    create_view(spark, "departures", departures)
    rows = spark.table("departures").coalesce(1)
    place = f"CAST(pmod(hash(tailnum), {partitions}) AS INT) AS partition"
    sent = rows.selectExpr(place, "to_json(struct(*)) AS value")
    sink = sent.write.format("kafka").option("kafka.bootstrap.servers", servers)
    sink.option("topic", "flights").save()


def replay(spark: SparkSession, servers: str, departures: pd.DataFrame, folder: Path) -> None:
    """Send flights, half of them after the topic has more partitions, and compare with a table."""
    create_topics(spark, servers, {"flights": 1})
    rows = topic(spark.readStream, servers, "flights", FLIGHT)
    delay = f"{DELAY.total_seconds():.0f} seconds"
    rows.withWatermark("sched_dep", delay).createOrReplaceTempView("flights")
    writer = spark.sql(RULES).writeStream.format("parquet").option("path", f"{folder}/found")
    query = writer.option("checkpointLocation", f"{folder}/checkpoint").start()
    winter = departures[departures["sched_dep"] < "2013-03-01"]
    weeks = [*arrivals(winter, WEEK.days), closing_row(winter, DELAY)]
    half = len(weeks) // 2
    for week in weeks[:half]:
        send(spark, servers, week, 1)
    query.processAllAvailable()
    more_partitions(spark, servers, "flights", 3)
    for week in weeks[half:]:
        send(spark, servers, week, 3)
    query.processAllAvailable()
    progress = query.lastProgress
    assert progress is not None
    operators = len(progress["stateOperators"])
    query.stop()
    table = topic(spark.read, servers, "flights", FLIGHT)
    table.createOrReplaceTempView("flights")
    partitions = table.select("partition").distinct().count()
    found = sorted(map(str, spark.read.parquet(f"{folder}/found").collect()))
    wanted = sorted(map(str, spark.sql(RULES).collect()))
    assert found == wanted, (len(found), len(wanted))
    print(f"{operators} operator, {partitions} partitions, {len(found)} matches")


if __name__ == "__main__":
    run("demo-kafka", Path(sys.argv[1]), replay)
