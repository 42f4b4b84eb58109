"""Casts, parts of times, elements and windows that several systems compute in another way."""

from __future__ import annotations

from typing import Any

from sqlglot import exp, transforms

from spark_match_recognize._translate.kinds import is_number, kind, number_columns
from spark_match_recognize._translate.nodes import inner_first, is_text, replace, sides
from spark_match_recognize._translate.rules import written
from spark_match_recognize._translate.systems import (
    FLINK,
    ORACLE,
    SNOWFLAKE,
    TRINO,
    VERTICA,
    System,
)

# How a part of a time is written that EXTRACT of Spark does not have, or has with decimals.
_SUNDAY_IS_ZERO = "(DAYOFWEEK({0}) - 1)"
_ISO_DAY = "(WEEKDAY({0}) + 1)"
_EPOCH = "UNIX_SECONDS(CAST({0} AS TIMESTAMP))"
_ZONE = "a time without a time zone is taken for one of the time zone of the session."
_PARTS: dict[System, dict[str, str]] = {
    FLINK: {"SECOND": "SECOND({0})", "DOW": "DAYOFWEEK({0})", "EPOCH": _EPOCH},
    ORACLE: {"SECOND": "EXTRACT(SECOND FROM {0})"},
    SNOWFLAKE: {
        "SECOND": "SECOND({0})",
        "DOW": _SUNDAY_IS_ZERO,
        "DAYOFWEEK": _SUNDAY_IS_ZERO,
        "DAYOFWEEKISO": _ISO_DAY,
        "DAYOFWEEK_ISO": _ISO_DAY,
        "DOW_ISO": _ISO_DAY,
        "EPOCH": _EPOCH,
        "EPOCH_SECOND": _EPOCH,
        "EPOCH_MILLISECOND": "UNIX_MILLIS(CAST({0} AS TIMESTAMP))",
    },
    TRINO: {"SECOND": "SECOND({0})", "DOW": _ISO_DAY, "DAY_OF_WEEK": _ISO_DAY},
    VERTICA: {
        "DOW": _SUNDAY_IS_ZERO,
        "EPOCH": "(UNIX_MICROS(CAST({0} AS TIMESTAMP)) / 1e6)",
        "SECOND": "EXTRACT(SECOND FROM {0})",
    },
}


def change(statement: Any, system: System) -> None:
    """Write what Spark computes in another way."""
    _count_rows(statement)
    _parts_of_times(statement, system)
    if system.counts_from_one:
        _elements(statement, system)
    if system is SNOWFLAKE:
        _whole_texts(statement)
    if system.days and system is not ORACLE:
        _days(statement)
    if system.rounds_casts:
        _round(statement, system)
    _qualify(statement)


def _count_rows(statement: Any) -> None:
    """Write COUNT() as COUNT(*)."""
    for call in statement.find_all(exp.Count):
        if call.this is None and not call.expressions:
            call.set("this", exp.Star())


def _parts_of_times(statement: Any, system: System) -> None:
    for call in inner_first(statement, exp.Extract):
        part = call.name.upper()
        text = _PARTS.get(system, {}).get(part)
        if text and not isinstance(call.expression, exp.Sub):  # an interval has parts of its own
            note = _ZONE if "UNIX" in text else ""
            number = "" if "EXTRACT" in text or "1e6" in text else "integer"
            replace(call, written(text, call.expression, note=note, kind=number))


def _elements(statement: Any, system: System) -> None:
    """Write a[1] with the function that counts from 1, as it is right for maps too."""
    function = "ELEMENT_AT" if system is TRINO else "TRY_ELEMENT_AT"
    for element in inner_first(statement, exp.Bracket):
        at = element.expressions[0] if len(element.expressions) == 1 else None
        if at is None or is_text(at) or isinstance(at, exp.Slice):
            continue
        replace(element, written(f"{function}({{0}}, {{1}})", element.this, at))


def _whole_texts(statement: Any) -> None:
    """Write RLIKE of Snowflake, whose pattern is one of the whole text."""
    for call in inner_first(statement, exp.RegexpLike):
        pattern = call.expression
        if call.args.get("flag"):
            continue
        if is_text(pattern):
            whole = exp.Literal.string(f"^(?:{pattern.name})$")
            replace(call, written("{0:o} RLIKE {1}", call.this, whole))
        else:
            replace(call, written("{0:o} RLIKE CONCAT('^(?:', {1}, ')$')", call.this, pattern))


def _days(statement: Any) -> None:
    """Write the difference of what is evidently two DATEs."""
    for difference in inner_first(statement, exp.Sub):
        if all(_is_date(side) for side in sides(difference)):
            replace(difference, written("DATEDIFF({0}, {1})", *sides(difference), kind="integer"))


def _is_date(node: Any) -> bool:
    if isinstance(node, exp.Paren):
        return _is_date(node.this)
    if isinstance(node, exp.Cast):
        return bool(node.is_type(exp.DataType.Type.DATE))
    return isinstance(node, exp.CurrentDate | exp.DateStrToDate)


def _round(statement: Any, system: System) -> None:
    """Write a cast of a number to an integer with ROUND, as the system rounds."""
    numbers = number_columns(statement, system)
    for cast in inner_first(statement, exp.Cast):
        to_integer = type(cast) is exp.Cast and kind(cast, system) == "integer"
        value = cast.this
        if not to_integer or kind(value, system) == "integer" or is_text(value):
            continue
        if is_number(value, numbers, system):
            new = written(f"CAST(ROUND({{0}}) AS {cast.to.sql('spark')})", value, kind="integer")
            replace(cast, new)


def _qualify(statement: Any) -> None:
    """Write QUALIFY as a subquery, without the columns that it is computed from."""
    for query in list(statement.find_all(exp.Select)):
        if not query.args.get("qualify"):
            continue
        names = {item.alias_or_name for item in query.expressions}
        inside = query.copy()
        after = {key: inside.args.get(key) for key in ("order", "limit", "offset")}
        for key in after:
            inside.set(key, None)
        outer = transforms.eliminate_qualify(inside)
        for key, part in after.items():  # the rows that are left are sorted and counted
            outer.set(key, part)
        inner: Any = outer.args.get("from_") or outer.args.get("from")
        added = [
            item.alias for item in inner.this.this.expressions if item.alias not in {*names, ""}
        ]
        if any(item.is_star for item in query.expressions) and added:
            left = [exp.to_identifier(name) for name in added]
            outer.set("expressions", [exp.Star(except_=left)])
        if query is statement:
            for key, value in list(outer.args.items()):
                query.set(key, value)
            for key in set(query.args) - set(outer.args):
                query.set(key, None)
        else:
            query.replace(outer)
