"""Common and hard searches, each with the plain Spark that finds the same matches.

W1 to W11 are sizes and shapes from published benchmarks of row pattern recognition and from what
users of other systems ask. `{t}` in a query is the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import loops
import pandas as pd
import tables


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One search: its table, the keys and columns that it reads, and ways to find its matches.

    Attributes:
        key: PARTITION BY column, or nothing.
        order: ORDER BY column.
        read: Column that the conditions read.
        more: Further columns of the clause; the sort alone has all of these.
        window: The same matches by window functions, if anybody would write that.
        loop: The same matches by a loop over the rows of one key, and the schema of its result.
    """

    name: str
    folder: Path
    key: str
    order: str
    read: str
    clause: str
    more: tuple[str, ...] = ()
    window: str = ""
    loop: tuple[Callable[[pd.DataFrame], pd.DataFrame], str] | None = None


def small(rows: int) -> Iterator[Workload]:
    """Yield the searches for two or three rows in a row: W1 to W3."""
    pair = "MEASURES A.i AS a, B.i AS b PATTERN (A B) DEFINE A AS v = 0, B AS v = 1"
    yield Workload(
        name="W1 scan, one partition",
        folder=tables.numbers(rows),
        key="",
        order="i",
        read="v",
        clause=f"SELECT * FROM {{t}} MATCH_RECOGNIZE (ORDER BY i {pair})",
    )
    yield Workload(
        name="W2 partitions of 100 rows",
        folder=tables.numbers(rows),
        key="k",
        order="i",
        read="v",
        clause=f"SELECT * FROM {{t}} MATCH_RECOGNIZE (PARTITION BY k ORDER BY i {pair})",
        window="""
            SELECT k, i AS a, next AS b FROM (
              SELECT *, lead(v) OVER w AS then, lead(i) OVER w AS next FROM {t}
              WINDOW w AS (PARTITION BY k ORDER BY i)) WHERE v = 0 AND then = 1""",
    )
    of_visitor = partial(
        Workload, folder=tables.visits(rows), key="visitor", order="seq", read="action"
    )
    steps = "B AS action = 'BROWSE', S AS action = 'SELECT', C AS action = 'CHECKOUT'"
    yield of_visitor(
        name="W3 funnel",
        clause=f"""
            SELECT * FROM {{t}} MATCH_RECOGNIZE (PARTITION BY visitor ORDER BY seq
              MEASURES B.seq AS first, C.seq AS last PATTERN (B S C) DEFINE {steps})""",
        window="""
            SELECT visitor, seq AS first, last FROM (
              SELECT *, lead(action) OVER w AS a2, lead(action, 2) OVER w AS a3,
                lead(seq, 2) OVER w AS last FROM {t}
              WINDOW w AS (PARTITION BY visitor ORDER BY seq))
            WHERE action = 'BROWSE' AND a2 = 'SELECT' AND a3 = 'CHECKOUT'""",
    )
    yield of_visitor(
        name="W3 funnel with gaps",
        clause=f"""
            SELECT * FROM {{t}} MATCH_RECOGNIZE (PARTITION BY visitor ORDER BY seq
              MEASURES FIRST(B.seq) AS first, C.seq AS last
              PATTERN (^ X*? B X*? S X*? C) DEFINE {steps})""",
        window="""
            SELECT visitor, first, min(seq) AS last FROM (
              SELECT *, min(IF(action = 'SELECT' AND seq > first, seq, NULL)) OVER w AS second
              FROM (SELECT *, min(IF(action = 'BROWSE', seq, NULL)) OVER w AS first FROM {t}
                    WINDOW w AS (PARTITION BY visitor ORDER BY seq))
              WINDOW w AS (PARTITION BY visitor ORDER BY seq))
            WHERE action = 'CHECKOUT' AND seq > second GROUP BY visitor, first""",
    )
    yield of_visitor(
        name="W3 funnel with gaps and a deadline",
        clause=f"""
            SELECT * FROM {{t}} MATCH_RECOGNIZE (PARTITION BY visitor ORDER BY seq
              MEASURES FIRST(B.seq) AS first, C.seq AS last
              PATTERN (B X*? S X*? C) WITHIN 5 DEFINE {steps})""",
    )


