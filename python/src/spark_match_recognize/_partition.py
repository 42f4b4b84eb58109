"""The condition that chooses a partition, from values of Python, numpy and pandas."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Mapping
from typing import Any

from spark_match_recognize._arguments import kind
from spark_match_recognize._text import quoted


def condition_of(partition: Mapping[str, Any] | str | None) -> str | None:
    """Return the condition that chooses a partition.

    Args:
        partition: SQL text, or values by the names of columns; a Row of pyspark is such values too.

    Raises:
        TypeError: If it is something else, or a value has a type that is not written in SQL.
        ValueError: If a value cannot occur in Spark.
    """
    if partition is None or isinstance(partition, str):
        return partition
    values: object = partition
    if isinstance(values, tuple) and hasattr(values, "__fields__"):  # a Row
        values = dict(zip(values.__fields__, values, strict=True))
    if not isinstance(values, Mapping) or not all(isinstance(key, str) for key in values):
        message = (
            "partition must be a dict from names of PARTITION BY columns to values, or SQL text, "
            f"not {kind(partition)}"
        )
        if hasattr(partition, "sql"):
            message += "; pass a session as spark=spark"
        raise TypeError(message)
    return " AND ".join(f"{quoted(key)} <=> {_literal(values[key])}" for key in values) or None


def _literal(value: object) -> str:  # noqa: PLR0911 - one return for each type
    """Return a value as SQL."""
    match plain(value):
        case None:
            return "NULL"
        case bool() | int() as found:
            return str(found).upper()
        case float() as found:
            return f"DOUBLE('{found!r}')"
        case decimal.Decimal() as found:
            if not found.is_finite():
                raise _impossible(value, "Spark's decimals are numbers")
            return f"{found:f}BD"
        case str() as found:
            escaped = found.replace("\\", "\\\\").replace("'", "\\'")
            return f"'{escaped}'"
        case bytes() | bytearray() as found:
            return f"X'{found.hex()}'"
        case dt.datetime() as found:
            return f"TIMESTAMP '{found.isoformat(' ')}'"
        case dt.date() as found:
            return f"DATE '{found.isoformat()}'"
    message = (
        f"a value of type {type(value).__name__} cannot choose a partition; write the condition as "
        "SQL text"
    )
    raise TypeError(message)


def plain(value: Any) -> Any:  # noqa: ANN401 - of any library
    """Return a value of numpy or pandas as Python's; NULL is None.

    Neither library is imported: who has such a value has imported it.

    Raises:
        ValueError: If a time has nanoseconds, which Spark does not have.
    """
    library = type(value).__module__.partition(".")[0]
    name = type(value).__name__
    if library == "pandas" and name in ("NaTType", "NAType"):
        return None
    if library == "pandas" and name == "Timestamp":
        if value.nanosecond:
            raise _impossible(value, "Spark's timestamps have microseconds")
        return value.to_pydatetime()
    if library == "numpy" and name == "datetime64":
        rounded = value.astype("datetime64[us]")
        if str(value) == "NaT":
            return None
        if rounded != value:
            raise _impossible(value, "Spark's timestamps have microseconds")
        # only that of days is a date
        return value.item() if value.dtype.str.endswith("[D]") else rounded.item()
    is_scalar = library == "numpy" and getattr(value, "ndim", None) == 0
    if is_scalar and name != "timedelta64":  # that of nanoseconds would become a number
        return value.item()
    return value


def _impossible(value: object, why: str) -> ValueError:
    return ValueError(f"{value} cannot choose a partition: {why}")
