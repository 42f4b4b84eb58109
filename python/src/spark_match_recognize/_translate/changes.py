"""What is written in another way, because in the same words Spark computes something else.

Types are not known here: what is rewritten is equal whatever they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from spark_match_recognize._translate import flink, oracle, values, vertica
from spark_match_recognize._translate.kinds import kind
from spark_match_recognize._translate.nodes import (
    Clause,
    inner_first,
    is_call,
    running_count,
    sides,
)
from spark_match_recognize._translate.rules import written
from spark_match_recognize._translate.systems import FLINK, ORACLE, SNOWFLAKE, VERTICA, System
from spark_match_recognize._translate.writer import text

_VARIABLE = re.compile(r"`(?:[^`]|``)*`|/\*.*?\*/|(\w+)", re.DOTALL)


def changed(statement: Any, system: System) -> Iterator[str]:
    """Change a statement, and say what is different afterwards.

    Args:
        statement: What the dialect of the system has read.
        system: That system.

    Raises:
        ValueError: If a MATCH of Vertica has no counterpart.
    """
    if system is VERTICA:
        yield from vertica.changed(statement)
    for clause in list(statement.find_all(Clause)):
        if system is FLINK:
            yield from flink.skip(clause)
        if system.capitals:
            yield from _names_in_capitals(clause, system)
        if system is SNOWFLAKE:
            yield from _functions_of_snowflake(clause)
    _group_bits(statement)
    _complete_types(statement, system)
    values.change(statement, system)
    _without_any(statement)
    if system.integer_quotients:
        yield from _quotients(statement, system)
    if system is FLINK:
        yield from flink.changed(statement)
    if system is ORACLE:
        yield from oracle.changed(statement)
        yield from _without_dual(statement)


def _group_bits(statement: Any) -> None:
    """Put operators of bits that were calls, such as BITAND(x, 3), into parentheses."""
    for bits in inner_first(statement, exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor):
        if isinstance(bits.parent, exp.Binary | exp.Unary) and not isinstance(
            bits.parent, exp.Connector | exp.Paren
        ):
            bits.replace(exp.Paren(this=bits.copy()))


def _names_in_capitals(clause: Clause, system: System) -> Iterator[str]:
    if not any(is_call(call, ("CLASSIFIER",)) for call in clause.find_all(exp.Anonymous)):
        return  # nothing returns a name
    pattern = _VARIABLE.sub(
        lambda name: name[0] if name[1] is None else name[1].upper(), clause.args["pattern"]
    )
    if pattern != clause.args["pattern"]:
        clause.set("pattern", pattern)
        yield (
            f"{system.title} returns names of variables without quotes in capitals: PATTERN has "
            "them now."
        )


def _functions_of_snowflake(clause: Clause) -> Iterator[str]:
    for call in list(clause.find_all(exp.Anonymous)):
        if is_call(call, ("MATCH_SEQUENCE_NUMBER",)):
            call.replace(running_count())
            yield "MATCH_SEQUENCE_NUMBER() is RUNNING COUNT(*)."
    for moved in list(clause.find_all(exp.Lag, exp.Lead)):
        window = moved.parent if isinstance(moved.parent, exp.Window) else moved
        name = "PREV" if isinstance(moved, exp.Lag) else "NEXT"
        arguments = [moved.this, *([moved.args["offset"]] if moved.args.get("offset") else [])]
        call = exp.Anonymous(this=name, expressions=arguments)
        default = moved.args.get("default")
        if default:
            note = "the default takes the place of a NULL in the other row, too."
            window.replace(written("COALESCE({0}, {1})", call, default.copy(), note=note))
        else:
            window.replace(call)
        yield f"{moved.key.upper()} in the clause is {name}."


def _complete_types(statement: Any, system: System) -> None:
    """Write the precision that a type without one has, and none where Spark has no place for it."""
    for found in statement.find_all(exp.DataType):
        if system.decimal and found.is_type(exp.DataType.Type.DECIMAL) and not found.expressions:
            numbers = map(exp.Literal.number, system.decimal)
            found.set("expressions", [exp.DataTypeParam(this=number) for number in numbers])
        if found.is_type(exp.DataType.Type.DOUBLE):
            found.set("expressions", None)


def _without_any(statement: Any) -> None:
    """Write `a = ANY(b)` with EXISTS; sqlglot would call the elements x, as a column may be."""
    columns = {column.name.lower() for column in statement.find_all(exp.Column)}
    name = "element"
    while name in columns:
        name += "_"
    for element in list(statement.find_all(exp.Any)):
        compared = element.parent
        if isinstance(compared, exp.Like | exp.ILike) or not isinstance(compared, exp.Binary):
            continue
        if not isinstance(element.this, exp.Query):
            array = element.this.unnest()
            element.replace(exp.to_identifier(name))
            each = exp.Lambda(this=compared.copy(), expressions=[exp.to_identifier(name)])
            compared.replace(exp.Exists(this=array, expression=each))


def _quotients(statement: Any, system: System) -> Iterator[str]:
    found = []
    # the inner ones first: whether a quotient is an integer depends on those in it
    for division in reversed(list(statement.find_all(exp.Div, bfs=False))):
        if {kind(side, system) for side in sides(division)} == {"integer"}:
            whole = exp.IntDiv(this=division.this, expression=division.expression)
            division.replace(whole)
            found.append(
                f"`{text(whole)}`: in {system.title} the quotient of two integers is an integer."
            )
    yield from reversed(found)


def _without_dual(statement: Any) -> Iterator[str]:
    for table in list(statement.find_all(exp.Table)):
        if table.name.upper() == "DUAL" and not table.db:
            source, query = table.parent, table.parent_select
            if isinstance(source, exp.From) and query and not query.args.get("joins"):
                source.pop()
            else:
                yield "The table DUAL is left as it is, and Spark does not have it."
