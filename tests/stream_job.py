"""A streaming query over files, in a process that a test can kill.

Arguments: the folder of the input, of the output, and of the checkpoint, and the order in which
rows are searched.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from spark_match_recognize import configure

SCHEMA = "g STRING, id LONG, ts TIMESTAMP, v INT"

# The first fails often and overlaps, so that attempts stay open across micro-batches. They have one
# operator.
CLAUSE = """
SELECT * FROM events MATCH_RECOGNIZE (
  PARTITION BY g ORDER BY ts, id
  MEASURES A.id AS first_id, C.id AS last_id, COUNT(B.*) AS n, SUM(v) AS total, MATCH_NUMBER() AS m
  ONE ROW PER MATCH SHOW TIMEOUT MATCHES
  AFTER MATCH SKIP TO NEXT ROW
  PATTERN (A B* C) WITHIN INTERVAL '60' SECOND
  DEFINE A AS v < 30, B AS v >= PREV(v) AND SUM(B.v) < 1000, C AS v < PREV(v))
UNION ALL
SELECT * FROM events MATCH_RECOGNIZE (
  PARTITION BY g ORDER BY ts, id
  MEASURES A.id AS first_id, B.id AS last_id, COUNT(*) AS n, SUM(v) AS total, MATCH_NUMBER() AS m
  PATTERN (A X*? B)
  DEFINE A AS v > 60, B AS v < 20)
"""


def session() -> SparkSession:
    """Return a local session with the plugin."""
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "3")
    builder = builder.config("spark.sql.session.timeZone", "UTC")
    return configure(builder).getOrCreate()


def start(
    spark: SparkSession, source: str, sink: str, checkpoint: str, order: str
) -> StreamingQuery:
    """Start to process the input, one file per micro-batch."""
    spark.conf.set("spark.matchRecognize.stream.inputOrder", order)
    events = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(source)
    events.withWatermark("ts", "30 seconds").createOrReplaceTempView("events")
    writer = spark.sql(CLAUSE).writeStream.format("parquet").option("path", sink)
    writer = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True)
    return writer.start()


def main(source: str, sink: str, checkpoint: str, order: str) -> None:
    """Process the input in a session of its own."""
    spark = session()
    print("ready", flush=True)
    start(spark, source, sink, checkpoint, order).awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
