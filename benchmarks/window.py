"""V shapes as a row pattern window, against the sort that it needs and against one `lag()`.

A window returns every row, with the measures of the match that begins there. Controls: scan,
shuffle by symbol and sort of the same columns; and Spark's own window with one `lag()` over the
same keys. All run alternately in one JVM, after a warm-up; the CPU time is that of the whole
process. The same window over twice the rows shows that it is linear. Run it with `make bench`.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from functools import partial

from pyspark.sql import DataFrame
from session import Cost, measure, paired_rounds, start
from tables import ticks

WINDOW = """
SELECT symbol, ts, price, bottom OVER w, count(*) OVER w AS n FROM {table} WINDOW w AS (
  PARTITION BY symbol ORDER BY ts
  MEASURES LAST(DOWN.price) AS bottom
  ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
  AFTER MATCH SKIP {skip}
  {seek} PATTERN (STRT DOWN+ UP+)
  DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price)
)
"""
MODES = {
    "PAST LAST ROW": ("PAST LAST ROW", ""),
    "TO NEXT ROW": ("TO NEXT ROW", ""),
    "SEEK, TO NEXT ROW": ("TO NEXT ROW", "SEEK"),
}


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--symbols", type=int, default=1_000)
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    spark = start(shuffle_partitions=4)
    for name, factor in (("ticks", 1), ("twice", 2)):
        folder = ticks(options.rows * factor, options.symbols)
        spark.read.parquet(str(folder)).createOrReplaceTempView(name)

    def sort() -> DataFrame:
        return spark.table("ticks").repartition("symbol").sortWithinPartitions("symbol", "ts")

    def lag() -> DataFrame:
        return spark.sql(
            "SELECT *, lag(price) OVER (PARTITION BY symbol ORDER BY ts) AS l FROM ticks"
        )

    for mode, (skip, seek) in MODES.items():

        def window(table: str, skip: str = skip, seek: str = seek) -> DataFrame:
            return spark.sql(WINDOW.format(table=table, skip=skip, seek=seek))

        contestants: dict[str, Callable[[], DataFrame]] = {
            "sort": sort,
            "lag": lag,
            "window": partial(window, "ticks"),
            "twice": partial(window, "twice"),
        }
        runs = {name: partial(measure, spark, make) for name, make in contestants.items()}
        costs = paired_rounds(runs, options.warm_up, options.rounds)

        def over(ours: str, theirs: str, costs: dict[str, list[Cost]] = costs) -> float:
            pairs = zip(costs[ours], costs[theirs], strict=True)
            return statistics.median(a.cpu / b.cpu for a, b in pairs)

        print(
            f"{mode}: {statistics.median(cost.cpu for cost in costs['window']):.2f} s CPU, "
            f"{over('window', 'sort'):.2f} of the sort, {over('window', 'lag'):.2f} of lag(), "
            f"twice the rows {over('twice', 'window'):.2f}",
            flush=True,
        )
    spark.stop()


if __name__ == "__main__":
    main()
