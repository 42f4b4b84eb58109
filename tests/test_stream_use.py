"""Streams as users write them: SQL over a streaming view, all triggers and sinks, both clients."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from loading import Run, answer
from pyspark.sql import SparkSession
from tidy import tidy

PROGRAM = """
import contextlib, io, json, os, time
from pyspark.sql import SparkSession
from spark_match_recognize import configure
builder = SparkSession.builder.config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
builder = builder.config("spark.sql.shuffle.partitions", "2").config(map=CONFS)
spark = configure(builder).getOrCreate()

HERE = os.getcwd()  # a server has another folder
ROWS = [("a", 0, 10), ("a", 1, 8), ("b", 1, 5), ("a", 2, 12), ("b", 3, 4), ("b", 4, 9)]
ROWS.append(("a", 30, 1))
CLAUSE = '''MATCH_RECOGNIZE (
  PARTITION BY name ORDER BY ts
  MEASURES FIRST(v) AS top, MIN(v) AS low, LAST(v) AS now
  PATTERN (STRT DOWN+ UP)
  DEFINE DOWN AS v < PREV(v), UP AS v > PREV(v)
)'''
SCHEMA = "name STRING, second INT, v INT"
SELECTED = ["name", "v", "timestamp_seconds(1700000000 + second) AS ts"]

def write(name, rows):
    os.makedirs("in", exist_ok=True)
    with open(f"in/{name}.json", "w") as file:
        file.writelines(json.dumps(dict(zip(("name", "second", "v"), r))) + chr(10) for r in rows)

write("one", ROWS[:3])
write("two", ROWS[3:])
stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(f"{HERE}/in")
stream = stream.selectExpr(*SELECTED)
stream.withWatermark("ts", "5 seconds").createOrReplaceTempView("ticks")
stream.createOrReplaceTempView("unmarked")
found = spark.sql(f"SELECT * FROM ticks {CLAUSE}")

def collected(name):
    return sorted(list(row) for row in spark.table(name).collect())

def finish(query):
    query.awaitTermination()
    assert query.exception() is None

answer = {}
# to a table in memory, all that is there
finish(found.writeStream.format("memory").queryName("m").trigger(availableNow=True).start())
answer["memory"] = collected("m")
# the watermark in SQL
sql = f"SELECT * FROM unmarked WATERMARK ts DELAY OF INTERVAL 5 SECONDS {CLAUSE}"
finish(
    spark.sql(sql).writeStream.format("memory").queryName("w").trigger(availableNow=True).start()
)
answer["sql watermark"] = collected("w")
# to files
writer = found.writeStream.format("json").option("path", f"{HERE}/out")
writer = writer.option("checkpointLocation", f"{HERE}/c1")
finish(writer.trigger(availableNow=True).start())
rows = spark.read.schema("name STRING, top INT, low INT, now INT").json(f"{HERE}/out").collect()
answer["files"] = sorted(list(row) for row in rows)
# by batches
def save(batch, number):
    batch.write.mode("overwrite").json(f"{HERE}/batches/{number}")
writer = found.writeStream.foreachBatch(save).trigger(availableNow=True)
for attempt in range(5):
    try:
        query = writer.start()
        break
    except Exception as error:
        # the server waits ten seconds for its Python process, too little on a busy machine
        if attempt == 4 or "Python worker" not in str(error):
            raise
finish(query)
batches = spark.read.schema("name STRING, top INT, low INT, now INT").json(f"{HERE}/batches/*")
answer["batches"] = sorted(list(row) for row in batches.collect())
# to the console
finish(found.writeStream.format("console").trigger(availableNow=True).start())
# forever
query = found.writeStream.format("memory").queryName("p").trigger(processingTime="1 second")
query = query.start()
for _ in range(240):
    time.sleep(0.5)
    if len(collected("p")) == 2:
        break
answer["forever"] = collected("p")
answer["is active"] = query.isActive
answer["operators"] = [o["operatorName"] for o in query.lastProgress["stateOperators"]]
text = io.StringIO()
with contextlib.redirect_stdout(text):
    query.explain()
answer["explained"] = "MatchRecognize [name" in text.getvalue()
query.stop()
# parameters, and the data frame by name
named = spark.sql(f"SELECT * FROM {{t}} {CLAUSE}", t=spark.table("ticks"))
finish(named.writeStream.format("memory").queryName("n").trigger(availableNow=True).start())
answer["by name"] = collected("n")
try:
    spark.sql(f"SELECT * FROM unmarked {CLAUSE}").schema
except Exception as error:
    answer["error"] = error.getCondition()
print("ANSWER " + json.dumps(answer))
spark.stop()
"""
MATCHES = [["a", 10, 8, 12], ["b", 5, 4, 9]]


def told(done: subprocess.CompletedProcess[str]) -> None:
    assert answer(done) == {
        "memory": MATCHES,
        "sql watermark": MATCHES,
        "files": MATCHES,
        "batches": MATCHES,
        "forever": MATCHES,
        "is active": True,
        "operators": ["matchRecognize"],
        "by name": MATCHES,
        "explained": True,
        "error": "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.NO_WATERMARK",
    }


@pytest.mark.slow
def test_classic(run_python: Run, plain_confs: dict[str, str]) -> None:
    done = run_python(f"CONFS = {plain_confs}\n{PROGRAM}")
    told(done)
    assert "Batch: 0" in done.stdout


def test_connect(run_connected: Run) -> None:
    """The console is that of the server."""
    told(run_connected("-", stdin=f"CONFS = {{}}\n{PROGRAM}"))


@pytest.mark.parametrize(("way", "matches"), [("each", 0), ("above", 1), ("max", 1)])
def test_idle_input_of_a_union(spark: SparkSession, tmp_path: Path, way: str, matches: int) -> None:
    """It holds back the watermark, unless that is above the union or the latest one counts."""
    for name in ("north", "south"):
        (tmp_path / name).mkdir()
    times = ("10:00:10,1", "10:00:20,2", "10:01:00,0")
    rows = [f"s,2026-03-01 {time}" for time in times]
    (tmp_path / "north/0.csv").write_text("\n".join(rows))
    session = spark.newSession()
    try:
        if way == "max":
            session.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
        reader = session.readStream.schema("sensor STRING, ts TIMESTAMP, value INT")
        inputs = [reader.csv(str(tmp_path / name)) for name in ("north", "south")]
        if way != "above":
            inputs = [each.withWatermark("ts", "10 seconds") for each in inputs]
        both = inputs[0].union(inputs[1])
        if way == "above":
            both = both.withWatermark("ts", "10 seconds")
        both.createOrReplaceTempView("readings")
        found = session.sql("""SELECT * FROM readings MATCH_RECOGNIZE (
            PARTITION BY sensor ORDER BY ts MEASURES B.value AS high
            PATTERN (A B) DEFINE B AS value > A.value)""")
        writer = found.writeStream.format("memory").queryName("idle").trigger(availableNow=True)
        writer.start().awaitTermination()
        assert session.table("idle").count() == matches
    finally:
        tidy(session)
