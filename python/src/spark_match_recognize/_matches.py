"""The rows and matches of a query, summed up by Spark for pictures."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_match_recognize._partition import equal
from spark_match_recognize._text import for_frames, in_backticks, is_replaced, unquoted
from spark_match_recognize._trace import searched, session_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MOST_PARTITIONS = 20
_MOST_BINS = 3_000  # of all partitions
_MOST_MATCHES = 1_200  # of all partitions
_MOST_RUNS = 6_000
_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal")
_TIMES = ("date", "timestamp", "timestamp_ntz")

# Rows at one place of the axis that have one variable, or none: how many, and the points of the
# line that one can see: the first, last, lowest and highest one.
_BINS = """
    SELECT p, bin, variable, COUNT(*) AS n, MIN(x), MIN_BY(y, x), MAX(x), MAX_BY(y, x),
      MIN_BY(x, y), MIN(y), MAX_BY(x, y), MAX(y)
    FROM (SELECT *, CAST(LEAST({count}, FLOOR((x / 2 - {lows}[p]) * {factors}[p])) AS INT) AS bin
          FROM {rows})
    GROUP BY p, bin, variable ORDER BY p, bin
"""
# Rows of a match that follow one another and have one variable.
_RUNS = """
    SELECT p, match_number, MIN(match_row) AS begins, variable, COUNT(*) AS n, MIN(x), MAX(x)
    FROM (SELECT *, match_row - ROW_NUMBER() OVER (
            PARTITION BY p, match_number, variable ORDER BY match_row) AS run
          FROM {rows} WHERE match_number <= {most} AND variable IS NOT NULL)
    GROUP BY p, match_number, run, variable ORDER BY p, match_number, begins LIMIT {runs}
