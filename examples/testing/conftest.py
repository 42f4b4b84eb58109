"""A session with the plugin for all tests of a project: docs/testing.md."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

import spark_match_recognize as mr


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Yield a session with the plugin."""
    builder = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", 2)
    session = mr.configure(builder.config("spark.sql.session.timeZone", "UTC")).getOrCreate()
    yield session
    session.stop()
