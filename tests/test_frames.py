"""`match_recognize` on DataFrames: the same answers in a classic and in a Connect session."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path

import frames
import pytest
from loading import Run
from pyspark.errors import ArithmeticException, ParseException
from pyspark.sql import SparkSession
from through_connect import Answers

import spark_match_recognize as mr
from spark_match_recognize._text import RESERVED, quoted

ASKED = frames
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
        f"{name} takes columns by their names, with desc() and the like, not {column}. Write the "
        'expression as SQL, as in "year(ts)"'
        for name, column in [
            ("partition_by", "Column<'upper(symbol)'>"),
            ("order_by", "Column<'negative(ts) DESC NULLS LAST'>"),
            ("order_by[1]", "Column<'1'>"),
        ]
    ]
    + [
        (
            "define[\"A\"] must be a string of SQL, as in selectExpr, not Column<'>(price, 1)'>. "
            'Write the column as SQL, as in "ts DESC"'
        ),
        "measures must be a dict from names to strings of SQL, not a value of type list",
    ],
    "columns_by_name": [
        "PARTITION BY `my key` ORDER BY ts",
        [True, True],
        "PARTITION BY `my key` AS `k``1` ORDER BY `a.b` DESC NULLS LAST",
        [True, True],
        "PARTITION BY `my key`, ts ORDER BY `a.b` ASC NULLS LAST, s.`the ts` DESC NULLS FIRST",
        [True, True],
        "ORDER BY ts",
        [True, True],
    ],
    "cached": [True, True],
    "used_twice": [[["A", 30, 3], ["B", 8, 2]], [[[30, 8]]]],
    "threads": [12, [["A", 30, 3], ["B", 8, 2]], True],
    "chained": [[["A", 30, 3], ["B", 8, 2]], [[12]], [[6]]],
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
        for name in mr.__all__
        for test in finder.find(getattr(mr, name), name, globs={"spark": spark})
        if test.examples
    ]
    assert {"diagram", "lint", "match_recognize", "plot", "to_sql", "translate"} <= {
        test.name for test in tests
    }
    for test in tests:
        assert runner.run(test).failed == 0, test.name


USER = """
import spark_match_recognize as mr
from pyspark.sql import DataFrame, SparkSession

def falls(spark: SparkSession) -> DataFrame:
    ticks: DataFrame = spark.table("ticks")
    keys = ("symbol",)
    found = ticks.transform(mr.match_recognize, pattern="A+", order_by=["ts"], partition_by=keys)
    reveal_type(found)
    return mr.match_recognize(ticks, pattern="A+", define={"A": "price > 0"}, subset={"U": ["A"]})

def wrong(ticks: DataFrame) -> None:
    mr.match_recognize(ticks, pattern="A", define={"A": ticks.price > 0})
    mr.match_recognize(ticks, define={"A": "TRUE"})
"""


@pytest.mark.slow
def test_types_for_users(tmp_path: Path, run_program: Run) -> None:
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    done = run_program(sys.executable, "-m", "mypy", "--strict", "user.py")
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line.split(":")[1] for line in errors] == ["13", "14"], done.stdout
    assert 'Revealed type is "pyspark.sql.dataframe.DataFrame"' in done.stdout