def shapes(rows: int) -> Iterator[Workload]:
    """Yield the searches for shapes of a price: W4 and W5."""
    of_symbol = partial(
        Workload, folder=tables.ticks(rows, rows // 1000), key="symbol", order="ts", read="price"
    )
    ways = "DOWN AS price < PREV(price), UP AS price > PREV(price)"
    yield of_symbol(
        name="W4 V shape",
        clause=f"""
            SELECT * FROM {{t}} MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts
              MEASURES STRT.price AS top, LAST(DOWN.price) AS bottom, LAST(UP.price) AS last
              AFTER MATCH SKIP TO LAST UP PATTERN (STRT DOWN+ UP+) DEFINE {ways})""",
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
        loop=(loops.v_shapes, "symbol string, top double, bottom double, last double"),
    )
    yield of_symbol(
        name="W4 five legs",
        clause="""
            SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts
              MEASURES STRT.price AS first, LAST(D3.price) AS last, COUNT(*) AS n
              PATTERN (STRT D1+ U1+ D2+ U2+ D3+)
              DEFINE D1 AS price < PREV(price), U1 AS price > PREV(price),
                D2 AS price < PREV(price), U2 AS price > PREV(price),
                D3 AS price < PREV(price))""",
    )
    yield of_symbol(
        name="W5 V shape, all rows",
        clause=f"""
            SELECT * FROM {{t}} MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts
              MEASURES CLASSIFIER() AS role, SUM(price) AS so_far, FINAL LAST(price) AS last
              ALL ROWS PER MATCH PATTERN (STRT DOWN+ UP+) DEFINE {ways})""",
    )


def hard(rows: int) -> Iterator[Workload]:
    """Yield searches that cost other engines much: W6 to W9."""
    yield Workload(
        name="W6 no match",
        folder=tables.phases(rows),
        key="",
        order="i",
        read="letter",
        clause="""
            SELECT * FROM {t} MATCH_RECOGNIZE (ORDER BY i MEASURES COUNT(*) AS n
              PATTERN (A+ B+ C+ E) DEFINE A AS letter = 'a', B AS letter = 'b',
                C AS letter = 'c', E AS letter = 'e')""",
    )
    yield Workload(
        name="W7 matches that overlap",
        folder=tables.numbers(rows),
        key="k",
        order="i",
        read="v",
        clause="""
            SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY k ORDER BY i
              MEASURES COUNT(*) AS n, SUM(v) AS s, LAST(i) AS last
              AFTER MATCH SKIP TO NEXT ROW PATTERN (A+) DEFINE A AS v >= 0)""",
        window="""
            SELECT k, count(*) OVER w AS n, sum(v) OVER w AS s, last(i) OVER w AS last FROM {t}
            WINDOW w AS (PARTITION BY k ORDER BY i
              ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)""",
    )

    def near(variable: str) -> str:
        return (
            f"{variable}.lat BETWEEN R.lat - 0.02 AND R.lat + 0.02 AND "
            f"{variable}.lon BETWEEN R.lon - 0.05 AND R.lon + 0.05"
        )

    yield Workload(
        name="W8 crimes near a robbery within 30 minutes",
        folder=tables.crimes(rows),
        key="district",
        order="ts",
        read="kind",
        more=("id", "lat", "lon"),
        clause=f"""
            SELECT * FROM {{t}} MATCH_RECOGNIZE (PARTITION BY district ORDER BY ts
              MEASURES R.id AS r, B.id AS b, M.id AS m AFTER MATCH SKIP TO NEXT ROW
              PATTERN (R Z* B Z* M)
              DEFINE R AS kind = 'ROBBERY', B AS kind = 'BATTERY' AND {near("B")},
                M AS kind = 'MOTOR VEHICLE THEFT' AND {near("M")} AND M.ts - R.ts <= 1800)""",
    )
    yield Workload(
        name="W9 landing, 17 columns",
        folder=tables.flights(rows),
        key="plane",
        order="ts",
        read="altitude",
        clause="""
            SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY plane ORDER BY ts
              MEASURES S.ts AS s, Z.ts AS z, COUNT(*) AS n
              PATTERN (S W Y+ Z) WITHIN 900
              DEFINE S AS altitude > 500, W AS altitude < S.altitude,
                Y AS altitude <= PREV(altitude) AND altitude < S.altitude,
                Z AS altitude < W.altitude - 100)""",
    )


def aggregates(rows: int) -> Iterator[Workload]:
    """Yield searches whose conditions sum up rows, and a needle: W10 and W11."""
    yield Workload(
        name="W10 merge ranges",
        folder=tables.ranges(rows),
        key="k",
        order="begin",
        read="end",
        clause="""
            SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY k ORDER BY begin
              MEASURES FIRST(begin) AS first, MAX(end) AS last
              PATTERN (A* B) DEFINE A AS MAX(A.end) >= NEXT(begin))""",
        window="""
            SELECT k, min(begin) AS first, max(end) AS last FROM (
              SELECT *, sum(opens) OVER w AS run FROM (
                SELECT *, IF(begin <= max(end) OVER (PARTITION BY k ORDER BY begin
                  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0, 1) AS opens FROM {t})
              WINDOW w AS (PARTITION BY k ORDER BY begin
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) GROUP BY k, run""",
        loop=(loops.merged, "k long, first long, last long"),
    )
    yield Workload(
        name="W10 bins of at most 1,000",
        folder=tables.ranges(rows),
        key="k",
        order="begin",
        read="end",
        clause="""
            SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY k ORDER BY begin
              MEASURES SUM(end - begin) AS s, COUNT(*) AS n
              PATTERN (A+) DEFINE A AS SUM(A.end - A.begin) <= 1000)""",
    )
    yield Workload(
        name="W11 needle, 23 columns",
        folder=tables.logins(rows // 4),
        key="k",
        order="ts",
        read="kind",
        more=("p3",),
        clause="""
            SELECT * FROM {t} MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts
              MEASURES F.ts AS ts, T.p3 AS p PATTERN (L F{{3,}} T) WITHIN 600
              DEFINE L AS kind = 'login', F AS kind = 'fail', T AS kind = 'transfer')""",
    )


def workloads(rows: int) -> Iterator[Workload]:
    """Yield all of them; W11, which is wide, with a quarter of the rows."""
    for make in (small, shapes, hard, aggregates):
        yield from make(rows)
