"""Columns of classic sessions: nodes in the JVM."""

from __future__ import annotations

import decimal
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
from spark_match_recognize._columns_connect import alias, parts_of
from spark_match_recognize._columns_text import type_sql

_CONVERTER = "org.apache.spark.sql.classic.ColumnNodeToExpressionConverter$"
_INTERNAL = ("timestampadd", "timestampdiff")  # which SQL has, too
_REFUSED = {
    "PythonUDF": "a Python function",
    "InvokeInlineUserDefinedFunction": "a function of Scala or Java",
    "LambdaFunction": "a lambda function",
    "Window": "a window",
    "SubqueryExpression": "a subquery",
}


def read(column: Any) -> Any:  # noqa: ANN401 - a Column; the nodes are of several kinds
    """Read a column."""
    from pyspark import SparkContext  # noqa: PLC0415 - optional

    jvm = SparkContext._active_spark_context._jvm  # type: ignore[union-attr] # noqa: SLF001
    return _Reader(jvm, type(column)).node(column._jc.node())  # noqa: SLF001 - no public form


class _Reader:
    def __init__(self, jvm: Any, column: Any) -> None:  # noqa: ANN401 - py4j, the class Column
        self._jvm = jvm
        self._column = column

    def node(self, node: Any) -> Any:  # noqa: ANN401
        """Read a node of the JVM."""
        kind = str(node.getClass().getSimpleName())
        reader = getattr(self, f"_read_{kind}", None)
        if reader is None:
            refuse(_REFUSED.get(kind, f"the expression {node.sql()}"))
        return reader(node)

    def _several(self, nodes: Any) -> list[Any]:  # noqa: ANN401
        return [self.node(node) for node in _items(nodes)]

    def _read_SortOrder(self, node: Any) -> Order:  # noqa: N802, ANN401
        ascending = _is(node.sortDirection(), "Ascending", "Descending")
        nulls_first = _is(node.nullOrdering(), "NullsFirst", "NullsLast")
        return Order(self.node(node.child()), ascending, nulls_first)

    def _read_Alias(self, node: Any) -> Alias:  # noqa: N802, ANN401
        metadata = node.metadata()
        name = alias(_items(node.name()), metadata.get() if metadata.isDefined() else None)
        return Alias(self.node(node.child()), name)

    def _read_SqlExpression(self, node: Any) -> Text:  # noqa: N802, ANN401
        return Text(str(node.expression()))

    def _read_UnresolvedAttribute(self, node: Any) -> Name:  # noqa: N802, ANN401
        if node.isMetadataColumn():
            refuse("a metadata column")
        return Name(_items(node.nameParts()))

    def _read_UnresolvedStar(self, node: Any) -> Star:  # noqa: N802, ANN401
        target = node.unparsedTarget()
        return Star(parts_of(target.get()[:-2]) if target.isDefined() else [])

    def _read_UnresolvedFunction(self, node: Any) -> Call:  # noqa: N802, ANN401
        if node.isInternal() and node.functionName() not in _INTERNAL:
            refuse(f"the internal function {node.functionName()}")
        return Call(node.functionName(), self._several(node.arguments()), node.isDistinct())

    def _read_Cast(self, node: Any) -> Cast:  # noqa: N802, ANN401
        mode = node.evalMode()
        kind = mode.get().getClass().getSimpleName().strip("$") if mode.isDefined() else ""
        if kind not in ("", "Try"):
            refuse(f"a cast in {kind} mode")
        return Cast(self.node(node.child()), type_sql(str(node.dataType().sql())), kind == "Try")

    def _read_CaseWhenOtherwise(self, node: Any) -> Case:  # noqa: N802, ANN401
        branches = [(self.node(b._1()), self.node(b._2())) for b in _items(node.branches())]  # noqa: SLF001 - of a tuple
        otherwise = node.otherwise()
        return Case(branches, self.node(otherwise.get()) if otherwise.isDefined() else None)

    def _read_UnresolvedExtractValue(self, node: Any) -> Item:  # noqa: N802, ANN401
        return Item(self.node(node.child()), self.node(node.extraction()))

    def _read_Literal(self, node: Any) -> Value:  # noqa: N802, ANN401
        literal = getattr(getattr(self._jvm, _CONVERTER), "MODULE$").apply(node)
        if literal.getClass().getSimpleName() != "Literal":
            refuse(f"the literal {node.sql()}")
        kind = str(literal.dataType().sql())
        value = literal.value()
        if kind == "STRING" and value is not None:
            value = str(value.toString())
        elif kind.startswith("DECIMAL") and value is not None:
            value = decimal.Decimal(value.toString())
        return Value(value, kind)

    def _read_ExpressionColumnNode(self, node: Any) -> Name:  # noqa: N802, ANN401
        """A column of a frame, as in `df.symbol`, or a field of one, is resolved already."""
        fields: list[str] = []
        expression = node.expression()
        kind = str(expression.getClass().getSimpleName())
        if kind == "Alias" and _field(expression.child()) == expression.name():
            expression = expression.child()
            while (field := _field(expression)) is not None:
                fields.insert(0, field)
                expression = expression.child()
        if expression.getClass().getSimpleName() != "AttributeReference":
            refuse(_REFUSED.get(kind, f"the expression {node.sql()}"))
        column = self._column(self._jvm.org.apache.spark.sql.Column(node))
        return Name([str(expression.name()), *fields], column)


def _field(expression: Any) -> str | None:  # noqa: ANN401 - an expression of Catalyst
    """Return the field of a struct that an expression takes, or the key of a map."""
    kind = str(expression.getClass().getSimpleName())
    if kind == "GetStructField":
        return str(expression.extractFieldName())
    if kind == "GetArrayStructFields":
        return str(expression.field().name())
    if kind == "GetMapValue" and expression.key().getClass().getSimpleName() == "Literal":
        return str(expression.key().value().toString())
    return None


def _items(sequence: Any) -> list[Any]:  # noqa: ANN401 - a Seq of the JVM
    return [sequence.apply(at) for at in range(sequence.length())]


def _is(value: Any, yes: str, no: str) -> bool:  # noqa: ANN401 - an object of Scala
    """Tell which of two objects it is: they have no text of their own."""
    return {f"{yes}$": True, f"{no}$": False}[value.getClass().getSimpleName()]
