"""Many tasks and several queries at a time in one process, as on an executor of many cores."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from loading import Run

PROGRAM = Path(__file__).with_name("at_once.py")


@pytest.mark.parametrize("every", [24, pytest.param(1, marks=pytest.mark.slow)])
def test_four_queries_at_a_time_on_sixteen_tasks(run_program: Run, every: int) -> None:
    """Conformance cases, and queries of three engines over some thousand rows with other ways."""
    run = run_program(sys.executable, str(PROGRAM), str(every))
    last = re.findall(r"^(\d+) queries, 0 wrong$", run.stdout, re.MULTILINE)
    assert last, (run.stdout + run.stderr)[-4000:]
    assert int(last[0]) > 600 // every
