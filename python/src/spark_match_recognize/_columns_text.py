"""Literals of columns as SQL that means the same under every setting, and texts of `expr`."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable
from typing import Any

from spark_match_recognize._column_nodes import refuse
from spark_match_recognize._text import outside, string, unbalanced

_SUFFIXES = {"TINYINT": "Y", "SMALLINT": "S", "INT": "", "BIGINT": "L"}
_LEAST = {"TINYINT": -(2**7), "SMALLINT": -(2**15), "INT": -(2**31), "BIGINT": -(2**63)}
# A name or a comment in the SQL of a type, or the word whose meaning a setting changes.
_IN_TYPE = re.compile(r"`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*'|\bTIMESTAMP\b(?!:)")
_EPOCH = dt.date(1970, 1, 1).toordinal()
_DAY = 24 * 60 * 60 * 10**6


def checked(sql: str) -> str:
    """Return the text of `expr` as a part of a larger one.

    Raises:
        CannotWriteError: If it would not be one part there.
    """
    text = sql.strip()
    commas = (found.start() for found in re.finditer(",", text))
    if not text or unbalanced(text) or any(outside(text, at) for at in commas):
        refuse(f"expr({sql!r}), which is not one expression", "Correct it")
    return text + "\n" if "--" in text else text


def type_sql(kind: str) -> str:
    """Return the SQL of a type so that no setting changes its meaning.

    Args:
        kind: The SQL that Spark writes for the type, where TIMESTAMP is the type with a time zone;
            spark.sql.timestampType may give that word another meaning where it is read.
    """
    return _IN_TYPE.sub(lambda f: f"{f[0]}_LTZ" if f[0] == "TIMESTAMP" else f[0], kind)


def literal(value: Any, kind: str) -> str:  # noqa: ANN401 - of any type of Spark
    """Write a literal.

    Args:
        value: In Spark's own representation.
        kind: The SQL of its type.

    Raises:
        CannotWriteError: If its type has no literal in SQL.
    """
    if value is None:
        return "NULL" if kind == "VOID" else f"CAST(NULL AS {type_sql(kind)})"
    if kind in _SUFFIXES:
        if value == _LEAST[kind]:  # its digits alone would be too large
            return f"CAST('{value}' AS {kind})"
        return _signed(f"{value}{_SUFFIXES[kind]}")
    if kind.startswith("DECIMAL"):
        return _signed(f"{value:f}BD")
    writer = _WRITERS.get(kind)
    if writer is None:
        refuse(f"a literal of type {kind}")
    return writer(value)


def interval(micros: int) -> str:
    """Write a number of microseconds as an interval from days to seconds."""
    sign = "-" if micros < 0 else ""
    days, rest = divmod(abs(micros), _DAY)
    seconds, micros = divmod(rest, 10**6)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    time = f"{hours:02}:{minutes:02}:{seconds:02}.{micros:06}"
    return f"INTERVAL '{sign}{days} {time}' DAY TO SECOND"


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _double(value: float) -> str:
    if math.isfinite(value):
        return _signed(f"{value!r}D".replace("e", "E"))
    name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return f"CAST('{name}' AS DOUBLE)"


def _date(days: int) -> str:
    try:
        return f"DATE '{dt.date.fromordinal(_EPOCH + days).isoformat()}'"
    except (ValueError, OverflowError):
        refuse("a date after the year 9999 or before the year 1")


def _local(micros: int) -> str:
    try:
        time = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=micros)  # noqa: DTZ001 - as is
    except OverflowError:
        refuse("a time after the year 9999 or before the year 1")
    return f"TIMESTAMP_NTZ '{time.isoformat(sep=' ', timespec='microseconds')}'"


_WRITERS: dict[str, Callable[[Any], str]] = {
    "BOOLEAN": lambda value: "TRUE" if value else "FALSE",
    "STRING": string,
    "DOUBLE": _double,
    "FLOAT": lambda value: f"CAST({_double(value)} AS FLOAT)",
    "BINARY": lambda value: f"X'{bytes(value).hex().upper()}'",
    "DATE": _date,
    # as text it would be read in the time zone of the session
    "TIMESTAMP": lambda value: f"timestamp_micros({_signed(f'{value}L')})",
    "TIMESTAMP_NTZ": _local,
    "INTERVAL DAY TO SECOND": interval,
}
