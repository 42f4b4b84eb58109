"""Count the tests that the JUnit reports of ScalaTest and pytest tell of.

The last line is `N passed, N failed`, with `, N skipped` if any was. Exits 1 if a test failed, or
if either language ran none: a suite that did not run has not passed.

With `--skips FILE` a skipped test counts as failed unless a line of that file allows it: a regular
expression found in `suite: test (why it was skipped)`, ` # ` and the reason. A line that allows no
test of this run is no error: other versions of Spark skip other tests.
"""

from __future__ import annotations

import argparse
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPORTS = {"Scala": "target/spark-*/test-reports/*.xml", "Python": "out/reports/*.xml"}


def allowed(file: Path) -> list[re.Pattern[str]]:
    """Return what allows a skip, one expression for each line that is not a comment.

    Raises:
        ValueError: If a line has no reason.
    """
    expressions = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        pattern, _, reason = line.partition(" # ")
        if not reason.strip():
            message = f"{file} has no reason for {line!r}: write # and the reason after it"
            raise ValueError(message)
        expressions.append(re.compile(pattern.strip()))
    return expressions


def count(
    reports: list[Path], may_skip: list[re.Pattern[str]] | None = None
) -> tuple[int, int, int, list[str]]:
    """Return how many tests passed, failed and were skipped, and the skips that are not allowed.

    Args:
        reports: JUnit XML files, with one `testsuite` or a `testsuites` around several.
        may_skip: what allows a skip, or None if every skip is allowed.
    """
    passed = failed = skipped = 0
    refused = []
    for report in reports:
        for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314 - our own file
            skip = case.find("skipped")
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
            elif skip is None:
                passed += 1
            else:
                test = f"{case.get('classname')}: {case.get('name')} ({skip.get('message')})"
                if may_skip is None or any(allows.search(test) for allows in may_skip):
                    skipped += 1
                else:
                    failed += 1
                    refused.append(test)
    return passed, failed, skipped, refused


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Print the counts of each language, then their sum."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", maxsplit=1)[0])
    parser.add_argument("--skips", type=Path, help="the tests that may be skipped, with reasons")
    skips = parser.parse_args(arguments).skips
    may_skip = None if skips is None else allowed(skips)
    sums = [0, 0, 0]
    empty = []
    for language, pattern in REPORTS.items():
        passed, failed, skipped, refused = count(sorted(root.glob(pattern)), may_skip)
        print(f"{language}: {passed} passed, {failed} failed, {skipped} skipped")
        for test in refused:
            print(f"Skipped, but not listed in {skips}: {test}")
        sums = [total + n for total, n in zip(sums, (passed, failed, skipped), strict=True)]
        if passed + failed == 0:
            empty.append(language)
    for language in empty:
        print(f"No {language} test ran.")
    skipped_last = f", {sums[2]} skipped" if sums[2] else ""
    print(f"{sums[0]} passed, {sums[1]} failed{skipped_last}")
    return 1 if sums[1] or empty else 0


if __name__ == "__main__":
    sys.exit(main())
