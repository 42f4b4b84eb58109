"""Hard searches in one partition: the cost of twice the rows.

Most patterns find no match, so that every start row is tried; in others the matches overlap. The
figure is the ratio of process CPU for twice the rows to that for the rows, the smallest of several
rounds; quadratic cost would give 4. `make bench` runs it.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial

from session import measure, start

# name: rows, largest ratio, clause over `rows`: id, a letter that runs through a to d, few values,
# and values of which none comes twice
ROW_LOCAL = 2.2
QUADRATIC = 4.4
QUERIES = {
    "A+ B+ C+ E, no E": (
        100_000,
        ROW_LOCAL,
        """ORDER BY id MEASURES COUNT(*) AS n PATTERN (A+ B+ C+ E)
        DEFINE A AS letter = 'a', B AS letter = 'b', C AS letter = 'c', E AS letter = 'e'""",
    ),
    "(A+)+ B, no B": (
        2_000_000,
        ROW_LOCAL,
        """ORDER BY id MEASURES COUNT(*) AS n PATTERN ((A+)+ B)
        DEFINE A AS letter <> 'e', B AS letter = 'e'""",
    ),
    "A B+ C, no C": (
        1_000_000,
        ROW_LOCAL,
        """ORDER BY id MEASURES COUNT(*) AS n PATTERN (A B+ C)
        DEFINE B AS letter <> 'e', C AS letter = 'e'""",
    ),
    "START UP+ over rising rows": (
        1_000_000,
        ROW_LOCAL,
        """ORDER BY id MEASURES COUNT(*) AS n PATTERN (START UP+) DEFINE UP AS id > PREV(id)""",
    ),
    "A+ from each row": (
        1_000_000,
        ROW_LOCAL,
        """ORDER BY id MEASURES COUNT(*) AS n, SUM(id) AS total, LAST(id) AS last
        AFTER MATCH SKIP TO NEXT ROW PATTERN (A+) DEFINE A AS letter <> 'e'""",
    ),
    "A+ B within 1,000, no B, a sum in A": (
        100_000,
        ROW_LOCAL,
        """ORDER BY id MEASURES COUNT(*) AS n PATTERN (A+ B) WITHIN 1000
        DEFINE A AS SUM(id) >= 0, B AS letter = 'e'""",
    ),
    "(A+)+ B, B reads the first row": (
        1_000_000,
        ROW_LOCAL,
        """ORDER BY id MEASURES COUNT(*) AS n PATTERN ((A+)+ B)
        DEFINE A AS letter <> 'e', B AS id < FIRST(id)""",
    ),
    "A+ B+ C, no C, over equal rows": (
        2_500,
        QUADRATIC,
        """ORDER BY id MEASURES COUNT(*) AS n PATTERN (A+ B+ C)
        DEFINE A AS one = 1, B AS one >= LAST(A.one), C AS one > LAST(B.one)""",
    ),
    "A+ B+ C, no C, over few values": (
        2_500,
        QUADRATIC,
        """ORDER BY id MEASURES COUNT(*) AS n PATTERN (A+ B+ C)
        DEFINE A AS few < 60, B AS few >= LAST(A.few) - 200, C AS few > LAST(B.few) + 200""",
    ),
    "A+ B+ C, no C, no value twice": (
        2_500,
        QUADRATIC,
        """ORDER BY id MEASURES COUNT(*) AS n PATTERN (A+ B+ C)
        DEFINE A AS x < 2, B AS x >= LAST(A.x) - 9, C AS x > LAST(B.x) + 9""",
    ),
    "A+ B+ C, no C, sums of A and B": (
        1_000,
        QUADRATIC,
        """ORDER BY id MEASURES COUNT(*) AS n PATTERN (A+ B+ C)
        DEFINE A AS few < 60, B AS SUM(A.few) > -100000, C AS SUM(B.few) > 1000000""",
    ),
}


def main() -> int:
    """Print a ratio per query; return 1 if one is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    spark = start(shuffle_partitions=1)
    failed = False
    for name, (rows, limit, clause) in QUERIES.items():
        seconds = {size: float("inf") for size in (rows, 2 * rows)}
        for size in seconds:
            letter = f"element_at(array('a', 'b', 'c', 'd'), CAST(id * 4 DIV {size} AS INT) + 1)"
            values = ("1 AS one", "hash(id) % 50 AS few", "hash(id) / 2147483647.0D AS x")
            table = spark.range(size).selectExpr("id", f"{letter} AS letter", *values).cache()
            table.createOrReplaceTempView(f"rows_{size}")
            table.count()
        began = time.perf_counter()
        for _ in range(options.rounds):
            for size, best in seconds.items():
                query = f"SELECT * FROM rows_{size} MATCH_RECOGNIZE ({clause})"
                cost = measure(spark, partial(spark.sql, query))
                seconds[size] = min(best, cost.cpu)
        once, twice = seconds.values()
        failed |= twice / once > limit
        wall = time.perf_counter() - began
        print(
            f"{name}: {rows:,} rows {once:.2f} s, {2 * rows:,} rows {twice:.2f} s CPU, "
            f"ratio {twice / once:.2f}, at most {limit} ({wall:.0f} s in all)",
            flush=True,
        )
        spark.catalog.clearCache()
    spark.stop()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
