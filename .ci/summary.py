"""Count the tests that the JUnit reports of ScalaTest and pytest tell of.

The last line is `N passed, N failed`, with `, N skipped` if any was. Exits 1 if a test failed, or
if either language ran none: a suite that did not run has not passed.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

REPORTS = {"Scala": "target/spark-*/test-reports/*.xml", "Python": "out/reports/*.xml"}


def count(reports: list[Path]) -> tuple[int, int, int]:
    """Return how many tests passed, failed and were skipped.

    Args:
        reports: JUnit XML files, with one `testsuite` or a `testsuites` around several.
    """
    passed = failed = skipped = 0
    for report in reports:
        for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314 - our own file
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
    return passed, failed, skipped


def main() -> int:
    """Print the counts of each language, then their sum."""
    root = Path(__file__).resolve().parent.parent
    sums = [0, 0, 0]
    empty = []
    for language, pattern in REPORTS.items():
        counts = count(sorted(root.glob(pattern)))
        print(f"{language}: {counts[0]} passed, {counts[1]} failed, {counts[2]} skipped")
        sums = [total + part for total, part in zip(sums, counts, strict=True)]
        if counts[0] + counts[1] == 0:
            empty.append(language)
    for language in empty:
        print(f"No {language} test ran.")
    skipped = f", {sums[2]} skipped" if sums[2] else ""
    print(f"{sums[0]} passed, {sums[1]} failed{skipped}")
    return 1 if sums[1] or empty else 0


if __name__ == "__main__":
    sys.exit(main())
