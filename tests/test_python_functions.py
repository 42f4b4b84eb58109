"""Python functions in MEASURES, DEFINE and the keys, classic and through Connect."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pytest
from loading import Run
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import pandas_udf, udf

Clause = Callable[..., DataFrame]
INPUT = """
    SELECT * FROM VALUES (1, 1, 10), (1, 2, 8), (1, 3, 6), (1, 4, 9), (2, 1, 5), (2, 2, NULL)
    AS v(k, t, p)
"""
FALLING = "B AS p < PREV(p)"


@pytest.fixture(scope="module")
def clause(spark: SparkSession) -> Iterator[Clause]:
    """Return a function that runs a clause over the input, with Python functions registered."""
    session = spark.newSession()
    session.sql(INPUT).createOrReplaceTempView("python_input")

    def total(values: pd.Series) -> float:
        return float(values.sum())

    session.udf.register("inc", udf(lambda x: None if x is None else x + 1, "int"))
    session.udf.register("plain", udf(repr, "string", useArrow=False))
    session.udf.register("pair", udf(lambda x, y: f"{x}/{y}", "string"))
    session.udf.register("dice", udf(random.random, "double").asNondeterministic())
    session.udf.register("double_of", pandas_udf(lambda x: x * 2, "double"))
    session.udf.register("total", pandas_udf(total, "double"))

    def run(
        measures: str = "COUNT(*) AS n",
        define: str = FALLING,
        rest: str = "",
        keys: str = "PARTITION BY k ORDER BY t",
        pattern: str = "A B*",
    ) -> DataFrame:
        return session.sql(
            f"SELECT * FROM python_input MATCH_RECOGNIZE ({keys} MEASURES {measures} {rest} "
            f"PATTERN ({pattern}) DEFINE {define}) AS m"
        )

    yield run
    session.catalog.dropTempView("python_input")


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    """Return the rows, sorted."""
    return sorted((tuple(row) for row in frame.collect()), key=repr)


def plan(frame: DataFrame, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the physical plan."""
    frame.explain()
    return capsys.readouterr().out


def test_over_one_row_and_over_results(clause: Clause) -> None:
    frame = clause(
        "inc(LAST(B.p)) AS a, LAST(inc(B.p)) AS b, SUM(inc(p)) AS c, MAX(double_of(p)) AS d, "
        "pair(FIRST(A.t), COUNT(*)) AS e, plain(LAST(p)) AS f, PREV(inc(p)) AS g"
    )
    assert frame.columns == ["k", "a", "b", "c", "d", "e", "f", "g"]
    assert all(field.nullable for field in frame.schema.fields[1:])
    assert rows(frame) == [
        (1, 7, 7, 27, 20.0, "1/3", "6", 9),
        (1, None, None, 10, 18.0, "4/1", "9", 7),
        (2, None, None, 6, 10.0, "1/1", "5", None),
        (2, None, None, None, None, "2/1", "None", 6),
    ]


def test_aggregates_that_differ_in_the_sign_of_a_zero(clause: Clause) -> None:
    texts = ", ".join(f"plain(MAX(CAST({zero} AS STRING)))" for zero in ("0D", "-0D"))
    assert rows(clause(f"concat_ws(' ', {texts}) AS a"))[0] == (1, "'0.0' '-0.0'")


def test_all_rows_shows_no_helper_columns(clause: Clause) -> None:
    frame = clause(
        "pair(CLASSIFIER(), FINAL COUNT(*)) AS a, LAST(inc(p)) AS b", rest="ALL ROWS PER MATCH"
    )
    assert frame.columns == ["k", "t", "a", "b", "p"]
    assert rows(frame)[:3] == [
        (1, 1, "A/3", 11, 10),
        (1, 2, "B/3", 9, 8),
        (1, 3, "B/3", 7, 6),
    ]


