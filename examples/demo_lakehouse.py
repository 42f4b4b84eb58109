"""The demo beside Delta Lake and Iceberg: the flights in a table of each, on tables and streams.

Run it with `make demo-lakehouse`. First, as tables: the departures of January to June are in an
Iceberg table, those of June to December in a Delta table. Chains of late departures are found in
both and merged into a third table; the chains of June, which both find, are there once.

Then, as streams from table to table (bronze, silver, gold): departures arrive out of order in a
Delta table; the chains among them are appended to an Iceberg table as soon as they are decided; and
for each aircraft with a new chain, a MERGE in `foreachBatch` updates its runs of chains in a Delta
table. Silver and gold are compared with the same queries over whole tables.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pandas as pd
from demo import LATE_CHAINS
from demo_data import create_view, flights
from demo_stream import DELAY, SCHEMA, arrivals, check, closing_row, session, write
from pyspark import __version__ as spark_version
from pyspark.sql import DataFrame, SparkSession

MINOR = spark_version.rpartition(".")[0]
JARS = Path(__file__).resolve().parent.parent / "out/lakehouse" / MINOR
COLUMNS = "tailnum, sched_dep, flight, origin, dest, dep_delay"
CHAINS_SCHEMA = """tailnum STRING, since TIMESTAMP, first_delay INT, worst_delay INT,
  last_delay INT, late_flights BIGINT, route STRING"""

# Chains of one aircraft, each at most 30 days after the one before.
RUNS = """
SELECT * FROM {chains} MATCH_RECOGNIZE (
  PARTITION BY tailnum
  ORDER BY since
  MEASURES FIRST(since) AS first_chain, COUNT(*) AS chains, MAX(worst_delay) AS worst_delay
  PATTERN (STRT NEXT_ONE+)
  DEFINE NEXT_ONE AS since <= PREV(since) + INTERVAL 30 DAYS
)
"""


def settings(folder: Path) -> dict[str, str]:
    """Return the settings of both formats; `configure` adds the plugin's.

    Args:
        folder: Where the tables go.
    """
    return {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        # Delta tables are in the session's catalog, Iceberg tables in one called `lake`
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.warehouse.dir": str(folder / "delta"),
        # the log of a small table needs no fifty tasks
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(folder / "iceberg"),
        # a session sees at once what a stream has written
        "spark.sql.catalog.lake.cache-enabled": "false",
        # buckets of the PARTITION BY column need no shuffle
        "spark.sql.sources.v2.bucketing.enabled": "true",
        "spark.sql.iceberg.planning.preserve-data-grouping": "true",
    }


def late_chains(table: str) -> str:
    """Return the demo's query over a table."""
    return LATE_CHAINS.replace("FROM flights", f"FROM {table}")


def shuffle(spark: SparkSession, query: str) -> str:
    """Return what EXPLAIN says of the shuffle of a query, without the ids of columns."""
    (plan,) = spark.sql(f"EXPLAIN FORMATTED {query}").collect()
    lines = re.sub(r"#\d+", "", str(plan[0])).splitlines()
    return next(line for line in lines if line.startswith("Shuffle"))


def make_tables(spark: SparkSession, departures: pd.DataFrame) -> None:
    """Write the departures of half a year, June in both, to an Iceberg and to a Delta table."""
    create_view(spark, "frame", departures)
    spark.sql(
        """CREATE TEMP VIEW departures AS
           SELECT tailnum, CAST(sched_dep AS TIMESTAMP) AS sched_dep, flight, origin, dest,
                  CAST(dep_delay AS INT) AS dep_delay FROM frame"""
    )
    spark.sql(
        f"""CREATE TABLE lake.demo.flights ({SCHEMA}) USING iceberg
            PARTITIONED BY (bucket(4, tailnum))"""
    )
    spark.sql("ALTER TABLE lake.demo.flights WRITE ORDERED BY tailnum, sched_dep, flight")
    first_half = f"SELECT {COLUMNS} FROM departures WHERE month(sched_dep) <= 6"
    spark.sql(f"INSERT INTO lake.demo.flights {first_half}")
    spark.sql(
        f"""CREATE TABLE flights USING delta CLUSTER BY (tailnum)
            AS SELECT {COLUMNS} FROM departures WHERE month(sched_dep) >= 6"""
    )


def merge_chains(spark: SparkSession, table: str) -> None:
    """Find chains in a table of flights, and merge them into the third table."""
    spark.sql(
        f"""MERGE INTO lake.demo.late_chains AS kept
            USING ({late_chains(table)}) AS found
            ON kept.tailnum = found.tailnum AND kept.since = found.since
            WHEN MATCHED THEN UPDATE SET *
            WHEN NOT MATCHED THEN INSERT *"""
    )


