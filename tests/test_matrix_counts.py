"""What tools/matrix.py reads from the report of a suite, and from the list of previews."""

from __future__ import annotations

from pathlib import Path

import pytest
from matrix import counts
from preview import newest

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
    assert counts(tmp_path / "none.xml")["failed"] == ["what starts it; see its log"]


@pytest.mark.parametrize(
    ("listed", "preview"),
    [
        ("Available versions: 4.3.0, 4.2.0, 4.2.0.dev5, 4.0.0.dev2, 3.5.9", ""),
        ("Available versions: 4.4.0.dev2, 4.4.0.dev1, 4.3.0", "4.4.0.dev2"),
        ("Available versions: 5.0.0rc1, 4.4.0.dev1, 4.3.0", "5.0.0rc1"),
        ("Available versions: 4.3.1.dev1, 4.3.0", ""),
    ],
)
def test_a_preview_is_of_a_minor_after_the_newest(listed: str, preview: str) -> None:
    assert newest(listed, "4.3.0") == preview
