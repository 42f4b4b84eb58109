"""`match_recognize` on DataFrames: the same answers in a classic and in a Connect session."""

from __future__ import annotations

import doctest
import sys
from collections.abc import Callable
from pathlib import Path

import frames
import pytest
from loading import Run
from pyspark.errors import AnalysisException, ArithmeticException, ParseException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession
from through_connect import Answers

import spark_match_recognize as mr
from spark_match_recognize import methods
from spark_match_recognize._text import RESERVED, quoted

ASKED = frames
COUNTED = ["MEASURES", "count(*) AS n,", "FIRST(`a.b`) AS p", "PATTERN (A+)"]
BEFORE = 'Compute it before, as in df.withColumn("x", ...), and write "x"'
WANTED = {
    "odd_names": [
        ["my key", "a.b", "sum of `it`", "select", "x.y", "tick`s {0}"],
        [
            ["A", 1, 90, 2, 1, 50],
            ["A", 2, 40, 1, 1, 40],
            ["A", 2, 70, 2, 1, 40],
            ["A", 3, 30, 1, 1, 30],
            ["A", 3, 75, 2, 1, 30],
            ["A", 4, 45, 1, 1, 45],
            ["B", 1, 17, 2, 1, 9],
            ["B", 2, 8, 1, 1, 8],
        ],
    ],
    "warned": [
        [
            "There is no ORDER BY, so the result depends on the order in which the rows are read.",
            "PERMUTE(A B) has one element, so it has no effect. Separate elements by commas.",
            "The condition of A is never true: it is NULL. Write IS NULL to compare with NULL.",
        ],
        [],
        3,
        "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION",
        [
            "PERMUTE(A B) has one element, so it has no effect. Separate elements by commas.",
            "The condition of B is never true: it is NULL. Write IS NULL to compare with NULL.",
        ],
        [
            (
                "PARTITION BY 'k' is a constant, so all rows are in one partition. A column is "
                "written without quotes or in backticks, `k`."
            ),
            ("ORDER BY 1 is a constant and orders no rows. It is not the position of a column."),
        ],
    ],
    "columns": [
        f"{place} has {what}: a Column with it cannot be written as SQL. {cure}"
        for place, what, cure in [
            ("partition_by", "a window", BEFORE),
            ("order_by[1]", "a lambda function", BEFORE),
            ('define["A"]', "a Python function", BEFORE),
            ("order_by", "isin() of no values", BEFORE),
            ("order_by", "the star *", "Name the columns"),
            ("order_by", "expr('ts, price'), which is not one expression", "Correct it"),
            (
                "partition_by",
                "an alias with metadata, which the clause would lose",
                "Leave the metadata out",
            ),
            ("partition_by", "the name a${b}, in which SQL replaces ${...}", "Rename the column"),
        ]
    ]
    + [
        "partition_by has an order, DESC: only order_by has one",
        'measures[0] has no name: add alias("..."), or write a dict from names to columns',
        (
            "measures[\"n\"] has another name, alias('m'): the key of the dict is the name. Remove "
            "the alias"
        ),
        'measures["n"] has an order, DESC: only order_by has one',
        (
            "define[\"A\"] reads Column<'price'> of a DataFrame that is not df, or not one that df "
            'is made of without change. Write F.col("...") for the column of df with that name'
        ),
        "pattern must be a string of SQL, as in selectExpr, not Column<'A'>",
        "within must be a string of SQL, as in selectExpr, not Column<'1'>",
    ],
    "columns_as_arguments": [
        ["PARTITION BY `my key`", "ORDER BY ts", *COUNTED],
        [True, True],
        ["PARTITION BY `my key` AS `k``1`", "ORDER BY `a.b` DESC NULLS LAST", *COUNTED],
        [True, True],
        [
            "PARTITION BY `my key`, ts",
            "ORDER BY `a.b` ASC NULLS LAST, s.`the ts` DESC NULLS FIRST",
            *COUNTED,
        ],
        [True, True],
        ["ORDER BY ts DESC NULLS LAST, s.x, s['x'] ASC NULLS FIRST", *COUNTED],
        [True, True],
        [
            "PARTITION BY lower(`my key`) AS k, ts % 2",
            "ORDER BY ts DESC NULLS LAST",
            *COUNTED,
            "DEFINE",
            "A AS (ts > 1) AND (`a.b` < CAST('60' AS INT))",
        ],
        [True, True],
        [
            "ORDER BY ts",
            "MEASURES",
            "max(A.ts) AS `last ts`,",
            "count(A.*) AS n,",
            "COUNT(*) AS m,",
            "FIRST(ts) AS f",
            "PATTERN (A+)",
            "DEFINE",
            "A AS `a.b` > coalesce((PREV(`a.b`)), 0)",
        ],
        [True, True],
        ["MEASURES", "first(ts) AS f", "PATTERN (A+)", "DEFINE", "A AS ts > 0"],
        [True, True],
        ["ORDER BY s.x", "MEASURES", "max(s['x']) AS m", "PATTERN (s+)"],
        [True, True],
    ],
    "columns_as_sql": [94, 15],
    "cached": [True, True],
    "used_twice": [[["A", 30, 3], ["B", 8, 2]], [[[30, 8]]]],
    "threads": [12, [["A", 30, 3], ["B", 8, 2]], True],
    "chained": [[["A", 30, 3], ["B", 8, 2]], [[12]], [[6]]],
    "method": [[["A", 30, 3], ["B", 8, 2]], [[2]]],
    "drawing": [
        ["A", {"STRT": [[1, 50]], "DOWN": [[2, 40], [3, 30]]}],
        ["B", {"STRT": [[1, 9]], "DOWN": [[2, 8]]}],
    ],
    "mistake_of_the_frame": [["UNRESOLVED_COLUMN.WITH_SUGGESTION", False]] * 2,
    "stream": [True, [["A", 30, 3]]],
    "views": [],
}
# The end of each message: the argument, its line, the caret; and the condition.
PLACES = {
    "condition": (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        """\
== define["DOWN"] ==
  price > 1 AND prise < PREV(price)
                ^^^^^""",
    ),
    "second line": (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        """\
== define["DOWN"] (line 2, position 7) ==
  AND prise < PREV(price)
      ^^^^^""",
    ),
    "type": (
        "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
        '== define["DOWN"] ==\nprice + 1\n^^^^^^^^^',
    ),
    "function": (
        "UNRESOLVED_ROUTINE",
        '== define["DOWN"] ==\nprice > nosuch(price)\n        ^^^^^^^^^^^^^',
    ),
    "measure": (
        "MATCH_RECOGNIZE_INVALID_VARIABLE.UNKNOWN",
        '== measures["high"] ==\nMAX(UP.price)\n    ^^^^^^^^',
    ),
    "name": (
        "MATCH_RECOGNIZE_DUPLICATE_NAME.OUTPUT_COLUMN",
        '== measures["LOW"] ==\nLOW\n^^^',
    ),
    "unused": ("MATCH_RECOGNIZE_INVALID_VARIABLE.NOT_PRIMARY", '== define["UP"] ==\nUP\n^^'),
    "syntax": ("PARSE_SYNTAX_ERROR", '== define["DOWN"] ==\nprice < \n       ^'),
    "emoji": (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        """== measures["😀"] ==\n'😀' || prise\n       ^^^^^""",
    ),
    "bracket": (
        "PARSE_SYNTAX_ERROR",
        """\
[PARSE_SYNTAX_ERROR] Syntax error: ( is not closed. SQLSTATE: 42601
== define["DOWN"] ==
price < (PREV(price)
        ^""",
    ),
    "and": (
        "PARSE_SYNTAX_ERROR",
        """\
== define["DOWN"] ==
price > 1 && price < PREV(price)
          ^
The strings are SQL, which writes AND between conditions.""",
    ),
    "none": (
        "PARSE_SYNTAX_ERROR",
        """\
== define["DOWN"] ==
price is None
         ^^^^
The strings are SQL, which writes NULL, as in IS NULL.""",
    ),
    "name in a condition": (
        "PARSE_SYNTAX_ERROR",
        """\
== define["DOWN"] ==
last price < PREV(price)
     ^^^^^
The strings are SQL: the column is `last price`, with the backticks.""",
    ),
    "quote": ("PARSE_SYNTAX_ERROR", """== measures["a"] ==\n'it\n^"""),
    "too much": (
        "PARSE_SYNTAX_ERROR",
        '== measures["a"] ==\nFIRST(price) b\n             ^',
    ),
    "pattern": ("PARSE_SYNTAX_ERROR", "== pattern ==\nSTRT -> DOWN\n     ^"),
    "pattern ends": ("PARSE_SYNTAX_ERROR", "== pattern ==\nSTRT |\n      ^"),
    "key of order": (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "== order_by[1] ==\ntss DESC\n^^^",
    ),
    "name of column": (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        """\
== partition_by[0] ==
last price
^^^^
The strings are SQL: the column is `last price`, with the backticks.""",
    ),
    "skip": (
        "MATCH_RECOGNIZE_INVALID_VARIABLE.UNKNOWN",
        "== after_match_skip ==\nTO LAST UP\n        ^^",
    ),
    "rows": ("PARSE_SYNTAX_ERROR", "== rows_per_match ==\nALL ROW PER MATCH\n^^^"),
    "within": (
        "MATCH_RECOGNIZE_INVALID_WITHIN.BOUND",
        "== within ==\nINTERVAL '1' DAY\n^^^^^^^^^^^^^^^^",
    ),
    "subset": (
        "MATCH_RECOGNIZE_INVALID_VARIABLE.NOT_PRIMARY",
        '== subset["U"][1] ==\nUP\n^^',
    ),
    "subset name": (
        "MATCH_RECOGNIZE_DUPLICATE_NAME.VARIABLE",
        '== subset["DOWN"] ==\nDOWN\n^^^^',
    ),
}


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
    monkeypatch.setattr(logger, "handle", logged.append)
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
    assert fails(lambda: spark.sql(statement, df=frame)) == 2
    mr.silence_pyspark()
    assert fails(lambda: spark.sql(statement, df=frame)) == 2


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
    return mr.match_recognize(ticks, pattern="A+", define={"A": "price > 0"}, subset={"U": ["A"]})

def wrong(ticks: DataFrame) -> None:
    mr.match_recognize(ticks, pattern="A", define={"A": 1})
    mr.match_recognize(ticks, define={"A": "TRUE"})
    mr.match_recognize(ticks, pattern="A", rows_per_match="ALL")
    mr.match_recognize(ticks, pattern="A", subset={"U": 1})
    mr.match_recognize("ticks", pattern="A")
"""


@pytest.mark.slow
def test_types_for_users(tmp_path: Path, run_program: Run) -> None:
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    done = run_program(sys.executable, "-m", "mypy", "--strict", "user.py")
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line.split(":")[1] for line in errors] == ["17", "18", "19", "20", "21"], done.stdout
    assert 'Revealed type is "pyspark.sql.dataframe.DataFrame"' in done.stdout
