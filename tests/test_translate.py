"""`translate` on statements of other systems: what Spark returns has the values there.

The statements are ours or follow examples of public manuals, and the rows and values are written
down by hand. Whatever is on the short lists of `translate` is executed here.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conformance_cases import comparable, equal, source
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import spark_match_recognize as mr
from spark_match_recognize.translation import SYSTEMS

FOLDER = Path(__file__).parent / "translations"
PAGE = Path(__file__).parent.parent / "docs/coming-from/translate.md"
NUMBERS = {"flink": 12, "oracle": 10, "snowflake": 17, "trino": 14}
MARK = re.compile(r"\?\.\.\.|[?#±@!%~^&]")


def data(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


FUNCTIONS = data("functions")
MANUALS = data("../translations")
CASES = [(system, case) for system in NUMBERS for case in data(system)]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    session = spark.newSession()
    session.conf.set("spark.sql.shuffle.partitions", "1")
    for name, table in data("tables").items():
        session.sql(source(table["columns"], table["rows"])).createOrReplaceTempView(name)
    return session


@pytest.fixture(scope="module")
def manuals(spark: SparkSession) -> Iterator[SparkSession]:
    session = spark.newSession()
    for name, table in MANUALS["tables"].items():
        session.sql(source(table["columns"], table["rows"])).createOrReplaceTempView(name)
    return session


def left(notes: tuple[str, ...]) -> list[str]:
    """Return what is left as it is."""
    return [note.partition(": ")[2].partition(" is left")[0] for note in notes]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in MANUALS["cases"]])
def test_manual(manuals: SparkSession, case: dict[str, Any]) -> None:
    found = mr.translate(case["sql"], read=case["read"])
    if "refused" in case:
        assert "OVER" in left(found.notes)
        with pytest.raises(AnalysisException) as caught:
            manuals.sql(found.sql)
        assert str(caught.value.getCondition()).startswith("MATCH_RECOGNIZE_")
        return
    frame = manuals.sql(found.sql)
    assert [name.lower() for name in frame.columns] == [name.lower() for name in case["columns"]]
    assert [comparable(list(row)) for row in frame.collect()] == [
        comparable(row) for row in case["rows"]
    ]


# `make test` runs every second one, `make test-slow` the others
@pytest.mark.parametrize(
    ("system", "case"),
    [
        pytest.param(
            system,
            case,
            id=f"{system}-{case['id']}",
            marks=[pytest.mark.slow] if number % 2 else [],
        )
        for number, (system, case) in enumerate(CASES)
    ],
)
def test_statement(session: SparkSession, system: Any, case: dict[str, Any]) -> None:
    found = mr.translate(case["sql"], read=system)
    assert left(found.notes) == case.get("notes", [])
    got = [comparable(list(row)) for row in session.sql(found).collect()]
    assert equal(got, [comparable(row) for row in case["rows"]]), got


def test_number_of_statements() -> None:
    for system, number in NUMBERS.items():
        cases = [case for name, case in CASES if name == system]
        assert len(cases) == number
        assert len({case["sql"] for case in cases}) == len(cases)


@pytest.mark.parametrize("system", FUNCTIONS)
def test_lists(session: SparkSession, system: Any) -> None:
    """Each function, operator, literal and type has the value that it has in the system."""
    for aggregates in (False, True):
        items = [item for item in FUNCTIONS[system] if (item[2:] == ["aggregate"]) == aggregates]
        columns = []
        for number, (call, _, *more) in enumerate(items):
            found = mr.translate(f"SELECT {call} AS v{number}", read=system)
            columns.append(found.removeprefix("SELECT "))
            told = [] if aggregates or not more else more
            assert [any(word in note for note in found.notes) for word in told] == [True] * len(
                told
            )
            assert len(found.notes) == len(told), call
        values = session.sql(f"SELECT {', '.join(columns)} FROM one").collect()[0]
        for (call, value, *_), got in zip(items, values, strict=True):
            assert equal(comparable(got), comparable(value)), (call, got)


# The rows are (1, 7), (2, 8) and (3, 5).
CLAUSE = [
    ("FIRST(x)", 7),
    ("FIRST(x, 1)", 8),
    ("LAST(x)", 5),
    ("LAST(x, 1)", 8),
    ("PREV(x)", 8),
    ("PREV(LAST(x), 2)", 7),
    ("NEXT(FIRST(x))", 8),
    ("NEXT(FIRST(x), 2)", 5),
    ("CLASSIFIER()", "A"),
    ("CLASSIFIER(A)", "A"),
    ("MATCH_NUMBER()", 1),
]
OF_ONE = {
    "flink": [("MATCH_ROWTIME()", 3), ("MATCH_ROWTIME(k)", 3), ("MATCH_PROCTIME() > k", True)],
    "snowflake": [
        ("LAG(x)", 8),
        ("LAG(LAST(x), 2)", 7),
        ("LEAD(FIRST(x))", 8),
        ("LEAD(FIRST(x), 2)", 5),
        ("MATCH_SEQUENCE_NUMBER()", 3),
        ("MATCH_SEQUENCE_NUMBER", 3),
        ("CLASSIFIER", "A"),
        ("MATCH_NUMBER", 1),
    ],
}
ROWS = "(VALUES (1, 7), (2, 8), (3, 5) AS t(k, x))"


def written(read: Any, measures: str, rest: str = "PATTERN (A+)") -> str:
    """Translate a clause over a table, and let it read the rows."""
    clause = f"ORDER BY k MEASURES {measures} AFTER MATCH SKIP PAST LAST ROW {rest}"
    found = mr.translate(f"SELECT * FROM t MATCH_RECOGNIZE ({clause})", read=read)
    assert not found.notes
    return found.sql.replace("FROM t", f"FROM {ROWS}")


@pytest.mark.parametrize("read", SYSTEMS)
def test_functions_of_the_clause(spark: SparkSession, read: str) -> None:
    calls = [*CLAUSE, *OF_ONE.get(read, [])]
    timed = [call for call, _ in calls if "MATCH_" in call and "TIME" in call]
    measures = ", ".join(
        f"{call} AS v{n}" for n, (call, _) in enumerate(calls) if call not in timed
    )
    (row,) = spark.sql(written(read, measures)).collect()
    assert list(row) == [value for call, value in calls if call not in timed]
    for name, templates in SYSTEMS[read].clause.items():  # type: ignore[index]
        known = {call.count(",") + ("()" not in call) for call, _ in calls if f"{name}(" in call}
        wanted = {len(MARK.findall(template)) for template in templates}
        assert wanted <= known | ({0} if timed else set())


def test_times_of_flink(spark: SparkSession) -> None:
    sql = written("flink", "MATCH_ROWTIME() AS a, MATCH_ROWTIME(k) AS b, MATCH_PROCTIME() AS c")
    sql = sql.replace(ROWS, f"(SELECT TIMESTAMP_SECONDS(k) AS k, x FROM {ROWS})")
    (row,) = spark.sql(sql).collect()
    assert row[0] == row[1] < row[2]


def test_everything_on_the_lists_has_a_value() -> None:
    for name, system in SYSTEMS.items():
        calls = [item[0] for item in FUNCTIONS[name]]
        for function, templates in system.functions.items():
            given = [call for call in calls if call.startswith(f"{function}(")]
            counts = {len(arguments(call)) for call in given}
            for template in templates:
                marks = MARK.findall(template)
                more = marks[-1:] == ["?..."]
                count = len(marks) - more
                assert any(c > count if more else c == count for c in counts), template
        text = " ".join(calls)
        for kind in system.types:
            base = kind.partition("(")[0]
            assert re.search(rf"(AS |::){base}\b", text), kind
        for element in system.format:
            assert element in text, element
        for operator in system.operators - {";"}:
            assert operator in text, (name, operator)


def arguments(call: str) -> list[str]:
    """Return the arguments of a call, which no string in it takes apart."""
    found, depth = [""], 0
    for character in re.sub(r"'(?:[^']|'')*'", "s", call[call.index("(") + 1 :]):
        depth += (character in "([") - (character in ")]")
        if depth < 0:
            break
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return found if found != [""] else []


def test_the_page_has_every_function_and_type() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    (common,) = [line for line in lines if line.startswith("| all |")]
    for system in SYSTEMS.values():
        rows = [line for line in lines if line.startswith(f"| {system.title} |")]
        functions, types = (set(re.findall(r"\w+", row)) for row in rows)
        assert {*system.functions} == functions - {system.title} | {
            *re.findall("`(\\w+)`", common)
        } - {"EXTRACT"}
        assert {kind.partition("(")[0] for kind in system.types} <= types


PIECES = ("'", '"', "\\", "\\n", "\\u0041", "%", "_", " ", "--", "/*", "a", "é", "${x}", "\n")


@pytest.mark.parametrize("read", SYSTEMS)
def test_strings_of_any_characters(spark: SparkSession, read: Any) -> None:
    """A string has the same characters in Spark."""
    chosen = random.Random(read)  # noqa: S311 - texts of a test
    texts = [*PIECES, *("".join(chosen.choices(PIECES, k=6)) for _ in range(50))]
    given = [text.replace("'", "''") for text in texts]
    if read == "snowflake":
        given = [text.replace("\\", "\\\\") for text in given]
    sql = mr.translate("SELECT " + ", ".join(f"'{text}'" for text in given), read=read).sql
    assert list(spark.sql(sql).collect()[0]) == texts


def test_names_of_variables(spark: SparkSession) -> None:
    rest = "PATTERN (Up) DEFINE up AS k > 2"
    for read, name in {"flink": "Up", "oracle": "UP", "snowflake": "UP", "trino": "UP"}.items():
        assert spark.sql(written(read, "CLASSIFIER() AS v", rest)).collect() == [(name,)], read


def test_comments_and_the_end(spark: SparkSession) -> None:
    sql = mr.translate("SELECT /*+ MERGE(x */ 1, -- \\\n 2 /* /* */;", read="oracle").sql
    assert spark.sql(sql).collect() == [(1, 2)]
