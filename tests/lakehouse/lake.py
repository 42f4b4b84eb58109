"""What the tests beside Delta Lake and Iceberg share: their sessions, their rows, their plans."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from pyspark import __version__ as spark_version
from pyspark.sql import SparkSession

import spark_match_recognize as mr

ROOT = Path(__file__).resolve().parents[2]
MINOR = spark_version.rpartition(".")[0]
POM = (ROOT / "examples/lakehouse.pom.xml").read_text(encoding="utf-8")
# The newest minor that both formats have an artifact for: that of the pages and of the demo.
BOTH = re.findall(r"iceberg-spark-runtime-([\d.]+)_", POM)[-1]
JARS = sorted((ROOT / "out/lakehouse" / MINOR).glob("*.jar"))
EXTENSIONS = {
    "delta": "io.delta.sql.DeltaSparkSessionExtension",
    "iceberg": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "plugin": "io.matchrecognize.MatchRecognizeExtensions",
}
# The formats that have an artifact for this Spark.
FORMATS = [
    name for name in ("delta", "iceberg") if any(j.name.startswith(f"{name}-spark") for j in JARS)
]
# The orders in spark.sql.extensions: all formats at once, and where there are two, each alone.
WIDEST = [[*FORMATS, "plugin"], ["plugin", *reversed(FORMATS)]] if FORMATS else []
ALONE = [order for name in FORMATS for order in ([name, "plugin"], ["plugin", name])]
ORDERS = WIDEST + [order for order in ALONE if order not in WIDEST]

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
# The V shapes of TICKS, found by hand.
SHAPES: list[tuple[object, ...]] = [("a", 1, 6, 4), ("a", 5, 7, 7), ("b", 2, 15, 5)]


class Lake(NamedTuple):
    """A session, and the formats that it has."""

    spark: SparkSession
    formats: tuple[str, ...]


def settings(folder: Path, order: list[str]) -> dict[str, str]:
    """Return the settings of extensions in an order, with the catalogs of their formats.

    Args:
        folder: Where the tables go.
        order: Keys of EXTENSIONS.
    """
    found = {
        "spark.jars": ",".join(map(str, JARS)),
        "spark.sql.extensions": ",".join(EXTENSIONS[name] for name in order),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        # as in the session of the other tests, for speed
        "spark.buffer.pageSize": "4m",
        "spark.broadcast.blockSize": "64k",
        "spark.sql.artifact.isolation.enabled": "false",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
    }
    if order[0] == "plugin":  # half of the orders: Delta Lake's own queries take less time so
        found["spark.sql.codegen.wholeStage"] = "false"
        found["spark.sql.codegen.factoryMode"] = "NO_CODEGEN"
    if "delta" in order:
        catalog = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        found["spark.sql.catalog.spark_catalog"] = catalog
    if "iceberg" in order:
        found["spark.sql.catalog.ice"] = "org.apache.iceberg.spark.SparkCatalog"
        found["spark.sql.catalog.ice.type"] = "hadoop"
        found["spark.sql.catalog.ice.warehouse"] = str(folder / "iceberg")
    return found


def session(folder: Path, order: list[str]) -> SparkSession:
    """Start a session with extensions in an order, and the catalogs of its formats."""
    builder = SparkSession.builder.master("local[2]").config(map=settings(folder, order))
    return mr.configure(builder).getOrCreate()


def rows(spark: SparkSession, query: str) -> list[tuple[object, ...]]:
    """Return the rows of a query or a table, in order."""
    frame = spark.sql(query) if " " in query else spark.table(query)
    return sorted(tuple(row) for row in frame.collect())


def found(spark: SparkSession, relation: str) -> list[tuple[object, ...]]:
    """Return the V shapes in a relation, in order."""
    return rows(spark, f"SELECT * FROM {relation} {CLAUSE}")


def plan(spark: SparkSession, query: str) -> str:
    """Return the plan that EXPLAIN FORMATTED prints."""
    (text,) = spark.sql(f"EXPLAIN FORMATTED {query}").first() or ("",)
    return str(text)


def exchanges(spark: SparkSession, query: str) -> int:
    """Return how many exchanges the plan of a query has."""
    (text,) = spark.sql(f"EXPLAIN {query}").first() or ("",)
    return len(re.findall(r"\bExchange\b", str(text)))
