"""The condition that chooses a partition, from values of Python, numpy and pandas."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Mapping
from typing import Any

from spark_match_recognize._kinds import kind
from spark_match_recognize._text import name_sql, string


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
    equals = equal
    if isinstance(values, tuple) and hasattr(values, "__fields__"):  # a Row
        equals = _equal_in_row
        values = dict(zip(values.__fields__, values, strict=True))
    if not isinstance(values, Mapping) or not all(isinstance(key, str) for key in values):
        message = (
            "partition must be a dict from names of PARTITION BY columns to values, or SQL text, "
            f"not {kind(partition)}"
        )
        if hasattr(partition, "sql"):
            message += "; pass a session as spark=spark"
        raise TypeError(message)
    return " AND ".join(equals(name_sql("partition", key), values[key]) for key in values) or None


def equal(key: str, value: object) -> str:
    """Return the condition that a key, as SQL, has a value.

    Raises:
        TypeError: If the value has a type that is not written in SQL.
    """
    found = plain(value)
    if isinstance(found, float):  # 0.1 of FLOAT is another number than 0.1 of DOUBLE
        text = repr(float(found))
        return f"IF(typeof({key}) = 'float', {key} <=> FLOAT('{text}'), {key} <=> DOUBLE('{text}'))"
    return f"{key} <=> {_literal(found)}"


def _equal_in_row(key: str, value: object) -> str:
    """Compare a key with a value that pyspark returned.

    It returns TIMESTAMP in the time zone of this process and TIMESTAMP_NTZ as it is, both without a
    time zone; which one it was only Spark knows.
    """
    found = plain(value)
    if not isinstance(found, dt.datetime) or found.tzinfo is not None:
        return equal(key, found)
    try:
        moment = found.astimezone(dt.timezone.utc)
    except (OverflowError, ValueError) as error:  # at the ends of Python's calendar
        raise _impossible(value, "Python has no such time in UTC") from error
    return (
        f"IF(typeof({key}) = 'timestamp', {key} <=> TIMESTAMP_LTZ '{moment.isoformat(' ')}', "
        f"{key} <=> TIMESTAMP_NTZ '{found.isoformat(' ')}')"
    )


def _literal(value: object) -> str:  # noqa: PLR0911 - one return for each type
    """Return a value as SQL."""
    match plain(value):
        case None:
            return "NULL"
        case bool() as found:
            return str(found).upper()
        case int() as found:  # perhaps a member of an Enum, whose text is its name
            return str(int(found))
        case decimal.Decimal() as found:
            if not found.is_finite():
                raise _impossible(value, "Spark's decimals are numbers")
            return f"{found:f}BD"
        case str() as found:
            return string(found.encode().decode())  # perhaps a text of numpy, or of an Enum
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
