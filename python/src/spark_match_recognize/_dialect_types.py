"""What is lost where a type of Spark has the same name as another one of another system."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlglot import exp

_DECIMAL, _DOUBLE = exp.DataType.Type.DECIMAL, exp.DataType.Type.DOUBLE
# Precision and scale of a DECIMAL without them, where sqlglot does not write them.
_DECIMALS = {"trino": (38, 0), "vertica": (37, 15)}
_TIMES = (
    exp.DataType.Type.TIMESTAMP,
    exp.DataType.Type.TIMESTAMPLTZ,
    exp.DataType.Type.TIMESTAMPNTZ,
    exp.DataType.Type.TIMESTAMPTZ,
)


def complete(statement: Any, read: str) -> None:
    """Write the precision that a type without one has, and none where Spark has no place for it."""
    for kind in statement.find_all(exp.DataType):
        if read in _DECIMALS and kind.is_type(_DECIMAL) and not kind.expressions:
            numbers = map(exp.Literal.number, _DECIMALS[read])
            kind.set("expressions", [exp.DataTypeParam(this=number) for number in numbers])
        if kind.is_type(_DOUBLE):
            kind.set("expressions", None)


def has_fewer_digits(cast: Any, read: str) -> bool:
    """Tell whether a time has fewer digits of a second than Spark's, or no date."""
    if cast.is_type(exp.DataType.Type.TIME):
        return True
    if isinstance(cast.this, exp.Literal) or not cast.is_type(*_TIMES):
        return False
    digits = [param.name for param in cast.to.expressions]
    return digits != ["6"] if digits else read == "trino"  # where it has 3 of them


def of_oracle(statement: Any, text: Callable[[Any], str]) -> Iterator[str]:
    """Say what DATE and NUMBER of Oracle lose."""
    for cast in statement.find_all(exp.Cast):
        if cast.is_type(exp.DataType.Type.DATE) and not isinstance(cast.this, exp.Literal):
            yield f"`{text(cast)}`: a DATE of Oracle has a time of day; here it is left out."
        if cast.is_type(_DECIMAL) and not cast.to.expressions:
            yield (
                f"`{text(cast)}`: a NUMBER of Oracle has any decimals; here it has none. Write its "
                "precision and scale."
            )
