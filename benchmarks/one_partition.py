"""Searches of one partition on one core and on all cores of this machine.

    python benchmarks/one_partition.py [--rows N] [--only funnel] [--rounds 5]

Two JVMs, one with one core and one with all, take turns: rows shuffled as rows on one core, which
is the control; in blocks on one core; and the same on all cores. It prints medians of wall time,
and medians and ranges of the paired ratios to the control. `make bench` runs it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path

from session import Cost, measure, spread, start
from tables import letters

CLAUSES = {
    "A+ B+ C+ E": """MEASURES COUNT(*) AS n, FIRST(id) AS f PATTERN (A+ B+ C+ E)
        DEFINE A AS letter = 'a', B AS letter = 'b', C AS letter = 'c', E AS letter = 'e'""",
    "V shapes": """MEASURES STRT.price AS s, LAST(DOWN.price) AS b, LAST(UP.price) AS top
        PATTERN (STRT DOWN+ UP+)
        DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price)""",
    "funnel with gaps": """MEASURES A.id AS a, B.id AS b, C.id AS c PATTERN (A X*? B Y*? C)
        DEFINE A AS letter = 'a', X AS letter <> 'e', B AS letter = 'b', Y AS letter <> 'e',
          C AS letter = 'c' AND price > 105""",
}

# cores and confs
ROWS = {"shuffle": "spark"}
BLOCKS = {"shuffle": "blocks"}
CONTESTANTS = {
    "rows, one core": ("1", ROWS),
    "blocks, one core": ("1", BLOCKS),
    "blocks, all cores": ("*", BLOCKS),
}


def serve(folder: Path, cores: str, memory: str) -> None:
    """Answer each line on stdin, a name of a clause and confs, by the cost of its run."""
    spark = start(4, {"spark.driver.memory": memory}, cores)
    spark.read.parquet(str(folder)).createOrReplaceTempView("input")
    for line in sys.stdin:
        name, confs = json.loads(line)
        for conf, value in confs.items():
            spark.conf.set(f"spark.matchRecognize.{conf}", value)
        clause = f"SELECT * FROM input MATCH_RECOGNIZE (ORDER BY ts {CLAUSES[name]})"
        print(json.dumps(measure(spark, partial(spark.sql, clause))), flush=True)
    spark.stop()


class Server:
    """A JVM in a process of its own."""

    def __init__(self, options: argparse.Namespace, cores: str) -> None:
        """Start it."""
        command = [sys.executable, __file__, "--serve", cores, "--rows", str(options.rows)]
        self.process = subprocess.Popen(  # noqa: S603 - this file
            [*command, "--memory", options.memory],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, name: str, confs: dict[str, str]) -> Cost:
        """Run a clause there."""
        requests, answers = self.process.stdin, self.process.stdout
        assert requests is not None  # noqa: S101 - both are pipes
        assert answers is not None  # noqa: S101
        requests.write(json.dumps([name, confs]) + "\n")
        requests.flush()
        return Cost(*json.loads(answers.readline()))

    def stop(self) -> None:
        """End it."""
        self.process.communicate()


def compare(servers: dict[str, Server], name: str, warm_up: int, rounds: int) -> None:
    """Measure one clause and print its lines of figures."""
    costs: dict[str, list[Cost]] = {contestant: [] for contestant in CONTESTANTS}
    for number in range(warm_up + rounds):
        for contestant, (cores, confs) in CONTESTANTS.items():
            cost = servers[cores].run(name, confs)
            if number >= warm_up:
                costs[contestant].append(cost)
    control = costs["rows, one core"]
    for contestant, found in costs.items():
        ratios = spread((c.wall for c in found), (c.wall for c in control))
        print(
            f"{name}, {contestant}: {statistics.median(c.wall for c in found):.2f} s wall, "
            f"{statistics.median(c.cpu for c in found):.2f} s CPU, wall {ratios} of control",
            flush=True,
        )


def main() -> None:
    """Run the searches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--only", default="", help="a part of the search's name")
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", default="8g", help="heap of each JVM")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = letters(options.rows)
    if options.serve:
        serve(folder, options.serve, options.memory)
    else:
        servers = {cores: Server(options, cores) for cores in ("1", "*")}
        for name in CLAUSES:
            if options.only in name:
                compare(servers, name, options.warm_up, options.rounds)
        for server in servers.values():
            server.stop()


if __name__ == "__main__":
    main()
