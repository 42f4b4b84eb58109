"""The rows of a result as a line, with its matches and variables."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_match_recognize import _arguments as arguments
from spark_match_recognize._errors import extra
from spark_match_recognize._text import quoted

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pyspark.sql import DataFrame

_MOST_PARTITIONS = 30
# readable on light and on dark pages, since the background is transparent
_INK = "#787878"
_SHADES = (0.3, 0.126)


class _Row(NamedTuple):
    """One row of the DataFrame."""

    x: Any
    y: float
    variable: str | None
    match: Any


def plot(  # noqa: PLR0913 - each is a column, but the last
    df: DataFrame,
    *,
    x: str,
    y: str,
    variable: str | None = None,
    match: str | None = None,
    partition_by: str | Sequence[str] | None = None,
    limit: int = 10_000,
) -> Figure:
    """Draw a series and the matches in it.

    The DataFrame is usually the result of a clause with ALL ROWS PER MATCH WITH UNMATCHED ROWS: all
    rows of the series, once or more often, with CLASSIFIER() and MATCH_NUMBER() as measures. Needs
    the extra `plot`.

    Examples:
        >>> import spark_match_recognize as mr
        >>> ticks = spark.createDataFrame(
        ...     [("A", 1, 50), ("A", 2, 40), ("A", 3, 30), ("A", 4, 45), ("B", 1, 9), ("B", 2, 8)],
        ...     "symbol STRING, ts INT, price INT",
        ... )
        >>> found = mr.match_recognize(
        ...     ticks,
        ...     partition_by="symbol",
        ...     order_by="ts",
        ...     measures={"role": "CLASSIFIER()", "number": "MATCH_NUMBER()"},
        ...     rows_per_match="ALL ROWS PER MATCH WITH UNMATCHED ROWS",
        ...     pattern="STRT DOWN+ UP+",
        ...     define={"DOWN": "price < PREV(price)", "UP": "price > PREV(price)"},
        ... )
        >>> figure = mr.plot(
        ...     found, x="ts", y="price", variable="role", match="number", partition_by="symbol"
        ... )
        >>> [axes.get_title() for axes in figure.axes]
        ['A', 'B']

    Args:
        df: A DataFrame that is not a stream; its rows are fetched.
        x: The column of the horizontal axis, which orders the rows; those without a value, or with
            NaN, are left out.
        y: The column of the vertical axis, numbers.
        variable: The column with CLASSIFIER(): rows that have a value get a dot in its colour.
        match: The column with MATCH_NUMBER(): the span of each match is shaded.
        partition_by: The column or columns of the partition: one picture for each.
        limit: How many rows may be fetched.

    Returns:
        A figure of matplotlib; notebooks show it, `savefig(path)` writes it into a file. Its
        background is transparent and its text grey, for light and dark pages;
        `figure.set_facecolor("white")` gives it a background.

    Raises:
        MissingExtraError: If matplotlib is not installed.
        TypeError: If an argument is of a wrong kind.
        ValueError: If there are more rows than `limit`, more than 30 partitions, or values of `y`
            that are not numbers.

    Warns:
        UserWarning: If rows of one partition have the same `x` and another `y`.
    """
    arguments.frame("df", df)
    keys = [partition_by] if isinstance(partition_by, str) else list(partition_by or ())
    for name, column in [("x", x), ("y", y), *(("partition_by", key) for key in keys)]:
        arguments.column(name, column)
    for name, optional in (("variable", variable), ("match", match)):
        if optional is not None:
            arguments.column(name, optional)
    pyplot = extra("matplotlib.pyplot", "plot")
    if "ipykernel" in sys.modules:  # a kernel shows figures once the backend is loaded
        pyplot.switch_backend(pyplot.get_backend())
    figures = extra("matplotlib.figure", "plot")
    columns = [x, y, variable, match]
    partitions = _partitions(df, keys, columns, arguments.count("limit", limit))
    if (place := next(filter(None, map(_ambiguous, partitions.values())), None)) is not None:
        warnings.warn(
            f"There are several values of {y} where {x} is {place.x}, so the line is not that of "
            "one series. If each value is of another series, name their column in partition_by.",
            stacklevel=2,
        )
    palette = extra("matplotlib", "plot").color_sequences["tab10"]
    variables = dict.fromkeys(row.variable for rows in partitions.values() for row in rows)
    names = [name for name in variables if name is not None]
    colours = {name: palette[number % len(palette)] for number, name in enumerate(names)}
    figure: Figure = figures.Figure(
        figsize=(10, 0.6 + 2.6 * max(1, len(partitions))), layout="constrained", facecolor="none"
    )
    grid = figure.subplots(max(1, len(partitions)), 1, squeeze=False, sharex=True)
    texts = sorted(
        {row.x for rows in partitions.values() for row in rows if isinstance(row.x, str)}
    )
    if texts:  # else each picture would add its own after those of the pictures above
        grid[0, 0].xaxis.update_units(texts)
    handles: dict[str, Any] = {}  # one for each variable, whichever partition has it
    for axes, (key, rows) in zip(grid[:, 0], partitions.items(), strict=False):
        handles |= _draw(axes, rows, colours)
        # names and values are no formulas, whatever dollar signs they have
        axes.set_title(", ".join(map(str, key)), color=_INK, parse_math=False)
        axes.set_ylabel(y, color=_INK, parse_math=False)
    grid[-1, 0].set_xlabel(x, color=_INK, parse_math=False)
    if colours:
        legend = figure.legend(
            [handles[name] for name in colours],
            colours,
            loc="outside right upper",
            frameon=False,
            labelcolor=_INK,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
    return figure


def _partitions(
    df: DataFrame, keys: list[str], columns: list[str | None], limit: int
) -> dict[tuple[Any, ...], list[_Row]]:
    """Fetch the rows and divide them, each partition in the order of its first column."""
    # a column that is not asked for is NULL; names are not SQL here
    wanted = [*keys, *columns]
    selected = df.selectExpr(
        *(
            f"{'NULL' if name is None else '`' + name.replace('`', '``') + '`'} AS c{number}"
            for number, name in enumerate(wanted)
        )
    )
    fetched = selected.limit(limit + 1).collect()
    if len(fetched) > limit:
        message = (
            f"plot draws at most {limit} rows, and the DataFrame has more. Filter it, or raise "
            "limit."
        )
        raise ValueError(message)
    found: dict[tuple[Any, ...], list[_Row]] = {}
    for row in fetched:
        key, (at, value, variable, match) = tuple(map(_key, row[: len(keys)])), row[len(keys) :]
        try:
            height = math.nan if value is None else float(value)
        except (TypeError, ValueError):
            message = f"y must be a column of numbers: {columns[1]} has {value!r}"
            raise ValueError(message) from None
        if at is not None and at == at:  # noqa: PLR0124 - NaN has no place, and no order
            found.setdefault(key, []).append(_Row(at, height, variable, match))
    if len(found) > _MOST_PARTITIONS:
        message = (
            f"plot draws at most {_MOST_PARTITIONS} partitions, and the DataFrame has "
            f"{len(found)}. Filter it by {', '.join(map(quoted, keys))}."
        )
        raise ValueError(message)
    by_key = sorted(found.items(), key=lambda item: tuple(map(str, item[0])))
    return {key: sorted(rows, key=lambda row: row.x) for key, rows in by_key}


def _key(value: Any) -> Any:  # noqa: ANN401 - of any type
    """Return a value of PARTITION BY as a key of a dict: NaN is equal to NaN."""
    if isinstance(value, float) and math.isnan(value):
        return math.nan  # the same object each time
    if isinstance(value, bytearray):
        return bytes(value)
    return tuple(map(_key, value)) if isinstance(value, list | tuple) else value


def _ambiguous(rows: list[_Row]) -> _Row | None:
    """Return a row whose place on the horizontal axis has another row with another value."""
    heights: dict[Any, float] = {}
    for row in rows:
        if not math.isnan(row.y) and heights.setdefault(row.x, row.y) != row.y:
            return row
    return None


def _draw(
    axes: Any,  # noqa: ANN401 - matplotlib
    rows: list[_Row],
    colours: dict[str, Any],
) -> dict[str, Any]:
    """Draw one partition: the spans of its matches, the line, a dot for each matched row.

    Returns:
        The dots of each variable.
    """
    axes.set_facecolor("none")
    axes.tick_params(colors=_INK, which="both")
    axes.spines[:].set_color(_INK)
    axes.xaxis.get_offset_text().set_color(_INK)
    axes.yaxis.get_offset_text().set_color(_INK)
    spans: dict[Any, list[Any]] = {}
    for row in rows:
        if row.match is not None:
            spans.setdefault(row.match, []).append(row.x)
    for number, places in enumerate(spans.values()):
        shade = _SHADES[number % 2]
        axes.axvspan(places[0], places[-1], color="#808080", alpha=shade, linewidth=0, zorder=0)
    line: dict[Any, float] = {}
    for row in rows:  # a row of two matches is in the result twice
        if row.x not in line or not math.isnan(row.y):
            line[row.x] = row.y
    axes.plot(list(line), list(line.values()), color="#808080", linewidth=1, zorder=1)
    dots = {}
    for name, colour in colours.items():
        mine = [row for row in rows if row.variable == name]
        if mine:
            places, heights = [row.x for row in mine], [row.y for row in mine]
            dots[name] = axes.scatter(places, heights, s=22, color=colour, label=name, zorder=2)
    return dots
