"""Errors of the clause, seen from Python."""

from __future__ import annotations

import pytest
from loading import Run, answer
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession

ROWS = "(SELECT id, id % 2 AS v FROM range(4))"
OWN_CONDITION = "MATCH_RECOGNIZE_INVALID_VARIABLE.UNKNOWN"


def test_mistake_in_the_clause(spark: SparkSession) -> None:
    sql = (
        f"SELECT *\nFROM {ROWS} MATCH_RECOGNIZE (\n  ORDER BY id\n  MEASURES B.v AS m PATTERN (A))"
    )
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    error = caught.value
    assert error.getCondition() == OWN_CONDITION
    assert error.getSqlState() == "42704"
    assert error.getMessageParameters() == {"name": "`B`", "variables": "`A`"}
    text = str(error)
    assert "Did you mean one of `A`?" in text
    assert "== SQL (line 4, position 12) ==" in text
    lines = text.splitlines()
    shown = lines.index("  MEASURES B.v AS m PATTERN (A))")
    assert lines[shown + 1].rstrip() == "           ^^^"
    assert error.getMessage().startswith(f"[{OWN_CONDITION}] ")
    assert text.startswith(f"{error.getMessage()}; line 4 pos 11\n")
    # a context would make pyspark look for the condition in Spark's catalogue
    assert error.getQueryContext() == []


def test_catalogue_of_spark_is_left_alone(spark: SparkSession) -> None:
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    catalogue = jvm.org.apache.spark.SparkThrowableHelper.errorReader()
    for clause, condition, contexts in [
        ("(ORDER BY id MEASURES B.v AS m PATTERN (A))", OWN_CONDITION, []),
        ("(MEASURES A.nosuch AS m PATTERN (A))", "UNRESOLVED_COLUMN.WITH_SUGGESTION", ["A.nosuch"]),
    ]:
        with pytest.raises(AnalysisException) as caught:
            spark.sql(f"SELECT * FROM {ROWS} MATCH_RECOGNIZE {clause}")
        error = caught.value
        assert error.getCondition() == condition
        assert [context.fragment() for context in error.getQueryContext()] == contexts
        assert catalogue.isValidErrorClass(condition) == (condition != OWN_CONDITION)


def test_error_of_a_task(spark: SparkSession) -> None:
    sql = f"""SELECT * FROM {ROWS} MATCH_RECOGNIZE (PARTITION BY v ORDER BY id MEASURES 1 AS m
        AFTER MATCH SKIP TO B PATTERN (A+ | B))"""
    with pytest.raises(PySparkException) as caught:
        spark.sql(sql).collect()
    error = caught.value
    assert error.getCondition() == "MATCH_RECOGNIZE_SKIP_TO_MISSING_ROW"
    assert error.getSqlState() == "2202K"
    assert error.getMessage() == str(error).partition("\n\nJVM")[0].strip()
    assert "in partition v = 0 has no row of `B`" in str(error)


def test_hint_below_the_place(spark: SparkSession) -> None:
    for call, hint in [
        ("NEXT(v, 1, 0)", "NEXT has no default value: write COALESCE(NEXT(v, 1), 0)."),
    ]:
        with pytest.raises(AnalysisException) as caught:
            spark.sql(f"SELECT * FROM {ROWS} MATCH_RECOGNIZE (MEASURES {call} AS m PATTERN (A))")
        shown = str(caught.value).partition("\nJVM stacktrace")[0].strip().splitlines()
        assert shown[-3].strip() == "^" * len(call)
        assert shown[-2:] == ["== MATCH_RECOGNIZE ==", hint]


def test_syntax_error(spark: SparkSession) -> None:
    with pytest.raises(PySparkException) as caught:
        spark.sql(f"SELECT * FROM {ROWS} MATCH_RECOGNIZE (ORDER BY id PATTERN (A |))")
    error = caught.value
    assert error.getCondition() == "PARSE_SYNTAX_ERROR"
    assert error.getSqlState() == "42601"
    assert "write () to match no row" in str(error)


MISTAKES = [
    "(MEASURES LAST(id) AS PATTERN (A))",
    "(ORDER BY id\n  MEASURES B.v AS m PATTERN (A))",
    "(ORDER BY id MEASURES LAST(v, -1) AS m PATTERN (A))",
    "(ORDER BY id MEASURES A.nosuch AS m PATTERN (A))",
    "(ORDER BY id MEASURES PERV(v) AS m PATTERN (A))",
    "(ORDER BY id MEASURES PREV(v, 1, 0) AS m PATTERN (A))",
    "(ORDER BY id MEASURES 1 AS m PATTERN (A) DEFINE A AS v > array(1))",
    "(PARTITION BY v ORDER BY id MEASURES 1 AS m AFTER MATCH SKIP TO FIRST A PATTERN (A))",
    "(PARTITION BY v ORDER BY id MEASURES 1 AS m PATTERN (A+)\n  DEFINE A AS 1 / (id - 3) < 1)",
]
PROGRAM = """
import json
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from spark_match_recognize import configure
spark = configure(SparkSession.builder).getOrCreate()
told = []
for sql in STATEMENTS:
    try:
        spark.sql(sql).collect()
    except PySparkException as error:
        contexts = [context.fragment() for context in error.getQueryContext()]
        kind = type(error).__name__
        told.append([error.getCondition(), error.getSqlState(), str(error), contexts, kind])
print("ANSWER " + json.dumps(told))
spark.stop()
"""


def test_errors_look_the_same_through_connect(spark: SparkSession, run_connected: Run) -> None:
    statements = [f"SELECT *\nFROM {ROWS} MATCH_RECOGNIZE {clause}" for clause in MISTAKES]
    done = run_connected("-", stdin=PROGRAM.replace("STATEMENTS", repr(statements)))
    told = answer(done)
    assert len(told) == len(statements)
    for sql, (condition, state, text, contexts, kind) in zip(statements, told, strict=True):
        with pytest.raises(PySparkException) as caught:
            spark.sql(sql).collect()
        error = caught.value
        assert (condition, state) == (error.getCondition(), error.getSqlState()), sql
        assert contexts == [context.fragment() for context in error.getQueryContext()], sql
        assert kind == type(error).__name__, sql
        # what follows is the stack of the server
        shown = str(error).partition("\nJVM stacktrace")[0].strip()
        assert text.partition("\nJVM stacktrace")[0].strip() == shown, sql


SESSIONS = """
import json
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from spark_match_recognize import configure

def conditions(session):
    told = []
    for run in [session.sql, lambda sql: session.range(1).where(f"EXISTS ({sql})")]:
        try:
            run(SQL).collect()
            told.append(None)
        except PySparkException as error:
            told.append(error.getCondition())
    return told

one, other = [configure(SparkSession.builder).create() for _ in range(2)]
other.conf.set("spark.sql.analyzer.singlePassResolver.enabled", "true")
print("ANSWER " + json.dumps([conditions(s) for s in (one, other, one)]))
for session in (one, other):
    session.stop()
"""


def test_a_session_of_connect_has_its_own_setting_of_the_resolver(run_connected: Run) -> None:
    sql = f"SELECT 1 FROM {ROWS} MATCH_RECOGNIZE (ORDER BY id MEASURES 1 AS m PATTERN (A))"
    one, other, again = answer(run_connected("-", stdin=SESSIONS.replace("SQL", repr(sql), 1)))
    assert one == again == [None, None]
    assert other[0] == "FEATURE_NOT_ENABLED"
    assert other[1] in ("FEATURE_NOT_ENABLED", "UNSUPPORTED_SINGLE_PASS_ANALYZER_FEATURE")
