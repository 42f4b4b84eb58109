"""Attempts of a search for the report: how many failed on what, and single ones step by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_match_recognize._steps import begins_partition, variables_of
from spark_match_recognize._trace import session_of, trace

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MOST_TESTS = 12  # of a row
_MOST_STEPS = 8_000
_MOST_GROUPS = 50
_MOST_CHARACTERS = 300  # of a value

_FAILED = f"""
    SELECT result, variable, condition, truth, COUNT(*) AS attempts,
      MAX_BY(STRUCT(partition_key, row_number, evaluated),
        COALESCE(row_number - start_row, -1)) AS example
    FROM {{steps}} WHERE event = 'end' AND result <> 'match'
    GROUP BY result, variable, condition, truth
    ORDER BY attempts DESC, result, variable, condition LIMIT {_MOST_GROUPS}
"""


class Failure(NamedTuple):
    """Attempts that ended in one way.

    Attributes:
        variable: The variable whose condition failed, empty if none.
        condition: The condition, and what it was.
        attempts: How many attempts.
        example: One of those that came furthest.
    """

    variable: str
    condition: str
    attempts: int
    example: str


class Attempt(NamedTuple):
    """One attempt: its first row and the last one that it read, numbered from 1, and its end."""

    number: int
    start: int
    last: int
    result: str
    told: str


class Steps(NamedTuple):
    """The first rows of a partition and what was tried on them.

    Attributes:
        columns: The names of the columns.
        rows: For each row its values.
        variables: For each row the variables that matches map it to, with their match numbers.
        attempts: The attempts that begin at one of these rows and failed.
        tests: For the number of a row, as text, what was tested on it.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str | None]]
    variables: Sequence[Sequence[tuple[str, int]]]
    attempts: Sequence[Attempt]
    tests: dict[str, list[str]]


def cut(text: str) -> str:
    """Return a text without what is beyond 300 characters."""
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


def failures_of(
    query: DataFrame | str, condition: str | None, most: int, spark: SparkSession | None
) -> list[Failure]:
    """Count the attempts that failed, by what they failed on, the commonest first."""
    steps = trace(query, condition, max_rows=most, spark=spark)
    rows = session_of(query, spark).sql(_FAILED, steps=steps).collect()
    return [_failure(row) for row in rows]


def _failure(row: Any) -> Failure:  # noqa: ANN401 - a Row
    key, number, evaluated = row["example"]
    place = "" if number is None else f"row {number}" + (f" of {key}" if key else "")
    if row["condition"] is None:
        return Failure(row["variable"] or "", row["result"], row["attempts"], place)
    open_still = "" if row["result"] == "condition failed" else f" ({row['result']})"
    example = f"{place}: {cut(evaluated)}" if evaluated else place
    return Failure(
        row["variable"],
        f"{row['condition']} is {row['truth']}{open_still}",
        row["attempts"],
        example,
    )


def steps_of(
    query: DataFrame | str,
    condition: str | None,
    *,
    most: int,
    first: int,
    spark: SparkSession | None,
) -> list[tuple[str | None, Steps]]:
    """Return the key and the first rows of each partition, with what was tried on them.

    Args:
        query: The query.
        condition: The partitions.
        most: How many rows they may have.
        first: How many rows of each are returned.
        spark: The session of a statement.
    """
    found = trace(query, condition, max_rows=most, spark=spark)
    shown = found.where(
        f"IF(event = 'end', start_row, row_number) <= {first} AND event IN ('row', 'test', 'end')"
    )
    # the map of a Python row is not in the order of the columns
    limited = shown.selectExpr("*", "map_keys(reads) AS columns").limit(_MOST_STEPS)
    parts: list[list[dict[str, Any]]] = []
    for row in limited.collect():
        step = row.asDict()
        if begins_partition(step):
            parts.append([])
        parts[-1].append(step)
    return [(part[0]["partition_key"], _steps(part, first)) for part in parts]


def _steps(steps: Sequence[Mapping[str, Any]], first: int) -> Steps:
    of_rows = [step for step in steps if step["event"] == "row"]
    columns = list(of_rows[0]["columns"])
    rows = [step["reads"] for step in of_rows]
    last: dict[int, int] = {}
    tests: dict[str, list[str]] = {}
    for step in steps:
        if step["event"] == "test":
            last[step["attempt"]] = max(step["row_number"], last.get(step["attempt"], 0))
            lines = tests.setdefault(str(step["row_number"]), [])
            if len(lines) < _MOST_TESTS:
                lines.append(_test(step))
            elif len(lines) == _MOST_TESTS:
                lines.append("and more")
    ends = [step for step in steps if step["event"] == "end"]
    variables: list[list[tuple[str, int]]] = [[] for _ in rows]
    for end in ends:
        if end["result"] == "match":
            path = variables_of(end["path"])
            for row, name in zip(variables[end["start_row"] - 1 :], path, strict=False):
                row.append((name, end["match_number"]))
    return Steps(
        columns,
        [[row[column] for column in columns] for row in rows],
        variables,
        [each for each in _attempts(ends, last, first) if each.result != "match"],
        tests,
    )


def _test(step: Mapping[str, Any]) -> str:
    """Return a line about a test of a row."""
    what = f"attempt {step['attempt']}: {step['variable']}"
    if step["truth"] is None:
        return f"{what}: {step['result']}, not tested"
    text = step["evaluated"] or step["condition"]
    if text is not None:
        return f"{what} is {step['truth']}: {cut(text)}"
    read = ", ".join(f"{name} = {step['reads'][name]}" for name in step["columns"] or ())
    return f"{what} is {step['truth']}{cut(f' ({read})') if read else ''}: {step['result']}"


def _attempts(
    ends: Iterable[Mapping[str, Any]], last: Mapping[int, int], first: int
) -> Iterable[Attempt]:
    for end in ends:
        told = ""
        if end["condition"] is not None:
            text = end["evaluated"] or end["condition"]
            told = f"{end['variable']} in row {end['row_number']}: {cut(text)} is {end['truth']}"
        stop = last.get(end["attempt"], end["start_row"])
        stop = max(stop, end["row_number"] or stop) if stop >= first else stop
        yield Attempt(end["attempt"], end["start_row"], stop, end["result"], told)
