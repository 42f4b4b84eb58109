"""The tables of the workloads: made once with a fixed seed, kept as four files of shuffled rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

Columns = dict[str, np.ndarray]


def write(name: str, columns: Callable[[np.random.Generator], Columns]) -> Path:
    """Write a table, if it is not there yet, and return its folder."""
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


def numbers(rows: int) -> Path:
    """Return `k`, `i` and `v`, the rest of `i` by five; 100 rows per key."""
    return write(
        f"keys-{rows}",
        lambda _: {"k": np.arange(rows) // 100, "i": np.arange(rows), "v": np.arange(rows) % 5},
    )


def pairs(rows: int) -> Path:
    """Return `k`, `i` and `v`, at random; two rows per key."""
    return write(
        f"pairs-{rows}",
        lambda random: {
            "k": np.arange(rows) // 2,
            "i": np.arange(rows),
            "v": random.integers(0, 1000, rows),
        },
    )


def visits(rows: int) -> Path:
    """Return `visitor`, `seq` and `action`, of five actions; ten rows per visitor."""
    actions = np.array(["BROWSE", "SELECT", "CHECKOUT", "HELP", "CANCEL"])
    return write(
        f"visits-{rows}",
        lambda random: {
            "visitor": np.arange(rows) // 10,
            "seq": np.arange(rows) % 10,
            "action": actions[random.integers(0, len(actions), rows)],
        },
    )


def letters(rows: int) -> Path:
    """Return `id`, `ts`, `price` (double) and `letter`, of five letters, in no partitions."""
    return write(
        f"letters-{rows}",
        lambda random: {
            "id": np.arange(rows),
            "ts": np.arange(rows) * 1000,
            "price": 100 + 10 * np.sin(np.arange(rows) * 0.7) + random.random(rows) * 8,
            "letter": np.array(list("abcde"))[random.integers(0, 5, rows)],
        },
    )


def ticks(rows: int, symbols: int) -> Path:
    """Return `symbol` (string), `ts` (long) and `price` (double), a random walk per symbol.

    Args:
        rows: Number of rows, a multiple of `symbols`.
        symbols: Number of symbols.
    """
    length = rows // symbols

    def columns(random: np.random.Generator) -> Columns:
        steps = random.integers(-3, 4, (symbols, length)) / 8
        names = np.array([f"S{number:05d}" for number in range(symbols)])
        return {
            "symbol": np.repeat(names, length),
            "ts": np.tile(np.arange(length), symbols),
            "price": (100 + steps.cumsum(axis=1)).ravel(),
        }

    return write(f"walks-{rows}-{symbols}", columns)


def phases(rows: int) -> Path:
    """Return `i` and `letter`: a quarter of the rows a, then b, c and d."""
    return write(
        f"phases-{rows}",
        lambda _: {"i": np.arange(rows), "letter": np.repeat(np.array(list("abcd")), rows // 4)},
    )


def crimes(rows: int) -> Path:
    """Return crimes: `id`, `ts` in seconds, `kind`, `lat`, `lon`, `district` (of 22)."""
    kinds = np.array(["ROBBERY", "BATTERY", "MOTOR VEHICLE THEFT", "OTHER"])

    def columns(random: np.random.Generator) -> Columns:
        kind = kinds[np.searchsorted([0.035, 0.22, 0.27], random.random(rows), side="right")]
        return {
            "id": np.arange(rows),
            "ts": 1_000_000_000 + 24 * np.arange(rows),
            "kind": kind,
            "lat": 41.65 + 0.38 * random.random(rows),
            "lon": -87.84 + 0.3 * random.random(rows),
            "district": random.integers(0, 22, rows),
        }

    return write(f"crimes-{rows}", columns)


def flights(rows: int) -> Path:
    """Return states of planes: `plane`, `ts`, `altitude`, 14 columns that no condition reads."""
    length = 200

    def columns(random: np.random.Generator) -> Columns:
        planes = rows // length
        altitude = 500 + random.integers(-60, 61, (planes, length)).cumsum(axis=1)
        fixed = {
            "plane": np.repeat(np.arange(planes), length),
            "ts": np.tile(10 * np.arange(length), planes),
            "altitude": altitude.ravel(),
        }
        return fixed | {f"c{i}": random.random(rows) for i in range(14)}

    return write(f"flights-{rows}", columns)


def ranges(rows: int) -> Path:
    """Return ranges that overlap now and then: `k`, `begin` and `end`; 1,000 rows per key."""
    return write(
        f"ranges-{rows}",
        lambda random: {
            "k": np.arange(rows) // 1000,
            "begin": np.arange(rows) % 1000 * 10 + random.integers(0, 10, rows),
            "end": np.arange(rows) % 1000 * 10 + random.integers(5, 25, rows),
        },
    )


def logins(rows: int) -> Path:
    """Return `k`, `ts`, `kind` and 20 columns of text; a tenth of a percent of rows is rare."""
    kinds = np.array(["login", "fail", "transfer", "view"])

    def columns(random: np.random.Generator) -> Columns:
        kind = kinds[np.searchsorted([0.2, 0.6, 0.601], random.random(rows), side="right")]
        fixed = {"k": np.arange(rows) // 300, "ts": np.arange(rows) % 300, "kind": kind}
        text = {
            f"p{i}": np.char.add(f"payload-{i}-", np.arange(rows).astype(str)) for i in range(20)
        }
        return fixed | text

    return write(f"logins-{rows}", columns)
