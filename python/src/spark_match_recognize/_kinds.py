"""Kinds of arguments: each public function names a check for each of its arguments."""

from __future__ import annotations

import functools
import inspect
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from spark_match_recognize._columns import is_column
from spark_match_recognize._quiet import quiet

_PICTURES = {".bmp", ".eps", ".gif", ".jpeg", ".jpg", ".pdf", ".png", ".ps", ".tif", ".webp"}
_WRITTEN = {".html": {".html", ".htm"}, ".svg": {".svg"}}  # what the functions write
Given = ParamSpec("Given")
Returned = TypeVar("Returned")
_A_FRAME = "a DataFrame of Spark"


def checked(
    **checks: Callable[[str, Any], object],
) -> Callable[[Callable[Given, Returned]], Callable[Given, Returned]]:
    """Check the kinds of arguments before a function runs, and keep pyspark's log quiet in it.

    Errors of Spark that the function raises are shown once, as exceptions.

    Args:
        checks: For each argument a function of its name and value, which raises TypeError. It is
            called with what was passed, not with defaults.
    """

    def decorate(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:  # Python's own message names the function
                return function(*args, **kwargs)
            for name, value in given.items():
                if name in checks:
                    checks[name](name, value)
            with quiet():
                return function(*args, **kwargs)

        return call

    return decorate


def optional(check: Callable[[str, Any], object]) -> Callable[[str, Any], object]:
    """Return a check that None passes, too."""

    def call(name: str, value: Any) -> object:  # noqa: ANN401 - anything
        return None if value is None else check(name, value)

    return call


def kind(value: object) -> str:
    """Say what a value of a wrong kind is, as the end of a sentence."""
    if value is None:
        return "None"
    return repr(value) if is_column(value) else f"a value of type {type(value).__name__}"


def is_table(value: object) -> bool:
    """Tell whether a value is a table of another library."""
    library = type(value).__module__.partition(".")[0]
    return library in ("pandas", "polars", "pyarrow") and hasattr(value, "columns")


def sql_text(name: str, value: object) -> str:
    """Return an argument that is SQL text.

    Raises:
        TypeError: If it is not a string.
    """
    return text(name, value, "a string of SQL, as in selectExpr")


def several(name: str, value: object, each: str = "a string of SQL") -> list[object] | None:
    """Return the items of an argument that may be a list of texts, or None for a single one.

    The variables of a SUBSET need no order, so they may be a set; its text is the same each time.

    Raises:
        TypeError: If it has items without an order, or is a table.
    """
    if isinstance(value, set | frozenset) and name.startswith("subset["):
        return sorted(value, key=str)
    if isinstance(value, str) or is_column(value) or not isinstance(value, Iterable):
        return None
    if isinstance(value, Mapping | set | frozenset | bytes | bytearray) or is_table(value):
        message = f"{name} must be {each} or a list of them, not {kind(value)}"
        raise TypeError(message)
    try:
        return list(value)
    except TypeError:  # an array of numpy without a dimension
        return None


def text(name: str, value: object, what: str = "a string") -> str:
    """Return an argument that is a string.

    Raises:
        TypeError: If it is not one.
    """
    if isinstance(value, str):
        return value
    message = f"{name} must be {what}, not {kind(value)}"
    raise TypeError(message)


def frame(name: str, value: Any, what: str = _A_FRAME) -> Any:  # noqa: ANN401 - as above
    """Return an argument that is a DataFrame of Spark, classic or Connect.

    Raises:
        TypeError: If it is something else.
    """
    if hasattr(value, "sparkSession") or hasattr(value, "selectExpr"):
        return value
    cure = "spark.sql(...) or spark.table(...) returns one"
    if type(value).__module__.startswith("pyspark.pandas."):
        cure = f"{name}.to_spark() makes one of it"
    elif is_table(value):
        cure = f"spark.createDataFrame({name}) makes one of it"
    elif isinstance(value, str):
        cure = f"spark.table({value!r}) or spark.sql(...) returns one"
    elif hasattr(value, "createDataFrame"):
        cure = 'it is the session; spark.table("...") returns a DataFrame'
    message = f"{name} must be {what}, not {kind(value)}: {cure}"
    raise TypeError(message)


def query(name: str, value: Any) -> Any:  # noqa: ANN401 - as above
    """Return an argument that is a statement or a DataFrame of Spark.

    Raises:
        TypeError: If it is something else.
    """
    return value if isinstance(value, str) else frame(name, value, f"a statement or {_A_FRAME}")


def session(name: str, value: Any) -> Any:  # noqa: ANN401 - a session, classic or Connect
    """Return an argument that is a session.

    Raises:
        TypeError: If it is something else.
    """
    if hasattr(value, "sql") and not hasattr(value, "getOrCreate"):
        return value
    cure = ": call getOrCreate() of it" if hasattr(value, "getOrCreate") else ""
    message = f"{name} must be a session of Spark, not {kind(value)}{cure}"
    raise TypeError(message)


def builder(name: str, value: Any) -> Any:  # noqa: ANN401 - as above
    """Return an argument that is the builder of a session.

    Raises:
        TypeError: If it is something else.
    """
    if hasattr(value, "config"):
        return value
    message = (
        f"{name} must be SparkSession.builder, not {kind(value)}: the jar is loaded before "
        "a session starts. mr.doctor(spark) checks a session that runs."
    )
    raise TypeError(message)


def target(path: str | os.PathLike[str], suffix: str) -> Path:
    """Return the path of a file to write.

    Raises:
        ValueError: If its name promises another format.
    """
    found = Path(path)
    others = _PICTURES.union(*(names for kind, names in _WRITTEN.items() if kind != suffix))
    if found.suffix.lower() not in others:
        return found
    message = (
        f"save writes {suffix[1:].upper()}, and {found.name} ends in {found.suffix}: call the file "
        f"{found.stem}{suffix}. A browser can print it as another format."
    )
    raise ValueError(message)


def count(name: str, value: Any) -> int:  # noqa: ANN401 - an integer of any library
    """Return an argument that is a number of rows.

    Raises:
        TypeError: If it is not an integer.
    """
    try:
        return operator.index(value)
    except TypeError:
        message = f"{name} must be an integer, not {kind(value)}"
        raise TypeError(message) from None


def flag(name: str, value: object) -> bool:
    """Return an argument that is True or False.

    Raises:
        TypeError: If it is something else.
    """
    if isinstance(value, bool):
        return value
    message = f"{name} must be True or False, not {kind(value)}"
    raise TypeError(message)


def column(name: str, value: object) -> None:
    """Check an argument that is the name of a column.

    Raises:
        TypeError: If it is not a string.
    """
    if not isinstance(value, str):
        message = f"{name} must be the name of a column, not {kind(value)}"
        raise TypeError(message)


def columns(name: str, value: object) -> None:
    """Check an argument that is None, the name of a column, or several.

    Raises:
        TypeError: If it is something else.
    """
    items = [] if value is None else several(name, value, "the name of a column")
    for item in [value] if items is None else items:
        column(name, item)
