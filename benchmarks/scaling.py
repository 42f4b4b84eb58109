"""Failing searches: what twice the rows cost.

Each pattern finds no match in one partition of equal runs, so that every start row is tried. The
figure is the ratio of process CPU at twice the rows to that at once the rows, the smallest of some
rounds; quadratic cost would give 4. `make bench` runs it.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial

from session import measure, start

QUERIES = {
    "A+ B+ C+ E, conditions on the row": """
        SELECT * FROM letters_{rows} MATCH_RECOGNIZE (
          ORDER BY id MEASURES COUNT(*) AS n PATTERN (A+ B+ C+ E)
          DEFINE A AS letter = 'a', B AS letter = 'b', C AS letter = 'c', E AS letter = 'e')""",
    "(A+)+ B, conditions on the row": """
        SELECT * FROM letters_{rows} MATCH_RECOGNIZE (
          ORDER BY id MEASURES COUNT(*) AS n PATTERN ((A+)+ B)
          DEFINE A AS letter <> 'e', B AS letter = 'e')""",
    "(A+)+ B, condition on the path": """
        SELECT * FROM letters_{rows} MATCH_RECOGNIZE (
          ORDER BY id MEASURES COUNT(*) AS n PATTERN ((A+)+ B)
          DEFINE A AS letter <> 'e', B AS id < FIRST(id))""",
}
LIMIT = 4.4


def main() -> int:
    """Print a ratio a query; return 1 if one is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    spark = start(shuffle_partitions=1)
    sizes = (options.rows, 2 * options.rows)
    for rows in sizes:
        letter = f"element_at(array('a', 'b', 'c', 'd'), CAST(id * 4 DIV {rows} AS INT) + 1)"
        spark.range(rows).selectExpr("id", f"{letter} AS letter").cache().createOrReplaceTempView(
            f"letters_{rows}"
        )
        spark.table(f"letters_{rows}").count()
    failed = False
    for name, query in QUERIES.items():
        seconds = {rows: float("inf") for rows in sizes}
        began = time.perf_counter()
        for _ in range(options.rounds):
            for rows in sizes:
                cost = measure(spark, partial(spark.sql, query.format(rows=rows)))
                seconds[rows] = min(seconds[rows], cost.cpu)
        once, twice = (seconds[rows] for rows in sizes)
        ratio = twice / once
        failed |= ratio > LIMIT
        wall = time.perf_counter() - began
        print(
            f"{name}: {sizes[0]:,} rows {once:.2f} s, {sizes[1]:,} rows {twice:.2f} s CPU, "
            f"ratio {ratio:.2f} ({wall:.0f} s in all)"
        )
    spark.stop()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
