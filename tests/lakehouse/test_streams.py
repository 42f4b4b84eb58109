"""Delta and Iceberg tables as sources and sinks of streams with the clause."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from cluster.standalone import ending_with_this, kill
from lakehouse import lake_job
from lakehouse.lake import BOTH, FORMATS, MINOR, Lake, rows
from lakehouse.merging import merged_by_streams, run
from pyspark.sql import SparkSession

pytestmark = pytest.mark.matrix

Prices = list[tuple[str, datetime, int]]
START = datetime(2026, 3, 1)  # noqa: DTZ001 - the sessions are in UTC
COMMITS = 8
KILLS = 2
PATIENCE = 900  # seconds
# In each commit three rows of two symbols; over five rows a price falls twice and rises twice.
PRICES: list[Prices] = [
    [
        (symbol, START + timedelta(seconds=place), [5, 3, 1, 2, 4][place % 5])
        for place in range(3 * commit, 3 * commit + 3)
        for symbol in ("a", "b")
    ]
    for commit in range(COMMITS)
]
# A fall ends the last rise; then a row of no symbol, whose time closes all others.
CLOSING: list[Prices] = [
    [(symbol, START + timedelta(days=1), 0) for symbol in ("a", "b")],
    [("none", START + timedelta(days=2), 0)],
]


def write(spark: SparkSession, table: str, prices: Prices) -> None:
    """Append rows in one commit of one file."""
    frame = spark.createDataFrame(prices, "symbol STRING, at TIMESTAMP, price INT").coalesce(1)
    frame.createOrReplaceTempView("new_prices")
    spark.sql(f"INSERT INTO {table} SELECT * FROM new_prices")


def commits(folder: Path, sink: str) -> int:
    """Return how many micro-batches have reached the sink."""
    if sink == "delta":
        return len(list(folder.glob("shapes/_delta_log/*.json"))) - 1
    return len(list(folder.glob("iceberg/db/shapes/metadata/v*.metadata.json"))) - 1


def checkpointed(folder: Path) -> int:
    """Return how many micro-batches the checkpoint knows to be finished."""
    return len([file for file in folder.glob("checkpoint/commits/*") if file.name.isdigit()])


def start(folder: Path, source: str, sink: str) -> subprocess.Popen[bytes]:
    """Start the job that is to be killed."""
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    with (folder / "log").open("w") as log:
        program = [sys.executable, lake_job.__file__, str(folder), ",".join(FORMATS), source, sink]
        return subprocess.Popen(
            ending_with_this(program),
            stdout=subprocess.DEVNULL,
            stderr=log,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,
        )


def kill_between(job: subprocess.Popen[bytes], folder: Path, sink: str) -> None:
    """Kill the job after a commit of the sink, and before its checkpoint knows of it.

    The moment is short: the job is stopped after each commit until it is hit.
    """
    end = time.monotonic() + PATIENCE
    try:
        for _ in range(COMMITS):
            before = commits(folder, sink)
            while commits(folder, sink) == before and job.poll() is None:
                assert time.monotonic() < end, (folder / "log").read_text()[-3000:]
                time.sleep(0.0005)
            assert job.poll() is None, (folder / "log").read_text()[-3000:]
            os.killpg(job.pid, signal.SIGSTOP)
            if commits(folder, sink) > checkpointed(folder):
                break
            os.killpg(job.pid, signal.SIGCONT)
    finally:
        kill(job)
    assert commits(folder, sink) > checkpointed(folder)


@pytest.mark.slow
@pytest.mark.one_order
@pytest.mark.parametrize(
    ("source", "sink"),
    [("delta", "iceberg"), ("iceberg", "delta")] if MINOR == BOTH else [(FORMATS[0], FORMATS[-1])],
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
    for part in [*PRICES, *CLOSING]:
        write(spark, prices, part)
    expected = rows(spark, f"SELECT * FROM {prices} {lake_job.CLAUSE}")
    assert len(expected) > COMMITS
    for _ in range(KILLS):
        kill_between(start(tmp_path, source, sink), tmp_path, sink)
    killed = commits(tmp_path, sink)
    job = start(tmp_path, source, sink)
    try:
        assert job.wait(timeout=PATIENCE) == 0, (tmp_path / "log").read_text()[-3000:]
    finally:
        kill(job)
    # a catalog of Iceberg keeps what it knows of a table for a while
    spark.sql(f"REFRESH TABLE {shapes}")
    assert rows(spark, f"SELECT * FROM {shapes}") == expected
    assert commits(tmp_path, sink) > killed


def test_the_change_data_feed_as_source(delta: SparkSession, tmp_path: Path) -> None:
    """Prices that are corrected: the clause over the changes of a table, in their order."""
    delta.sql(
        """CREATE TABLE prices (symbol STRING, at TIMESTAMP, price INT) USING delta
           TBLPROPERTIES (delta.enableChangeDataFeed = true)"""
    )
    write(delta, "prices", PRICES[0])
    delta.sql("UPDATE prices SET price = 9 WHERE symbol = 'a' AND price = 3")
    write(delta, "prices", CLOSING[-1])
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


@pytest.mark.one_order
def test_what_a_table_holds_is_read_in_the_order_of_its_files(
    delta: SparkSession, tmp_path: Path
) -> None:
    """After an UPDATE old rows come last: dropped as late, unless one micro-batch reads all."""
    delta.sql("CREATE TABLE prices (symbol STRING, at TIMESTAMP, price INT) USING delta")
    for part in [*PRICES[:4], CLOSING[0]]:
        write(delta, "prices", part)
    delta.sql(f"UPDATE prices SET price = price WHERE at < '{START + timedelta(seconds=3)}'")

    def dropped(limit: str) -> tuple[int, Prices]:
        rows = delta.readStream.option("maxFilesPerTrigger", limit).table("prices")
        rows.withWatermark("at", "5 seconds").createOrReplaceTempView("in_files")
        matches = delta.sql(f"SELECT * FROM in_files {lake_job.CLAUSE}")
        seen: Prices = []
        writer = matches.writeStream.foreachBatch(lambda b, _: seen.extend(map(tuple, b.collect())))
        writer = writer.option("checkpointLocation", str(tmp_path / limit))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        operators = [one for progress in query.recentProgress for one in progress.stateOperators]
        return sum(one.numRowsDroppedByWatermark for one in operators), seen

    late, some = dropped("1")
    assert late == len(PRICES[0])
    none, every = dropped("1000")
    assert none == 0
    assert len(some) < len(every)
    assert {*every} <= {*rows(delta, f"SELECT * FROM prices {lake_job.CLAUSE}")}


@pytest.mark.one_order
def test_tables_of_a_union_have_new_rows_in_turn(delta: SparkSession, tmp_path: Path) -> None:
    """Of one of them Spark knows more: the state does not depend on which has new rows."""
    columns = "symbol STRING, at TIMESTAMP, price INT"
    delta.sql(f"CREATE TABLE nullable ({columns}) USING delta")
    delta.sql(f"CREATE TABLE required ({columns} NOT NULL) USING delta")
    tables = ("nullable", "required")
    for table in tables:
        delta.readStream.table(table).createOrReplaceTempView(f"{table}_s")
    both = delta.sql("SELECT * FROM nullable_s UNION ALL SELECT * FROM required_s")
    both.withWatermark("at", "5 seconds").createOrReplaceTempView("both")
    matches = delta.sql(f"SELECT * FROM both {lake_job.CLAUSE}")
    seen: list[tuple[object, ...]] = []
    for place, part in enumerate([*PRICES[:4], *CLOSING]):
        write(delta, tables[place % 2], part)
        run(matches, tmp_path / "union", lambda batch, _: seen.extend(map(tuple, batch.collect())))
    union = "(SELECT * FROM nullable UNION ALL SELECT * FROM required)"
    expected = rows(delta, f"SELECT * FROM {union} {lake_job.CLAUSE}")
    assert len(expected) > len(tables)
    assert sorted(seen) == expected


def test_a_clause_in_a_merge_of_foreach_batch(delta: SparkSession, tmp_path: Path) -> None:
    merged_by_streams(delta, "delta", "", tmp_path / "merge")
