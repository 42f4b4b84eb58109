"""What CI counts: a skipped test that nobody has allowed is a failed one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SUMMARY = ROOT / ".ci/summary.py"
RAN = '<testcase classname="tests.test_a" name="test_one"/>'
SKIPPED = """
<testcase classname="tests.test_report" name="test_page">
  <skipped message="no Chromium (apt-get install chromium)"/>
</testcase>
"""


def summary(root: Path, python: str, skips: str | None) -> tuple[int, list[str]]:
    """Count one Scala test and some Python tests, and return the exit code and what was printed."""
    for folder, cases in {"target/spark-4.3/test-reports": RAN, "out/reports": python}.items():
        (root / folder).mkdir(parents=True)
        text = f"<testsuites><testsuite>{cases}</testsuite></testsuites>"
        (root / folder / "a.xml").write_text(text, encoding="utf-8")
    (root / ".ci").mkdir()
    (root / ".ci/summary.py").write_text(SUMMARY.read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, str(root / ".ci/summary.py")]
    if skips is not None:
        (root / "skips.txt").write_text(skips, encoding="utf-8")
        command += ["--skips", "skips.txt"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_skips_are_counted(tmp_path: Path) -> None:
    status, lines = summary(tmp_path, RAN + SKIPPED, skips=None)
    assert (status, lines[-1]) == (0, "2 passed, 0 failed, 1 skipped")


def test_a_skip_that_is_not_listed_has_failed(tmp_path: Path) -> None:
    status, lines = summary(tmp_path, RAN + SKIPPED, "# none\n\ntest_other # not here\n")
    assert (status, lines[-1]) == (1, "2 passed, 1 failed")
    test = "tests.test_report: test_page (no Chromium (apt-get install chromium))"
    assert f"Skipped, but not listed in skips.txt: {test}" in lines


@pytest.mark.parametrize("line", ["test_report: ", r"\(no Chromium"])
def test_a_line_allows_a_skip_by_its_test_or_its_reason(tmp_path: Path, line: str) -> None:
    status, lines = summary(tmp_path, RAN + SKIPPED, f"{line} # no browser there\n")
    assert (status, lines[-1]) == (0, "2 passed, 0 failed, 1 skipped")


def test_a_line_needs_a_reason(tmp_path: Path) -> None:
    status, lines = summary(tmp_path, RAN, "test_report\n")
    assert status == 1
    assert "skips.txt has no reason for 'test_report'" in lines[-1]


def test_a_language_without_tests_has_failed(tmp_path: Path) -> None:
    status, lines = summary(tmp_path, "", skips=None)
    assert status == 1
    assert "No Python test ran." in lines
    assert lines[-1] == "1 passed, 0 failed"
