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
def test_page(spark: SparkSession, page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_page(spark.newSession(), page, capsys)
