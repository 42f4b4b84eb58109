"""What kind of number an expression is, as far as its text tells: types are not known here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from spark_match_recognize._translate.nodes import (
    NAVIGATION,
    OF_THE_CLAUSE,
    Semantics,
    Written,
    is_call,
    sides,
)
from spark_match_recognize._translate.systems import System

_INTEGER = (exp.Count, exp.DenseRank, exp.Length, exp.Rank, exp.RowNumber, exp.IntDiv)
_DOUBLE = (exp.Exp, exp.Ln, exp.Sqrt, exp.Stddev, exp.StddevPop, exp.StddevSamp)
_OF_ARGUMENT = (exp.Abs, exp.Filter, exp.Max, exp.Min, exp.Neg, exp.Paren, exp.Sum, Semantics)
_AGGREGATES = (exp.Avg, exp.Sum)
_SCALING = (exp.Mul, exp.Div, exp.Mod)
_OPERATORS = (exp.Add, exp.Sub, *_SCALING)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_NUMBERS = {"integer", "decimal", "double"}


def kind(node: Any, system: System) -> str | None:
    """Return `integer`, `decimal`, `double`, `other`, or None if the type is not evident."""
    rules = (rule for classes, rule in _RULES if isinstance(node, classes))
    rule = next(rules, None)
    return rule(node, system) if rule else None


def _of_literal(node: Any, _: System) -> str:
    if node.is_string:
        return "other"
    return "double" if "E" in node.name.upper() else "integer" if node.is_int else "decimal"


def _of_cast(node: Any, _: System) -> str:
    if node.is_type(*exp.DataType.INTEGER_TYPES):
        return "integer"
    if node.is_type(exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT):
        return "double"
    return "decimal" if node.is_type(exp.DataType.Type.DECIMAL) else "other"


def _of_call(node: Any, system: System) -> str | None:
    if is_call(node, ("MATCH_NUMBER",)):
        return "integer"
    moved = is_call(node, NAVIGATION) and node.expressions
    return kind(node.expressions[0], system) if moved else None


def _of_average(node: Any, system: System) -> str | None:
    argument = kind(node.this, system)
    return "double" if argument == "integer" and not system.integer_averages else argument


def _of_operator(node: Any, system: System) -> str | None:
    kinds = {kind(side, system) for side in sides(node)}
    if "double" in kinds:
        return "double"
    known = kinds <= _NUMBERS and not isinstance(node, exp.Div)
    return ("decimal" if "decimal" in kinds else "integer") if known else None


_RULES: tuple[tuple[Any, Callable[[Any, System], str | None]], ...] = (
    (exp.Literal, _of_literal),
    (exp.Cast, _of_cast),
    (_INTEGER, lambda _node, _system: "integer"),
    (_DOUBLE, lambda _node, _system: "double"),
    (exp.Anonymous, _of_call),
    (Written, lambda node, _system: node.args.get("kind") or None),
    (exp.Avg, _of_average),
    (_OF_ARGUMENT, lambda node, system: kind(node.this, system)),
    (_OPERATORS, _of_operator),
)


def number_columns(statement: Any, system: System) -> set[str]:
    """Return the columns, in capitals, that the statement uses as numbers somewhere."""
    found: set[str | None] = set()
    for node in statement.find_all(*_SCALING, *_COMPARISONS):
        for side, other in (sides(node), sides(node)[::-1]):
            if isinstance(node, _SCALING) or kind(other, system) in _NUMBERS:
                found.add(column_of(side))
    found |= {column_of(call.this) for call in statement.find_all(*_AGGREGATES, *_DOUBLE)}
    return {column for column in found if column}


def is_number(node: Any, columns: set[str], system: System) -> bool:
    """Tell whether an expression is a number, given the columns that are numbers."""
    if kind(node, system) in _NUMBERS or column_of(node) in columns:
        return True
    if isinstance(node, (exp.Paren, exp.Neg)):
        return is_number(node.this, columns, system)
    return isinstance(node, (*_SCALING, *_AGGREGATES, exp.Interval))


def column_of(node: Any) -> str | None:
    """Return the column whose value, in whatever row, an expression is."""
    if isinstance(node, exp.Column):
        return str(node.name).upper()
    if is_call(node, OF_THE_CLAUSE) and node.expressions:
        return column_of(node.expressions[0])
    return column_of(node.this) if isinstance(node, (*_OF_ARGUMENT, exp.Avg)) else None
