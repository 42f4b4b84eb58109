"""The clause in the tree of sqlglot, whose own node for it loses parts.

sqlglot keeps the clause as a modifier of a whole SELECT, and knows neither SUBSET nor WITHIN. Here
it belongs to the table before it, expressions are sqlglot's, and the rest is kept as text.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlglot import exp

NAVIGATION = ("FIRST", "LAST", "PREV", "NEXT")
# Functions that sqlglot would give another meaning, or none.
OF_THE_CLAUSE = (
    *NAVIGATION,
    *("CLASSIFIER", "MATCH_NUMBER", "MATCH_SEQUENCE_NUMBER", "MATCH_ROWTIME", "MATCH_PROCTIME"),
)


class Clause(exp.Expression):  # type: ignore[misc, unused-ignore]
    """The clause; what is not an expression is text."""

    arg_types = {
        "partition_by": False,
        "order": False,
        "measures": False,
        "rows": False,
        "after": False,
        "search": False,
        "pattern": True,
        "within": False,
        "subset": False,
        "define": False,
        "alias": False,
    }


class ClauseOfTable(exp.Expression):  # type: ignore[misc, unused-ignore]
    """A table and the clause that reads it."""

    arg_types = {"this": True, "clause": True}


class Written(exp.Expression):  # type: ignore[misc, unused-ignore]
    """What Spark computes for a call of another system.

    `this` is its text, with `{0}` for the first argument, and `{0:o}` where that is an operand;
    `note` is what may still differ; `kind` is the kind of its value, as `kinds` knows them.
    """

    arg_types = {"this": True, "expressions": False, "note": False, "kind": False}


class Semantics(exp.Expression):  # type: ignore[misc, unused-ignore]
    """RUNNING or FINAL before a function."""

    arg_types = {"this": True, "kind": True}


def is_call(node: Any, names: Collection[str]) -> bool:
    """Tell whether a node calls one of some functions, in capitals, that sqlglot does not know."""
    return isinstance(node, exp.Anonymous) and node.name.upper() in names


def is_text(node: Any) -> bool:
    """Tell whether a node is a string."""
    return isinstance(node, exp.Literal) and bool(node.is_string)


def inner_first(statement: Any, *classes: Any) -> list[Any]:
    """Return the nodes of some classes, each after those in it."""
    return list(reversed(list(statement.find_all(*classes, bfs=False))))


def replace(old: Any, new: Any) -> None:
    """Put a node into the place of another, of whose parts it is made."""
    new.set("expressions", [node.copy() for node in new.expressions])
    old.replace(new)


def running_count() -> Semantics:
    """Return the position of a row in its match."""
    return Semantics(this=exp.Count(this=exp.Star()), kind="RUNNING")


def sides(node: Any) -> tuple[Any, Any]:
    """Return both operands of a binary operator."""
    return node.this, node.expression
