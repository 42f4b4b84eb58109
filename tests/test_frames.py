"""`match_recognize` on DataFrames: the same answers in a classic and in a Connect session."""

from __future__ import annotations

import doctest
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import frames
import pandas as pd
import pytest
from frames_wanted import PLACES, WANTED
from loading import Run
from pyspark.errors import AnalysisException, ArithmeticException, ParseException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession
from through_connect import Answers

import spark_match_recognize as mr
from spark_match_recognize import methods
from spark_match_recognize._text import RESERVED, quoted

ASKED = frames


@pytest.mark.parametrize("check", WANTED)
def test_answer(answers: Answers, check: str) -> None:
    assert answers[check] == WANTED[check]


@pytest.mark.parametrize("mistake", frames.MISTAKES)
def test_mistake(answers: Answers, mistake: str) -> None:
    condition, place = PLACES[mistake]
    told = answers["mistakes"][mistake]
    assert told["condition"] == condition
    assert told["text"].endswith("\n" + place) or told["text"] == place
    assert told["text"].startswith("[" + condition + "] ")
    assert f"SQLSTATE: {told['state']}\n==" in told["text"]
    assert "_pyspark" not in told["text"]
    assert told["class"] == ("ParseException" if "PARSE" in condition else "AnalysisException")
    assert told["views"] == 0


