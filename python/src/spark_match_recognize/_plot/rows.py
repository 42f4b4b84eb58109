"""The rows that `plot` draws: which columns they are of, fetched and divided by partition."""

from __future__ import annotations

import datetime as dt
import importlib
import math
import numbers
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from spark_match_recognize._errors import PluginNotLoadedError
from spark_match_recognize._kinds import kind
from spark_match_recognize._quiet import quiet
from spark_match_recognize._text import in_backticks, unquoted
from spark_match_recognize._trace import searched

_MOST_PARTITIONS = 30
# How columns with CLASSIFIER() and MATCH_NUMBER() are usually called.
_VARIABLES = ("variable", "classifier", "role", "cls", "label", "pattern_variable")
_MATCHES = ("match_number", "match", "number", "match_no", "mno", "match_id", "match_num")
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "boolean", "void")


class Row(NamedTuple):
    """One row of the frame."""

    x: Any
    y: float
    variable: str | None
    match: Any


class Columns(NamedTuple):
    """The columns that are drawn.

    Attributes:
        x: That of the horizontal axis.
        y: That of the vertical axis.
        variable: That of the variables, if there is one.
        match: That of the numbers of matches, if there is one.
        keys: Those of the partition.
        others: Those of PARTITION BY that are not among the keys.
    """

    x: str
    y: str
    variable: str | None
    match: str | None
    keys: list[str]
    others: list[str]


Partitions = dict[tuple[Any, ...], list[Row]]


def is_pandas(df: Any) -> bool:  # noqa: ANN401 - of any kind
    """Tell whether a value is a frame of pandas."""
    return type(df).__module__.partition(".")[0] == "pandas" and hasattr(df, "itertuples")


def columns_of(  # noqa: PLR0913 - the arguments of `plot`
    df: Any,  # noqa: ANN401 - of Spark or pandas
    *,
    x: str,
    y: str,
    variable: str | None,
    match: str | None,
    partition_by: Sequence[str] | None,
) -> Columns:
    """Find the columns that the user did not name.

    The columns of CLASSIFIER() and MATCH_NUMBER() are found by usual names. The keys are those of
    the clause of a DataFrame of Spark, elsewhere the columns before `x`, where a clause with all
    rows puts them.

    Raises:
        ValueError: If `y` is not a column of numbers, or a frame of pandas lacks a column.
    """
    names = [str(name) for name in getattr(df, "columns", ())]
    twice = next((name for name in (x, y, variable, match) if names.count(str(name)) > 1), None)
    if twice is not None:
        message = f"The frame has several columns {twice}. Give them different names."
        raise ValueError(message)
    types = dict(getattr(df, "dtypes", ()))
    if not is_pandas(df):
        _check_number(y, types.get(y))
    free = [name for name in names if name not in (x, y, variable, match)]
    variable = variable or _named(_VARIABLES, free)
    match = match or _named(_MATCHES, [name for name in free if _is_number(df, types, name)])
    of_clause = None if is_pandas(df) or not hasattr(df, "sparkSession") else _keys_of(df)
    if of_clause is not None:
        keys = [name for name in names if name in of_clause]
    else:
        keys = names[: names.index(x)] if x in names and variable and match else []
        if {y, variable, match} & set(keys):
            keys = []
    chosen = keys if partition_by is None else list(partition_by)
    return Columns(x, y, variable, match, chosen, [key for key in keys if key not in chosen])


def _keys_of(df: Any) -> set[str] | None:  # noqa: ANN401 - of Spark
    """Return the PARTITION BY keys of the clause in a DataFrame, None if it has no clause."""
    errors = importlib.import_module("pyspark.errors")
    try:
        with quiet():
            keys = searched("rows", df, None, None).schema["keys"].dataType
    except (errors.AnalysisException, PluginNotLoadedError):
        return None
    return {unquoted(name) for name in getattr(keys, "names", ())}


def _named(usual: Iterable[str], names: Iterable[str]) -> str | None:
    by_lower = {name.lower(): name for name in names}
    return next((by_lower[name] for name in usual if name in by_lower), None)


def _check_number(y: str, data_type: str | None) -> None:
    if data_type is not None and data_type.partition("(")[0] not in _NUMBERS:
        message = f"y must be a column of numbers: {y} is {data_type.upper()}"
        raise ValueError(message)


def _is_number(df: Any, types: dict[Any, Any], name: str) -> bool:  # noqa: ANN401
    if is_pandas(df):
        return getattr(types[name], "kind", "O") in "iuf"  # of pandas' Int64 as of numpy's
    return str(types[name]).partition("(")[0] in _NUMBERS