"""


class Run(NamedTuple):
    """Rows of a match that follow one another and have one variable."""

    match: int
    variable: str
    rows: int
    low: float
    high: float


class Bin(NamedTuple):
    """What is at one place of the axis: its rows by variable, and points of the line."""

    number: int
    rows: dict[str | None, int]
    points: list[tuple[float, float]]
    marked: dict[str, list[tuple[float, float]]]


class Series(NamedTuple):
    """What is drawn of a partition.

    Attributes:
        keys: The texts of its keys by their names, as SQL.
        rows: How many rows it has.
        placed: How many of them have a place on the axis.
        odd: How many of them have a value that is infinite or NaN.
        matched: How many rows its matches have; a row of two matches counts twice.
        matches: How many matches it has.
        x: The least and the greatest place.
        y: The least and the greatest value, None if there is none.
        bins: Its rows in places of equal width.
        width: The number of such places.
        runs: Its first matches.
        is_complete: Whether `runs` has all matches.
    """

    keys: dict[str, str | None]
    rows: int
    placed: int
    odd: int
    matched: int
    matches: int
    x: tuple[float, float]
    y: tuple[float, float] | None
    bins: list[Bin]
    width: int
    runs: list[Run]
    is_complete: bool

    @property
    def title(self) -> str:
        """The keys with their values, as `partition_key` of a trace has them."""
        return ", ".join(
            f"{unquoted(k)} = {'NULL' if v is None else v}" for k, v in self.keys.items()
        )

    @property
    def condition(self) -> str:
        """SQL that holds for its rows and reads nothing but keys."""
        tests = (equal(f"CAST({key} AS STRING)", text) for key, text in self.keys.items())
        return " AND ".join(tests) or "true"


class Found(NamedTuple):
    """The matches of a query.

    Attributes:
        kind: The kind of the axis, as in `Scale`.
        value: The column that is drawn, None if no column is a number.
        partitions: How many partitions there are.
        rows: How many rows they have.
        matches: How many matches they have.
        series: Those that are drawn: the ones with the most matches.
    """

    kind: str
    value: str | None
    partitions: int
    rows: int
    matches: int
    series: list[Series]


def found(
    query: DataFrame | str,
    condition: str | None,
    value: str | None,
    spark: SparkSession | None,
) -> Found:
    """Run a query's clause and return what can be drawn of its rows.

    Raises:
        ValueError: If `value` is not a column of numbers.
    """
    session = session_of(query, spark)
    rows = searched("rows", query, condition, session)
    types = {field.name: field.dataType for field in rows.schema.fields}
    numbers = getattr(types["numbers"], "names", [])
    if value is not None and value not in numbers:
        message = (
            f"value must be a column of numbers of the clause's input: {value} is not one of "
            f"{', '.join(numbers) or 'none'}"
        )
        raise ValueError(message)
    value = value or next(iter(numbers), None)
    kind, x = _axis(types["order_by"])
    y = "CAST(NULL AS DOUBLE)" if value is None else f"CAST(numbers.{_name(value)} AS DOUBLE)"
    placed = session.sql(
        for_frames(
            "SELECT keys, row_id, match_number, match_row, variable, {x} AS x, "
            "IF(ABS({y}) < DOUBLE('Infinity'), {y}, NULL) AS y, "
            "ABS({y}) >= DOUBLE('Infinity') AS is_odd FROM {rows}",
            "rows",
            x=x,
            y=y,
        ),
        rows=rows,
    )
    head = session.sql(
        "SELECT *, COUNT(*) OVER () AS partitions, SUM(rows) OVER () AS all_rows, "
        "SUM(COALESCE(matches, 0)) OVER () AS all_matches FROM ("
        "SELECT keys, COUNT(DISTINCT row_id) AS rows, COUNT(DISTINCT IF(x IS NULL, NULL, row_id)) "
        "AS placed, COUNT(DISTINCT IF(is_odd, row_id, NULL)) AS odd, "
        "COUNT(variable) AS matched, MAX(match_number) AS matches, MIN(x) AS low, "
        "MAX(x) AS high, MIN(y) AS least, MAX(y) AS most FROM {placed} GROUP BY keys) "
        f"ORDER BY COALESCE(matches, 0) DESC, rows DESC, keys LIMIT {_MOST_PARTITIONS}",
        placed=placed,
    ).collect()
    if not head:
        return Found(kind, value, 0, 0, 0, [])
    keys = [row["keys"].asDict() if row["keys"] is not None else {} for row in head]
    lows = [row["low"] or 0.0 for row in head]
    halves = [low / 2 for low in lows]  # the difference of two doubles may be infinity
    widths = [(row["high"] or 0.0) / 2 - half for row, half in zip(head, halves, strict=True)]
    count = max(150, min(600, _MOST_BINS // len(head)))
    # by their values and not by a condition, so that nothing of the data becomes text of a query
    number = placed.select("keys").schema.add("p", "integer")
    chosen = session.sql(
        "SELECT /*+ BROADCAST(drawn) */ placed.*, p FROM {placed} AS placed "
        "JOIN {drawn} AS drawn ON placed.keys <=> drawn.keys WHERE x IS NOT NULL",
        placed=placed,
        drawn=session.createDataFrame([(row["keys"], p) for p, row in enumerate(head)], number),
    )
    bins = session.sql(
        for_frames(
            _BINS,
            "rows",
            count=str(count - 1),
            lows=_array(halves),
            factors=_array([count / width if width else 0.0 for width in widths]),
        ),
        rows=chosen,
    ).collect()
    most = max(30, _MOST_MATCHES // len(head))
    wanted = for_frames(_RUNS, "rows", most=str(most), runs=str(_MOST_RUNS))
    runs = session.sql(wanted, rows=chosen).collect()
    series = []
    for place, row in enumerate(head):
        mine = [Run(run[1], run[3], run[4], run[5], run[6]) for run in runs if run[0] == place]
        # the limit cut the last one
        is_cut = len(runs) == _MOST_RUNS and place >= runs[-1][0]
        series.append(
            Series(
                keys[place],
                row["rows"],
                row["placed"],
                row["odd"],
                row["matched"],
                row["matches"] or 0,
                (row["low"] or 0.0, row["high"] or 0.0),
                None if row["least"] is None else (row["least"], row["most"]),
                _bins([found_bin for found_bin in bins if found_bin[0] == place]),
                count,
                mine,
                not is_cut and (row["matches"] or 0) <= most,
            )
        )
    partitions, all_rows, matches = head[0][-3:]
    return Found(kind, value, partitions, all_rows, matches, series)


def _axis(order: Any) -> tuple[str, str]:  # noqa: ANN401 - a type of Spark
    """Return the kind of the axis, and the place of a row on it as SQL."""
    fields = getattr(order, "fields", [])
    name = fields[0].dataType.typeName().partition("(")[0] if fields else ""
    first = f"order_by.{_name(fields[0].name)}" if fields else ""
    if name in _NUMBERS:
        return "number", f"IF(ABS({first}) < DOUBLE('Infinity'), CAST({first} AS DOUBLE), NULL)"
    if name in _TIMES:
        epoch = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
        moment = f"CAST({first} AS TIMESTAMP_NTZ)"
        return "time", f"CAST(TIMESTAMPDIFF(MICROSECOND, {epoch}, {moment}) AS DOUBLE)"
    keys = "order_by, row_id" if fields else "row_id"
    rank = f"DENSE_RANK() OVER (PARTITION BY keys ORDER BY {keys})"
    return "row", f"CAST({rank} AS DOUBLE)"


def _name(name: str) -> str:
    """Return the name of a field as SQL.

    Raises:
        ValueError: If Spark would replace a part of it.
    """
    if is_replaced(name):
        message = f"A report cannot read {name}: Spark replaces ${{...}} in SQL. Rename the column"
        raise ValueError(message)
    return in_backticks(name)


def _bins(groups: Sequence[Any]) -> list[Bin]:
    bins: dict[int, Bin] = {}
    for _, number, variable, count, *points in groups:
        mine = bins.setdefault(number, Bin(number, {}, [], {}))
        mine.rows[variable] = count
        pairs = list(zip(points[::2], points[1::2], strict=True))
        real = [(x, y) for x, y in pairs if y is not None]
        mine.points.extend(real)
        if variable is not None and real:
            mine.marked[variable] = sorted(set(real))
    return [each._replace(points=_visible(each.points)) for each in bins.values()]


def _visible(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Keep the first, last, lowest and highest one."""
    if not points:
        return []
    by_value = sorted(points, key=lambda point: point[1])
    return sorted({min(points), max(points), by_value[0], by_value[-1]})


def _array(values: Sequence[float]) -> str:
    texts = (f"DOUBLE('{value!r}')" if math.isfinite(value) else "0D" for value in values)
    return f"ARRAY({', '.join(texts)})"


def spark_error() -> type[Exception]:
    """Return the class of Spark's errors."""
    error: type[Exception] = importlib.import_module("pyspark.errors").PySparkException
    return error
