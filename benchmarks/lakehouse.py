"""The clause over tables of Iceberg and Delta Lake, by how their rows are laid out.

    make out/lakehouse/4.1/.complete
    PYTHONPATH=.spark/4.1.4 .venv/bin/python benchmarks/lakehouse.py [--rows N] [--rounds 7]

V shapes of 100,000 keys, in one JVM, each contestant once a round: over Iceberg tables in buckets
of the key, whose files are in the order of the clause or not, over one without buckets, and over a
Delta table clustered by the key; and the bare scan of the same columns. It prints the medians of
CPU and wall time, and medians and ranges of their paired ratios to the scan of the same format.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from functools import partial
from pathlib import Path

from pyspark import __version__ as spark_version
from pyspark.sql import SparkSession
from session import measure, paired_rounds, spread, start

ROOT = Path(__file__).resolve().parent.parent
JARS = ROOT / "out/lakehouse" / spark_version.rpartition(".")[0]
BUCKETS = 8
CLAUSE = """
  SELECT * FROM {t} MATCH_RECOGNIZE (
    PARTITION BY k ORDER BY i
    MEASURES STRT.i AS from_i, LAST(UP.i) AS to_i, MIN(v) AS low
    PATTERN (STRT DOWN+ UP+)
    DEFINE DOWN AS v < PREV(v), UP AS v > PREV(v))
"""
SCAN = "SELECT k, i, v FROM {t}"
# What is measured: the name, the query, the table, and the scan that it is compared with.
CONTESTANTS = {
    "Iceberg, scan": (SCAN, "lake.db.sorted", "Iceberg, scan"),
    "Iceberg, bucket(8, k), WRITE ORDERED BY k, i": (CLAUSE, "lake.db.sorted", "Iceberg, scan"),
    "Iceberg, bucket(8, k)": (CLAUSE, "lake.db.bucketed", "Iceberg, scan"),
    "Iceberg, not partitioned": (CLAUSE, "lake.db.plain", "Iceberg, scan"),
    "Delta, scan": (SCAN, "clustered", "Delta, scan"),
    "Delta, CLUSTER BY (k)": (CLAUSE, "clustered", "Delta, scan"),
}


def session(folder: Path) -> SparkSession:
    """Return a session with both formats, whose tables go to a folder."""
    settings = {
        "spark.jars": ",".join(map(str, sorted(JARS.glob("*.jar")))),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(folder / "iceberg"),
        "spark.sql.warehouse.dir": str(folder / "delta"),
        "spark.sql.sources.v2.bucketing.enabled": "true",
        "spark.sql.iceberg.planning.preserve-data-grouping": "true",
    }
    return start(shuffle_partitions=BUCKETS, settings=settings)


def make_tables(spark: SparkSession, rows: int) -> None:
    """Write the same rows to all tables, in the order in which they happened."""
    spark.sql(
        f"""CREATE TEMP VIEW happened AS
            SELECT CAST(pmod(hash(id), 100000) AS INT) AS k, id AS i,
                   CAST(hash(id, 7) % 1000 AS INT) AS v FROM range({rows})"""
    )
    columns = "(k INT, i BIGINT, v INT)"
    buckets = f"PARTITIONED BY (bucket({BUCKETS}, k))"
    for name, layout in {"sorted": buckets, "bucketed": buckets, "plain": ""}.items():
        spark.sql(f"CREATE TABLE lake.db.{name} {columns} USING iceberg {layout}")
    spark.sql("ALTER TABLE lake.db.sorted WRITE ORDERED BY k, i")
    spark.sql(f"CREATE TABLE clustered {columns} USING delta CLUSTER BY (k)")
    for name in ("lake.db.sorted", "lake.db.bucketed", "lake.db.plain", "clustered"):
        spark.sql(f"INSERT INTO {name} SELECT * FROM happened")
    spark.sql("OPTIMIZE clustered")


def main() -> None:
    """Make the tables and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = session(Path(folder))
        make_tables(spark, options.rows)
        runs = {
            name: partial(measure, spark, partial(spark.sql, query.format(t=table)))
            for name, (query, table, _) in CONTESTANTS.items()
        }
        costs = paired_rounds(runs, options.warm_up, options.rounds)
        for name, (_, _, scan) in CONTESTANTS.items():
            cpu, wall = ([cost[part] for cost in costs[name]] for part in (0, 1))
            ratios = (
                spread(ours, [cost[part] for cost in costs[scan]])
                for part, ours in enumerate((cpu, wall))
            )
            print(
                f"{name}: {statistics.median(cpu):.2f} s CPU, {statistics.median(wall):.2f} s;",
                "of the scan: CPU {}, wall {}".format(*ratios),
                flush=True,
            )
        spark.stop()


if __name__ == "__main__":
    main()
