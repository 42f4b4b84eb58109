"""What the tests of `match_recognize` do in a session, classic or Connect, and the answers.

Run as a program, it does everything in a Connect session and prints the answers as JSON.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import frames_columns
from frames_columns import TICKS, rows, ticks
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from through_connect import print_answers

import spark_match_recognize as mr
from spark_match_recognize import methods

FALL: dict[str, Any] = {
    "partition_by": "symbol",
    "order_by": "ts",
    "measures": {"bottom": "LAST(DOWN.price)", "n": "COUNT(*)"},
    "pattern": "STRT DOWN+",
    "define": {"DOWN": "price < PREV(price)"},
}
MISTAKES: dict[str, dict[str, Any]] = {
    "condition": {"define": {"DOWN": "  price > 1 AND prise < PREV(price)"}},
    "second line": {"define": {"DOWN": "price > 1\n  AND prise < PREV(price)"}},
    "type": {"define": {"DOWN": "price + 1"}},
    "function": {"define": {"DOWN": "price > nosuch(price)"}},
    "measure": {"measures": {"low": "MIN(DOWN.price)", "high": "MAX(UP.price)"}},
    "name": {"measures": {"low": "1", "LOW": "2"}},
    "unused": {"define": {"DOWN": "price < PREV(price)", "UP": "TRUE"}},
    "syntax": {"define": {"DOWN": "price < "}},
    "emoji": {"measures": {"😀": "'😀' || prise"}},
    "bracket": {"define": {"DOWN": "price < (PREV(price)"}},
    "and": {"define": {"DOWN": "price > 1 && price < PREV(price)"}},
    "none": {"define": {"DOWN": "price is None"}},
    "name in a condition": {"define": {"DOWN": "last price < PREV(price)"}},
    "quote": {"measures": {"a": "'it", "b": "'is'"}},
    "too much": {"measures": {"a": "FIRST(price) b"}},
    "pattern": {"pattern": "STRT -> DOWN"},
    "pattern ends": {"pattern": "STRT |"},
    "key of order": {"order_by": ["symbol", "tss DESC"]},
    "name of column": {"partition_by": ["last price"]},
    "skip": {"after_match_skip": "TO LAST UP"},
    "rows": {"rows_per_match": "ALL ROW PER MATCH"},
    "within": {"within": "INTERVAL '1' DAY"},
    "subset": {"subset": {"U": ["STRT", "UP"]}},
    "subset name": {"subset": {"DOWN": ["STRT", "DOWN"]}},
}


def mistake(spark: SparkSession, name: str) -> dict[str, Any]:
    """Return what is told of a mistake."""
    try:
        mr.match_recognize(ticks(spark), **{**FALL, **MISTAKES[name]})
    except PySparkException as error:
        return {
            "condition": error.getCondition(),
            "state": error.getSqlState(),
            "class": type(error).__name__,
            "text": str(error).partition("\nJVM stacktrace")[0].strip(),
            "views": len(spark.catalog.listTables()),
        }
    return {}


def mistake_of_the_frame(spark: SparkSession) -> Any:
    """A mistake that is not one of the clause, which Connect notices only with the clause."""
    told = []
    for text in ("nosuch + 1 AS x", "1 +\n  nosuch AS x"):
        try:
            mr.match_recognize(ticks(spark).selectExpr("*", text), **FALL)
        except PySparkException as error:  # noqa: PERF203 - two texts
            shown = str(error).partition("\nJVM stacktrace")[0]
            told.append([error.getCondition(), "== define" in shown or "== MATCH" in shown])
    return told


def odd_names(spark: SparkSession) -> Any:
    """Columns, measures and variables whose names need quotes."""
    frame = spark.createDataFrame(TICKS, "`my key` STRING, `a.b` INT, `tick``s {0}` INT")
    found = mr.match_recognize(
        frame,
        partition_by="`my key`",
        order_by=["`a.b` DESC"],
        measures={
            "sum of `it`": "SUM(`first one`.`tick``s {0}`)",
            "select": "COUNT(U.*)",
            "x.y": "1",
        },
        rows_per_match="ALL ROWS PER MATCH",
        after_match_skip="TO LAST `first one`",
        pattern="`first one`{2}",
        subset={"U": ["first one"]},
        define={"first one": "`a.b` > 0 -- always"},
    )
    return [found.columns, rows(found)]


def cached(spark: SparkSession) -> Any:
    """Whether a cached frame stays cached, and is read from the cache."""
    frame = ticks(spark).select("*").cache()
    frame.count()
    found = mr.match_recognize(frame, **FALL)
    rows(found)
    still = [frame.storageLevel.useMemory, frame.is_cached]
    frame.unpersist()
    return still


def used_twice(spark: SparkSession) -> Any:
    """One frame in two clauses that are joined, and a clause over a clause."""
    frame = ticks(spark)
    found = mr.match_recognize(frame, **FALL)
    low = mr.match_recognize(frame.where("price < 45"), **FALL).drop("n")
    above = mr.match_recognize(
        found, order_by="n DESC", measures={"all": "COLLECT_LIST(bottom)"}, pattern="X+"
    )
    return [rows(found.join(low, ["symbol", "bottom"])), rows(above)]


def threads(spark: SparkSession) -> Any:
    """Frames made and run by several threads at the same time."""
    answers: list[Any] = []

    def work() -> None:
        answers.extend(rows(mr.match_recognize(ticks(spark), **FALL)) for _ in range(3))

    running = [threading.Thread(target=work) for _ in range(4)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return [len(answers), answers[0], all(answer == answers[0] for answer in answers)]


def stream(spark: SparkSession, folder: Path) -> Any:
    """A streaming frame."""
    path = str(folder / "ticks")
    spark.createDataFrame(TICKS, "symbol STRING, ts INT, price INT").write.parquet(path)
    read = spark.readStream.schema("symbol STRING, ts INT, price INT").parquet(path)
    timed = read.selectExpr("symbol", "price", "timestamp_seconds(ts) AS ts")
    found = mr.match_recognize(timed.withWatermark("ts", "0 seconds"), **FALL)
    query = (
        found.writeStream.format("parquet")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(folder / "found"))
    )
    query.awaitTermination()
    return [found.isStreaming, rows(spark.read.parquet(str(folder / "found")))]


def chained(spark: SparkSession) -> Any:
    """The function in a chain of transformations, duplicate column names, no key at all."""
    frame = ticks(spark)
    twice = frame.crossJoin(frame.where("ts = 2").selectExpr("ts"))
    count: dict[str, Any] = {"measures": {"n": "COUNT(*)"}, "pattern": "X+"}
    return [
        rows(frame.transform(mr.match_recognize, **FALL)),
        rows(mr.match_recognize(twice, **count)),
        rows(mr.match_recognize(frame, partition_by=[], order_by=(), define={}, **count)),
    ]


def warned(spark: SparkSession) -> Any:
    """Warnings of a statement, in the session given and the active one, and of a wrong one."""
    rows = "(VALUES (1), (2) AS t(k))"
    nested = f"""SELECT * FROM (
        SELECT * FROM {rows} MATCH_RECOGNIZE (MEASURES COUNT(*) AS k PATTERN (PERMUTE(A B)))
    ) MATCH_RECOGNIZE (ORDER BY k MEASURES COUNT(*) AS n PATTERN (A) DEFINE A AS k = NULL)"""
    clean = f"SELECT * FROM {rows} MATCH_RECOGNIZE (ORDER BY k MEASURES k AS l PATTERN (A))"
    try:
        mr.lint("SELECT nosuch")
    except PySparkException as error:
        condition = error.getCondition()
    stream = spark.readStream.format("rate").load()
    stream.withWatermark("timestamp", "1 second").createOrReplaceTempView("rates")
    of_stream = mr.lint(
        """SELECT * FROM rates MATCH_RECOGNIZE (ORDER BY timestamp MEASURES COUNT(*) AS n
        PATTERN (PERMUTE(A B)) DEFINE B AS value = NULL)"""
    )
    constants = mr.lint(
        f"""SELECT COUNT(*) OVER (PARTITION BY "k" ORDER BY 1 ROWS BETWEEN CURRENT ROW
        AND UNBOUNDED FOLLOWING PATTERN (A)) AS n FROM {rows}"""
    )
    spark.catalog.dropTempView("rates")
    return [
        mr.lint(nested, spark),
        mr.lint(clean, spark),
        len(mr.lint(nested)),
        condition,
        of_stream,
        constants,
    ]


def method(spark: SparkSession) -> Any:
    """The function as a method, on a frame of the session and on one that is made of its result."""
    found: Any = methods.with_methods(ticks(spark)).match_recognize(**FALL)
    above = found.match_recognize(measures={"all": "COUNT(*)"}, pattern="X+")
    return [rows(found), rows(above)]


def drawing(spark: SparkSession) -> Any:
    """The result as a picture: its parts, and the place of each dot."""
    found = mr.match_recognize(
        ticks(spark),
        partition_by="symbol",
        order_by="ts",
        measures={"role": "CLASSIFIER()", "number": "MATCH_NUMBER()"},
        rows_per_match="ALL ROWS PER MATCH WITH UNMATCHED ROWS",
        pattern="STRT DOWN+",
        define={"DOWN": "price < PREV(price)"},
    )
    figure = mr.plot(
        found, x="ts", y="last price", variable="role", match="number", partition_by="symbol"
    )
    return [
        [axes.get_title(), {str(c.get_label()): c.get_offsets().tolist() for c in axes.collections}]
        for axes in figure.axes
    ]


CHECKS: dict[str, Callable[[SparkSession], Any]] = {
    check.__name__: check
    for check in (
        odd_names,
        cached,
        used_twice,
        threads,
        chained,
        warned,
        *frames_columns.CHECKS,
        drawing,
        method,
        mistake_of_the_frame,
    )
}


def everything(spark: SparkSession, folder: Path) -> dict[str, Any]:
    """Return all answers of a session."""
    answers = {name: check(spark) for name, check in CHECKS.items()}
    answers["stream"] = stream(spark, folder)
    answers["mistakes"] = {name: mistake(spark, name) for name in MISTAKES}
    answers["views"] = [table.name for table in spark.catalog.listTables()]
    return answers


if __name__ == "__main__":
    print_answers(everything)