def partitions_of(df: Any, columns: Columns, limit: int) -> Partitions:  # noqa: ANN401
    """Fetch the rows and divide them, each partition in the order of `x`.

    Raises:
        ValueError: If there are too many rows or partitions, or values of `y` are not numbers.
    """
    wanted = [*columns.keys, *columns.others, columns.x, columns.y, columns.variable, columns.match]
    fetched = _of_pandas(df, wanted) if is_pandas(df) else _of_spark(df, wanted, limit)
    if len(fetched) > limit:
        message = (
            f"plot draws at most {limit} row{'s' * (limit != 1)}, and the DataFrame has more. "
            "Filter it, or raise limit."
        )
        raise ValueError(message)
    found: Partitions = {}
    of_others: list[tuple[Any, tuple[Any, ...], Row]] = []
    first, last = len(columns.keys), len(columns.keys) + len(columns.others)
    for values in fetched:
        key, others = tuple(map(_key, values[:first])), tuple(map(_key, values[first:last]))
        at, value, variable, match = values[last:]
        try:
            height = math.nan if value is None else float(value)
        except (TypeError, ValueError):
            message = f"y must be a column of numbers: {columns.y} has {value!r}"
            raise ValueError(message) from None
        if at is not None and at == at:  # noqa: PLR0124 - NaN has no place, and no order
            row = Row(_place(columns.x, at), height, variable, match)
            found.setdefault(key, []).append(row)
            of_others.append((key, others, row))
    if len(found) > _MOST_PARTITIONS:
        message = (
            f"plot draws at most {_MOST_PARTITIONS} partitions, and the DataFrame has "
            f"{len(found)}. Filter it by {', '.join(columns.keys)}."
        )
        raise ValueError(message)
    _warn(columns, of_others)
    by_key = sorted(found.items(), key=lambda item: tuple(map(str, item[0])))
    try:
        return {key: sorted(rows, key=lambda row: row.x) for key, rows in by_key}
    except TypeError:
        kinds = sorted({type(row.x).__name__ for _, _, row in of_others})
        message = f"x must be a column of values of one kind: {columns.x} has {' and '.join(kinds)}"
        raise ValueError(message) from None


def _place(x: str, value: Any) -> Any:  # noqa: ANN401 - of any type
    """Return a value as matplotlib draws it: a duration and a time of day in hours.

    Raises:
        ValueError: If it has no place on an axis.
    """
    if isinstance(value, dt.time):
        value = dt.timedelta(0, value.second, value.microsecond, 0, value.minute, value.hour)
    if isinstance(value, dt.timedelta):
        return value / dt.timedelta(hours=1)
    if not isinstance(value, str | dt.date | numbers.Number):
        message = f"x must be a column of numbers, texts or times: {x} has {value!r}"
        raise ValueError(message)  # noqa: TRY004 - what is wrong is in the frame
    return value


def _of_spark(df: Any, wanted: list[str | None], limit: int) -> list[tuple[Any, ...]]:  # noqa: ANN401
    # names are not SQL here: in `select` Spark replaces nothing
    selected = df.select(*(in_backticks(name) for name in wanted if name is not None))
    fetched = map(iter, selected.limit(limit + 1).collect())
    return [tuple(None if name is None else next(row) for name in wanted) for row in fetched]


def _of_pandas(df: Any, wanted: list[str | None]) -> list[tuple[Any, ...]]:  # noqa: ANN401
    for name in wanted:
        if name is not None and name not in df.columns:
            message = (
                f"The frame has no column {name}; it has {', '.join(map(str, df.columns))}. Its "
                "index becomes a column with reset_index()."
            )
            raise ValueError(message)
    lists = []
    for name in wanted:
        if name is None:
            lists.append([None] * len(df))
        else:
            column = df[name].astype(object)
            lists.append(column.mask(df[name].isna(), None).tolist())
    return list(zip(*lists, strict=True))


def _key(value: Any) -> Any:  # noqa: ANN401 - of any type
    """Return a value of PARTITION BY as a key of a dict: NaN is equal to NaN."""
    if isinstance(value, float) and math.isnan(value):
        return math.nan  # the same object each time
    if isinstance(value, bytearray):
        return bytes(value)
    return tuple(map(_key, value)) if isinstance(value, list | tuple) else value


def _warn(columns: Columns, rows: list[tuple[Any, tuple[Any, ...], Row]]) -> None:
    """Warn of a line that is not that of one series."""
    for number, name in enumerate(columns.others):
        values: dict[Any, dict[Any, None]] = {}
        for key, others, _ in rows:
            values.setdefault(key, {})[others[number]] = None
        mixed = next((found for found in values.values() if len(found) > 1), None)
        if mixed is not None:
            shown = ", ".join(sorted(map(str, mixed))[:3])
            warnings.warn(
                f"Rows of several values of {name}, a PARTITION BY column, are on one line "
                f"({shown}): write partition_by={name!r} for a picture of each.",
                stacklevel=4,
            )
            return
    heights: dict[tuple[Any, Any], float] = {}
    for key, _, row in rows:
        place = (key, row.x)
        if not math.isnan(row.y) and heights.setdefault(place, row.y) != row.y:
            warnings.warn(
                f"There are several values of {columns.y} where {columns.x} is {row.x}, so the "
                "line is not that of one series. If each value is of another series, name their "
                "column in partition_by.",
                stacklevel=4,
            )
            return


def check_frame(name: str, df: Any) -> None:  # noqa: ANN401 - of any kind
    """Check the frame that `plot` gets.

    Raises:
        TypeError: If it is none of Spark or pandas.
    """
    if not (is_pandas(df) or hasattr(df, "sparkSession") or hasattr(df, "selectExpr")):
        message = (
            f"{name} must be a DataFrame of Spark or pandas, not {kind(df)}: spark.sql(...) or "
            "spark.table(...) returns one"
        )
        raise TypeError(message)
