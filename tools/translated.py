"""What the pages say about `translate`, from the data of its tests and from the package itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spark_match_recognize as mr

TESTS = Path(__file__).resolve().parent.parent / "tests"
SYSTEMS = ("oracle", "snowflake", "trino", "flink", "vertica", "databricks")
_NAME = re.compile(r"(\w+)\(")


def _data(name: str) -> Any:  # noqa: ANN401 - JSON
    return json.loads((TESTS / f"{name}.json").read_text(encoding="utf-8"))


def examples() -> str:
    """Return the table of the manuals' examples; tests/test_translate.py holds what it says."""
    rows = ["| manual | example | translated |", "| --- | --- | --- |"]
    found = _data("translations")["cases"]
    for case in found:
        result = f"no: {case['refused']}" if "refused" in case else "yes"
        rows.append(f"| {case['manual']} | {case['about']} | {result} |")
    good = sum("refused" not in case for case in found)
    return "\n".join([*rows, "", f"{good} of {len(found)} give the expected rows."])


def counts() -> str:
    """Return how many statements are right; tests/test_translations.py executes each."""
    rows = [
        "| system | statements | right | of them with a note | refused, with advice |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for system in SYSTEMS:
        cases = _data(f"translations/{system}")
        refused = sum("refused" in case for case in cases)
        noted = sum(bool(case.get("notes")) for case in cases)
        numbers = (len(cases), len(cases) - refused, noted, refused)
        rows.append(f"| {system.title()} | {' | '.join(map(str, numbers))} |")
    return "\n".join(rows)


def functions() -> str:
    """Return which functions of each system are known, noted and refused."""
    rows = [
        "| system | the same in Spark | written in another way | with a note | refused |",
        "| --- | --- | --- | --- | --- |",
    ]
    for system in _data("translations/functions"):
        found: dict[str, dict[str, None]] = {kind: {} for kind in ("same", "other", "note", "no")}
        for call, _, _, kind in _calls(system):
            name = _NAME.match(call)
            found[kind][name[1].upper() if name and kind != "note" else call] = None
        cells = (", ".join(f"`{name}`".replace("|", "\\|") for name in of) for of in found.values())
        rows.append(f"| {system.title()} | {' | '.join(cells)} |")
    return "\n".join(rows)


def calls() -> str:
    """Return each call of the tests, what it becomes, and its note."""
    lines = []
    for system in _data("translations/functions"):
        title = system.title()
        lines += [f"## {title}", "", f"| {title} | here | note |", "| --- | --- | --- |"]
        for call, here, note, _ in _calls(system):
            cells = [f"`{call}`", f"`{here}`" if here else "refused", note]
            lines.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
        lines.append("")
    return "\n".join(lines)


def _calls(system: Any) -> Iterator[tuple[str, str, str, str]]:  # noqa: ANN401 - a name from data
    """Yield each call with what it becomes, its note, and `same`, `other`, `note` or `no`."""
    for call, *_ in _data("translations/functions")[system]:
        try:
            found = mr.translate(f"SELECT {call} AS v FROM one", read=system)
        except ValueError as error:
            yield call, "", str(error).partition(": ")[2], "no"
            continue
        here = " ".join(found.split()).removeprefix("SELECT ").removesuffix(" AS v FROM one")
        here = here.replace("( ", "(").replace(" )", ")")
        # the note quotes the call, which is in the other column
        note = " ".join(note.split("`: ")[-1] for note in found.notes)
        kind = "note" if note else "same" if here.upper() == call.upper() else "other"
        yield call, here, note, kind
