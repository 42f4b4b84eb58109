"""Functions of dates and times that several systems share: sums, differences, beginnings."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from spark_match_recognize._translate.kinds import kind
from spark_match_recognize._translate.nodes import Written, is_text
from spark_match_recognize._translate.rules import Refused, has, written
from spark_match_recognize._translate.systems import SNOWFLAKE

# Units by the names that systems give them; a week and a quarter are so many of another unit.
_NAMES = {
    "YEAR": "YEARS YYYY YY Y",
    "QUARTER": "QUARTERS QTR QTRS QQ Q",
    "MONTH": "MONTHS MON MONS MM",
    "WEEK": "WEEKS WK WW W",
    "DAY": "DAYS DD D",
    "HOUR": "HOURS HH H HR HRS",
    "MINUTE": "MINUTES MI MIN MINS M N",
    "SECOND": "SECONDS SS S SEC SECS",
    "MILLISECOND": "MILLISECONDS MS",
    "MICROSECOND": "MICROSECONDS US",
}
_UNITS = {name: unit for unit, names in _NAMES.items() for name in (unit, *names.split())}
_OF_OTHERS = {"QUARTER": (3, "MONTH"), "WEEK": (7, "DAY")}
_SECONDS = {"MILLISECOND": 3, "MICROSECOND": 6}
DATES = ("DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
OF_A_DATE = "of a DATE it is a DATE there; here it is a TIMESTAMP."


def unit_of(node: Any) -> str | None:
    """Return the unit that an argument names, with quotes or without."""
    return _UNITS.get(node.name.upper()) if isinstance(node, exp.Literal | exp.Expression) else None


def added(unit: str, count: Any, time: Any, sign: str = "+") -> Written:
    """Return a time and a number of units."""
    times, base = _OF_OTHERS.get(unit, (1, unit))
    negative = isinstance(count, exp.Neg)
    literal = count.this if negative else count
    if isinstance(literal, exp.Literal) and literal.name.isdecimal():
        number = str(int(literal.name) * times)
        if base in _SECONDS:
            number, base = f"0.{number.zfill(_SECONDS[base])}", "SECOND"
            if len(number) > 2 + _SECONDS[unit]:
                return _counted(unit, count, time, sign)
        sign = {"+": "-", "-": "+"}[sign] if negative else sign
        return written(f"{{0:o}} {sign} INTERVAL '{number}' {base}", time, kind="time")
    return _counted(unit, count, time, sign)


def _counted(unit: str, count: Any, time: Any, sign: str) -> Written:
    times, base = _OF_OTHERS.get(unit, (1, unit))
    interval = f"{times} * INTERVAL '1' {base}" if times > 1 else f"INTERVAL '1' {base}"
    if base in _SECONDS:
        interval = f"INTERVAL '0.{'1'.zfill(_SECONDS[base])}' SECOND"
    note = OF_A_DATE if base == "DAY" else ""
    return written(f"{{0:o}} {sign} {{1:o}} * {interval}", time, count, note=note, kind="time")


def add(arguments: list[Any]) -> Any:
    """Return the sum of DATEADD(unit, count, time)."""
    unit = _unit_of_sum(arguments)
    return added(unit, *arguments[1:]) if unit else None


def _unit_of_sum(arguments: list[Any]) -> str | None:
    unit = unit_of(arguments[0]) if has(arguments, 3) else None
    if unit is None and has(arguments, 3):  # sqlglot would write a sum of days
        msg = f"A sum in {arguments[0].name} has no counterpart in Spark: write another unit"
        raise Refused(msg)
    return unit


def add_rounded(arguments: list[Any]) -> Any:
    """Return the sum of DATEADD(unit, count, time) of Snowflake, which rounds the count."""
    unit = _unit_of_sum(arguments)
    return added(unit, _rounded(arguments[1]), arguments[2]) if unit else None


def _rounded(count: Any) -> Any:
    """Return a number without decimals; halves are rounded away from zero, as by ROUND."""
    if isinstance(count, exp.Neg):
        return exp.Neg(this=_rounded(count.this))
    if not isinstance(count, exp.Literal):
        return count if kind(count, SNOWFLAKE) == "integer" else written("ROUND({0})", count)
    try:
        number = decimal.Decimal(count.name).to_integral_value(decimal.ROUND_HALF_UP)
    except decimal.InvalidOperation:  # a text that is not a number fails there and here
        return count
    return exp.Literal.number(int(number)) if number.is_finite() else count


def boundaries(note: str = "") -> Callable[[list[Any]], Any]:
    """Return how DATEDIFF(unit, from, to) is written that counts the units begun."""

    def difference(arguments: list[Any]) -> Any:
        unit = unit_of(arguments[0]) if has(arguments, 3) else None
        if not unit:
            return None
        if unit == "DAY":
            return written("DATEDIFF({1}, {0})", *arguments[1:], note=note, kind="integer")
        begun = [written(f"DATE_TRUNC('{unit}', {{0}})", time) for time in arguments[1:]]
        text = f"TIMESTAMPDIFF({unit}, {{0}}, {{1}})"
        return written(text, *begun, note=note, kind="integer")

    return difference


def whole(arguments: list[Any]) -> Any:
    """Return the number of whole units of DATE_DIFF(unit, from, to)."""
    unit = unit_of(arguments[0]) if has(arguments, 3) else None
    text = f"TIMESTAMPDIFF({unit}, {{0}}, {{1}})"
    return written(text, *arguments[1:], kind="integer") if unit else None


def begun(arguments: list[Any]) -> Any:
    """Return the beginning of a unit, as DATE_TRUNC(unit, time) does."""
    unit = unit_of(arguments[0]) if has(arguments, 2) else None
    return beginning(unit, arguments[1]) if unit else None


def beginning(unit: str, time: Any, note: str | None = None) -> Written:
    """Return the beginning of a unit."""
    told = note if note is not None else OF_A_DATE if unit in DATES else ""
    return written(f"DATE_TRUNC('{unit}', {{0}})", time, note=told, kind="time")


def sliced(arguments: list[Any]) -> Any:
    """Return the beginning of the slice of a time, as TIME_SLICE(time, count, unit) does."""
    unit = unit_of(arguments[2]) if has(arguments, 3) else None
    count = arguments[1] if len(arguments) > 1 else None
    seconds = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600}.get(unit or "")
    if not seconds or not isinstance(count, exp.Literal) or not count.name.isdecimal():
        return None
    length = seconds * int(count.name)
    note = "" if 900 % length == 0 else "slices are counted from 1970 on in UTC."
    text = f"TIMESTAMP_SECONDS(UNIX_SECONDS({{0}}) - PMOD(UNIX_SECONDS({{0}}), {length}))"
    return written(text, arguments[0], note=note, kind="time")


_OF_TIMES = (
    *(exp.Extract, exp.Year, exp.Month, exp.Day, exp.DateDiff, exp.DateTrunc, exp.TimestampTrunc),
    *(exp.TsOrDsToDate, exp.TimestampDiff, exp.LastDay),
)
_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Add, exp.Sub, exp.Between)


def time_columns(statement: Any, is_time: Callable[[Any], bool], column: Any) -> set[str]:
    """Return the columns, in capitals, that the statement uses as times somewhere.

    Args:
        statement: The statement.
        is_time: Whether an expression is evidently a time.
        column: The column whose value, in whatever row, an expression is.
    """
    found: set[str | None] = set()
    for node in statement.find_all(*_COMPARED):
        both = [node.this, *(node.args.get(key) for key in ("expression", "low", "high"))]
        if any(side is not None and is_time(side) for side in both):
            found |= {column(side) for side in both if side is not None}
        if isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval):
            found.add(column(node.this))
    found |= {column(call.expression or call.this) for call in statement.find_all(exp.Extract)}
    found |= {column(call.this) for call in statement.find_all(*_OF_TIMES)}
    for call in statement.find_all(Written):
        if call.args.get("kind") == "time" or "DATE_FORMAT" in call.this:
            found |= {column(call.expressions[0])} if call.expressions else set()
    return {name for name in found if name}


def is_evident(node: Any) -> bool:
    """Tell whether an expression is a time, whatever its columns are."""
    if isinstance(node, Written):
        return node.args.get("kind") == "time"
    if isinstance(node, exp.Paren):
        return is_evident(node.this)
    if isinstance(node, exp.Cast) and not is_text(node.this):
        return bool(node.is_type(*exp.DataType.TEMPORAL_TYPES))
    if isinstance(node, exp.Add | exp.Sub):
        return is_evident(node.this) and not is_evident(node.expression)
    return isinstance(
        node, exp.CurrentTimestamp | exp.CurrentDate | exp.DateStrToDate | exp.Cast
    ) and (not isinstance(node, exp.Cast) or bool(node.is_type(*exp.DataType.TEMPORAL_TYPES)))


def is_interval(difference: Any) -> bool:
    """Tell whether the difference is used as an interval: compared with one, or taken apart."""
    node = difference.parent
    while isinstance(node, exp.Paren):
        node = node.parent
    if isinstance(node, exp.Extract):
        return True
    return isinstance(node, exp.Binary | exp.Between) and any(
        isinstance(part, exp.Interval) or _of_interval(part) for part in node.iter_expressions()
    )


def _of_interval(node: Any) -> bool:
    return isinstance(node, Written) and "INTERVAL" in node.this and node.args["kind"] != "time"
