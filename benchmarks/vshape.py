"""V shapes in random walks, against the sort that any such query needs.

Control: scan, shuffle by symbol and sort of the same columns, the least that Spark's own operators
must do before a search. Both run alternately in one JVM, after a warm-up; the CPU time is that of
the whole process, including compilation and garbage collection. Run it with `make bench`.
"""

from __future__ import annotations

import argparse
import statistics
from functools import partial

from pyspark.sql import DataFrame
from session import measure, paired_rounds, start
from tables import ticks

V_SHAPES = """
SELECT * FROM ticks MATCH_RECOGNIZE (
  PARTITION BY symbol
  ORDER BY ts
  MEASURES STRT.price AS start_price, LAST(DOWN.price) AS bottom, LAST(UP.price) AS top
  ONE ROW PER MATCH
  PATTERN (STRT DOWN+ UP+)
  DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price)
)
"""


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--symbols", type=int, default=1_000)
    parser.add_argument("--warm-up", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    folder = ticks(options.rows, options.symbols)
    spark = start(shuffle_partitions=4)
    spark.read.parquet(str(folder)).createOrReplaceTempView("ticks")

    def control() -> DataFrame:
        table = spark.table("ticks")
        return table.repartition("symbol").sortWithinPartitions("symbol", "ts")

    def clause() -> DataFrame:
        return spark.sql(V_SHAPES)

    matches = clause().count()
    print(f"{options.rows:,} rows, {options.symbols:,} symbols, {matches:,} matches")
    runs = {
        "MATCH_RECOGNIZE": partial(measure, spark, clause),
        "sort": partial(measure, spark, control),
    }
    costs = paired_rounds(runs, options.warm_up, options.rounds)
    spark.stop()
    pairs = list(zip(costs["MATCH_RECOGNIZE"], costs["sort"], strict=True))
    for number, round_ in enumerate(pairs):
        texts = [
            f"{n} {c.cpu:.2f} s CPU {c.wall:.2f} s wall" for n, c in zip(runs, round_, strict=True)
        ]
        print(f"round {number + 1}: {', '.join(texts)}")
    cpu = statistics.median(ours.cpu / theirs.cpu for ours, theirs in pairs)
    wall = statistics.median(ours.wall / theirs.wall for ours, theirs in pairs)
    print(f"V shape / sort, median of {len(pairs)} pairs: {cpu:.2f} CPU, {wall:.2f} wall")


if __name__ == "__main__":
    main()