def test_retold_error_is_not_logged(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pyspark logs the same mistake in SQL, until it is told not to."""
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    logged: list[object] = []
    monkeypatch.setattr(logger, "callHandlers", logged.append)
    monkeypatch.setattr(logger, "disabled", False)
    other = PySparkLogger.getLogger("DataFrameQueryContextLogger")
    monkeypatch.setattr(other, "disabled", other.disabled)
    frame = frames.ticks(spark)
    arguments = {**frames.FALL, "define": {"DOWN": "prise > 1"}}

    def fails(run: Callable[[], object]) -> int:
        with pytest.raises(AnalysisException, match="prise"):
            run()
        return len(logged)

    statement = f"SELECT * FROM {{df}} {mr.to_sql(**arguments)}"
    assert fails(lambda: spark.sql(statement, df=frame)) == 1
    assert fails(lambda: mr.match_recognize(frame, **arguments)) == 1
    told = statement.replace("{df}", "VALUES (1, 2, 3) AS t(symbol, ts, price)")
    for function in mr.trace, mr.explain, mr.report, mr.lint:
        assert fails(partial(function, told, spark=spark)) == 1
    assert fails(lambda: mr.plot(frame, x="prise", y="price")) == 1
    assert fails(lambda: spark.sql(statement, df=frame)) == 2
    mr.silence_pyspark()
    assert fails(lambda: spark.sql(statement, df=frame)) == 2


@pytest.mark.parametrize(("measures", "pictures"), [({}, 1), ({"role": "A", "number": 1}, 3)])
def test_pictures_of_a_frame_of_pandas(measures: dict[str, object], pictures: int) -> None:
    """The columns before `x` are keys in what looks like the result of a clause."""
    frame = pd.DataFrame({"key": [1, 2, 3] * 2, "x": range(6), "y": range(6), **measures})
    assert len(mr.plot(frame, x="x", y="y").axes) == pictures


def test_error_of_a_task_quotes_the_statement(spark: SparkSession) -> None:
    arguments = {**frames.FALL, "define": {"DOWN": "1 / (ts - 3) < 5"}}
    with pytest.raises(ArithmeticException) as caught:
        mr.match_recognize(frames.ticks(spark), **arguments).collect()
    assert "    DOWN AS 1 / (ts - 3) < 5\n            ^^^^^^^^^^^^" in str(caught.value)


@pytest.fixture
def strict(spark: SparkSession) -> SparkSession:
    """Return a session where reserved words cannot be names."""
    session = spark.newSession()
    session.conf.set("spark.sql.ansi.enabled", "true")
    session.conf.set("spark.sql.ansi.enforceReservedKeywords", "true")
    return session


def test_reserved_words_as_names(strict: SparkSession) -> None:
    named = [*RESERVED, "PERMUTE", "define", "a b"]
    assert strict.sql("SELECT " + ", ".join(f"1 AS {quoted(n)}" for n in named)).columns == named
    found = mr.match_recognize(
        strict.sql("SELECT 1 AS `select`"),
        order_by="`select`",
        measures={"from": "SUM(`WHERE`.`select`)"},
        pattern="`WHERE`",
    )
    assert [row.asDict() for row in found.collect()] == [{"from": 1}]


@pytest.mark.slow  # the first list of keywords takes Spark 20 seconds
def test_reserved_words_are_those_of_spark(strict: SparkSession) -> None:
    rows = strict.sql("SELECT keyword FROM sql_keywords() WHERE reserved").collect()
    words = {row.keyword for row in rows}
    assert words
    assert words <= RESERVED


def test_clause_that_is_turned_off(spark: SparkSession) -> None:
    session = spark.newSession()
    session.conf.set("spark.matchRecognize.enabled", "false")
    with pytest.raises(ParseException, match="FEATURE_NOT_ENABLED"):
        mr.match_recognize(frames.ticks(session), **frames.FALL)


def test_order_in_which_a_stream_is_searched(spark: SparkSession) -> None:
    rates = spark.readStream.format("rate").load().withWatermark("timestamp", "1 hour")
    clause = {"order_by": "timestamp", "measures": {"n": "COUNT(*)"}, "pattern": "A B+"}

    def search(**order: str) -> list[str]:
        divided = rates.repartition(2)
        return mr.match_recognize(divided, **clause, **order).columns  # type: ignore[arg-type]

    with pytest.raises(AnalysisException, match="ARRIVAL_ORDER"):
        search(input_order="arrival")
    assert search(input_order="watermark") == search() == ["n"]
    with pytest.raises(ValueError, match="input_order is 'time'"):
        search(input_order="time")


def test_examples_of_docstrings(spark: SparkSession) -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF)
    tests = [
        test
        for module in (mr, methods)
        for name in module.__all__
        for test in finder.find(getattr(module, name), name, globs={"spark": spark})
        if test.examples
    ]
    assert {
        "diagram",
        "lint",
        "with_methods",
        "match_recognize",
        "plot",
        "to_sql",
        "translate",
    } <= {test.name for test in tests}
    for test in tests:
        assert runner.run(test).failed == 0, test.name


USER = """
import spark_match_recognize as mr
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

def falls(spark: SparkSession) -> DataFrame:
    ticks: DataFrame = spark.table("ticks")
    keys = ("symbol",)
    found = ticks.transform(mr.match_recognize, pattern="A+", order_by=["ts"], partition_by=keys)
    reveal_type(found)
    mr.match_recognize(ticks, order_by=F.col("ts").desc(), partition_by=ticks.symbol, pattern="A")
    mr.match_recognize(ticks, measures=[F.count("*").alias("n")], pattern="A")
    mr.match_recognize(ticks, measures={"n": F.count("*"), "m": "1"}, pattern="A")
    rows: str = "ALL ROWS PER MATCH"
    mr.match_recognize(ticks, pattern="A", rows_per_match=rows)
    return mr.match_recognize(ticks, pattern="A+", define={"A": "price > 0"}, subset={"U": ["A"]})

def wrong(ticks: DataFrame) -> None:
    mr.match_recognize(ticks, pattern="A", define=1)
    mr.match_recognize(ticks, define={"A": "TRUE"})
    mr.match_recognize(ticks, pattern="A", subset={"U": 1})
    mr.match_recognize("ticks", pattern="A")
"""


@pytest.mark.slow
def test_types_for_users(tmp_path: Path, run_program: Run) -> None:
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    done = run_program(sys.executable, "-m", "mypy", "--strict", "user.py")
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line.split(":")[1] for line in errors] == ["19", "20", "21", "22"], done.stdout
    assert 'Revealed type is "pyspark.sql.dataframe.DataFrame"' in done.stdout
