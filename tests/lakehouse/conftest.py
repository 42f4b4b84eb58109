"""Sessions beside Delta Lake and Iceberg: each alone and both, before and after the plugin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from pyspark import __version__ as spark_version
from pyspark.sql import SparkSession

import spark_match_recognize as mr

ROOT = Path(__file__).resolve().parents[2]
MINOR = spark_version.rpartition(".")[0]
JARS = sorted((ROOT / "out/lakehouse" / MINOR).glob("*.jar"))
EXTENSIONS = {
    "delta": "io.delta.sql.DeltaSparkSessionExtension",
    "iceberg": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "plugin": "io.matchrecognize.MatchRecognizeExtensions",
}

TICKS = """
  VALUES (1, 'a', 10), (2, 'a', 8), (3, 'a', 6), (4, 'a', 9), (5, 'a', 9), (6, 'a', 7), (7, 'a', 8),
         (1, 'b', 20), (2, 'b', 21), (3, 'b', 15), (4, 'b', 16), (5, 'b', 18), (6, 'b', 17)
  AS t(day, symbol, price)
"""
CLAUSE = """
  MATCH_RECOGNIZE (
    PARTITION BY symbol ORDER BY day
    MEASURES FIRST(STRT.day) AS from_day, LAST(DOWN.price) AS low, LAST(UP.day) AS to_day
    PATTERN (STRT DOWN+ UP+)
    DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price))
"""
# the V shapes of TICKS, found by hand
SHAPES = [("a", 1, 6, 4), ("a", 5, 7, 7), ("b", 2, 15, 5)]


class Lake(NamedTuple):
    """A session, and the formats that it has."""

    spark: SparkSession
    formats: tuple[str, ...]


def has(part: str) -> bool:
    """Tell whether there is an artifact of a format for this Spark."""
    return any(jar.name.startswith(f"{part}-spark") for jar in JARS)


def session(folder: Path, order: list[str]) -> SparkSession:
    """Start a session with extensions in an order, and the catalogs of its formats."""
    names = ",".join(EXTENSIONS[name] for name in order)
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", ",".join(map(str, JARS)))
        .config("spark.sql.extensions", names)
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.hadoop.javax.jdo.option.ConnectionURL", f"jdbc:derby:{folder}/meta")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .config("spark.databricks.delta.snapshotPartitions", "2")
    )
    if "delta" in order:
        catalog = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        builder = builder.config("spark.sql.catalog.spark_catalog", catalog)
    if "iceberg" in order:
        for name, value in {
            "": "org.apache.iceberg.spark.SparkCatalog",
            ".type": "hadoop",
            ".warehouse": str(folder / "iceberg"),
        }.items():
            builder = builder.config(f"spark.sql.catalog.ice{name}", value)
    return mr.configure(builder).getOrCreate()


ORDERS = [
    order
    for order in (
        ["delta", "plugin"],
        ["plugin", "delta"],
        ["iceberg", "plugin"],
        ["plugin", "iceberg"],
        ["delta", "iceberg", "plugin"],
        ["plugin", "iceberg", "delta"],
    )
    if all(name == "plugin" or has(name) for name in order)
]


@pytest.fixture(scope="package", params=ORDERS, ids="-".join)
def lake(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    """Return a session of each order of extensions in turn, with the view `rows`."""
    folder = tmp_path_factory.mktemp("lake")
    spark = session(folder, request.param)
    spark.sql(f"CREATE TEMP VIEW rows AS SELECT * FROM {TICKS}")
    yield Lake(spark, tuple(name for name in request.param if name != "plugin"))
    spark.stop()


@pytest.fixture
def delta(lake: Lake) -> Iterator[SparkSession]:
    """Return the session with a Delta table `ticks` of the rows."""
    if "delta" not in lake.formats:
        pytest.skip("a session without Delta Lake")
    lake.spark.sql("CREATE TABLE ticks USING delta AS SELECT * FROM rows")
    yield lake.spark
    for (name,) in lake.spark.sql("SHOW TABLES IN default").select("tableName").collect():
        if name != "rows":
            lake.spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.fixture
def iceberg(lake: Lake) -> Iterator[SparkSession]:
    """Return the session with an Iceberg table `ice.db.ticks` of the rows."""
    if "iceberg" not in lake.formats:
        pytest.skip("a session without Iceberg")
    spark = lake.spark
    spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.db")
    spark.sql("CREATE TABLE ice.db.ticks USING iceberg AS SELECT * FROM rows")
    yield spark
    for (name,) in spark.sql("SHOW TABLES IN ice.db").select("tableName").collect():
        spark.sql(f"DROP TABLE IF EXISTS ice.db.{name} PURGE")


def found(spark: SparkSession, relation: str) -> list[tuple[object, ...]]:
    """Return the V shapes in a relation, in order."""
    return sorted(tuple(row) for row in spark.sql(f"SELECT * FROM {relation} {CLAUSE}").collect())


def exchanges(spark: SparkSession, query: str) -> int:
    """Return how many exchanges the plan of a query has."""
    (plan,) = spark.sql(f"EXPLAIN {query}").first() or ("",)
    return plan.count("Exchange hashpartitioning") + plan.count("Exchange SinglePartition")
