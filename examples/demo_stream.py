"""The demo on a stream: flights arrive, matches are printed as soon as they are decided.

Run it with `make demo-stream`. The departures of the demo are replayed in order of time, with a
disorder of up to half a day, one file for every two weeks. The query is the same as on the table. A
match is printed in the micro-batch that decides it. Then the stream is checked against the table:

- when all files are read, it has emitted the matches of a table of the flights up to the watermark;
- a last row advances the watermark past all flights, and the rest is emitted.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from demo import LATE_CHAINS
from demo_data import create_view, flights
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from spark_match_recognize import configure

DELAY = timedelta(hours=12)
SCHEMA = """tailnum STRING, sched_dep TIMESTAMP, flight INT, origin STRING, dest STRING,
  dep_delay INT"""


def arrivals(departures: pd.DataFrame, days: int) -> Iterator[pd.DataFrame]:
    """Cut the flights into parts in the order in which they arrive.

    Args:
        departures: The flights.
        days: How many days a part has.

    Yields:
        Flights that are out of order, but by less than the delay of the watermark.
    """
    random = np.random.default_rng(2013)
    late = random.integers(0, int(DELAY.total_seconds()), len(departures))
    arrival = departures["sched_dep"] + pd.to_timedelta(late, unit="s")
    order = np.argsort(arrival.to_numpy(), kind="stable")
    part = (arrival - arrival.min()).dt.days.to_numpy() // days
    for number in range(part.max() + 1):
        yield departures.iloc[order[part[order] == number]]


def write(frame: pd.DataFrame, folder: Path, name: str) -> None:
    """Put a file into the folder that the stream reads; it appears there as a whole."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    place = table.schema.get_field_index("sched_dep")
    times = table.column(place).cast(pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
    hidden = folder / f".{name}"
    pq.write_table(table.set_column(place, "sched_dep", times), hidden)
    hidden.rename(folder / f"{name}.parquet")


class Printer:
    """Receives the matches of each micro-batch, prints some of them and keeps all."""

    def __init__(self, shown: int = 2) -> None:
        """Make a printer that shows at most `shown` matches of a micro-batch."""
        self.shown = shown
        self.matches: list[Row] = []

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Take one micro-batch."""
        rows = batch.collect()
        if not rows:
            return
        self.matches += rows
        print(f"batch {number:2d}: {len(rows):3d} decided, {len(self.matches):3d} so far")
        for row in sorted(rows, key=lambda row: row.since)[-self.shown :]:
            text = f"{row.tailnum} late {row.late_flights} times, worst {row.worst_delay} minutes"
            print(f"  {row.since:%Y-%m-%d %H:%M} {text}: {row.route}", flush=True)


def start(spark: SparkSession, folder: Path, printer: Printer) -> StreamingQuery:
    """Start the query over the existing files; it ends when it has read them all.

    Args:
        spark: A session with the plugin.
        folder: Has the files; the checkpoint is next to it, so a second start resumes.
        printer: Gets the matches.
    """
    source = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    rows = source.parquet(str(folder)).withWatermark("sched_dep", f"{DELAY.seconds} seconds")
    rows.createOrReplaceTempView("flights")
    writer = spark.sql(LATE_CHAINS).writeStream.foreachBatch(printer)
    writer = writer.option("checkpointLocation", f"{folder}-checkpoint")
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def watermark_of(query: StreamingQuery) -> datetime:
    """Return the last watermark of a query."""
    texts = [progress["eventTime"]["watermark"] for progress in query.recentProgress]
    return datetime.strptime(max(texts), "%Y-%m-%dT%H:%M:%S.%f%z").replace(tzinfo=None)


def closing_row(departures: pd.DataFrame, delay: timedelta = DELAY) -> pd.DataFrame:
    """Return a flight of no aircraft, so late that the watermark passes all others."""
    last = departures.nlargest(1, "sched_dep").copy()
    last["tailnum"] = "none"
    last["sched_dep"] += delay + timedelta(hours=1)
    return last


def check(what: str, stream: list[Row], table: list[Row]) -> None:
    """Compare the matches of the stream with those of the table, duplicates included.

    Raises:
        SystemExit: If they differ.
    """
    if sorted(map(tuple, stream)) != sorted(map(tuple, table)):
        message = f"{what}: {len(stream)} matches on the stream, {len(table)} on the table"
        raise SystemExit(message)
    print(f"{what}: the same {len(stream):,} matches on the stream and on the table")


def replay(spark: SparkSession, departures: pd.DataFrame, folder: Path, days: int = 14) -> None:
    """Run the demo.

    Args:
        spark: A session with the plugin.
        departures: The flights.
        folder: Where files and checkpoint go; emptied first.
        days: How many days a file has.
    """
    shutil.rmtree(folder, ignore_errors=True)
    files = folder / "flights"
    files.mkdir(parents=True)
    for number, part in enumerate(arrivals(departures, days)):
        write(part, files, f"{number:03d}")
    create_view(spark, "flights", departures)
    table = spark.sql(LATE_CHAINS).collect()

    printer = Printer()
    query = start(spark.newSession(), files, printer)
    watermark = watermark_of(query)
    create_view(spark, "flights", departures[departures["sched_dep"] <= watermark])
    decided = spark.sql(LATE_CHAINS).collect()
    pending = query.recentProgress[-1]["stateOperators"][0]["customMetrics"]["pendingRows"]
    print(f"\nAll files are read. The watermark is {watermark}, {pending:,} flights are after it.")
    check("Up to the watermark", printer.matches, decided)
    print(
        f"{len(table) - len(decided)} matches of the table end later; they are not decided yet.\n"
    )

    write(closing_row(departures), files, "999")
    start(spark.newSession(), files, printer)
    check("After a last row, which moves the watermark", printer.matches, table)


def session(name: str, *jars: str, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Return a small local session with the plugin, in UTC.

    Args:
        name: Name of the application.
        jars: More jars.
        settings: More settings.
    """
    # collect() shows timestamps in the zone of this process
    os.environ["TZ"] = "UTC"
    time.tzset()
    builder = SparkSession.builder.master("local[2]").appName(name)
    builder = builder.config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    builder = builder.config("spark.sql.session.timeZone", "UTC")
    builder = builder.config(map=dict(settings or {}))
    if jars:
        builder = builder.config("spark.jars", ",".join(jars))
    return configure(builder).getOrCreate()


def main(folder: Path) -> None:
    """Make a session and run the demo.

    Args:
        folder: Where files and checkpoint go.
    """
    spark = session("match_recognize demo on a stream")
    replay(spark, flights(), folder)
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo-stream"))
