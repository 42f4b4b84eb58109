"""The rows and matches of a query that a page shows, fetched by partition."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_match_recognize._plot.rows import Row
from spark_match_recognize._sql import statement
from spark_match_recognize._text import name_sql, unquoted
from spark_match_recognize._trace import searched

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MOST_PARTITIONS = 20
_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal")
_TIMES = ("date", "timestamp", "timestamp_ntz")

# The rows of the partitions with the most matches, those of too large ones last, by the number of
# the partition: the texts of two keys may differ where the keys are equal, and the other way round.
_SHOWN = """
    SELECT partition, title, rows, {x} AS x, CAST({y} AS DOUBLE) AS y, row_id, match_number,
      match_row, variable, columns, map_keys(columns) AS names
    FROM (
      SELECT *, MIN(keys) OVER (PARTITION BY partition) AS title,
        COUNT(*) OVER (PARTITION BY partition) AS rows,
        COALESCE(MAX(match_number) OVER (PARTITION BY partition), 0) AS matches
      FROM {found})
    ORDER BY rows > :most, matches DESC, rows DESC, title, partition, {order}, match_number
    LIMIT :most + 1
"""
_PARTITIONS = "SELECT COUNT(DISTINCT partition) AS partitions FROM {found}"


class Shown(NamedTuple):
    """A row: its values as texts, and the variables that matches map it to, with their numbers."""

    values: list[str | None]
    matched: list[tuple[str, int]]


class Partition(NamedTuple):
    """What is shown of a partition.

    Attributes:
        title: The values of its keys, None without PARTITION BY.
        columns: The names of the columns.
        rows: Its rows, in their order.
        points: The same for `drawing`, once for each match of a row.
        matches: By number the first and the last row, and the path, as in `A B{3}`.
    """

    title: str | None
    columns: list[str]
    rows: list[Shown]
    points: list[Row]
    matches: dict[int, tuple[int, int, str]]


class Found(NamedTuple):
    """The matches of a query.

    Attributes:
        order: The name of the horizontal axis.
        value: The column that is drawn, None if no column is a number.
        partitions: How many partitions there are.
        shown: Those that are shown: of the ones with the most matches those that fit.
    """

    order: str
    value: str | None
    partitions: int
    shown: list[Partition]


def found(
    query: DataFrame | str,
    condition: str | None,
    value: str | None,
    most: int,
    session: SparkSession,
) -> Found:
    """Run a query's clause and return what is shown of its rows.

    Raises:
        ValueError: If `value` is not a column of numbers.
    """
    frames = {"found": searched("rows", query, condition, session)}
    schema = frames["found"].schema
    types = {field.name: field.dataType for field in schema.fields}
    numbers = getattr(types["numbers"], "names", [])
    if value is not None and value not in numbers:
        message = (
            f"value must be a column of numbers of the clause's input: {value} is not one of "
            f"{', '.join(numbers) or 'none'}"
        )
        raise ValueError(message)
    value = value or next(iter(numbers), None)
    order = _order(schema["order_by"])
    axis, x = _axis(types["order_by"], order)
    y = "NULL" if value is None else f"numbers.{_name(value)}"
    fetched = statement(session, _SHOWN, {"most": most}, frames, x=x, y=y, order=order).collect()
    by_number: dict[int, list[Any]] = {}
    for row in fetched:
        by_number.setdefault(row["partition"], []).append(row)
    partitions = len(by_number)
    if len(fetched) > most:
        partitions = statement(session, _PARTITIONS, {}, frames).collect()[0]["partitions"]
    shown: list[Partition] = []
    for rows in by_number.values():
        if len(rows) == rows[0]["rows"] <= most and len(shown) < _MOST_PARTITIONS:
            shown.append(_partition(rows[0]["title"], rows))
            most -= len(rows)
    return Found(axis, value, partitions, shown)


def _order(column: Any) -> str:  # noqa: ANN401 - a field of Spark
    """Return the order of the rows of a partition as SQL; the comment has the directions."""
    names = getattr(column.dataType, "names", [])
    directions = column.metadata["comment"].split(", ") if names else []
    keys = [
        f"order_by.{_name(name)} {direction}"
        for name, direction in zip(names, directions, strict=True)
    ]
    return ", ".join([*keys, "row_id"])


def _axis(keys: Any, order: str) -> tuple[str, str]:  # noqa: ANN401 - a type of Spark
    """Return the name of the axis, and the place of a row on it as SQL."""
    fields = getattr(keys, "fields", [])
    kind = fields[0].dataType.typeName().partition("(")[0] if fields else ""
    if kind in _NUMBERS or kind in _TIMES:
        field = f"order_by.{_name(fields[0].name)}"
        number = f"CAST({field} AS DOUBLE)"
        # by the clock of the session; beyond Python's calendar a row has no place
        time = f"CAST(IF(YEAR({field}) BETWEEN 1 AND 9999, {field}, NULL) AS TIMESTAMP_NTZ)"
        return unquoted(fields[0].name), number if kind in _NUMBERS else time
    return "row", f"DENSE_RANK() OVER (PARTITION BY partition ORDER BY {order})"


def _name(name: str) -> str:
    """Return the name of a field as SQL."""
    return name_sql("query", name)


def _partition(keys: Any, fetched: list[Any]) -> Partition:  # noqa: ANN401 - a Row
    values = {} if keys is None else keys.asDict()
    title = ", ".join(
        f"{unquoted(name)} = {'NULL' if text is None else text}" for name, text in values.items()
    )
    columns = list(fetched[0]["names"])
    rows: dict[int, Shown] = {}
    paths: dict[int, list[tuple[int, int, str]]] = {}
    points = []
    for row in fetched:
        place = row["x"]
        is_placed = place is not None and not (
            isinstance(place, float) and not math.isfinite(place)
        )
        height = math.nan if row["y"] is None or math.isinf(row["y"]) else row["y"]
        if is_placed:
            points.append(Row(place, height, row["variable"], row["match_number"]))
        mine = rows.setdefault(row["row_id"], Shown([row["columns"][name] for name in columns], []))
        if row["variable"] is not None:
            mine.matched.append((row["variable"], row["match_number"]))
            step = (row["match_row"], len(rows), row["variable"])
            paths.setdefault(row["match_number"], []).append(step)
    matches = {number: _match(sorted(paths[number])) for number in sorted(paths)}
    return Partition(title or None, columns, list(rows.values()), points, matches)


def _match(steps: list[tuple[int, int, str]]) -> tuple[int, int, str]:
    """Return the first and the last row of a match, and its path, as in `A B{3}`."""
    path: list[tuple[str, int]] = []
    for _, _, name in steps:
        times = path.pop()[1] if path and path[-1][0] == name else 0
        path.append((name, times + 1))
    texts = [name if times == 1 else f"{name}{{{times}}}" for name, times in path[:20]]
    text = " ".join(texts) + (" …" if len(path) > 20 else "")  # noqa: PLR2004 - what one reads
    return steps[0][1], steps[-1][1], text
