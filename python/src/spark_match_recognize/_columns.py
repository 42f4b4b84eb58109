"""Columns of pyspark as SQL: names, and names in an order; other expressions are for the caller."""

from __future__ import annotations

import re
from typing import Any

from spark_match_recognize._text import quoted

# A part of a column's name, as pyspark reads the string that is given to `col`.
_PART = re.compile(r"`((?:[^`]|``)*)`|([^`.]+)")


def column_sql(column: Any) -> str | None:  # noqa: ANN401 - a Column, classic or Connect
    """Write a column as what PARTITION BY or ORDER BY has in SQL.

    Returns:
        The name of a column of the frame, or of a field, quoted where SQL needs it; with ASC or
        DESC and NULLS FIRST or LAST if it has an order, and with AS if it has another name. The
        text of `expr`. None for any other expression: no text of it is sure to mean the same.
    """
    # any other attribute of a column is a column too: a field
    if type(column).__module__.startswith("pyspark.sql.connect."):
        return _of_connect(vars(column)["_expr"])
    return _of_classic(column._jc.node())  # noqa: SLF001 - it has no public form


def _of_connect(expression: Any) -> str | None:  # noqa: ANN401 - a class of pyspark.sql.connect
    kind, fields = type(expression).__name__, vars(expression)
    if kind == "SortOrder":
        name = _of_connect_name(fields["_child"])
        return _ordered(name, fields["_ascending"], fields["_nullsFirst"])
    if kind == "ColumnAlias":
        return _renamed(_of_connect_name(fields["_child"]), list(fields["_alias"]))
    return str(fields["_expr"]) if kind == "SQLExpression" else _of_connect_name(expression)


def _of_connect_name(expression: Any) -> str | None:  # noqa: ANN401 - as above
    if type(expression).__name__ != "ColumnReference":
        return None
    return _name(_parts(vars(expression)["_unparsed_identifier"]))


def _of_classic(node: Any) -> str | None:  # noqa: ANN401 - a node of the JVM
    kind = node.getClass().getSimpleName()
    if kind == "SortOrder":
        ascending = _object(node.sortDirection(), "Ascending", "Descending")
        nulls_first = _object(node.nullOrdering(), "NullsFirst", "NullsLast")
        return _ordered(_of_classic_name(node.child()), ascending, nulls_first)
    if kind == "Alias":
        return _renamed(_of_classic_name(node.child()), _strings(node.name()))
    return str(node.expression()) if kind == "SqlExpression" else _of_classic_name(node)


def _of_classic_name(node: Any) -> str | None:  # noqa: ANN401 - as above
    kind = node.getClass().getSimpleName()
    if kind == "UnresolvedAttribute":
        return _name(_strings(node.nameParts()))
    # a column of a frame, as in `df.symbol`, is resolved already
    if kind == "ExpressionColumnNode":
        expression = node.expression()
        if expression.getClass().getSimpleName() == "AttributeReference":
            return quoted(expression.name())
    return None


def _object(value: Any, yes: str, no: str) -> bool:  # noqa: ANN401 - an object of Scala
    """Tell which of two objects it is: they have no text of their own."""
    return {f"{yes}$": True, f"{no}$": False}[value.getClass().getSimpleName()]


def _strings(sequence: Any) -> list[str]:  # noqa: ANN401 - a Seq of the JVM
    return [sequence.apply(at) for at in range(sequence.length())]


def _parts(identifier: str) -> list[str] | None:
    """Read a name as pyspark does; None if it is not one."""
    found = list(_PART.finditer(identifier))
    if ".".join(part[0] for part in found) != identifier or not found:
        return None
    return [part[2] if part[1] is None else part[1].replace("``", "`") for part in found]


def _name(parts: list[str] | None) -> str | None:
    return ".".join(quoted(part) for part in parts) if parts and parts[-1] != "*" else None


def _ordered(name: str | None, ascending: bool, nulls_first: bool) -> str | None:  # noqa: FBT001
    if name is None:
        return None
    return f"{name} {'ASC' if ascending else 'DESC'} NULLS {'FIRST' if nulls_first else 'LAST'}"


def _renamed(name: str | None, aliases: list[str]) -> str | None:
    return None if name is None or len(aliases) != 1 else f"{name} AS {quoted(aliases[0])}"
