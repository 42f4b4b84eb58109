"""Delta and Iceberg tables as sources and sinks of streams with the clause."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from lakehouse import lake_job
from lakehouse.lake import CLAUSE, FORMATS, SHAPES, Lake, rows
from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.matrix

Prices = list[tuple[str, datetime, int]]
START = datetime(2026, 3, 1)  # noqa: DTZ001 - the sessions are in UTC
COMMITS = 12
# In each commit three rows of two symbols; over five rows a price falls twice and rises twice.
PRICES: list[Prices] = [
    [
        (symbol, START + timedelta(seconds=place), [5, 3, 1, 2, 4][place % 5])
        for place in range(3 * commit, 3 * commit + 3)
        for symbol in ("a", "b")
    ]
    for commit in range(COMMITS)
]
# A row of no symbol, whose time closes all others.
LAST: Prices = [("none", START + timedelta(days=1), 0)]


def write(spark: SparkSession, table: str, prices: Prices) -> None:
    """Append rows in one commit of one file."""
    frame = spark.createDataFrame(prices, "symbol STRING, at TIMESTAMP, price INT").coalesce(1)
    frame.createOrReplaceTempView("new_prices")
    spark.sql(f"INSERT INTO {table} SELECT * FROM new_prices")


def run(matches: DataFrame, checkpoint: Path, batch: Callable[[DataFrame, int], None]) -> None:
    """Run a query over what there is."""
    writer = matches.writeStream.foreachBatch(batch).option("checkpointLocation", str(checkpoint))
    writer.trigger(availableNow=True).start().awaitTermination()


def commits(folder: Path, sink: str) -> int:
    """Return how many micro-batches have reached the sink."""
    if sink == "delta":
        return len(list(folder.glob("shapes/_delta_log/*.json"))) - 1
    return len(list(folder.glob("iceberg/db/shapes/metadata/v*.metadata.json"))) - 1


def start(folder: Path, source: str, sink: str) -> subprocess.Popen[bytes]:
    """Start the job that is to be killed."""
    with (folder / "log").open("w") as log:
        return subprocess.Popen(
            [sys.executable, lake_job.__file__, str(folder), ",".join(FORMATS), source, sink],
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )


@pytest.mark.slow
@pytest.mark.one_order
@pytest.mark.parametrize(
    ("source", "sink"),
    [("delta", "iceberg"), ("iceberg", "delta")] if len(FORMATS) > 1 else [("delta", "delta")],
)
def test_killed_jobs_write_each_match_once(
    lake: Lake, tmp_path: Path, source: str, sink: str
) -> None:
    """The job is killed right after a commit of the sink, before its checkpoint knows of it."""
    spark, catalog = lake.spark, f"{source}_{sink}"
    spark.conf.set(f"spark.sql.catalog.{catalog}", "org.apache.iceberg.spark.SparkCatalog")
    spark.conf.set(f"spark.sql.catalog.{catalog}.type", "hadoop")
    spark.conf.set(f"spark.sql.catalog.{catalog}.warehouse", f"{tmp_path}/iceberg")
    place = {"delta": f"delta.`{tmp_path}/{{}}`", "iceberg": f"{catalog}.db.{{}}"}
    prices, shapes = place[source].format("prices"), place[sink].format("shapes")
    spark.sql(f"CREATE TABLE {prices} (symbol STRING, at TIMESTAMP, price INT) USING {source}")
    columns = "symbol STRING, from_at TIMESTAMP, low INT, to_at TIMESTAMP"
    spark.sql(f"CREATE TABLE {shapes} ({columns}) USING {sink}")
    for part in [*PRICES, LAST]:
        write(spark, prices, part)
    expected = rows(spark, f"SELECT * FROM {prices} {lake_job.CLAUSE}")
    assert len(expected) > COMMITS
    for kill in (2, 4):
        job = start(tmp_path, source, sink)
        while commits(tmp_path, sink) < kill and job.poll() is None:
            time.sleep(0.001)
        assert job.poll() is None, (tmp_path / "log").read_text()[-3000:]
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
    job = start(tmp_path, source, sink)
    assert job.wait(timeout=300) == 0, (tmp_path / "log").read_text()[-3000:]
    # a catalog of Iceberg keeps what it knows of a table for a while
    spark.sql(f"REFRESH TABLE {shapes}")
    assert rows(spark, f"SELECT * FROM {shapes}") == expected
    assert commits(tmp_path, sink) > kill


def test_the_change_data_feed_as_source(delta: SparkSession, tmp_path: Path) -> None:
    """Prices that are corrected: the clause over the changes of a table, in their order."""
    delta.sql(
        """CREATE TABLE prices (symbol STRING, at TIMESTAMP, price INT) USING delta
           TBLPROPERTIES (delta.enableChangeDataFeed = true)"""
    )
    write(delta, "prices", PRICES[0])
    delta.sql("UPDATE prices SET price = 9 WHERE symbol = 'a' AND price = 3")
    write(delta, "prices", LAST)
    changes = delta.readStream.option("readChangeFeed", "true").option("startingVersion", 1)
    changes.table("prices").withWatermark("at", "5 seconds").createOrReplaceTempView("changes")
    corrected = delta.sql(
        """SELECT * FROM changes MATCH_RECOGNIZE (
             PARTITION BY symbol, at ORDER BY at, _commit_version, price
             MEASURES OLD.price AS old_price, NEW.price AS new_price
             PATTERN (OLD NEW)
             DEFINE OLD AS _change_type = 'update_preimage',
                    NEW AS _change_type = 'update_postimage')"""
    )
    seen: list[tuple[object, ...]] = []
    run(corrected, tmp_path / "feed", lambda batch, _: seen.extend(map(tuple, batch.collect())))
    assert seen == [("a", START + timedelta(seconds=1), 3, 9)]


def merge_shapes(source: str, target: str) -> Callable[[DataFrame, int], None]:
    """Return what merges the shapes of the symbols of a micro-batch into a table."""

    def merge(batch: DataFrame, _: int) -> None:
        batch.createOrReplaceTempView("arrived")
        batch.sparkSession.sql(
            f"""MERGE INTO {target} AS s
                USING (
                  SELECT * FROM (
                    SELECT * FROM {source} WHERE symbol IN (SELECT symbol FROM arrived)
                  ) {CLAUSE}
                ) AS m
                ON s.symbol = m.symbol AND s.from_day = m.from_day
                WHEN MATCHED THEN UPDATE SET *
                WHEN NOT MATCHED THEN INSERT *"""
        )

    return merge


def merged_by_streams(spark: SparkSession, kind: str, prefix: str, checkpoint: Path) -> None:
    """Rows arrive in a table in two parts; each micro-batch merges what it has changed."""
    target, source = f"{prefix}shapes", f"{prefix}arriving"
    columns = "symbol STRING, from_day INT, low INT, to_day INT"
    spark.sql(f"CREATE TABLE {target} ({columns}) USING {kind}")
    spark.sql(f"CREATE TABLE {source} (day INT, symbol STRING, price INT) USING {kind}")
    for condition in ("day <= 3", "day BETWEEN 4 AND 6", "day > 6"):
        spark.sql(f"INSERT INTO {source} SELECT * FROM rows WHERE {condition}")
        run(spark.readStream.table(source), checkpoint, merge_shapes(source, target))
    spark.sql(f"REFRESH TABLE {target}")  # the stream has a session of its own
    assert rows(spark, target) == SHAPES
    run(spark.readStream.table(source), checkpoint.with_name("again"), merge_shapes(source, target))
    spark.sql(f"REFRESH TABLE {target}")
    assert rows(spark, target) == SHAPES


def test_a_clause_in_a_merge_of_foreach_batch(delta: SparkSession, tmp_path: Path) -> None:
    merged_by_streams(delta, "delta", "", tmp_path / "merge")


def test_a_clause_in_a_merge_of_foreach_batch_of_iceberg(
    iceberg: SparkSession, tmp_path: Path
) -> None:
    merged_by_streams(iceberg, "iceberg", "ice.db.", tmp_path / "merge")
