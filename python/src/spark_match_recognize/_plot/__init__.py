"""The rows of a result as a line, with its matches and variables."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

from spark_match_recognize import _kinds as kinds
from spark_match_recognize._errors import extra
from spark_match_recognize._hints import DataFrame, Figure, pd
from spark_match_recognize._plot.rows import (
    Partitions,
    Row,
    check_frame,
    columns_of,
    partitions_of,
)

# readable on light and on dark pages, since the background is transparent
_INK = "#787878"
_SHADES = (0.3, 0.126)
# visible on light and on dark ground; no grey: that is what is in no match
_COLOURS = (
    *("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd"),
    *("#8c564b", "#e377c2", "#bcbd22", "#17becf"),
)


@kinds.checked(
    df=check_frame,
    x=kinds.column,
    y=kinds.column,
    variable=kinds.optional(kinds.column),
    match=kinds.optional(kinds.column),
    partition_by=kinds.columns,
)
def plot(  # noqa: PLR0913 - each is a column, but the last
    df: DataFrame | pd.DataFrame,
    *,
    x: str,
    y: str,
    variable: str | None = None,
    match: str | None = None,
    partition_by: str | Sequence[str] | None = None,
    limit: int = 10_000,
) -> Figure:
    """Draw a series and the matches in it.

    The frame is usually the result of a clause with ALL ROWS PER MATCH WITH UNMATCHED ROWS: all
    rows of the series, once or more often, with CLASSIFIER() and MATCH_NUMBER() as measures. Which
    columns have them, `plot` finds by usual names (`variable`, `role`, `match_number`, `number`).
    The columns of PARTITION BY are those of the clause in a DataFrame of Spark; in other frames
    with both measures the columns before `x`. Needs the extra `plot`.

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
        >>> figure = mr.plot(found, x="ts", y="price")
        >>> [axes.get_title() for axes in figure.axes]
        ['A', 'B']

    Args:
        df: A DataFrame of Spark that is not a stream, whose rows are fetched, or one of pandas.
        x: The column of the horizontal axis, which orders the rows; those without a value, or with
            NaN, are left out. Durations and times of day are drawn in hours.
        y: The column of the vertical axis, numbers.
        variable: The column with CLASSIFIER(): rows that have a value get a dot in its colour.
        match: The column with MATCH_NUMBER(): the span of each match is shaded.
        partition_by: The column or columns of the partition: one picture for each. An empty list
            draws all rows as one line.
        limit: How many rows there may be.

    Returns:
        A figure of matplotlib; notebooks show it, `savefig(path)` writes it into a file. Its
        background is transparent and its text grey, for light and dark pages;
        `figure.set_facecolor("white")` gives it a background.

    Raises:
        MissingExtraError: If matplotlib is not installed.
        TypeError: If an argument is of a wrong kind.
        ValueError: If there are more rows than `limit`, more than 30 partitions, or values of `y`
            that are not numbers, or of `x` that have no common order.

    Warns:
        UserWarning: If a line has rows of several partitions, or two values where `x` is the same.
    """
    keys = [partition_by] if isinstance(partition_by, str) else partition_by
    extra("matplotlib.figure", "plot")
    most = kinds.count("limit", limit)
    columns = columns_of(df, x=x, y=y, variable=variable, match=match, partition_by=keys)
    partitions = partitions_of(df, columns, most)
    # the only one of keys that the user did not name needs no title
    has_titles = bool(keys) or len(partitions) > 1
    return drawing({key if has_titles else (): rows for key, rows in partitions.items()}, x, y)


def drawing(partitions: Partitions, x: str, y: str) -> Figure:
    """Draw partitions, one below the other.

    Args:
        partitions: The rows of each, in the order of `x`, by the values that are its title.
        x: The name of the horizontal axis.
        y: The name of the vertical axis.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    pyplot = extra("matplotlib.pyplot", "plot")
    if "ipykernel" in sys.modules:  # a kernel shows figures once the backend is loaded
        pyplot.switch_backend(pyplot.get_backend())
    figures = extra("matplotlib.figure", "plot")
    found = dict.fromkeys(row.variable for rows in partitions.values() for row in rows)
    variables = [name for name in found if name is not None]
    colours = {name: _COLOURS[place % len(_COLOURS)] for place, name in enumerate(variables)}
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


def _draw(
    axes: Any,  # noqa: ANN401 - matplotlib
    rows: list[Row],
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
