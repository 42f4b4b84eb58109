"""The ends of attempts, summed up in sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

Step = Mapping[str, Any]

_RUN = re.compile(r"(?P<name>`(?:[^`]|``)*`|[^\s`{]+)(?:\{(?P<times>\d+)\})?")
_FAILED = ("condition failed", "failed before", "anchor failed", "rows ended", "window ended")
_ENDS = {
    "rows ended": "still open when the rows of {its} partition ended",
    "window ended": "still open when {its} window of WITHIN ended",
    "failed before": "ended where {it} met a path that had failed in an earlier attempt",
    "anchor failed": "in vain because ^ or $ does not hold there",
    "timed out": "cut off by WITHIN and timed out",
}


def variables_of(path: str | None) -> list[str]:
    """Return the variables of a path such as `A B{3}`, one for each row."""
    found: list[str] = []
    for run in _RUN.finditer(path or ""):
        name = run["name"]
        if name.startswith("`"):
            name = name[1:-1].replace("``", "`")
        found += [name] * int(run["times"] or 1)
    return found


def begins_partition(step: Step) -> bool:
    """Tell whether a step is the first one of a partition.

    The texts of the keys do not tell: those of NULL and of 'NULL' are equal, as are those of two
    moments in the hour that is repeated when summer time ends.
    """
    return bool(step["event"] == "row" and step["row_number"] == 1)


def sentences(steps: Iterable[Step]) -> list[str]:
    """Sum up the rows of partitions and the ends of attempts.

    Args:
        steps: The steps of a trace whose event is `row` or `end`.

    Returns:
        The sentences, the most general one first.
    """
    rows = partitions = 0
    ends: list[Step] = []
    for step in steps:
        if step["event"] == "row":
            rows += 1
            partitions += begins_partition(step)
        else:
            ends.append(step)
    if not rows:
        return ["There are no rows: the input is empty, or no partition has these keys."]
    results = Counter(str(end["result"]) for end in ends)
    several = partitions > 1
    where = _count(rows, "row") + (f" of {partitions} partitions" if several else "")
    told = [f"{_count(len(ends), 'attempt')} in {where} found {_matches(results['match'])}."]
    failed = [end for end in ends if end["result"] in _FAILED and end["condition"] is not None]
    starts: dict[str, list[Step]] = {}
    for end in failed:
        path = variables_of(end["path"])
        starts.setdefault(path[0] if path else "", []).append(end)
    for first, group in sorted(starts.items(), key=lambda item: (item[0] == "", -len(item[1]))):
        told.append(_of_start(first, group, several=several))
    told += _nulls(failed)
    above = Counter(str(end["result"]) for end in failed)
    told += [_of_end(end, results[end], above[end]) for end in _ENDS if results[end]]
    told += [_error(end) for end in ends if end["result"] == "error"]
    return told


def _of_start(first: str, group: list[Step], *, several: bool) -> str:
    """Tell how far the attempts came that began at a variable, or at none."""
    furthest = max(group, key=lambda end: (end["row_number"] - end["start_row"], -end["start_row"]))
    verdict = (
        f"{furthest['variable']} failed on `{furthest['condition']}`"
        f" ({furthest['evaluated'] or 'it'} is {furthest['truth']})"
    )
    key = furthest["partition_key"]
    place = f" of partition {key}" if several else ""
    row = furthest["row_number"]
    if not first:
        begin = _count(len(group), "attempt")
        such = "in" if len(group) == 1 else "such as"
        return f"{begin} ended at the first row, {such} row {row}{place}: {verdict}."
    last = variables_of(furthest["path"])[-1]
    count = _count(len(group), "attempt")
    start = f"row {furthest['start_row']}{place}"
    if len(group) == 1:
        way = f"{count} began at {first} in {start} and reached row {row - 1} as {last}"
    else:
        way = (
            f"{count} began at {first}; the furthest, from {start}, reached row {row - 1} as {last}"
        )
    return f"{way}; in row {row} {verdict}."


def _nulls(failed: list[Step]) -> list[str]:
    """Tell which conditions were NULL, which is easily overlooked."""
    found = Counter(
        (str(end["variable"]), str(end["condition"])) for end in failed if end["truth"] == "NULL"
    )
    return [
        f"The condition `{condition}` of {variable} was NULL at the end of "
        f"{_count(times, 'attempt')}: a comparison with NULL is never TRUE."
        for (variable, condition), times in found.items()
    ]


def _of_end(result: str, count: int, above: int) -> str:
    """Tell how many attempts ended in a way, and how many of them are in a sentence above."""
    one = count == 1
    text = _ENDS[result].format(its="its" if one else "their", it="it" if one else "they")
    verb = "" if result == "failed before" else ("was " if one else "were ")
    told = (
        ""
        if above == 0
        else " (counted above)"
        if above == count
        else f" ({above} of them counted above)"
    )
    return f"{_count(count, 'attempt')} {verb}{text}{told}."


def _error(end: Step) -> str:
    """Tell of an error, which ends the query too."""
    return (
        f"In row {end['row_number']} the condition of {end['variable']} raised an error, which "
        f"ends the query: {end['evaluated']}"
    )


def _matches(count: int) -> str:
    return "no match" if count == 0 else "1 match" if count == 1 else f"{count} matches"


def _count(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
