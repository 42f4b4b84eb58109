"""What tools/matrix.py reads from the report of a suite."""

from __future__ import annotations

from pathlib import Path

import pytest
from matrix import counts

PASSED = '<testcase name="a"/>'
SKIPPED = '<testcase name="b"><skipped message="why"/></testcase>'


@pytest.mark.parametrize(
    ("cases", "passed", "failed"),
    [("", 0, ["no test ran"]), (PASSED, 1, []), (SKIPPED, 0, []), (PASSED + SKIPPED, 1, [])],
)
def test_a_suite_without_a_test_has_failed(
    tmp_path: Path, cases: str, passed: int, failed: list[str]
) -> None:
    report = tmp_path / "report.xml"
    report.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    found = counts(report)
    assert found["passed"] == passed
    assert found["failed"] == failed
    assert counts(tmp_path / "none.xml")["failed"] == ["pytest itself; see its log"]
