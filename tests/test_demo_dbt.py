"""The dbt project of examples/, run as its users run it."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = ROOT / "examples/dbt"


@pytest.fixture(scope="module")
def dbt() -> Path:
    """Install dbt into an environment of its own."""
    target = ".venv-dbt/.complete"
    subprocess.run(["make", "-C", str(ROOT), target], check=True)  # noqa: S607 - as a user does
    return ROOT / ".venv-dbt/bin/dbt"


@pytest.mark.slow
def test_models_and_their_tests(dbt: Path, jar: str, tmp_path: Path) -> None:
    env = {
        **os.environ,
        "DBT_PROJECT_DIR": str(PROJECT),
        "DBT_PROFILES_DIR": str(PROJECT),
        "DBT_TARGET_PATH": str(tmp_path / "target"),
        "DBT_LOG_PATH": str(tmp_path / "logs"),
        "MATCH_RECOGNIZE_JAR": jar,
        "PATH": f"{dbt.parent}{os.pathsep}{os.environ['PATH']}",
        "PYSPARK_PYTHON": str(dbt.parent / "python"),
    }

    def run(*command: str) -> None:
        ran = subprocess.run(
            [str(dbt), "--no-use-colors", *command],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout[-3000:]

    run("build")
    results = json.loads((tmp_path / "target/run_results.json").read_text())["results"]
    found = {result["unique_id"].split(".")[2]: result["status"] for result in results}
    assert found.pop("ticks") == found.pop("vees") == found.pop("deep_vees") == "success"
    assert found.pop("rises") == "success"
    assert len(found) == 4
    assert set(found.values()) == {"pass"}
    vees = pq.read_table(tmp_path / "spark-warehouse/prices.db/vees").to_pylist()
    assert sorted(tuple(row.values()) for row in vees) == [
        ("A", date(2026, 3, 2), 30, date(2026, 3, 6)),
        ("A", date(2026, 3, 6), 20, date(2026, 3, 10)),
        ("B", date(2026, 3, 4), 6, date(2026, 3, 6)),
    ]
    # from scratch, then again with the rows of one more day
    for _ in range(2):
        rises = pq.read_table(tmp_path / "spark-warehouse/prices.db/rises").to_pylist()
        assert sorted(tuple(map(str, row.values())) for row in rises) == [
            ("A", "2026-03-06", "2026-03-04"),
            ("B", "2026-03-04", "2026-03-02"),
        ]
        run("run", "--select", "rises", "--vars", "{day: '2026-03-06'}")
