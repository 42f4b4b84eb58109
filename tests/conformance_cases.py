"""Conformance cases: creating their views, running them and judging the results."""

from __future__ import annotations

import datetime as dt
import decimal
import fnmatch
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyspark
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

FOLDER = Path(__file__).parent / "conformance"
FILES = ("cases.json", "extensions.json", "scenarios.json", "window.json")
NOT_OURS = ("INTERNAL_ERROR", "_LEGACY_ERROR_TEMP")

Case = dict[str, Any]
MakeView = Callable[[SparkSession, str, str], None]
"""Makes a relation of a name from a query, whatever kind of relation."""


def all_cases() -> Iterator[Case]:
    """Return every case of every file."""
    for file in FILES:
        yield from json.loads((FOLDER / file).read_text(encoding="utf-8"))


def lacking(case: Case) -> str:
    """Return what a case needs that this Spark does not have, or nothing."""
    needs_time = "AS TIME)" in case["sql"]
    return "Spark 4.0 has no type TIME" if needs_time and pyspark.__version__ < "4.1" else ""


def literal(value: Any) -> str:
    """Return a value of a case file as SQL."""
    if value is None or isinstance(value, bool | int):
        return "NULL" if value is None else str(value).upper()
    if isinstance(value, float):
        return f"DOUBLE('{value!r}')"
    if isinstance(value, list):
        return f"array({', '.join(map(literal, value))})"
    if isinstance(value, dict):
        fields = (part for pair in value.items() for part in map(literal, pair))
        return f"named_struct({', '.join(fields)})"
    escaped = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def source(columns: list[list[str]], rows: list[Any]) -> str:
    """Return a query with exactly these columns and rows."""
    selected = ", ".join(
        f"CAST(c{i} AS {kind}) AS `{col}`" for i, (col, kind) in enumerate(columns)
    )
    names = ", ".join(f"c{i}" for i in range(len(columns)))
    # VALUES needs a row, which an empty view must filter out
    values = ", ".join(
        f"({', '.join(map(literal, row))})" for row in rows or [[None] * len(columns)]
    )
    return f"SELECT {selected} FROM VALUES {values} AS v({names}) WHERE {bool(rows)}"


def temporary_view(spark: SparkSession, name: str, query: str) -> None:
    """Make a temporary view."""
    spark.sql(query).createOrReplaceTempView(name)


def comparable(value: Any) -> Any:
    """Return a value in a form that results and case files share."""
    match value:
        case None | bool() | str():
            return value
        case int() | float() | decimal.Decimal():
            return float(value)
        case dt.datetime():
            return value.isoformat(" ", "microseconds" if value.microsecond else "seconds")
        case list() | tuple():
            return [comparable(part) for part in value]
        case _:
            return str(value)


def equal(got: Any, want: Any) -> bool:
    """Compare two comparable values, numbers with a tolerance for the last digits."""
    if isinstance(got, float) and isinstance(want, float):
        close = math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-9)
        return close or (math.isnan(got) and math.isnan(want))
    if isinstance(got, list) and isinstance(want, list):
        return len(got) == len(want) and all(map(equal, got, want))
    return type(got) is type(want) and got == want


def expect_error(case: Case, error: PySparkException, stage: str) -> None:
    """Check that an error is the one that the case expects, at the expected stage."""
    condition = error.getCondition()
    assert condition, f"an error without a condition: {error}"
    assert not condition.startswith(NOT_OURS), f"an internal error: {error}"
    allowed = case.get("expected_condition", ["*"])
    # a top-level condition includes its sub-conditions
    assert any(
        fnmatch.fnmatchcase(condition, a) or condition.startswith(a + ".") for a in allowed
    ), f"want one of {allowed}, got {condition}: {error}"
    # errors of the parser and of the analyzer are both raised by spark.sql
    wanted = case["expected_error"].partition(":")[0]
    assert (wanted == "runtime") == (stage == "runtime"), f"want it at {wanted}, came at {stage}"


def judge(spark: SparkSession, case: Case) -> None:
    """Run the statement of a case over its relations, and check its result or its error."""
    stage = "analysis"
    try:
        frame = spark.sql(case["sql"])
        columns = frame.columns
        stage = "runtime"
        got = [comparable(list(row)) for row in frame.collect()]
    except PySparkException as error:
        if "expected_error" not in case:
            raise
        expect_error(case, error, stage)
        return
    assert "expected_error" not in case, f"no error, but these rows: {got[:5]}"
    want = [comparable(row) for row in case["expected"]["rows"]]
    names = [name.lower() for name in case["expected"]["columns"]]
    assert [name.lower() for name in columns] == names
    if not case["ordered"]:
        got, want = sorted(got, key=repr), sorted(want, key=repr)
    assert len(got) == len(want), f"got {got}, want {want}"
    for number, (row, wanted) in enumerate(zip(got, want, strict=True)):
        assert equal(row, wanted), f"row {number}: got {row}, want {wanted}"


def prepare(spark: SparkSession, case: Case, make: MakeView = temporary_view) -> None:
    """Set the confs of a case in a new session, and create its relations there."""
    for key, value in case.get("conf", {}).items():
        spark.conf.set(key, value)
    views = case["inputs"] if "inputs" in case else {"t": case["input"]}
    for name, view in views.items():
        make(spark, name, source(view["columns"], view["rows"]))
    for statement in case.get("before", []):
        spark.sql(statement)


def check(spark: SparkSession, case: Case, make: MakeView = temporary_view) -> None:
    """Create the relations of a case in a new session, and judge its statement there."""
    prepare(spark, case, make)
    judge(spark, case)
