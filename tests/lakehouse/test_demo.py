"""The demo beside Delta Lake and Iceberg, with a part of its flights; it checks itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from lakehouse.lake import ROOT
from loading import Run

pytestmark = [pytest.mark.matrix, pytest.mark.slow]

PROGRAM = """
import sys
from pathlib import Path
import demo_lakehouse
every = demo_lakehouse.flights()
demo_lakehouse.flights = lambda: every[every["tailnum"].fillna("").str.startswith("N1")]
demo_lakehouse.main(Path(sys.argv[1]))
"""


def test_demo(run_program: Run, tmp_path: Path) -> None:
    paths = os.pathsep.join([str(ROOT / "examples"), os.environ.get("PYTHONPATH", "")])
    run = run_program(
        sys.executable, "-c", PROGRAM, str(tmp_path / "demo"), env={"PYTHONPATH": paths}
    )
    assert run.returncode == 0, run.stderr[-3000:]
    said = run.stdout
    assert "Shuffle: none for this clause" in said
    assert "Silver: the same" in said
    assert "Gold: the same" in said
