"""What tools/matrix.py found: read from reports of suites, and put beside what was found before."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from pages import PREVIEW

# By the names of columns and of their suites; a column that was refused has the reason alone.
Results = dict[str, dict[str, Any]]


def counts(report: Path) -> dict[str, Any]:
    """Return how many tests passed, which failed, and why others were refused."""
    if not report.is_file():
        return {"passed": 0, "failed": ["what starts it; see its log"]}
    found: dict[str, Any] = {"passed": 0, "failed": [], "refused": []}
    for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314 - our own file
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            found["failed"].append(case.get("name"))
        elif skipped is not None:
            found["refused"].append(skipped.get("message"))
        else:
            found["passed"] += 1
    if not any(found.values()):
        found["failed"].append("no test ran")
    return found


def merged(
    kept: Results, results: Results, wanted: dict[str, set[str]], sparks: set[str]
) -> Results:
    """Return kept results with new ones in their place, without what is not run any more.

    Args:
        kept: Results of before. Those of a Java that this machine does not have stay as they are.
        results: New ones.
        wanted: The suites of each column of this machine.
        sparks: The versions of Spark that there are.
    """
    both = dict(kept)
    for name, found in results.items():
        before = kept.get(name, {})
        both[name] = found if "refused" in {**before, **found} else {**before, **found}
    names = sorted(both, key=lambda name: [int(part) for part in re.findall(r"\d+", name)])
    ordered = {
        name: {
            suite: of
            for suite, of in both[name].items()
            if suite in {"refused", *wanted.get(name, both[name])}
        }
        for name in names
        if name.partition(" ")[0] in {*sparks, PREVIEW}
    }
    return {name: found for name, found in ordered.items() if found}


def failures(results: Results) -> list[str]:
    """Return what has failed, one line for a test, and the Sparks that no Java started."""
    started = {name.partition(" ")[0] for name, found in results.items() if "refused" not in found}
    never = {name.partition(" ")[0] for name in results} - started
    return [
        f"{spark}: plain Spark did not start, so nothing was tested" for spark in sorted(never)
    ] + [
        f"{name}, {suite}: {test}"
        for name, found in results.items()
        if "refused" not in found
        for suite, counted in found.items()
        for test in counted["failed"]
    ]