def test_unmatched_rows_have_null(clause: Clause) -> None:
    frame = clause(
        "plain(LAST(p)) AS a, coalesce(inc(B.p), -1) AS b, inc(1) AS c",
        rest="ALL ROWS PER MATCH WITH UNMATCHED ROWS",
        pattern="A B+",
    )
    assert rows(frame) == [
        (1, 1, "10", -1, 2, 10),
        (1, 2, "8", 9, 2, 8),
        (1, 3, "6", 7, 2, 6),
        (1, 4, None, None, None, 9),
        (2, 1, None, None, None, 5),
        (2, 2, None, None, None, None),
    ]


def test_classifier_inside_navigation(clause: Clause) -> None:
    frame = clause("LAST(pair(B.p, CLASSIFIER(B))) AS a, PREV(pair(p, CLASSIFIER())) AS b")
    assert rows(frame) == [
        (1, "6/B", "8/B"),
        (1, None, "6/None"),
        (2, None, "5/None"),
        (2, None, None),
    ]


@pytest.mark.parametrize(
    ("define", "sizes"),
    [
        ("inc(p) < 10", [3, 1, 1, 1]),
        ("inc(B.p) < PREV(inc(p))", [3, 1, 1, 1]),
        ("plain(U.p) IN ('8', 'None')", [2, 1, 1, 2]),
        ("double_of(p + 1) > 13", [4, 1, 1]),
        ("SUM(inc(p)) > 19", [4, 1, 1]),
        ("FIRST(inc(A.p)) = 11", [4, 1, 1]),
        ("inc(p) BETWEEN 7 AND 9", [3, 1, 1, 1]),
        ("(inc(p), t) IN (SELECT 9, 2)", [2, 1, 1, 1, 1]),
        ("inc(1) = 3", [1, 1, 1, 1, 1, 1]),
    ],
)
def test_conditions_on_the_tested_row(clause: Clause, define: str, sizes: list[int]) -> None:
    frame = clause(define=f"B AS {define}", pattern="A B*) SUBSET U = (A, B")
    assert sorted(row.n for row in frame.collect()) == sorted(sizes)


def test_an_aggregate_names_what_works_instead(clause: Clause) -> None:
    with pytest.raises(AnalysisException) as caught:
        clause("total(p) AS n", FALLING)
    assert "as in f(COLLECT_LIST(price))" in str(caught.value)


@pytest.mark.parametrize(
    ("measures", "define", "condition", "shown"),
    [
        (
            "1 AS n",
            "B AS inc(PREV(p)) > 3",
            "MATCH_RECOGNIZE_UNSUPPORTED.PYTHON_UDF",
            "inc(PREV(p))",
        ),
        ("1 AS n", "B AS inc(A.p) > 3", "MATCH_RECOGNIZE_UNSUPPORTED.PYTHON_UDF", "inc(A.p)"),
        ("1 AS n", "B AS inc(SUM(p)) > 3", "MATCH_RECOGNIZE_UNSUPPORTED.PYTHON_UDF", "inc(SUM(p))"),
        (
            "1 AS n",
            "B AS plain(CLASSIFIER()) = 'B'",
            "MATCH_RECOGNIZE_UNSUPPORTED.PYTHON_UDF",
            "plain(CLASSIFIER())",
        ),
        ("1 AS n", "B AS total(p) > 3", "MATCH_RECOGNIZE_UNSUPPORTED.PYTHON_UDF", "total(p)"),
        ("total(p) AS n", FALLING, "MATCH_RECOGNIZE_UNSUPPORTED.PYTHON_UDF", "total(p)"),
        (
            "COUNT(plain(CLASSIFIER())) AS n",
            FALLING,
            "MATCH_RECOGNIZE_UNSUPPORTED.PYTHON_UDF",
            "plain(CLASSIFIER())",
        ),
        (
            "1 AS n",
            "B AS dice() > 0",
            "MATCH_RECOGNIZE_INVALID_EXPRESSION.NON_DETERMINISTIC",
            "dice()",
        ),
        (
            "SUM(dice()) AS n",
            FALLING,
            "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION",
            "dice()",
        ),
        (
            "transform(array(1), x -> inc(x)) AS n",
            FALLING,
            "UNSUPPORTED_FEATURE.LAMBDA_FUNCTION_WITH_PYTHON_UDF",
            "inc(",
        ),
    ],
)
def test_refused(clause: Clause, measures: str, define: str, condition: str, shown: str) -> None:
    with pytest.raises(AnalysisException) as error:
        clause(measures, define)
    assert error.value.getCondition() == condition
    assert shown in str(error.value)


