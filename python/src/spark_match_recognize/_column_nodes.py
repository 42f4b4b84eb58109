"""The few kinds of nodes into which columns of classic and of Connect sessions are read."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

BELOW = 'Compute it before, as in df.withColumn("x", ...), and write "x"'


class Name(NamedTuple):
    """A column by its name; `leaf` is a column that belongs to one frame, as in `df.price`."""

    parts: list[str]
    leaf: Any = None


class Text(NamedTuple):
    """The text of `expr`."""

    sql: str


class Value(NamedTuple):
    """A literal in Spark's own representation, as in days of a DATE, and the SQL of its type."""

    value: Any
    type: str


class Call(NamedTuple):
    """A function or an operator."""

    name: str
    arguments: list[Any]
    distinct: bool = False


class Cast(NamedTuple):
    """A cast; `type` is SQL."""

    child: Any
    type: str
    is_try: bool


class Case(NamedTuple):
    """`when(...).otherwise(...)`."""

    branches: list[tuple[Any, Any]]
    otherwise: Any


class Item(NamedTuple):
    """A field of a struct, an element of an array or a value of a map."""

    child: Any
    key: Any


class Star(NamedTuple):
    """`*`, or that of a variable."""

    parts: list[str]


class Alias(NamedTuple):
    """An expression with a name."""

    child: Any
    name: str


class Order(NamedTuple):
    """An expression with an order."""

    child: Any
    ascending: bool
    nulls_first: bool


class CannotWriteError(Exception):
    """A column has a part that is not written as SQL; `args` are that part and the cure."""


def refuse(what: str, cure: str = BELOW) -> NoReturn:
    """Raise the error of a part that is not written as SQL."""
    raise CannotWriteError(what, cure)
