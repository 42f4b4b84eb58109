"""Tables of many columns, all of them returned, beside Spark's window over the same rows and heap.

Each number of columns with partitions of one row and with eight large ones, ALL ROWS PER MATCH.
Exits with 1 if a query fails, or if the clause takes more than `--most` times the window's CPU.
`make test-memory` runs it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from functools import partial

from session import measure, paired_rounds, start

KEYS = {"one row": "id", "large": "id % 8"}
CLAUSE = """
SELECT * FROM wide_table MATCH_RECOGNIZE (
  PARTITION BY key ORDER BY position
  MEASURES COUNT(*) AS n
  ALL ROWS PER MATCH
  PATTERN (A+)
)
"""
WINDOW = "SELECT *, COUNT(*) OVER (PARTITION BY key ORDER BY position) AS n FROM wide_table"
QUERIES = (CLAUSE, WINDOW)


def main() -> int:
    """Compare all; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", default="512m", help="heap of the JVM")
    parser.add_argument("--columns", nargs="+", type=int, default=(30, 130, 300, 2_000))
    parser.add_argument("--values", type=int, default=6_000_000, help="of a table")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=float, default=1.5, help="times the CPU of the window")
    options = parser.parse_args()
    spark = start(4, {"spark.driver.memory": options.memory})
    is_slower = False
    for columns in options.columns:
        # each with NULLs, in other rows
        values = [
            f"CASE WHEN id % 7 <> {i % 7} THEN id + {i} END AS column_{i}" for i in range(columns)
        ]
        for partitions, key in KEYS.items():
            frame = spark.range(options.values // columns)
            frame = frame.selectExpr(f"{key} AS key", "id AS position", *values)
            frame.createOrReplaceTempView("wide_table")
            costs = paired_rounds(
                {query: partial(measure, spark, partial(spark.sql, query)) for query in QUERIES},
                warm_up=2,
                rounds=options.rounds,
            )
            clause, window = (statistics.median(cost.cpu for cost in costs[q]) for q in QUERIES)
            ratio = clause / window
            is_slower |= ratio > options.most
            outcome = "FAILED: slower" if ratio > options.most else "passed"
            print(
                f"{columns:>5} columns, partitions {partitions}: clause {clause:.1f} s CPU,"
                f" window {window:.1f} s, ratio {ratio:.2f}, {outcome}",
                flush=True,
            )
    spark.stop()
    return 1 if is_slower else 0


if __name__ == "__main__":
    sys.exit(main())
