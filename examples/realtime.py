"""Matches in Spark's Real-Time Mode: in milliseconds from topic to topic, or in a database.

It needs Spark 4.3, its Kafka connector, and a topic keyed by the column of PARTITION BY. Each part
is explained in docs/streaming/latency.md.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

import spark_match_recognize as mr

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row
    from pyspark.sql.streaming.query import StreamingQuery

# The places of the first and the last row in the topic name the match, whatever the pattern skips.
DOUBLE_CHARGES = """
SELECT * FROM payments
MATCH_RECOGNIZE (
  PARTITION BY card
  ORDER BY ts, partition, offset
  MEASURES
    FIRST(ts)                          AS since,
    LAST(amount)                       AS amount,
    FIRST(partition)                   AS topic_partition,
    FIRST(offset)                      AS first_offset,
    LAST(offset)                       AS last_offset
  AFTER MATCH SKIP TO NEXT ROW
  PATTERN (SMALL LARGE)
  WITHIN INTERVAL 10 MINUTES
  DEFINE SMALL AS amount < 1, LARGE AS amount > 500
)
"""


SETTINGS = {
    "spark.matchRecognize.stream.inputOrder": "arrival",
    "spark.sql.streaming.realTimeMode.allowlistCheck": "false",
    # Slots: one for each partition of the source, and one for each of these.
    "spark.sql.shuffle.partitions": "2",
    # A row leaves a half-full buffer of the shuffle after so long; 50 without it.
    "spark.shuffle.streaming.networkBufferMaxWaitTimeMs": "5",
}


def session() -> SparkSession:
    """Return a session whose queries may run in Real-Time Mode."""
    builder = SparkSession.builder
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return mr.configure(builder).getOrCreate()


def to_topic(matches: DataFrame, servers: str, checkpoint: str) -> StreamingQuery:
    """Write matches to a topic; the key of a record is that of the match."""
    key = "concat_ws('-', topic_partition, first_offset, last_offset) AS key"
    records = matches.selectExpr(key, "to_json(struct(*)) AS value")
    writer = records.writeStream.format("kafka").option("kafka.bootstrap.servers", servers)
    writer = writer.option("topic", "matches").option("checkpointLocation", checkpoint)
    # pyspark's overloads of `trigger` do not have it
    return writer.outputMode("update").trigger(realTime="5 minutes").start()  # type: ignore[call-overload,no-any-return]


class ToDatabase:
    """Writes each match once, however often the query returns it: a writer for `foreach`."""

    def __init__(self, file: str) -> None:
        """Name the file of the database."""
        self.file = file

    def open(self, partition_id: int, epoch_id: int) -> bool:  # noqa: ARG002 - not needed here
        """Connect, for one task."""
        self.database = sqlite3.connect(self.file, isolation_level=None)
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS matches (topic_partition INT, first_offset INT, "
            "last_offset INT, card TEXT, amount REAL, "
            "PRIMARY KEY (topic_partition, first_offset, last_offset))"
        )
        return True

    def process(self, row: Row) -> None:
        """Write a match, unless it is there."""
        self.database.execute(
            "INSERT INTO matches VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (row.topic_partition, row.first_offset, row.last_offset, row.card, row.amount),
        )

    def close(self, error: Exception | None) -> None:  # noqa: ARG002 - Spark reports it
        """Disconnect."""
        self.database.close()
