"""Queries of four threads at a time in one process with sixteen tasks; see test_at_once.py.

    python at_once.py every-so-many

It prints what went wrong, and last how many queries it has run.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby

from conformance_cases import all_cases, check, lacking
from pyspark.sql import SparkSession

import spark_match_recognize as mr

TASKS = 16
THREADS = 4
SYMBOLS, DAYS = 48, 600
# Each query over one table, with what a loop in Python finds of a symbol's prices.
CLAUSE = """
  SELECT symbol, f, n FROM prices MATCH_RECOGNIZE (
    PARTITION BY symbol ORDER BY day MEASURES FIRST(day) AS f, COUNT(*) AS n
    {rest})
"""


def prices(symbol: int) -> list[int]:
    """Return the prices of a symbol, one a day."""
    return [(day * (symbol + 7) * (day + symbol)) % 31 for day in range(DAYS)]


def rises(values: list[int]) -> Iterator[tuple[int, int]]:
    """Return the first day and the length of each run of rises: a search by two passes."""
    day = 0
    while day < DAYS:
        end = day + 1
        while end < DAYS and values[end] > values[end - 1]:
            end += 1
        if end - day > 1:
            yield day, end - day
        day = end


def above(values: list[int]) -> Iterator[tuple[int, int]]:
    """Return the days above the first one, by anchored threads."""
    day = 0
    while day < DAYS:
        end = day + 1
        while end < DAYS and values[end] > values[day]:
            end += 1
        yield day, end - day
        day = end


def boxes(values: list[int]) -> Iterator[tuple[int, int]]:
    """Return groups of days with a sum of 100 at most, by ordered threads."""
    day = 0
    while day < DAYS:
        end, total = day, 0
        while end < DAYS and total + values[end] <= 100:
            total += values[end]
            end += 1
        yield day, end - day
        day = end


Loop = Callable[[list[int]], Iterator[tuple[int, int]]]
QUERIES: list[tuple[str, Loop]] = [
    ("PATTERN (A B+) DEFINE B AS price > PREV(price)", rises),
    ("PATTERN (A B*) DEFINE B AS price > A.price", above),
    ("PATTERN (A+) DEFINE A AS SUM(price) <= 100", boxes),
]


def whole(spark: SparkSession, number: int) -> None:
    """Run one of the queries, and compare all of its rows."""
    rest, loop = QUERIES[number % len(QUERIES)]
    session = spark.newSession()
    rows = session.sql(CLAUSE.format(rest=rest).replace("prices", "global_temp.prices")).collect()
    found = {s: sorted((r.f, r.n) for r in g) for s, g in groupby(sorted(rows), lambda r: r.symbol)}
    for symbol in range(SYMBOLS):
        assert found.get(symbol, []) == list(loop(prices(symbol))), f"{rest}, symbol {symbol}"


def main(every: int) -> int:
    """Run the queries and return 1 if one was wrong."""
    builder = SparkSession.builder.master(f"local[{TASKS}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", str(TASKS))
    builder = builder.config("spark.sql.adaptive.coalescePartitions.enabled", "false")
    builder = builder.config("spark.sql.session.timeZone", "UTC").config("spark.log.level", "OFF")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    mr.silence_pyspark()
    spark = mr.configure(builder).getOrCreate()
    rows = [(s, day, price) for s in range(SYMBOLS) for day, price in enumerate(prices(s))]
    frame = spark.createDataFrame(rows, "symbol INT, day INT, price INT").repartition(TASKS)
    frame.cache().createGlobalTempView("prices")
    cases = [case for case in all_cases() if not lacking(case)][::every]
    runs = [partial(lambda case: check(spark.newSession(), case), case) for case in cases]
    large = [partial(whole, spark, number) for number in range(len(runs[::2]))]
    # large queries among the small ones
    mixed = [run for pair in zip(runs[::2], large, strict=True) for run in pair] + runs[1::2]
    with ThreadPoolExecutor(THREADS) as pool:
        ended = [pool.submit(run) for run in mixed]
    failures = [error for future in ended if (error := future.exception())]
    for error in failures[:3]:
        traceback.print_exception(error, file=sys.stdout)
    print(f"{len(mixed)} queries, {len(failures)} wrong")
    spark.stop()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
