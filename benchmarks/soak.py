"""A query that runs for a long time: its state must not grow.

Run it with `make soak`. Rows of the rate source, one in a hundred of them an hour late, are matched
with a pattern bounded by WITHIN. Rows and bytes of state in the last quarter of the time may be at
most 1.05 times those of the second quarter.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from dataclasses import dataclass

from pyspark.sql import SparkSession

from spark_match_recognize import configure

LIMIT = 1.05
QUERY = """
SELECT * FROM events MATCH_RECOGNIZE (
  PARTITION BY k ORDER BY ts, value
  MEASURES A.value AS first_value, C.value AS last_value, COUNT(B.*) AS n
  PATTERN (A B* C) WITHIN INTERVAL '30' SECOND
  DEFINE A AS v < 20, B AS v >= 3, C AS v < 3)
"""


@dataclass
class Sample:
    """The metrics of one micro-batch."""

    second: float
    rows: int
    size: int
    late: int


def session() -> SparkSession:
    """Return a local session with the plugin."""
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.log.level", "ERROR")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.streaming.numRecentProgressUpdates", "100000")
    return configure(builder).getOrCreate()


def run(spark: SparkSession, seconds: float) -> list[Sample]:
    """Run the query and return the metrics of its micro-batches."""
    rate = spark.readStream.format("rate").option("rowsPerSecond", 2000).load()
    events = rate.selectExpr(
        "value",
        "value % 200 AS k",
        "CAST(abs(hash(value)) % 100 AS INT) AS v",
        "CASE WHEN value % 100 = 0 THEN timestamp - INTERVAL 1 HOUR ELSE timestamp END AS ts",
    )
    events.withWatermark("ts", "5 seconds").createOrReplaceTempView("events")
    checkpoint = tempfile.mkdtemp()
    writer = spark.sql(QUERY).writeStream.format("noop").option("checkpointLocation", checkpoint)
    query = writer.trigger(processingTime="2 seconds").start()
    begin = time.monotonic()
    samples: dict[int, Sample] = {}
    while time.monotonic() - begin < seconds:
        time.sleep(1)
        error = query.exception()
        if error is not None:
            raise error
        progress = query.lastProgress
        if progress is not None and progress.stateOperators:
            state = progress.stateOperators[0]
            samples[progress.batchId] = Sample(
                time.monotonic() - begin,
                state.customMetrics["rowsInState"] + state.customMetrics["pendingRows"],
                state.customMetrics["stateBytes"],
                state.numRowsDroppedByWatermark,
            )
    query.stop()
    return list(samples.values())


def quarter(samples: list[Sample], number: int, seconds: float) -> tuple[float, float]:
    """Return the mean rows and bytes of state in one quarter of the time, 1 to 4."""
    low, high = seconds * (number - 1) / 4, seconds * number / 4
    inside = [s for s in samples if low <= s.second < high]
    rows = statistics.fmean(s.rows for s in inside)
    return rows, statistics.fmean(s.size for s in inside)


def main(minutes: float) -> int:
    """Print the figures; 1 if the state has grown."""
    seconds = minutes * 60
    samples = run(session(), seconds)
    second, last = quarter(samples, 2, seconds), quarter(samples, 4, seconds)
    rows, size = last[0] / second[0], last[1] / second[1]
    late = sum(s.late for s in samples)
    print(f"{len(samples)} micro-batches, {late} late rows dropped")
    print(f"rows in state {second[0]:.0f} -> {last[0]:.0f}, x{rows:.3f}")
    print(f"bytes of state {second[1]:.0f} -> {last[1]:.0f}, x{size:.3f}")
    has_grown = max(rows, size) > LIMIT
    print("the state grows" if has_grown else f"within x{LIMIT}")
    return int(has_grown or late == 0)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
