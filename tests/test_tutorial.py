"""The pages of the tutorial, as test_snippets.py runs all others."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from test_snippets import PAGES, run_page


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.parent.name == "tutorial"],
    ids=lambda page: page.stem,
)
def test_page(
    spark: SparkSession,
    page: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)  # a page saves a report
    run_page(spark.newSession(), page, capsys)
