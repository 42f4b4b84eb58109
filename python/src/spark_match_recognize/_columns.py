"""Columns of pyspark as SQL text.

A column is read into the nodes that classic and Connect sessions share, and written from them. What
has no text that is sure to mean the same is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from spark_match_recognize import _columns_classic, _columns_connect
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
from spark_match_recognize._columns_text import checked, literal
from spark_match_recognize._jvm import is_connect
from spark_match_recognize._text import is_replaced, quoted, unbalanced


class Written(NamedTuple):
    """A column as SQL.

    Attributes:
        text: The expression.
        name: Its alias, or None.
        order: ASC or DESC and the place of NULLs, or an empty text.
        is_text: Whether it is the text of `expr`.
        leaves: The columns in it that belong to one frame, as columns of pyspark.
    """

    text: str
    name: str | None
    order: str
    is_text: bool
    leaves: list[Any]


def is_column(value: object) -> bool:
    """Tell whether a value is a column of pyspark, classic or Connect."""
    return type(value).__name__ == "Column" and type(value).__module__.startswith("pyspark.")


def column_sql(
    column: Any,  # noqa: ANN401
    *,
    beside_variables: bool = False,
    names: Callable[[], Collection[str]] | None = None,
) -> Written:
    """Write a column as SQL.

    Args:
        column: A Column, classic or Connect.
        names: Returns the columns of the frame that the clause reads, if it is known. In Connect
            a column `df["t.price"]` keeps the alias `t` of a frame, which the clause does not know.
        beside_variables: Whether `s.x` would be the column of a variable `s`, as in DEFINE; then a
            field `df["s.x"]` is written in brackets.

    Raises:
        CannotWriteError: If no text is sure to mean the same.
    """
    node = (_columns_connect if is_connect(column) else _columns_classic).read(column)
    name = order = None
    while isinstance(node, Alias | Order):
        if isinstance(node, Order) and order is None:
            order = f"{'ASC' if node.ascending else 'DESC'} NULLS "
            order += "FIRST" if node.nulls_first else "LAST"
        elif isinstance(node, Alias) and name is None:
            name = node.name
        elif isinstance(node, Order):
            refuse("two orders")
        node = node.child
    writer = _Writer(beside_variables=beside_variables, names=names)
    text, _ = writer.write(node, outermost=order is None)
    return Written(text, name, order or "", isinstance(node, Text), writer.leaves)


_ATOM, _OPERAND, _PREDICATE = range(3)  # how much an expression needs parentheses


class _Writer:
    def __init__(
        self, *, beside_variables: bool, names: Callable[[], Collection[str]] | None
    ) -> None:
        self._beside_variables = beside_variables
        self._names = names
        self.leaves: list[Any] = []

    def write(self, node: Any, *, outermost: bool = False) -> tuple[str, int]:  # noqa: ANN401
        """Return the text of a node and what kind of an expression it is."""
        kind = type(node).__name__
        if outermost and isinstance(node, Text) and unbalanced(node.sql):
            return node.sql, _PREDICATE  # the error of the clause shows the place
        return getattr(self, f"_{kind.lower()}")(node)  # type: ignore[no-any-return]

    def _operand(self, node: Any) -> str:  # noqa: ANN401
        text, level = self.write(node)
        return text if level == _ATOM else f"({text})"

    def _argument(self, node: Any) -> str:  # noqa: ANN401
        text, level = self.write(node)
        return f"({text})" if level == _PREDICATE else text

    def _name(self, node: Name) -> tuple[str, int]:
        parts = node.parts
        if node.leaf is not None:
            self.leaves.append(node.leaf)
            if len(parts) > 1 and self._names is not None:
                known = {name.lower() for name in self._names()}
                column = next((at for at, part in enumerate(parts) if part.lower() in known), 0)
                parts = parts[column:]
            if self._beside_variables:
                text = _dotted(parts[:1])
                for at, part in enumerate(parts[1:]):
                    text = _field(text, part, is_column=at == 0)
                return text, _ATOM
        return _dotted(parts), _ATOM

    def _star(self, node: Star) -> tuple[str, int]:
        refuse(f"the star {'.'.join([*node.parts, '*'])}", "Name the columns")

    def _text(self, node: Text) -> tuple[str, int]:
        text = checked(node.sql)
        return text, _ATOM if text.isidentifier() else _PREDICATE

    def _value(self, node: Value) -> tuple[str, int]:
        return literal(node.value, node.type), _ATOM

    def _cast(self, node: Cast) -> tuple[str, int]:
        word = "TRY_CAST" if node.is_try else "CAST"
        return f"{word}({self._argument(node.child)} AS {node.type})", _ATOM

    def _case(self, node: Case) -> tuple[str, int]:
        pieces = ["CASE"]
        for condition, value in node.branches:
            pieces.append(f"WHEN {self._argument(condition)} THEN {self._argument(value)}")
        if node.otherwise is not None:
            pieces.append(f"ELSE {self._argument(node.otherwise)}")
        return " ".join([*pieces, "END"]), _ATOM

    def _item(self, node: Item) -> tuple[str, int]:
        if isinstance(node.key, Value) and isinstance(node.key.value, str):
            is_column = self._beside_variables and isinstance(node.child, Name | Text)
            text = _field(self._operand(node.child), node.key.value, is_column=is_column)
            return text, _ATOM
        return f"{self._operand(node.child)}[{self._argument(node.key)}]", _ATOM

    def _alias(self, node: Alias) -> tuple[str, int]:
        return self.write(node.child)  # inside an expression a name has no effect

    def _order(self, _: Order) -> tuple[str, int]:
        refuse("an order inside an expression", "Write asc() or desc() last")

    def _call(self, node: Call) -> tuple[str, int]:
        name, arguments = node.name.lower(), node.arguments
        operator = _OPERATORS.get(name)
        if operator is not None and len(arguments) == 2:  # noqa: PLR2004 - its two sides
            left, right = (self._operand(argument) for argument in arguments)
            return f"{left} {operator[0]} {right}", operator[1]
        if name in _UNARY and len(arguments) == 1:
            word, after = _UNARY[name]
            return f"{word}{self._operand(arguments[0])}{after}", _PREDICATE
        if name == "in" and len(arguments) > 1:
            first, *rest = (self._operand(argument) for argument in arguments)
            return f"{first} IN ({', '.join(rest)})", _PREDICATE
        return f"{self._function(node)}", _ATOM

    def _function(self, node: Call) -> str:
        name, arguments = node.name.lower(), node.arguments
        if name in ("in", *_OPERATORS, *_UNARY) or not all(
            part.isidentifier() and part.isascii() for part in name.split(".")
        ):
            empty = name == "in" and len(arguments) == 1
            refuse("isin() of no values" if empty else f"the function {node.name}")
        if name in _WITHOUT_NULLS and arguments[1:] == [Value(value=True, type="BOOLEAN")]:
            cure = (
                f"In the clause {name.upper()} counts rows with NULL. Write {_WITHOUT_NULLS[name]}"
            )
            refuse(f"{name}(..., ignorenulls=True)", cure)
        if name in _WITHOUT_NULLS and arguments[1:] == [Value(value=False, type="BOOLEAN")]:
            arguments = arguments[:1]
        function = node.name
        if name in _NAVIGATION:
            function = _NAVIGATION[name]
            given = zip(arguments[2:], (None, False), strict=False)
            if any(not isinstance(each, Value) or each.value is not none for each, none in given):
                refuse(f"{name}() with a default", f"Write F.coalesce(F.{name}(...), ...)")
            arguments = arguments[:2] if arguments[1:2] != [_ONE] else arguments[:1]
        texts = [self._argument_of(name, argument) for argument in arguments]
        if name in ("timestampadd", "timestampdiff") and texts[0].strip("'").isalpha():
            texts[0] = texts[0].strip("'")  # the unit is a word in SQL
        return f"{function}({'DISTINCT ' * node.distinct}{', '.join(texts)})"

    def _argument_of(self, function: str, argument: Any) -> str:  # noqa: ANN401
        if function == "count" and isinstance(argument, Star):
            return ".".join([_dotted(argument.parts)] * bool(argument.parts) + ["*"])
        if function == "struct" and isinstance(argument, Alias):
            return f"{self._argument(argument.child)} AS {_dotted([argument.name])}"
        return self._argument(argument)


def _dotted(parts: list[str]) -> str:
    if any(map(is_replaced, parts)):
        refuse(f"the name {'.'.join(parts)}, in which SQL replaces ${{...}}", "Rename the column")
    return ".".join(quoted(part) for part in parts)


def _field(text: str, name: str, *, is_column: bool) -> str:
    """Write a field of a struct, or a value of a map.

    After the name of a column a dot would make it that of a variable, so the field is a literal in
    brackets; one with odd signs is written in backticks, after something that is not a name.
    """
    key = literal(name, "STRING")
    if key.startswith("'") or is_replaced(name):  # of a map the key may be any expression
        return f"{text}[{key}]"
    before = f"named_struct('c', {text}).c" if is_column else text
    return f"{before}.{_dotted([name])}"


_OPERATORS = {
    **{sign: (sign, _OPERAND) for sign in ("+", "-", "*", "/", "%", "&", "|", "^")},
    **{sign: (sign, _PREDICATE) for sign in ("=", "<=>", "<", ">", "<=", ">=")},
    **{word: (word.upper(), _PREDICATE) for word in ("and", "or", "like", "ilike", "rlike")},
    "==": ("=", _PREDICATE),
}
_WITHOUT_NULLS = {
    "first": "F.get(F.collect_list(...), F.lit(0))",
    "last": "F.try_element_at(F.collect_list(...), F.lit(-1))",
}
_NAVIGATION = {"lag": "PREV", "lead": "NEXT"}
_ONE = Value(value=1, type="INT")
_UNARY = {
    "not": ("NOT ", ""),
    "!": ("NOT ", ""),
    "~": ("~", ""),
    "isnull": ("", " IS NULL"),
    "isnotnull": ("", " IS NOT NULL"),
}
