"""The demo as a nightly job: each night reads the new flights and a lookback, and no others.

Run it with `make demo-incremental`. The departures are in a table with a partition for each day.
Night after night a day arrives; `mr.lookback` has said how far before it matches may begin, so the
job reads the table from there on and overwrites the days of the matches that it finds. In the end
the table of matches is compared with one search of everything. docs/cookbook/incremental.md
explains the job.
"""

from __future__ import annotations

import shutil
import sys
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pandas as pd
from demo_data import create_view, flights
from demo_stream import session
from pyspark.sql import DataFrame, SparkSession

import spark_match_recognize as mr

# Two weeks are there before the first night.
BEGIN, FIRST_NIGHT = date(2013, 2, 15), date(2013, 3, 1)
NIGHTS = 14
# Late departures of one aircraft, each later than the one before: those of the demo, with a bound
# in time, which the lookback needs.
LATE_CHAINS = """
SELECT *, to_date(since) AS day FROM flights MATCH_RECOGNIZE (
  PARTITION BY tailnum
  ORDER BY sched_dep, flight
  MEASURES
    FIRST(sched_dep)    AS since,
    LAST(sched_dep)     AS until,
    COUNT(LATE.*)       AS late_flights,
    MAX(LATE.dep_delay) AS worst_delay,
    ARRAY_JOIN(COLLECT_LIST(origin || '-' || dest), ' ') AS route
  AFTER MATCH SKIP TO NEXT ROW
  PATTERN (ON_TIME LATE{2,} RECOVERED) WITHIN INTERVAL '2' DAY
  DEFINE
    ON_TIME   AS dep_delay <= 5,
    LATE      AS dep_delay > 15 AND dep_delay > PREV(dep_delay),
    RECOVERED AS dep_delay <= 5
)
"""


class Job:
    """The tables of a job, and what it does in a night."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Make a job whose tables are folders; `arrive` has to fill that of the flights first."""
        self.spark = spark
        self.flights = str(folder / "flights")
        self.chains = str(folder / "late_chains")
        self.span = timedelta()

    def arrive(self, departures: pd.DataFrame) -> None:
        """Add flights to their table."""
        create_view(self.spark, "arriving", departures)
        rows = self.spark.sql(
            """SELECT tailnum, CAST(sched_dep AS TIMESTAMP) AS sched_dep, flight, origin, dest,
                 CAST(dep_delay AS INT) AS dep_delay, to_date(sched_dep) AS day
               FROM arriving WHERE tailnum IS NOT NULL"""
        )
        rows.coalesce(1).write.partitionBy("day").mode("append").parquet(self.flights)

    def search(self, days: str) -> DataFrame:
        """Return the chains in the flights of some days.

        Args:
            days: A condition on the column `day`.
        """
        rows = self.spark.read.parquet(self.flights).where(days)
        rows.createOrReplaceTempView("flights")
        return self.spark.sql(LATE_CHAINS)

    def plan(self) -> mr.Lookback:
        """Find out how far a night has to read back.

        Raises:
            SystemExit: If there is no span, with what to do.
        """
        lookback = mr.lookback(self.search("TRUE"))
        if lookback.cut != "anywhere" or not isinstance(lookback.span, timedelta):
            raise SystemExit(lookback.advice)
        self.span = lookback.span
        return lookback

    def run(self, night: date) -> tuple[date, int]:
        """Search what a day that has arrived may have changed, and replace it.

        Returns:
            The first day that is read, and how many chains begin from there on.
        """
        first = (datetime.combine(night, time()) - self.span).date()
        found = self.search(f"day >= '{first}'").localCheckpoint()
        writer = found.write.partitionBy("day").mode("overwrite")
        writer.option("partitionOverwriteMode", "dynamic").parquet(self.chains)
        return first, found.count()

    def kept(self) -> DataFrame:
        """Return the table of chains."""
        return self.spark.read.schema(self.search("FALSE").schema).parquet(self.chains)


def same(one: DataFrame, other: DataFrame) -> bool:
    """Return whether two tables have the same rows, duplicates included."""
    columns = sorted(one.columns)
    first, second = one.select(columns), other.select(columns)
    return first.exceptAll(second).isEmpty() and second.exceptAll(first).isEmpty()


def check(what: str, job: Job) -> None:
    """Compare the table with one search of everything.

    Raises:
        SystemExit: If they differ.
    """
    kept, whole = job.kept(), job.search("TRUE").localCheckpoint()
    if not same(kept, whole):
        message = f"{what}: {kept.count()} chains in the table, {whole.count()} in one search"
        raise SystemExit(message)
    print(f"{what}: the same {kept.count():,} chains as in one search of everything")


def nightly(spark: SparkSession, departures: pd.DataFrame, folder: Path, nights: int) -> None:
    """Run the demo.

    Args:
        spark: A session with the plugin.
        departures: The flights.
        folder: Where the tables go; emptied first.
        nights: How many days arrive, one by one.
    """
    shutil.rmtree(folder, ignore_errors=True)
    job = Job(spark, folder)
    days = departures["sched_dep"].dt.date
    job.arrive(departures[(days >= BEGIN) & (days < FIRST_NIGHT)])
    print(job.plan().advice)
    job.run(BEGIN)
    print(f"History: {job.kept().count():,} chains before {FIRST_NIGHT}\n")
    read = 0
    for night in (FIRST_NIGHT + timedelta(n) for n in range(nights)):
        job.arrive(departures[days == night])
        first, found = job.run(night)
        rows = int(((days >= first) & (days <= night)).sum())
        read += rows
        print(
            f"{night}: {int((days == night).sum()):,} departures arrived, {rows:,} read, "
            f"{found} chains from {first} on",
            flush=True,
        )
    print()
    check(f"{nights} nights that read {read:,} departures", job)
    over = job.kept().where("day < to_date(until)").count()
    print(f"{over} of them are over a midnight: a search of each day alone misses them")
    job.run(FIRST_NIGHT)
    check("The first night again", job)


def main(folder: Path, nights: int) -> None:
    """Make a session and run the demo.

    Args:
        folder: Where the tables go.
        nights: How many days arrive.
    """
    spark = session("match_recognize demo of a nightly job")
    nightly(spark, flights(), folder, nights)
    spark.stop()


if __name__ == "__main__":
    main(
        Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo-incremental"),
        int(next(iter(sys.argv[2:]), NIGHTS)),
    )
