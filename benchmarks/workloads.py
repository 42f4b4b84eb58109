"""Common searches against Spark queries without the clause.

Each workload alternately runs, in one JVM, the clause and its controls over the same files:

- sort: scan, shuffle and sort by the keys of the clause, the least that such a query needs;
- lag: one `lag()` over the same window;
- spark: the clause over rows that Spark sorts, `spark.matchRecognize.sort` = spark;
- window: the equivalent query with nested window functions; it finds the same matches.

It prints medians of paired ratios, for CPU of the whole process and wall time; above 1 the control
is cheaper. `make bench` runs it.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from session import Cost, measure, start
from vshape import ticks


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One search: its table, keys, the clause and the windows that find the same matches."""

    name: str
    folder: Path
    key: str
    order: str
    read: str
    clause: str
    window: str


def write(name: str, columns: Callable[[np.random.Generator], dict[str, np.ndarray]]) -> Path:
    """Write a table once, as four files in random order of the rows, and return its folder."""
    folder = Path(f"out/bench/{name}")
    if not (folder / "_SUCCESS").exists():
        folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(42)
        table = columns(random)
        order = random.permutation(len(next(iter(table.values()))))
        for number, part in enumerate(np.array_split(order, 4)):
            pq.write_table(
                pa.table({column: values[part] for column, values in table.items()}),
                folder / f"part-{number}.parquet",
            )
        (folder / "_SUCCESS").touch()
    return folder


