"""The flights of the tutorial: all as a table, and as they arrive in a folder as a stream."""

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession

FOLDER = "departures"
SCHEMA = "aircraft STRING, ts TIMESTAMP, flight INT, dest STRING, delay INT"


@dp.materialized_view
def departures() -> DataFrame:
    """Return all rows that are in the folder."""
    return SparkSession.active().read.schema(SCHEMA).parquet(FOLDER)


@dp.table
def arriving() -> DataFrame:
    """Return the rows of the folder as a stream."""
    return SparkSession.active().readStream.schema(SCHEMA).parquet(FOLDER)