def test_not_deterministic_in_measures(clause: Clause) -> None:
    frame = clause("dice() AS a, LAST(p + dice()) - LAST(p) AS b, dice() BETWEEN 0 AND 1 AS c")
    found = frame.collect()
    assert all(row.c for row in found)
    assert all(0 <= row.a <= 1 for row in found)
    assert len({row.a for row in found}) == len(found)


def test_keys(clause: Clause) -> None:
    frame = clause(
        "inc(LAST(p)) AS n",
        define="A AS TRUE",
        pattern="A+",
        keys="PARTITION BY inc(k) ORDER BY inc(t) DESC",
    )
    assert frame.columns == ["n"]
    assert rows(frame) == [(11,), (6,)]


def test_pruned_with_the_measures_that_use_them(
    clause: Clause, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = clause("inc(LAST(p)) AS a, LAST(inc(p)) AS b, COUNT(*) AS n")
    assert plan(frame, capsys).count("EvalPython") > plan(frame.select("a"), capsys).count(
        "EvalPython"
    )
    assert "EvalPython" not in plan(frame.select("k", "n"), capsys)


def test_once_for_each_input_row(
    clause: Clause, spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = spark.sparkContext.accumulator(0)

    def counted(x: int | None) -> int | None:
        calls.add(1)
        return x

    frame = clause("LAST(inc(p)) AS a", "B AS inc(p) < PREV(inc(p))")
    shown = plan(frame, capsys)
    assert shown.partition("Initial Plan")[0].count("[inc(") == 1
    frame.sparkSession.udf.register("counted", udf(counted, "int", useArrow=False))
    # many tests of each row, one call
    clause(
        "LAST(counted(p)) AS a", "B AS counted(p) < PREV(counted(p))", pattern="(A | B)* B"
    ).collect()
    assert calls.value == 6


def test_self_join(clause: Clause) -> None:
    frame = clause("inc(LAST(p)) AS a, LAST(inc(p)) AS b")
    joined = frame.alias("x").join(frame.alias("y"), ["k", "a", "b"])
    assert rows(joined) == [(1, 10, 10), (1, 7, 7), (2, 6, 6)]


CONNECT = """
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf, udf
from spark_match_recognize import configure

spark = configure(SparkSession.builder).getOrCreate()
spark.sql('''%s''').createOrReplaceTempView("t")
spark.udf.register("inc", udf(lambda x: None if x is None else x + 1, "int"))
spark.udf.register("double_of", pandas_udf(lambda x: x * 2, "double"))
frame = spark.sql(
    "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY t MEASURES inc(LAST(p)) AS a, "
    "SUM(double_of(p)) AS b PATTERN (A B*) DEFINE B AS inc(p) < PREV(inc(p)))"
)
print(frame.columns, sorted(tuple(r) for r in frame.collect() if r.a))
try:
    spark.sql("SELECT * FROM t MATCH_RECOGNIZE (ORDER BY t MEASURES 1 AS n PATTERN (A) "
              "DEFINE A AS inc(PREV(p)) > 1)").collect()
except Exception as error:
    print(error.getCondition(), error.getSqlState())
spark.stop()
"""


def test_connect(run_connected: Run) -> None:
    done = run_connected("-", stdin=CONNECT % INPUT)
    assert done.returncode == 0, done.stderr
    columns, refused = done.stdout.splitlines()[-2:]
    assert columns == "['k', 'a', 'b'] [(1, 7, 48.0), (1, 10, 18.0), (2, 6, 10.0)]"
    assert refused == "MATCH_RECOGNIZE_UNSUPPORTED.PYTHON_UDF 0A000"
