"""A view over a clause outlives the session: the metastore stores its text."""

from __future__ import annotations

import pytest
from loading import Run

SESSION = """
from pyspark.sql import SparkSession
from spark_match_recognize import configure

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.catalogImplementation", "hive").config("spark.log.level", "OFF")
for key, value in {confs}.items():
    builder = builder.config(key, value)
spark = configure(builder).getOrCreate()
"""

CREATE = """
spark.sql("CREATE TABLE prices AS SELECT * FROM VALUES ('X', 1, 10), ('X', 2, 8), ('X', 3, 9), "
          "('Y', 1, 5) AS v(symbol, day, price)")
spark.sql('''CREATE VIEW falls AS SELECT symbol, days, bottom -- MATCH_RECOGNIZE (
FROM prices MATCH_RECOGNIZE (
  PARTITION BY Symbol ORDER BY day
  MEASURES COUNT(*) AS days, MIN(down.price) AS bottom, FINAL LAST(day) AS last_day
  PATTERN (STRT DOWN{1,2}? UP?) DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price)
) AS m''')
spark.sql("CREATE VIEW over_falls AS SELECT * FROM falls WHERE bottom < 9")
spark.sql("CREATE DATABASE aside")
"""

READ = """
spark.sql("USE aside")
print([tuple(row) for row in spark.sql("SELECT * FROM default.over_falls").collect()])
"""


@pytest.mark.slow
def test_view_after_a_restart(run_python: Run) -> None:
    made = run_python(SESSION.format(confs={}) + CREATE)
    assert made.returncode == 0, made.stderr[-2000:]
    confs = {"spark.sql.caseSensitive": "true", "spark.sql.ansi.enabled": "false"}
    read = run_python(SESSION.format(confs=confs) + READ)
    assert read.returncode == 0, read.stderr[-2000:]
    assert read.stdout.splitlines()[-1] == "[('X', 3, 8)]"
