"""A table of matches that each micro-batch of another table's stream brings up to date."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lakehouse.lake import CLAUSE, SHAPES, rows
from pyspark.sql import DataFrame, SparkSession


def run(matches: DataFrame, checkpoint: Path, batch: Callable[[DataFrame, int], None]) -> None:
    """Run a query over what there is."""
    writer = matches.writeStream.foreachBatch(batch).option("checkpointLocation", str(checkpoint))
    writer.trigger(availableNow=True).start().awaitTermination()


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
