"""Numbers of days beside DATEs of Oracle: sums, differences, and what those are compared with.

Which columns are DATEs is not known here. What a column is used for elsewhere in the statement
tells that it is one, or a number. Beside the others only a constant that is divided by 24, 1440 or
86400 is taken for hours, minutes or seconds, and a note says so.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from sqlglot import exp

from spark_match_recognize._translate import times
from spark_match_recognize._translate.kinds import column_of, is_number
from spark_match_recognize._translate.nodes import inner_first, replace, sides
from spark_match_recognize._translate.rules import written
from spark_match_recognize._translate.systems import ORACLE

_DAY = 86_400
_UNITS = ((_DAY, "DAY"), (3600, "HOUR"), (60, "MINUTE"), (1, "SECOND"))
_IDIOMS = (24, 1440, _DAY)
_NUMBER_NOTE = "a number is one of days in Oracle."
_DAYS_NOTE = "the difference of two DATEs is a number of days in Oracle."


class Facts(NamedTuple):
    """Columns, in capitals: those that are evidently times, first keys of ORDER BY, and numbers."""

    times: set[str]
    keys: set[str]
    numbers: set[str]


def change(statement: Any, facts: Facts) -> None:
    """Write sums and differences of DATEs with intervals."""
    _add_parts_of_days(statement, facts)
    _subtract_days(statement, facts)


def is_time(node: Any, known: set[str]) -> bool:
    """Tell whether an expression is a time, given the columns that are times."""
    return times.is_evident(node) or column_of(node) in known


def _add_parts_of_days(statement: Any, facts: Facts) -> None:
    for sum_ in inner_first(statement, exp.Add, exp.Sub):
        sign = "+" if isinstance(sum_, exp.Add) else "-"
        time, days = sides(sum_)
        if sign == "+" and _constant(time) is not None:
            time, days = days, time
        value = _constant(days)
        if value is None or (value * _DAY).denominator != 1:
            continue
        if not is_time(time, facts.times) and (
            value.denominator == 1 or not _is_part_of_day(days, [time], facts)
        ):
            continue
        note = "" if value.denominator == 1 else _told([time], facts)
        text = f"{{0:o}} {sign} {_interval(int(value * _DAY))}"
        replace(sum_, written(text, time, note=note, kind="time"))


def _is_part_of_day(constant: Any, others: list[Any], facts: Facts) -> bool:
    """Tell whether a constant is written as hours, minutes or seconds are, beside no number."""
    if any(is_number(other, facts.numbers, ORACLE) for other in others):
        return False
    return _divisor(constant) in _IDIOMS


def _told(others: list[Any], facts: Facts) -> str:
    """Return the note of a constant that was taken for days, as what is beside it may be a time."""
    guessed = [other for other in others if not is_time(other, facts.times | facts.keys)]
    names = dict.fromkeys(column_of(other) for other in guessed)
    if not names:
        return _NUMBER_NOTE
    given = " and ".join(name or "its other side" for name in names)
    return f"{given} {'are' if len(names) > 1 else 'is'} taken for a DATE: {_NUMBER_NOTE}"


def _constant(node: Any) -> Fraction | None:
    """Return the value of a number, a product or a quotient of numbers."""
    if isinstance(node, exp.Paren):
        return _constant(node.this)
    if isinstance(node, exp.Literal):
        return Fraction(node.name) if node.is_number else None
    if not isinstance(node, exp.Mul | exp.Div):
        return None
    left, right = map(_constant, sides(node))
    if left is None or right is None:
        return None
    if isinstance(node, exp.Mul):
        return left * right
    return left / right if right else None


def _divisor(constant: Any) -> Fraction:
    """Return by what a constant is divided as it is written: 1440 of 30/24/60, which is 1/48."""
    if isinstance(constant, exp.Paren):
        return _divisor(constant.this)
    if not isinstance(constant, exp.Mul | exp.Div):
        return Fraction(1)
    left, right = sides(constant)
    if isinstance(constant, exp.Mul):
        return _divisor(left) * _divisor(right)
    return _divisor(left) * (_constant(right) or 1)


def _subtract_days(statement: Any, facts: Facts) -> None:
    for difference in inner_first(statement, exp.Sub):
        both = sides(difference)
        if all(map(_may_be_time, both)):
            _compare_with_interval(difference, facts)
        factor, whole = _multiplied(difference)
        seconds = all(is_time(side, facts.times) for side in both)
        if not seconds and factor in _IDIOMS:
            rare = factor != _IDIOMS[0]
            seconds = rare or all(column_of(side) in facts.keys for side in both)
            seconds = seconds and not any(is_number(side, facts.numbers, ORACLE) for side in both)
        if seconds and not times.is_interval(difference) and all(map(_may_be_time, both)):
            rest = Fraction(_DAY, factor)
            if rest.denominator != 1:
                rest, whole = Fraction(_DAY), difference
            span = "TIMESTAMPDIFF(SECOND, {1}, {0})"
            text = span if rest == 1 else f"({span} / {rest})"
            new = written(text, *both, note=_DAYS_NOTE, kind="integer" if rest == 1 else "")
            replace(whole, new)


def _compare_with_interval(difference: Any, facts: Facts) -> None:
    """Write a part of a day that a difference is compared with as an interval."""
    side = difference
    while isinstance(side.parent, exp.Paren):
        side = side.parent
    comparison = side.parent
    if not isinstance(comparison, exp.LT | exp.LTE | exp.GT | exp.GTE):
        return
    other = comparison.expression if comparison.this is side else comparison.this
    value = _constant(other)
    if value is None or value.denominator == 1 or (value * _DAY).denominator != 1:
        return
    both = list(sides(difference))
    if not all(is_time(side, facts.times) for side in both) and not _is_part_of_day(
        other, both, facts
    ):
        return
    replace(other, written(_interval(int(value * _DAY)), note=_told(both, facts)))


def _interval(seconds: int) -> str:
    length, unit = next(u for u in _UNITS if seconds % u[0] == 0)
    return f"INTERVAL '{seconds // length}' {unit}"


def _may_be_time(node: Any) -> bool:
    """Tell whether a side may be a time: a column in some row, or evidently one."""
    return column_of(node) is not None or times.is_evident(node)


def _multiplied(difference: Any) -> tuple[int, Any]:
    """Return by what number a difference is multiplied, and the whole product."""
    factor, whole = 1, difference
    while True:
        outer = whole.parent
        if isinstance(outer, exp.Paren):
            whole = outer
            continue
        if not isinstance(outer, exp.Mul):
            break
        value = _constant(outer.expression if outer.this is whole else outer.this)
        if value is None or value.denominator != 1:
            break
        factor, whole = factor * int(value), outer
    return factor, whole
