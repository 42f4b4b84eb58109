"""The streams of the benchmarks: data, and the clause as written for Flink and for this project.

Spark and Flink read the same rows in the same order, Spark from Parquet files and Flink from CSV
files. Rows arrive in order of event time except for a disorder of up to four seconds; the
watermark has a delay of five. A last row, one day after the others and with its own key, lets the
watermark pass all of them, so both engines decide the same matches.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

START = 1_767_225_600_000  # 2026-01-01, in milliseconds
DAY = 86_400_000
DISORDER = 4_000
DELAY_SECONDS = 5
RARE = 100_000
KINDS = 20

# an unqualified column is by far the cheapest reference to the tested row in Flink
THREE_ACTIONS = "A AS action = 'BROWSE', B AS action = 'SELECT', C AS action = 'CHECKOUT'"
START_AND_DONE = "A AS kind = 'start', C AS kind = 'done'"

Columns = dict[str, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One stream and its search.

    Attributes:
        name: Its name in the results.
        key: The PARTITION BY column.
        types: SQL types of all columns but the time, which is `ms` in CSV files, else `ts`.
        make: Makes a number of rows, in order of event time.
        clause: The clause with `{conditions}` for DEFINE.
        flink: Its conditions for Flink, which has no PREV; those of each rule, if it has several.
        spark: Its conditions as one writes them here, for the same matches.
        last: The last row, without its time.
        flink_rows: As many as take Flink less than minutes.
        by_hand: Whether HandWritten.java has a matcher for it.
    """

    name: str
    key: str
    types: dict[str, str]
    make: Callable[[int], Columns]
    clause: str
    flink: tuple[str, ...]
    spark: tuple[str, ...]
    last: dict[str, object] = field(default_factory=dict)
    flink_rows: int = 1_000_000
    by_hand: bool = True

    def flink_clauses(self) -> list[str]:
        """Return the clauses that Flink runs, one for each rule; Spark accepts them too."""
        return [self.clause.format(conditions=each) for each in self.flink]

    def spark_clauses(self) -> list[str]:
        """Return the clauses as one writes them here."""
        return [self.clause.format(conditions=each) for each in self.spark]


