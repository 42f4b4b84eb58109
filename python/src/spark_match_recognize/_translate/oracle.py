"""What only Oracle computes in its own way: '' as NULL, and dates that are numbers of days."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from sqlglot import exp, transforms
from sqlglot.errors import SqlglotError

from spark_match_recognize._translate import days, times
from spark_match_recognize._translate.kinds import (
    column_of,
    kind,
    number_columns,
)
from spark_match_recognize._translate.nodes import (
    Clause,
    inner_first,
    is_call,
    is_text,
    replace,
)
from spark_match_recognize._translate.rules import Refused, has, written
from spark_match_recognize._translate.systems import ORACLE

_AFTER_WHERE = ("order", "group", "having", "distinct", "limit", "qualify")
# Formats of TRUNC and ROUND, and what rounding adds before it cuts.
_BEGINNINGS = {
    "YEAR": "YYYY YEAR SYYYY YYY YY Y",
    "QUARTER": "Q",
    "MONTH": "MM MON MONTH RM",
    "WEEK": "IW",
    "DAY": "DD DDD J",
    "HOUR": "HH24 HH12 HH",
    "MINUTE": "MI",
}
_BEGINNING = {name: unit for unit, names in _BEGINNINGS.items() for name in names.split()}
_HALVES = {
    "YEAR": "ADD_MONTHS({0}, 6)",
    "MONTH": "ADD_MONTHS({0}, IF(DAY({0}) >= 16, 1, 0))",
    "DAY": "{0:o} + INTERVAL '12' HOUR",
    "HOUR": "{0:o} + INTERVAL '30' MINUTE",
    "MINUTE": "{0:o} + INTERVAL '30' SECOND",
}


def cut(arguments: list[Any]) -> Any:
    """Return how TRUNC with two arguments is written."""
    second: Any = arguments[1] if has(arguments, 2) else None
    if is_text(second):
        unit = _BEGINNING.get(second.name.upper())
        return times.beginning(unit, arguments[0], note="") if unit else None
    # the type decides, when the whole statement is known
    return cut_decimals(arguments) or exp.Anonymous(this="TRUNC", expressions=arguments)


def cut_decimals(arguments: list[Any]) -> Any:
    """Return how TRUNC(number, decimals) is written."""
    if has(arguments, 2) and isinstance(arguments[1], exp.Literal) and arguments[1].is_int:
        return written("IF({0:o} < 0, CEIL({0}, {1}), FLOOR({0}, {1}))", *arguments)
    return None


def rounded(arguments: list[Any]) -> Any:
    """Return how ROUND of a date in a format is written."""
    second: Any = arguments[1] if has(arguments, 2) else None
    return _half(arguments[0], second.name.upper()) if is_text(second) else None


def _half(time: Any, given: str) -> Any:
    unit = _BEGINNING.get(given)
    half = _HALVES.get(unit or "")
    return written(f"DATE_TRUNC('{unit}', {half})", time, kind="time") if half else None


def changed(statement: Any) -> Iterator[str]:
    """Write what Oracle computes in its own way, and say what is different afterwards."""
    yield from _empty_texts(statement)
    yield from _first_rows(statement)
    _refuse_keep(statement)
    _outer_joins(statement)
    _parts_of_texts(statement)
    _join_texts(statement)
    _cast_to_times(statement)
    numbers = number_columns(statement, ORACLE)
    known = times.time_columns(statement, times.is_evident, column_of) - numbers
    keys = _keys(statement) - numbers
    _whole_days(statement, known | keys)
    days.change(statement, days.Facts(known, keys, numbers))


def _empty_texts(statement: Any) -> Iterator[str]:
    found = [node for node in statement.find_all(exp.Literal) if is_text(node) and not node.name]
    for literal in found:
        literal.replace(written("CAST(NULL AS STRING)"))
    if found:
        yield "In Oracle '' is NULL: NULL is written."


def _parts_of_texts(statement: Any) -> None:
    """Let nothing be NULL where TRIM or SUBSTR leaves nothing."""
    for part in inner_first(statement, exp.Trim, exp.Substring):
        if not isinstance(part.parent, exp.Trim | exp.Substring):  # the outer one says it
            part.replace(written("NULLIF({0}, '')", part.copy()))


def _join_texts(statement: Any) -> None:
    for both in inner_first(statement, exp.DPipe, exp.Concat):
        if isinstance(both, exp.DPipe) and isinstance(both.parent, exp.DPipe):
            continue
        pieces = both.expressions if isinstance(both, exp.Concat) else list(both.flatten())
        if all(map(_has_text, pieces)):
            continue
        places = ", ".join(f"{{{place}}}" for place in range(len(pieces)))
        text = f"CONCAT_WS('', {places})"
        if not any(map(_has_text, pieces)):
            text = f"NULLIF({text}, '')"
        new = written(
            text, *pieces, note="NULL is an empty text; numbers such as .5 are written 0.5 here."
        )
        replace(both, new)


def _outer_joins(statement: Any) -> None:
    """Write conditions with (+) as LEFT JOIN."""
    if any(column.args.get("join_mark") for column in statement.find_all(exp.Column)):
        with contextlib.suppress(SqlglotError, AssertionError, AttributeError):
            transforms.eliminate_join_marks(statement)


def _first_rows(statement: Any) -> Iterator[str]:
    """Write ROWNUM <= n as LIMIT n, where rows are numbered as the query returns them."""
    for query in statement.find_all(exp.Select):
        where = query.args.get("where")
        if not where or any(query.args.get(key) for key in _AFTER_WHERE):
            continue
        conditions = list(where.this.flatten() if isinstance(where.this, exp.And) else [where.this])
        bounds = [(node, _bound(node)) for node in conditions]
        found = [(node, bound) for node, bound in bounds if bound is not None]
        if len(found) == 1 and not any(item.find(exp.AggFunc) for item in query.expressions):
            rest = [node for node in conditions if node is not found[0][0]]
            query.set("where", exp.Where(this=exp.and_(*rest, copy=False)) if rest else None)
            query.limit(found[0][1], copy=False)
            yield "A bound of ROWNUM is LIMIT."


def _bound(node: Any) -> int | None:
    """Return how many rows a condition on ROWNUM leaves."""
    named = isinstance(node, exp.LT | exp.LTE) and node.this.name.upper() == "ROWNUM"
    if not named or not isinstance(node.expression, exp.Literal) or not node.expression.is_int:
        return None
    return int(node.expression.name) - isinstance(node, exp.LT)


def _has_text(node: Any) -> bool:
    return isinstance(node, exp.Literal) or is_call(node, ("CLASSIFIER", "MATCH_NUMBER"))


def _refuse_keep(statement: Any) -> None:
    for window in statement.find_all(exp.Window):
        if str(window.args.get("over") or "").upper() == "KEEP":
            message = "KEEP has no counterpart in Spark: write MAX_BY(x, y) or MIN_BY(x, y)"
            raise Refused(message)


def _cast_to_times(statement: Any) -> None:
    for cast in inner_first(statement, exp.Cast):
        if cast.is_type(exp.DataType.Type.DATE) and not isinstance(cast.this, exp.Literal):
            new = written(
                "DATE_TRUNC('SECOND', {0})",
                cast.this,
                note="a DATE of Oracle has a time of day: it is a TIMESTAMP here.",
                kind="time",
            )
            replace(cast, new)


def _keys(statement: Any) -> set[str]:
    """Return the columns that come first in ORDER BY of a clause."""
    orders = [clause.args.get("order") for clause in statement.find_all(Clause)]
    found = {column_of(order.expressions[0].this) for order in orders if order}
    return {name for name in found if name}


def _whole_days(statement: Any, known: set[str]) -> None:
    """Write TRUNC and ROUND of times."""
    for call in inner_first(statement, exp.Anonymous, exp.Round):
        if isinstance(call, exp.Round):
            time = None if call.args.get("decimals") else call.this
        else:
            time = call.expressions[0] if is_call(call, ("TRUNC",)) and call.expressions else None
        if time is None:
            continue
        if days.is_time(time, known):
            rounds = isinstance(call, exp.Round)
            new = _half(time, "DD") if rounds else times.beginning("DAY", time, note="")
            replace(call, new)
        elif not isinstance(call, exp.Round) and kind(time, ORACLE) in ("decimal", "double"):
            replace(call, written("CAST({0} AS BIGINT)", time, kind="integer"))
