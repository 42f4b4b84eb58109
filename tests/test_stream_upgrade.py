"""A stream resumes from the checkpoint that the Spark of another environment has written.

`OLDER_PYTHON` is the Python of that environment, by default this one; the table of supported
versions is made with the Spark of the minor before.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from loading import Run
from pyspark.sql import SparkSession

CLAUSE = """MATCH_RECOGNIZE (
  PARTITION BY g ORDER BY ts
  MEASURES FIRST(v) AS v, COUNT(B.*) AS n, SUM(B.v) AS total, MATCH_NUMBER() AS m,
           LAST(CLASSIFIER()) AS c
  AFTER MATCH SKIP TO NEXT ROW
  PATTERN (A (B | X)+ C) WITHIN INTERVAL '300' SECOND
  DEFINE B AS v > PREV(v) AND SUM(B.v) < 60, X AS v < FIRST(A.v), C AS v = 7)"""
PROGRAM = """
import sys
from pyspark.sql import SparkSession
from spark_match_recognize import configure
folder, provider, clause = sys.argv[1:]
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.log.level", "OFF")
builder = builder.config("spark.sql.session.timeZone", "UTC")
builder = builder.config("spark.sql.streaming.stateStore.providerClass", provider)
spark = configure(builder).getOrCreate()
rows = spark.readStream.schema("g STRING, ts TIMESTAMP, v INT").json(f"{folder}/in")
rows.withWatermark("ts", "20 seconds").createOrReplaceTempView("rows")
query = spark.sql("SELECT * FROM rows " + clause).writeStream.format("json")
query = query.option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True)
query.start(f"{folder}/out").awaitTermination()
print("RAN", spark.version)
spark.stop()
"""
# the checkpoint of this version is read by StreamUpgradeSuite too, and resumed in other tests
pytestmark = pytest.mark.slow
STATE = "org.apache.spark.sql.execution.streaming.state."
COLUMNS = ["g", "v", "n", "total", "m", "c"]


def row(second: int, group: str, value: int) -> str:
    ts = f"2026-03-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
    return json.dumps({"g": group, "ts": ts, "v": value})


def rows(seconds: range) -> str:
    return "\n".join(row(s, "ab"[s % 3 % 2], s**3 % 11) for s in seconds) + "\n"


@pytest.mark.parametrize(
    "provider", [STATE + "HDFSBackedStateStoreProvider", STATE + "RocksDBStateStoreProvider"]
)
def test_resumes(spark: SparkSession, run_program: Run, tmp_path: Path, provider: str) -> None:
    (tmp_path / "in").mkdir()
    steps = [
        (os.environ.get("OLDER_PYTHON", sys.executable), rows(range(400))),
        (sys.executable, rows(range(400, 800)) + row(9000, "z", 0) + "\n"),
    ]
    given = []
    for number, (python, text) in enumerate(steps):
        (tmp_path / f"in/{number}.json").write_text(text)
        # the scripts of a Spark are found by the PATH
        path = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
        run = run_program(
            python, "-c", PROGRAM, str(tmp_path), provider, CLAUSE, env={"PATH": path}
        )
        assert "RAN" in run.stdout, run.stdout + run.stderr[-3000:]
        given.append(spark.read.json(f"{tmp_path}/out").select(COLUMNS).collect())
    spark.read.schema("g STRING, ts TIMESTAMP, v INT").json(
        f"{tmp_path}/in"
    ).createOrReplaceTempView("all_rows")
    wanted = spark.sql(f"SELECT * FROM all_rows {CLAUSE}").select(COLUMNS).collect()
    assert 0 < len(given[0]) < len(given[1])
    assert sorted(given[1]) == sorted(wanted)
