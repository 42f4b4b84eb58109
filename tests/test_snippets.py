"""Every SQL and Python snippet of README.md and docs/ runs, and prints what the page says.

The convention for the pages:

- A block marked `sql` is one statement. It runs in a session with the plugin; the blocks of one
  page share that session, so one may create the view that the next reads.
- A block marked `python` is a whole program. It runs in an interpreter of its own, in an empty
  folder.
- A block marked `text` right after one of them, with only blank lines between, is the output: of
  a statement, `show(truncate=False)` of its result; of a program, its standard output.
- Blocks with other marks (`sh`, `properties`, ...) are not run.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from pyspark.sql import SparkSession

Run = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"^```(?P<mark>sql|python)\n(?P<code>.*?)^```\n(?:\s*^```text\n(?P<output>.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)


class Snippet(NamedTuple):
    """One block of a page, with the output that the page claims."""

    line: int
    mark: str
    code: str
    output: str | None


def snippets(page: Path) -> list[Snippet]:
    """Return the blocks of a page that run, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Snippet(text.count("\n", 0, m.start()) + 1, m["mark"], m["code"], m["output"])
        for m in BLOCK.finditer(text)
    ]


def stripped(text: str) -> str:
    """Return a text without blanks at the ends of its lines and blank lines around it."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_statements(spark: SparkSession, page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = spark.newSession()
    for snippet in snippets(page):
        if snippet.mark == "sql":
            capsys.readouterr()
            session.sql(snippet.code).show(1000, truncate=False)
            shown = capsys.readouterr().out
            if snippet.output is not None:
                assert stripped(shown) == stripped(snippet.output), f"line {snippet.line}"


@pytest.mark.parametrize(
    ("page", "snippet"),
    [
        pytest.param(page, snippet, id=f"{page.relative_to(ROOT)}:{snippet.line}")
        for page in PAGES
        for snippet in snippets(page)
        if snippet.mark == "python"
    ],
)
def test_programs(run_python: Run, page: Path, snippet: Snippet) -> None:
    run = run_python(snippet.code)
    assert run.returncode == 0, f"{page.name}, line {snippet.line}: {run.stderr[-3000:]}"
    if snippet.output is not None:
        assert stripped(run.stdout) == stripped(snippet.output)


def test_readme_has_snippets() -> None:
    marks = [snippet.mark for snippet in snippets(ROOT / "README.md") if snippet.output]
    assert "sql" in marks
    assert "python" in marks
