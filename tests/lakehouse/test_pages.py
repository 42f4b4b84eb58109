"""The blocks of the pages about Delta Lake and Iceberg, as test_snippets.py runs others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lakehouse.lake import BOTH, JARS, POM, Lake
from loading import Run
from test_snippets import LAKEHOUSE, Snippet, check, run_page, snippets

pytestmark = [pytest.mark.matrix, pytest.mark.one_order]
PROGRAMS = [one for page in LAKEHOUSE for one in snippets(page) if one.is_program]


@pytest.mark.parametrize("page", LAKEHOUSE, ids=lambda page: page.stem)
def test_page(lake: Lake, page: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    session = lake.spark.newSession()
    session.conf.set("spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog")
    session.conf.set("spark.sql.catalog.lake.type", "hadoop")
    session.conf.set("spark.sql.catalog.lake.warehouse", str(tmp_path))
    try:
        run_page(session, page, capsys)
    finally:
        for table in ("trades", "falls"):
            session.sql(f"DROP TABLE IF EXISTS {table}")


@pytest.mark.parametrize("snippet", PROGRAMS, ids=lambda snippet: snippet.page.stem)
def test_program(run_python: Run, snippet: Snippet) -> None:
    """With the jars that are here in place of those that Spark would fetch."""
    code, count = re.subn(
        r'\("spark\.jars\.packages", ".*"\)',
        f'("spark.jars", "{",".join(map(str, JARS))}")',
        snippet.code,
    )
    assert count == 1
    run = run_python(code)
    assert run.returncode == 0, f"{snippet.place}: {run.stderr[-3000:]}"
    check(snippet, run.stdout)


@pytest.mark.parametrize("page", LAKEHOUSE, ids=lambda page: page.stem)
def test_versions_are_those_that_are_tested(page: Path) -> None:
    named = re.findall(r"[`\"]\S+:(\S+_2\.13):([^\s`\"]+)[`\"]", page.read_text(encoding="utf-8"))
    assert len(named) > len({*named}), "the program of the page has one of those of its table"
    wanted = r"<id>spark-([\d.]+)</id>" if page.stem == "delta" else r"spark-runtime-([\d.]+)_"
    assert {re.findall(r"\d+\.\d+(?=_)", artifact)[0] for artifact, _ in named} == {
        *re.findall(wanted, POM)
    }
    for artifact, version in named:
        minor = re.findall(r"\d+\.\d+(?=_)", artifact)[0]
        assert f"<id>spark-{minor}</id>" in POM
        assert f"<{page.stem}>{version}</{page.stem}>" in POM
    here = {f"{artifact}-{version}.jar" for artifact, version in named if BOTH in artifact}
    assert len(here) == 1
    assert here <= {jar.name for jar in JARS}
