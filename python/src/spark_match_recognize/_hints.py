"""Types of other libraries in annotations: `typing.get_type_hints` imports them when it is called.

Importing this package imports none of these libraries. One that is not installed has only types
that may be anything.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ForwardRef, TypeAlias


class Library:
    """A module whose attributes are looked up when they are read."""

    def __init__(self, name: str) -> None:
        """Keep its name.

        Args:
            name: The name of the module.
        """
        self._name = name

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a class of some library
        """Return an attribute, or Any if the library is not installed."""
        try:
            return getattr(importlib.import_module(self._name), name)
        except ImportError:
            return Any


def _later(module: str, name: str) -> Any:  # noqa: ANN401 - a form of typing
    return Annotated[ForwardRef(f"Library({module!r}).{name}", module=__name__), name]


if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from pyspark.sql import Column, DataFrame, SparkSession
else:
    pd = Library("pandas")
    Figure = _later("matplotlib.figure", "Figure")
    Column = _later("pyspark.sql", "Column")
    DataFrame = _later("pyspark.sql", "DataFrame")
    SparkSession = _later("pyspark.sql", "SparkSession")

Keys: TypeAlias = str | Column | Iterable[str | Column]
Named: TypeAlias = Mapping[str, str | Column] | str | Column | Iterable[str | Column]

__all__ = ["Column", "DataFrame", "Figure", "Keys", "Named", "SparkSession", "pd"]