def partitions(rows: int) -> Workload:
    """Two consecutive rows, 100 rows per key: the fixed cost of a partition."""
    folder = write(
        f"keys-{rows}",
        lambda _: {"k": np.arange(rows) // 100, "i": np.arange(rows), "v": np.arange(rows) % 5},
    )
    return Workload(
        name="W2 partitions",
        folder=folder,
        key="k",
        order="i",
        read="v",
        clause="""
            SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY k ORDER BY i
              MEASURES A.i AS a, B.i AS b PATTERN (A B) DEFINE A AS v = 0, B AS v = 1)""",
        window="""
            SELECT k, i AS a, next AS b FROM (
              SELECT *, lead(v) OVER w AS then, lead(i) OVER w AS next FROM {t}
              WINDOW w AS (PARTITION BY k ORDER BY i)) WHERE v = 0 AND then = 1""",
    )


def visits(rows: int) -> Path:
    """Ten actions per visitor."""
    actions = np.array(["BROWSE", "SELECT", "CHECKOUT", "HELP", "CANCEL"])
    return write(
        f"visits-{rows}",
        lambda random: {
            "visitor": np.arange(rows) // 10,
            "seq": np.arange(rows) % 10,
            "action": actions[random.integers(0, len(actions), rows)],
        },
    )


def funnel(rows: int) -> Workload:
    """Three consecutive actions."""
    return Workload(
        name="W3 funnel",
        folder=visits(rows),
        key="visitor",
        order="seq",
        read="action",
        clause="""
            SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY visitor ORDER BY seq
              MEASURES B.seq AS first, C.seq AS last PATTERN (B S C)
              DEFINE B AS action = 'BROWSE', S AS action = 'SELECT', C AS action = 'CHECKOUT')""",
        window="""
            SELECT visitor, seq AS first, last FROM (
              SELECT *, lead(action) OVER w AS a2, lead(action, 2) OVER w AS a3,
                lead(seq, 2) OVER w AS last FROM {t}
              WINDOW w AS (PARTITION BY visitor ORDER BY seq))
            WHERE action = 'BROWSE' AND a2 = 'SELECT' AND a3 = 'CHECKOUT'""",
    )


def funnel_with_gaps(rows: int) -> Workload:
    """Three actions in order with anything between them, the first such triple of a visitor."""
    return Workload(
        name="W3 funnel with gaps",
        folder=visits(rows),
        key="visitor",
        order="seq",
        read="action",
        clause="""
            SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY visitor ORDER BY seq
              MEASURES FIRST(B.seq) AS first, C.seq AS last
              PATTERN (^ X*? B X*? S X*? C)
              DEFINE B AS action = 'BROWSE', S AS action = 'SELECT', C AS action = 'CHECKOUT')""",
        window="""
            SELECT visitor, first, min(seq) AS last FROM (
              SELECT *, min(IF(action = 'SELECT' AND seq > first, seq, NULL)) OVER w AS second
              FROM (SELECT *, min(IF(action = 'BROWSE', seq, NULL)) OVER w AS first FROM {t}
                    WINDOW w AS (PARTITION BY visitor ORDER BY seq))
              WINDOW w AS (PARTITION BY visitor ORDER BY seq))
            WHERE action = 'CHECKOUT' AND seq > second GROUP BY visitor, first""",
    )


def v_shapes(rows: int, symbols: int) -> Workload:
    """A fall immediately followed by a rise."""
    return Workload(
        name="W4 V shape",
        folder=ticks(rows, symbols),
        key="symbol",
        order="ts",
        read="price",
        clause="""
            SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts
              MEASURES STRT.price AS top, LAST(DOWN.price) AS bottom, LAST(UP.price) AS last
              AFTER MATCH SKIP TO LAST UP PATTERN (STRT DOWN+ UP+)
              DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price))""",
        window="""
            SELECT symbol, top, bottom, last FROM (
              SELECT symbol, way, first_before AS top, price AS bottom,
                lead(way) OVER w AS next_way, lead(price) OVER w AS last FROM (
                SELECT symbol, run, way, min_by(before, ts) AS first_before,
                  max_by(price, ts) AS price, max(ts) AS end FROM (
                  SELECT *, sum(turn) OVER w AS run FROM (
                    SELECT *, IF(way <=> lag(way) OVER w, 0, 1) AS turn FROM (
                      SELECT *, sign(price - before) AS way FROM (
                        SELECT *, lag(price) OVER w AS before FROM {t}
                        WINDOW w AS (PARTITION BY symbol ORDER BY ts))
                      ) WINDOW w AS (PARTITION BY symbol ORDER BY ts)
                    ) WINDOW w AS (PARTITION BY symbol ORDER BY ts)
                  ) GROUP BY symbol, run, way
                ) WINDOW w AS (PARTITION BY symbol ORDER BY end)
              ) WHERE way = -1 AND next_way = 1""",
    )


def w_shapes(rows: int, symbols: int) -> Workload:
    """Two falls and two rises alternately, then a fall; only against the sort and one lag."""
    return Workload(
        name="W4 five legs",
        folder=ticks(rows, symbols),
        key="symbol",
        order="ts",
        read="price",
        clause="""
            SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts
              MEASURES STRT.price AS first, LAST(D3.price) AS last, COUNT(*) AS n
              PATTERN (STRT D1+ U1+ D2+ U2+ D3+)
              DEFINE D1 AS price < PREV(price), U1 AS price > PREV(price),
                D2 AS price < PREV(price), U2 AS price > PREV(price),
                D3 AS price < PREV(price))""",
        window="",
    )


def run(spark: SparkSession, work: Workload, warm_up: int, rounds: int) -> None:
    """Measure one workload and print its line of figures."""
    spark.read.parquet(str(work.folder)).createOrReplaceTempView("input")
    window = f"(PARTITION BY {work.key} ORDER BY {work.order})"
    lag = f"SELECT {work.key}, lag({work.read}) OVER {window} AS before FROM input"

    def sort() -> DataFrame:
        columns = [work.key, work.order, work.read]
        rows = spark.table("input").select(*dict.fromkeys(columns))
        return rows.repartition(work.key).sortWithinPartitions(work.key, work.order)

    def clause(sort: str) -> DataFrame:
        # read when the query is planned, which its run does right after this
        spark.conf.set("spark.matchRecognize.sort", sort)
        return spark.sql(work.clause.format(t="input"))

    contestants: dict[str, Callable[[], DataFrame]] = {
        "clause": lambda: clause("auto"),
        "sort": sort,
        "lag": lambda: spark.sql(lag),
        "spark": lambda: clause("spark"),
    }
    matches = contestants["clause"]().count()
    if work.window:
        contestants["window"] = lambda: spark.sql(work.window.format(t="input"))
        found = contestants["window"]().count()
        if found != matches:
            message = f"{work.name}: {matches:,} matches, the windows find {found:,}"
            raise AssertionError(message)
    costs: dict[str, list[Cost]] = {name: [] for name in contestants}
    names = list(contestants)
    for number in range(warm_up + rounds):
        # alternate which query runs first
        for name in names[number % len(names) :] + names[: number % len(names)]:
            cost = measure(spark, contestants[name])
            if number >= warm_up:
                costs[name].append(cost)
    figures = [f"{name} {ratio(costs['clause'], costs[name])}" for name in names[1:]]
    cpu = statistics.median(cost.cpu for cost in costs["clause"])
    print(
        f"{work.name}: {matches:,} matches, {cpu:.2f} s CPU; over {', '.join(figures)}",
        flush=True,
    )


def ratio(ours: list[Cost], theirs: list[Cost]) -> str:
    """Median ratios of the rounds, as text."""
    pairs = list(zip(ours, theirs, strict=True))
    cpu = statistics.median(a.cpu / b.cpu for a, b in pairs)
    wall = statistics.median(a.wall / b.wall for a, b in pairs)
    return f"{cpu:.2f} CPU {wall:.2f} wall"


def main() -> None:
    """Run the workloads and print a line of ratios for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", default="", help="a part of the workload's name")
    parser.add_argument("--warm-up", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rows = options.rows
    spark = start(shuffle_partitions=4)
    for work in (
        partitions(rows),
        funnel(rows),
        funnel_with_gaps(rows),
        v_shapes(rows, rows // 1000),
        w_shapes(rows, rows // 1000),
    ):
        if options.only in work.name:
            run(spark, work, options.warm_up, options.rounds)
    spark.stop()


if __name__ == "__main__":
    main()
