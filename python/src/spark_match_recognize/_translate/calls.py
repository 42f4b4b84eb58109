"""Which calls are known to return the same in another system and in Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from spark_match_recognize._translate.kinds import kind
from spark_match_recognize._translate.systems import FLINK, ORACLE, SNOWFLAKE, TRINO, System

# The same in all systems, for arguments of one type.
_EQUAL: tuple[Any, ...] = (
    *(exp.Abs, exp.Ceil, exp.Exp, exp.Floor, exp.Pow, exp.Round, exp.Sign, exp.Sqrt),
    *(exp.Avg, exp.Count, exp.Max, exp.Min, exp.Sum, exp.Stddev, exp.StddevPop, exp.StddevSamp),
    *(exp.Case, exp.Coalesce, exp.Connector, exp.Exists, exp.If, exp.Nullif),
    *(exp.DenseRank, exp.Lag, exp.Lead, exp.Rank, exp.RowNumber),
    *(exp.Length, exp.Lower, exp.Trim, exp.Upper),
    *(exp.Array, exp.StrPosition, exp.Substring),
    *(exp.CurrentDate, exp.DateStrToDate, exp.Day, exp.DayOfWeekIso, exp.Month, exp.Year),
    exp.Anonymous,  # named in a note of their own, if they are not of the clause
)
_EQUAL_FIELDS = {"YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE"}
_TIMES = (
    exp.DataType.Type.TIMESTAMP,
    exp.DataType.Type.TIMESTAMPLTZ,
    exp.DataType.Type.TIMESTAMPNTZ,
    exp.DataType.Type.TIMESTAMPTZ,
)


def uncertain(statement: Any, system: System) -> Iterator[Any]:
    """Yield the calls that are not known to be equal, without the calls in them."""

    def is_uncertain(node: Any) -> bool:
        zone = isinstance(node, exp.AtTimeZone | exp.FromTimeZone)
        return zone or (isinstance(node, exp.Func) and _is_uncertain(node, system))

    for node in statement.walk(bfs=False, prune=is_uncertain):
        if is_uncertain(node):
            yield node


def _is_uncertain(call: Any, system: System) -> bool:
    if isinstance(call, exp.Cast):
        return _is_uncertain_cast(call, system)
    if isinstance(call, exp.Extract):
        return call.name.upper() not in _EQUAL_FIELDS
    if isinstance(call, exp.TsOrDsToDate) and system is FLINK:
        return False  # sqlglot adds it
    if isinstance(call, exp.Avg) and system.own_averages:
        return kind(call.this, system) != "double"
    return not isinstance(call, _EQUAL) or _has_another_form(call, system)


def _is_uncertain_cast(cast: Any, system: System) -> bool:
    before = kind(cast.this, system)
    if isinstance(cast.this, exp.Literal) and cast.name.isdecimal():
        before = "integer"
    if cast.is_type(*exp.DataType.TEXT_TYPES):
        return not isinstance(cast.this, exp.Literal) and before != "integer"
    rounds = system.rounds_casts and kind(cast, system) == "integer" != before
    return rounds or _has_fewer_digits(cast, system)


def _has_fewer_digits(cast: Any, system: System) -> bool:
    """Tell whether a time has fewer digits of a second than Spark's, or no date."""
    if cast.is_type(exp.DataType.Type.TIME):
        return True
    if isinstance(cast.this, exp.Literal) or not cast.is_type(*_TIMES):
        return False
    digits = [param.name for param in cast.to.expressions]
    return digits != ["6"] if digits else system is TRINO  # where it has 3 of them


def _has_another_form(call: Any, system: System) -> bool:
    """Tell whether a call that is equal elsewhere is not so here, or with more arguments."""
    if isinstance(call, exp.Trim):  # Trino's removes tabs and line breaks too
        return system is TRINO and not call.expression
    if isinstance(call, exp.Stddev):  # of one row it is 0
        return system is ORACLE
    if isinstance(call, exp.Substring):
        start: Any = call.args.get("start")
        lowest = 0 if system in (ORACLE, SNOWFLAKE) else 1  # 0 is 1 there, as in Spark
        known = isinstance(start, exp.Literal) and start.is_int
        return not known or int(start.name) < lowest
    if isinstance(call, exp.StrPosition):
        return bool(call.args.get("position") or call.args.get("occurrence"))
    # the greatest n values; another way to round
    more = any(call.args.get(key) for key in ("expressions", "truncate"))
    return isinstance(call, exp.Max | exp.Min | exp.Round) and more