def tables(spark: SparkSession, departures: pd.DataFrame) -> None:
    """Find the chains in both tables, merge them, and print the longest."""
    make_tables(spark, departures)
    spark.sql(f"CREATE TABLE lake.demo.late_chains ({CHAINS_SCHEMA}) USING iceberg")
    found: set[tuple[object, ...]] = set()
    for name, table in (("Iceberg", "lake.demo.flights"), ("Delta", "flights")):
        chains = spark.sql(late_chains(table)).collect()
        print(f"{name}: {spark.table(table).count():,} departures, {len(chains)} late chains")
        print(f"  {shuffle(spark, late_chains(table))}")
        found |= {(row.tailnum, row.since) for row in chains}
        merge_chains(spark, table)
    merged = spark.table("lake.demo.late_chains")
    if sorted((row.tailnum, row.since) for row in merged.collect()) != sorted(found):
        message = "the merged table does not have the chains of both"
        raise SystemExit(message)
    print(f"Merged: {len(found)} chains. The longest:")
    longest = merged.orderBy("late_flights", "worst_delay", "tailnum", ascending=False)
    longest.select("tailnum", "since", "late_flights", "worst_delay", "route").show(
        5, truncate=False
    )


def update_runs(batch: DataFrame, _: int) -> None:
    """Bring the runs of the aircraft of a micro-batch up to date: its chains are new."""
    batch.createOrReplaceTempView("new_chains")
    chains = """(SELECT * FROM lake.demo.silver
                 WHERE tailnum IN (SELECT tailnum FROM new_chains))"""
    batch.sparkSession.sql(
        f"""MERGE INTO gold USING ({RUNS.format(chains=chains)}) AS found
            ON gold.tailnum = found.tailnum AND gold.first_chain = found.first_chain
            WHEN MATCHED THEN UPDATE SET *
            WHEN NOT MATCHED THEN INSERT *"""
    )


def run_streams(spark: SparkSession, folder: Path) -> None:
    """Run the three streams, one after the other, over what has arrived."""

    def checkpoint(name: str) -> str:
        return str(folder / "checkpoints" / name)

    arrived = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    bronze = arrived.parquet(str(folder / "arrived")).writeStream.trigger(availableNow=True)
    bronze = bronze.format("delta").option("checkpointLocation", checkpoint("bronze"))
    bronze.toTable("bronze").awaitTermination()

    rows = spark.readStream.table("bronze").withWatermark("sched_dep", f"{DELAY.seconds} seconds")
    rows.createOrReplaceTempView("arriving")
    silver = spark.sql(late_chains("arriving")).writeStream.trigger(availableNow=True)
    silver = silver.format("iceberg").option("checkpointLocation", checkpoint("silver"))
    silver.toTable("lake.demo.silver").awaitTermination()

    chains = spark.readStream.table("lake.demo.silver")
    gold = chains.writeStream.foreachBatch(update_runs).trigger(availableNow=True)
    gold.option("checkpointLocation", checkpoint("gold")).start().awaitTermination()
    print(f"{spark.table('bronze').count():,} departures in bronze,", end=" ")
    print(f"{spark.table('lake.demo.silver').count()} chains in silver,", end=" ")
    print(f"{spark.table('gold').count()} runs in gold", flush=True)


def streams(spark: SparkSession, departures: pd.DataFrame, folder: Path) -> None:
    """Let the departures arrive in parts, run the streams after each, and compare.

    Args:
        spark: A session with both formats.
        departures: The flights.
        folder: Where files and checkpoints go.
    """
    spark.sql(f"CREATE TABLE bronze ({SCHEMA}) USING delta")
    spark.sql(f"CREATE TABLE lake.demo.silver ({CHAINS_SCHEMA}) USING iceberg")
    runs = "tailnum STRING, first_chain TIMESTAMP, chains BIGINT, worst_delay INT"
    spark.sql(f"CREATE TABLE gold ({runs}) USING delta")
    (folder / "arrived").mkdir()
    for number, part in enumerate([*arrivals(departures, 30), closing_row(departures)]):
        write(part, folder / "arrived", f"{number:03d}")
        run_streams(spark, folder)
    chains = spark.sql(late_chains("bronze")).collect()
    check("Silver", spark.table("lake.demo.silver").collect(), chains)
    wanted = spark.sql(RUNS.format(chains="lake.demo.silver")).collect()
    check("Gold", spark.table("gold").collect(), wanted)


def main(folder: Path) -> None:
    """Make a session and run both parts.

    Args:
        folder: Where tables, files and checkpoints go; emptied first.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    jars = map(str, sorted(JARS.glob("*.jar")))
    name = "match_recognize demo beside Delta Lake and Iceberg"
    spark = session(name, *jars, settings=settings(folder.resolve()))
    departures = flights()
    tables(spark, departures)
    quarter = departures[departures["sched_dep"] < "2013-04-01"]
    print("\nThe first quarter as streams, a month at a time:")
    streams(spark, quarter, folder.resolve())
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo-lakehouse"))
