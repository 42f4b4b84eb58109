"""Columns of Connect sessions: expressions in Python."""

from __future__ import annotations

import re
from typing import Any

from spark_match_recognize._column_nodes import (
    Alias,
    Call,
    Case,
    Cast,
    Item,
    Name,
    Order,
    Star,
    Text,
    Value,
    refuse,
)
from spark_match_recognize._columns_text import type_sql

# A part of a column's name, as pyspark reads the string that is given to `col`.
_PART = re.compile(r"`((?:[^`]|``)*)`|([^`.]+)")
_TYPE = re.compile(r"[\w(), ]+")
_REFUSED = {
    "CommonInlineUserDefinedFunction": "a Python function",
    "LambdaFunction": "a lambda function",
    "WindowExpression": "a window",
    "SubqueryExpression": "a subquery",
}


def read(column: Any) -> Any:  # noqa: ANN401 - a Column of Connect; the nodes are of several kinds
    """Read a column."""
    # any other attribute of a column is a column too: a field
    return _Reader(type(column)).node(vars(column)["_expr"])


class _Reader:
    def __init__(self, column: Any) -> None:  # noqa: ANN401 - the class Column
        self._column = column

    def node(self, expression: Any) -> Any:  # noqa: ANN401
        """Read an expression of pyspark.sql.connect."""
        reader = getattr(self, f"_read_{type(expression).__name__}", None)
        if reader is None:
            name = type(expression).__name__
            refuse(_REFUSED.get(name, f"the expression {expression!r}"))
        return reader(expression, vars(expression))

    def _several(self, expressions: Any) -> list[Any]:  # noqa: ANN401
        return [self.node(expression) for expression in expressions]

    def _read_SortOrder(self, _: Any, fields: dict[str, Any]) -> Order:  # noqa: N802, ANN401
        return Order(self.node(fields["_child"]), fields["_ascending"], fields["_nullsFirst"])

    def _read_ColumnAlias(self, _: Any, fields: dict[str, Any]) -> Alias:  # noqa: N802, ANN401
        return Alias(self.node(fields["_child"]), alias(fields["_alias"], fields["_metadata"]))

    def _read_SQLExpression(self, _: Any, fields: dict[str, Any]) -> Text:  # noqa: N802, ANN401
        return Text(fields["_expr"])

    def _read_ColumnReference(  # noqa: N802
        self,
        expression: Any,  # noqa: ANN401
        fields: dict[str, Any],
    ) -> Name:
        if fields.get("_is_metadata_column"):
            refuse("a metadata column")
        of_frame = fields["_plan_id"] is not None
        name = fields["_unparsed_identifier"]
        return Name(parts_of(name), self._column(expression) if of_frame else None)

    def _read_UnresolvedStar(self, _: Any, fields: dict[str, Any]) -> Star:  # noqa: N802, ANN401
        target = fields["_unparsed_target"]
        return Star([] if target is None else parts_of(target[:-2]))

    def _read_UnresolvedFunction(  # noqa: N802
        self,
        _: Any,  # noqa: ANN401
        fields: dict[str, Any],
    ) -> Call:
        if fields.get("_is_internal"):
            refuse(f"the internal function {fields['_name']}")
        return Call(fields["_name"], self._several(fields["_args"]), fields["_is_distinct"])

    def _read_CallFunction(self, _: Any, fields: dict[str, Any]) -> Call:  # noqa: N802, ANN401
        return Call(fields["_name"], self._several(fields["_args"]))

    def _read_CastExpression(self, _: Any, fields: dict[str, Any]) -> Cast:  # noqa: N802, ANN401
        kind = fields["_data_type"]
        # the server reads a text as SQL, and so does the clause
        text = kind if isinstance(kind, str) else type_sql(kind.simpleString().upper())
        if not _TYPE.fullmatch(text):
            refuse(f"a cast to {text}")
        return Cast(self.node(fields["_expr"]), text.upper(), fields.get("_eval_mode") == "try")

    def _read_CaseWhen(self, _: Any, fields: dict[str, Any]) -> Case:  # noqa: N802, ANN401
        otherwise = fields["_else_value"]
        branches = [(self.node(test), self.node(value)) for test, value in fields["_branches"]]
        return Case(branches, None if otherwise is None else self.node(otherwise))

    def _read_UnresolvedExtractValue(  # noqa: N802
        self,
        _: Any,  # noqa: ANN401
        fields: dict[str, Any],
    ) -> Item:
        return Item(self.node(fields["_child"]), self.node(fields["_extraction"]))

    def _read_LiteralExpression(  # noqa: N802
        self,
        _: Any,  # noqa: ANN401
        fields: dict[str, Any],
    ) -> Value:
        return Value(fields["_value"], fields["_dataType"].simpleString().upper())


def may_be_of(df: Any, column: Any) -> bool:  # noqa: ANN401 - of pyspark
    """Tell whether a column such as `other.price` is of a frame, or of one that it is made of.

    With spark.sql.analyzer.strictDataFrameColumnResolution=false a server does not tell.

    Args:
        df: A frame.
        column: A column of some frame; of a classic one Spark itself tells.
    """
    expression = vars(column).get("_expr")
    if type(expression).__name__ != "ColumnReference":
        return True
    plan = vars(expression)["_plan_id"]
    seen: set[int] = set()
    below: list[Any] = [vars(df)["_plan"]]
    while below:
        node = below.pop()
        if isinstance(node, list | tuple):
            below += node
            continue
        if hasattr(type(node), "ListFields"):  # what `spark.sql` of another frame returns
            if _names_plan(node, plan):
                return True
            continue
        # a column has every attribute that one asks for, but not these fields
        fields = getattr(node, "__dict__", {})
        if "_root_plan_id" in fields and id(node) not in seen:
            if plan in (fields["_root_plan_id"], fields["_plan_id_with_rel"]):
                return True
            seen.add(id(node))
            below += fields.values()
    return False


def _names_plan(message: Any, plan: int) -> bool:  # noqa: ANN401 - of protobuf
    """Tell whether a relation, as a server has sent it, has a part with the id of a plan."""
    below = [message]
    while below:
        for field, value in below.pop().ListFields():
            if field.name == "plan_id" and value == plan:
                return True
            if field.message_type and not field.message_type.GetOptions().map_entry:
                below += [value] if hasattr(value, "ListFields") else value
    return False


def alias(names: list[str], metadata: object) -> str:
    """Return the name that an alias gives."""
    if len(names) != 1:
        refuse("an alias of several names", "Give it one name")
    if metadata is not None:
        refuse("an alias with metadata, which the clause would lose", "Leave the metadata out")
    return names[0]


def parts_of(name: str) -> list[str]:
    """Read a name as pyspark does."""
    found = list(_PART.finditer(name))
    if ".".join(part[0] for part in found) != name or not found:
        refuse(f"{name!r}, which is not the name of a column", "Put odd names into backticks")
    return [part[2] if part[1] is None else part[1].replace("``", "`") for part in found]
