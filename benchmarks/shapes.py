"""Shapes of patterns, each against the sort that any such query needs, by shuffle partitions.

    python benchmarks/shapes.py [--rows N] [--only V] [--partitions 4 200] [--rounds 7]

Control: scan, shuffle by the keys and sort of the columns that the clause reads, the least that
Spark's own operators must do before a search. Both run alternately in one JVM, after a warm-up; the
CPU time is that of the whole process, including compilation and garbage collection. It prints the
median and the range of the paired ratios. `make bench` runs it.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator
from functools import partial

import tables
from compare import queries
from pyspark.sql import SparkSession
from session import measure, paired_rounds, spread, start
from workloads import Workload

WAYS = "DOWN AS price < PREV(price), UP AS price > PREV(price)"


def of_prices(rows: int) -> Iterator[Workload]:
    """Yield patterns over prices, a random walk for each of a thousand symbols."""
    names = {
        "V shape": f"""MEASURES STRT.price AS first, LAST(DOWN.price) AS low, LAST(UP.price) AS last
            PATTERN (STRT DOWN+ UP+) DEFINE {WAYS}""",
        "head and shoulders": """MEASURES FIRST(A.ts) AS first, LAST(F.ts) AS last,
              MAX(C.price) AS head
            PATTERN (A+ B+ C+ D+ E+ F+)
            DEFINE A AS price > PREV(price), B AS price < PREV(price),
              C AS price > PREV(price), D AS price < PREV(price),
              E AS price > PREV(price), F AS price < PREV(price)""",
        "gap sequence": """MEASURES A.ts AS a, B.ts AS b, C.ts AS c
            PATTERN (A X* B Y* C)
            DEFINE A AS price < 95, B AS price > 100, C AS price < 94""",
        "alternation": f"""MEASURES COUNT(*) AS n, CLASSIFIER() AS last
            PATTERN (STRT (UP | DOWN | SAME)+ HIGH)
            DEFINE {WAYS}, SAME AS price = PREV(price), HIGH AS price > 110""",
        "PERMUTE": f"""MEASURES FIRST(ts) AS first, LAST(ts) AS last
            PATTERN (PERMUTE(UP, DOWN, SAME)) DEFINE {WAYS}, SAME AS price = PREV(price)""",
        "navigation": """MEASURES A.price AS a, PREV(A.price, 2) AS before, NEXT(B.price) AS after
            PATTERN (A B)
            DEFINE A AS price > PREV(price) AND PREV(price) > PREV(price, 2),
              B AS price < PREV(price) AND NEXT(price) < price""",
        "quantifiers": f"""MEASURES COUNT(UP.*) AS ups, LAST(DOWN.price) AS low
            PATTERN (STRT UP{{{{2,5}}}} DOWN{{{{2,}}}}? SAME?)
            DEFINE {WAYS}, SAME AS price = PREV(price)""",
        "SUM in DEFINE": """MEASURES SUM(A.price) AS total, COUNT(*) AS n
            PATTERN (A+) DEFINE A AS SUM(A.price) <= 1000""",
    }
    for name, clause in names.items():
        yield Workload(
            name=name,
            folder=tables.ticks(rows, rows // 1000),
            key="symbol",
            order="ts",
            read="price",
            clause=f"""SELECT * FROM {{t}} MATCH_RECOGNIZE (
                PARTITION BY symbol ORDER BY ts {clause})""",
        )


def of_others(rows: int) -> Iterator[Workload]:
    """Yield many small partitions and many columns; the latter over a quarter of the rows."""
    yield Workload(
        name="keys of two rows",
        folder=tables.pairs(rows),
        key="k",
        order="i",
        read="v",
        clause="""SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY k ORDER BY i
            MEASURES A.i AS a, B.v AS b PATTERN (A B) DEFINE B AS v > PREV(v))""",
    )
    yield Workload(
        name="23 columns, ALL ROWS PER MATCH",
        folder=tables.logins(rows // 4),
        key="k",
        order="ts",
        read="kind",
        more=tuple(f"p{number}" for number in range(20)),
        clause="""SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts
            MEASURES CLASSIFIER() AS is ALL ROWS PER MATCH PATTERN (L+ F)
            DEFINE L AS kind = 'login', F AS kind <> 'login')""",
    )


def run(spark: SparkSession, work: Workload, warm_up: int, rounds: int) -> None:
    """Measure one shape, and print its line of figures."""
    spark.read.parquet(str(work.folder)).createOrReplaceTempView("input")
    contestants = queries(spark, work)
    found = contestants["clause"]().count()
    runs = {name: partial(measure, spark, contestants[name]) for name in ("clause", "sort")}
    costs = paired_rounds(runs, warm_up, rounds)
    ours, floor = ([cost.cpu for cost in costs[name]] for name in runs)
    print(
        f"{work.name}: {spread(ours, floor)}, {found:,} rows, {statistics.median(ours):.2f} s CPU",
        flush=True,
    )


def main() -> None:
    """Run the shapes with each number of shuffle partitions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", default="", help="a part of the shape's name")
    parser.add_argument("--partitions", type=int, nargs="+", default=[4])
    parser.add_argument("--warm-up", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    spark = start(shuffle_partitions=4)
    for partitions in options.partitions:
        spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
        print(f"{partitions} shuffle partitions", flush=True)
        for work in (*of_prices(options.rows), *of_others(options.rows)):
            if options.only in work.name:
                run(spark, work, options.warm_up, options.rounds)
    spark.stop()


if __name__ == "__main__":
    main()
