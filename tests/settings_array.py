"""Rows of settings that must not change results: all pairs of their values, many triples.

`settings.json` is the one list of these settings and their values; the Scala fuzzers draw from it,
too. It leaves `auto` out where that chooses one of the other values.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance_cases import Case

Setting = tuple[str, str]
Settings = dict[str, str]

SPACE = json.loads((Path(__file__).parent / "settings.json").read_text(encoding="utf-8"))
VALUES: dict[str, list[str]] = SPACE["same results"]
ANSI = "spark.sql.ansi.enabled"

# How many rows, how many candidates for each, and a seed whose rows have all that is wanted.
ROWS = 16
CANDIDATES = 200
SEED = 12

# Of the rows for a case in `make test`: one in so many.
PARTS = 128

# These decide by which way rows come to the search: all triples of them are covered.
PATHS = (
    "spark.matchRecognize.sort",
    "spark.matchRecognize.shuffle",
    "spark.matchRecognize.buffer.spillThresholdRows",
    "spark.sql.codegen.wholeStage",
)


def combinations(keys: Iterable[str], size: int) -> Iterator[tuple[Setting, ...]]:
    """Return each way to give values to so many of the settings."""
    for some in itertools.combinations(keys, size):
        for values in itertools.product(*(VALUES[key] for key in some)):
            yield tuple(zip(some, values, strict=True))


def covered(rows: Iterable[Settings], size: int) -> set[tuple[Setting, ...]]:
    """Return the combinations of so many values that some row has."""
    return {c for row in rows for c in itertools.combinations(row.items(), size)}


def covering_array() -> list[Settings]:
    """Return the rows, the same ones each time.

    Each row is the best of some random ones, by what it is the first to have: pairs and the
    triples of PATHS, and then other triples.
    """
    draw = random.Random(SEED)  # noqa: S311 - not a secret
    wanted = {*combinations(VALUES, 2), *combinations(PATHS, 3)}
    triples = set(combinations(VALUES, 3))
    rows: list[Settings] = []
    for _ in range(ROWS):
        best: tuple[int, int] = (-1, -1)
        row: Settings = {}
        for _ in range(CANDIDATES):
            candidate = {key: draw.choice(VALUES[key]) for key in VALUES}
            of_three = covered([candidate], 3)
            of_two = covered([candidate], 2)
            gain = len(wanted & of_two) + len(wanted & of_three), len(triples & of_three)
            if gain > best:
                best, row = gain, candidate
        rows.append(row)
        wanted -= covered([row], 2) | covered([row], 3)
        triples -= covered([row], 3)
    return rows


ARRAY = covering_array()


def rows_of(number: int, part: int) -> list[int]:
    """Return the rows for a case, if any: those of its parts are all."""
    return [row for row in range(len(ARRAY)) if (number + row + part) % PARTS == 0]


def keeps_ansi(case: Case) -> bool:
    """Return whether ANSI mode changes what a case expects: an error of Spark's own at run time."""
    conditions = case.get("expected_condition", [])
    at_run_time = case.get("expected_error", "").startswith("runtime")
    return at_run_time and not all(c.startswith("MATCH_RECOGNIZE") for c in conditions)


def settings_of(row: int, case: Case) -> Settings:
    """Return the settings of a row for a case, whose own ones have precedence."""
    fixed = {ANSI: "true"} if keeps_ansi(case) else {}
    return {**ARRAY[row], **fixed, **case.get("conf", {})}
