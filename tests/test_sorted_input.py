"""The clause over rows whose order is known: what each patch of Spark knows of it differs."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

COUNTS = """
  MATCH_RECOGNIZE (PARTITION BY h ORDER BY k MEASURES COUNT(*) AS n, LAST(v) AS v PATTERN (A+))
"""
ROWS = "(SELECT id % 3 AS g, id % 7 AS v, id AS k FROM range(100))"
SORTED = {
    "by Spark": f"SELECT * FROM {ROWS} DISTRIBUTE BY g SORT BY g",
    "by a window": f"SELECT *, row_number() OVER (PARTITION BY g ORDER BY v) AS place FROM {ROWS}",
    "by a clause": f"""SELECT g, v, k FROM {ROWS} MATCH_RECOGNIZE (
        PARTITION BY g ORDER BY v MEASURES COUNT(*) AS n ALL ROWS PER MATCH PATTERN (A+))""",
}


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("kind", SORTED)
def test_keys_with_several_names(spark: SparkSession, kind: str, adaptive: str) -> None:
    """The input is sorted by the key, which has two names; the rows of a key are to be sorted."""
    session = spark.newSession()
    session.conf.set("spark.sql.adaptive.enabled", adaptive)
    found = session.sql(
        f"SELECT * FROM (SELECT g AS h, g AS too, v, k FROM ({SORTED[kind]})) {COUNTS}"
    )
    assert sorted(map(tuple, found.collect())) == [(0, 34, 1), (1, 33, 6), (2, 33, 0)]
