"""The pages of the tutorial, as test_snippets.py runs all others."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from test_snippets import PAGES, run_page
from tidy import tidy

# Pages that take a minute or more.
LONG = ("flights", "stream")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if page.stem in LONG else [], id=page.stem)
        for page in PAGES
        if page.parent.name == "tutorial"
    ],
)
def test_page(
    spark: SparkSession,
    page: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)  # a page saves a report
    session = spark.newSession()
    try:
        run_page(session, page, capsys)
    finally:
        tidy(session)
