"""Statements and functions of other systems: what `translate` makes of them has the values there.

The statements are ours, from what the manuals of the systems say; the rows and values are computed
by hand. A statement or function that is not translated exactly has a note, or is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conformance_cases import comparable, equal, source
from pyspark.sql import SparkSession

import spark_match_recognize as mr
from spark_match_recognize._translate.rules import Refused
from spark_match_recognize._translate.systems import SYSTEMS
from spark_match_recognize._translate.tables import TABLES

FOLDER = Path(__file__).parent / "translations"
NUMBERS = {"oracle": 25, "snowflake": 25, "trino": 25, "flink": 25, "vertica": 10, "databricks": 5}


def data(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


FUNCTIONS = data("functions")
CASES = [(system, case) for system in NUMBERS for case in data(system)]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    session = spark.newSession()
    session.conf.set("spark.sql.shuffle.partitions", "1")
    for name, table in data("tables").items():
        session.sql(source(table["columns"], table["rows"])).createOrReplaceTempView(name)
    return session


def told(notes: tuple[str, ...], system: str) -> list[str]:
    """Return what notes are about, without that on the order of NULLs, which nearly all have."""
    rest = (note for note in notes if not note.startswith(f"{SYSTEMS[system].title} sorts NULLs"))
    return [note.split("`: ")[0].lstrip("`") if note[0] == "`" else note for note in rest]


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
def test_statement(session: SparkSession, system: str, case: dict[str, Any]) -> None:
    if "refused" in case:
        with pytest.raises(ValueError, match=case["refused"]):
            mr.translate(case["sql"], read=system)
        return
    found = mr.translate(case["sql"], read=system)
    assert told(found.notes, system) == case.get("notes", [])
    got = [comparable(list(row)) for row in session.sql(found).collect()]
    assert equal(got, [comparable(row) for row in case["rows"]]), got


def test_number_of_statements() -> None:
    for system, number in NUMBERS.items():
        cases = [case for name, case in CASES if name == system]
        assert len(cases) == number
        assert len([case for case in cases if "refused" in case]) <= 2
        assert len({case["sql"] for case in cases}) == len(cases)


def expression(call: str, system: str) -> str:
    """Return what a call becomes."""
    sql = mr.translate(f"SELECT {call} AS v FROM one", read=system).sql
    return " ".join(sql.split()).removeprefix("SELECT ").removesuffix(" AS v FROM one")


@pytest.mark.parametrize("system", FUNCTIONS)
def test_functions(session: SparkSession, system: str) -> None:
    """Each call has the value that it has in the system, and the type that is told."""
    executed = [item for item in FUNCTIONS[system] if item[1] != "refused"]
    for aggregates in (False, True):
        items = [item for item in executed if (item[3:] == ["aggregate"]) == aggregates]
        columns = [f"{expression(item[0], system)} AS v{n}" for n, item in enumerate(items)]
        if not items:
            continue
        frame = session.sql(f"SELECT {', '.join(columns)} FROM one")
        values, kinds = frame.collect()[0], [kind for _, kind in frame.dtypes]
        for (call, value, kind, *more), got, got_kind in zip(items, values, kinds, strict=True):
            wanted = value
            if more and more != ["aggregate"]:  # it differs, and a note says so
                wanted = more[0]["here"]
                assert wanted != value
                assert mr.translate(f"SELECT {call} FROM one", read=system).notes
            same = (
                got == wanted
                if isinstance(wanted, dict)
                else equal(*map(comparable, (got, wanted)))
            )
            assert same, (call, got)
            assert got_kind == kind, call


@pytest.mark.parametrize("system", FUNCTIONS)
def test_refused_functions(system: str) -> None:
    for call, value, *_ in FUNCTIONS[system]:
        if value == "refused":
            with pytest.raises(ValueError, match=r"has no counterpart in Spark: .+"):
                mr.translate(f"SELECT {call} FROM one", read=system)


def test_every_function_of_the_tables_has_a_value() -> None:
    for system, table in TABLES.items():
        calls = [item[0].upper() for item in FUNCTIONS[system.title.lower()]]
        assert not [name for name in table if not any(f"{name}(" in call for call in calls)]


def test_pages_have_every_function(load_tool: Callable[[str], ModuleType]) -> None:
    """The tables of the pages are made when they are built: they have what the package knows."""
    pages = load_tool("pages")
    table = dict(
        line.strip("| ").split(" | ", 1)
        for line in pages.GENERATED["translated_functions"]().splitlines()[2:]
    )
    for system, known in TABLES.items():
        named = set(re.findall(r"\w+", table[system.title].upper()))
        assert known.keys() <= named
        refused = {name for name, entry in known.items() if isinstance(entry, Refused)}
        assert refused <= set(re.findall(r"\w+", table[system.title].rpartition(" | ")[2]))
    calls = pages.GENERATED["translated_calls"]()
    assert calls.count("\n| `") == sum(map(len, FUNCTIONS.values()))
    counts = pages.GENERATED["translated_statements"]()
    assert "| Oracle | 25 | 24 | " in counts