def _vshape(rows: int) -> Columns:
    """One thousand symbols, a price each second, as random walks in steps of 1/8."""
    random = np.random.default_rng(42)
    symbols = min(1_000, rows)
    length = -(-rows // symbols)
    steps = random.integers(-3, 4, (length, symbols)) / 8
    names = np.array([f"S{number:05d}" for number in range(symbols)])
    seconds = np.arange(length)[:, None] * 1_000 + random.integers(0, 1_000, (length, symbols))
    return {
        "symbol": np.tile(names, length)[:rows],
        "price": (100 + steps.cumsum(axis=0)).ravel()[:rows],
        "ms": START + seconds.ravel()[:rows],
    }


def _visits(rows: int) -> Columns:
    """Ten visitors a second with ten actions each, up to five minutes between two of them."""
    random = np.random.default_rng(43)
    visitors = -(-rows // 10)
    actions = np.array(["BROWSE", "SELECT", "CHECKOUT", "HELP", "CANCEL"])
    pauses = random.integers(1, 300_000, (visitors, 10))
    begin = np.arange(visitors) * 100
    return {
        "visitor": np.repeat(np.arange(visitors), 10)[:rows],
        "action": actions[random.integers(0, len(actions), rows)],
        "ms": START + (begin[:, None] + pauses.cumsum(axis=1)).ravel()[:rows],
    }


def _bids(rows: int) -> Columns:
    """A bid each millisecond, half of them by one hundred of fifty thousand bidders."""
    random = np.random.default_rng(44)
    hot = random.integers(0, 2, rows) == 1
    bidder = np.where(hot, random.integers(0, 100, rows), random.integers(100, 50_000, rows))
    return {
        "bidder": bidder,
        "auction": random.integers(0, 1_000, rows),
        "price": random.integers(1, 10_000, rows),
        "ms": START + np.arange(rows),
    }


def _events(rows: int) -> Columns:
    """Four thousand users with twenty kinds of events, each with one in 148 seconds.

    No two of them are an hour apart, up to which WITHIN reaches here, and not in Flink.
    """
    random = np.random.default_rng(45)
    kinds = np.array([f"kind{number}" for number in range(KINDS)])
    number = np.arange(rows)
    return {
        "user_id": number % 4_000,
        "kind": kinds[random.integers(0, KINDS, rows)],
        "amount": random.integers(0, 100_000, rows) / 100,
        "ms": START + number * 37,
    }


def _rule(number: int) -> str:
    """Return the conditions of a rule: three kinds in turn, and others in each rule."""
    first, second, third = number, number * 7 + 3 + number // KINDS, number * 3 + 11
    return f"""
      A AS kind = 'kind{first % KINDS}',
      B AS kind = 'kind{second % KINDS}' AND amount > {100 * (number % 9)},
      C AS kind = 'kind{third % KINDS}'"""


def _starts(rows: int) -> Columns:
    """One key, a thousand rows a second, all but one in a hundred thousand start rows."""
    number = np.arange(rows)
    done = (number % RARE == RARE - 1) | (number == rows - 2)
    return {
        "host": np.full(rows, "h"),
        "kind": np.where(done, "done", "start"),
        "ms": START + number,
    }


VSHAPE = Workload(
    name="V shape",
    key="symbol",
    types={"symbol": "STRING", "price": "DOUBLE"},
    make=_vshape,
    clause="""MATCH_RECOGNIZE (
      PARTITION BY symbol
      ORDER BY ts
      MEASURES STRT.price AS first_price, LAST(DOWN.price) AS bottom, LAST(UP.price) AS top
      ONE ROW PER MATCH
      AFTER MATCH SKIP PAST LAST ROW
      PATTERN (STRT DOWN+ UP+ TURN)
      DEFINE {conditions})""",
    flink=(
        """
      DOWN AS price < LAST(DOWN.price, 1) OR LAST(DOWN.price, 1) IS NULL AND price < STRT.price,
      UP AS price > LAST(UP.price, 1) OR LAST(UP.price, 1) IS NULL AND price > LAST(DOWN.price),
      TURN AS price <= LAST(UP.price)""",
    ),
    spark=("DOWN AS price < PREV(price), UP AS price > PREV(price), TURN AS price <= PREV(price)",),
    last={"symbol": "LAST", "price": 0.0},
)

GAPS = Workload(
    name="gap sequence",
    key="visitor",
    types={"visitor": "BIGINT", "action": "STRING"},
    make=_visits,
    clause="""MATCH_RECOGNIZE (
      PARTITION BY visitor
      ORDER BY ts
      MEASURES A.ts AS first_ts, C.ts AS last_ts
      ONE ROW PER MATCH
      AFTER MATCH SKIP PAST LAST ROW
      PATTERN (A X*? B Y*? C) WITHIN INTERVAL '1' HOUR
      DEFINE {conditions})""",
    flink=(THREE_ACTIONS,),
    spark=(THREE_ACTIONS,),
    last={"visitor": -1, "action": "HELP"},
)

BIDS = Workload(
    name="falling bids",
    key="bidder",
    types={"bidder": "BIGINT", "auction": "BIGINT", "price": "BIGINT"},
    make=_bids,
    clause="""MATCH_RECOGNIZE (
      PARTITION BY bidder
      ORDER BY ts
      MEASURES STRT.price AS first_price, LAST(CHEAPER.price) AS last_price, BACK.auction AS auction
      ONE ROW PER MATCH
      AFTER MATCH SKIP PAST LAST ROW
      PATTERN (STRT CHEAPER{{2,}} BACK)
      DEFINE {conditions})""",
    flink=(
        """
      CHEAPER AS price < LAST(CHEAPER.price, 1)
        OR LAST(CHEAPER.price, 1) IS NULL AND price < STRT.price,
      BACK AS price >= LAST(CHEAPER.price)""",
    ),
    spark=("CHEAPER AS price < PREV(price), BACK AS price >= PREV(price)",),
    last={"bidder": -1, "auction": 0, "price": 0},
)

STARTS = Workload(
    name="many open starts",
    key="host",
    types={"host": "STRING", "kind": "STRING"},
    make=_starts,
    clause="""MATCH_RECOGNIZE (
      PARTITION BY host
      ORDER BY ts
      MEASURES A.ts AS first_ts, C.ts AS last_ts
      ONE ROW PER MATCH
      AFTER MATCH SKIP PAST LAST ROW
      PATTERN (A X*? C) WITHIN INTERVAL '6' HOUR
      DEFINE {conditions})""",
    flink=(START_AND_DONE,),
    spark=(START_AND_DONE,),
    last={"host": "last", "kind": "none"},
    flink_rows=800,  # it costs more than quadratic time there
)

EIGHT = Workload(
    name="eight rules",
    key="user_id",
    types={"user_id": "BIGINT", "kind": "STRING", "amount": "DOUBLE"},
    make=_events,
    clause="""MATCH_RECOGNIZE (
      PARTITION BY user_id
      ORDER BY ts
      MEASURES A.ts AS first_ts, B.amount AS amount, C.ts AS last_ts
      ONE ROW PER MATCH
      AFTER MATCH SKIP PAST LAST ROW
      PATTERN (A X*? B Y*? C) WITHIN INTERVAL '1' HOUR
      DEFINE {conditions})""",
    flink=tuple(map(_rule, range(8))),
    spark=tuple(map(_rule, range(8))),
    last={"user_id": -1, "kind": "none", "amount": 0.0},
    by_hand=False,
)


def event_rules(count: int) -> list[str]:
    """Return clauses like those of the eight rules, any number of them."""
    return [EIGHT.clause.format(conditions=_rule(number)) for number in range(count)]


WORKLOADS = [VSHAPE, GAPS, BIDS, EIGHT, STARTS]


def arrivals(work: Workload, rows: int) -> pa.Table:
    """Return a number of rows in the order of arrival, followed by the last row."""
    columns = work.make(rows)
    delays = np.random.default_rng(7).integers(0, DISORDER, rows)
    order = np.argsort(columns["ms"] + delays, kind="stable")
    end = {**work.last, "ms": columns["ms"].max() + DAY}
    return pa.table({name: np.append(values[order], end[name]) for name, values in columns.items()})


def stream_files(work: Workload, rows: int, batches: int, kind: str = "parquet") -> Path:
    """Write the rows once, and return the folder of the files."""
    folder = Path(f"out/bench/streams/{work.name.replace(' ', '-')}-{rows}-{batches}-{kind}")
    if not folder.exists():
        part = folder.with_suffix(".part")
        part.mkdir(parents=True, exist_ok=True)
        write_batches(arrivals(work, rows), part, batches, kind)
        part.rename(folder)
    return folder


def write_batches(table: pa.Table, folder: Path, batches: int, kind: str = "parquet") -> None:
    """Split a table into files of about equal size; sources read them in order of name.

    Args:
        table: The rows, with their times in milliseconds.
        folder: Where the files are written.
        batches: Their number.
        kind: `parquet`, with the times as timestamps, or `csv`, without a header.
    """
    if kind == "parquet":
        place = table.schema.get_field_index("ms")
        table = table.set_column(place, "ts", pc_timestamps(table.column(place)))
    size = -(-table.num_rows // batches)
    for number in range(batches):
        part = table.slice(number * size, size)
        file = folder / f"part-{number:05d}.{kind}"
        if part.num_rows and kind == "parquet":
            pq.write_table(part, file)
        elif part.num_rows:
            pc.write_csv(part, file, pc.WriteOptions(include_header=False))


@contextmanager
def fed(files: Path) -> Iterator[tuple[Path, Thread]]:
    """Give an empty folder, and a thread that adds one of the files each second."""
    folder = Path(tempfile.mkdtemp(dir="out/bench"))

    def feed() -> None:
        begin = time.monotonic()
        for number, file in enumerate(sorted(files.iterdir())):
            time.sleep(max(0.0, begin + number - time.monotonic()))
            os.link(file, folder / file.name)

    try:
        yield folder, Thread(target=feed)
    finally:
        shutil.rmtree(folder)


def pc_timestamps(milliseconds: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return times in milliseconds as timestamps of UTC."""
    return milliseconds.cast(pa.timestamp("ms", "UTC")).cast(pa.timestamp("us", "UTC"))
