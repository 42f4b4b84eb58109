"""The notebooks of the tutorial run in a kernel, and show what they were built with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(p for p in (ROOT / "docs/tutorial").glob("*.md") if p.name != "index.md")


@pytest.fixture(scope="module")
def notebooks(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    return load_tool("notebooks")


def printed(cell: Any) -> str:
    lines = [output["text"] for output in cell.outputs if output.get("name") == "stdout"]
    return "\n".join(line.rstrip() for line in "".join(lines).strip().splitlines())


def pictures(cell: Any) -> int:
    kinds = [kind for output in cell.outputs for kind in output.get("data", {})]
    return sum(kind.startswith("image/") for kind in kinds)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_notebook_of_a_page_is_complete(notebooks: ModuleType, page: Path) -> None:
    assert notebooks.pages() == PAGES
    built = nbformat.reads(json.dumps(notebooks.notebook(page)), as_version=4)
    nbformat.validate(built)
    texts = [cell.source for cell in built.cells if cell.cell_type == "markdown"]
    assert not [text for text in texts if "```" in text or "!!!" in text or ".md)" in text]
    code = [cell for cell in built.cells if cell.cell_type == "code"]
    assert len(code) == page.read_text().count("```sql") + page.read_text().count("```python") + 1
    assert any(pictures(cell) for cell in code)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    # the blocks themselves are run by test_snippets
    PAGES,
    ids=lambda page: page.stem,
)
def test_notebook_runs(notebooks: ModuleType, page: Path, tmp_path: Path) -> None:
    built = nbformat.reads(json.dumps(notebooks.notebook(page)), as_version=4)
    run = nbformat.reads(json.dumps(notebooks.notebook(page)), as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(run, timeout=600, kernel_name="python3", resources=resources).execute()
    for got, want in zip(run.cells, built.cells, strict=True):
        if got.cell_type == "code":
            assert printed(got) == printed(want), got.source
            assert pictures(got) == pictures(want), got.source


def test_notebooks_are_written_into_a_folder(notebooks: ModuleType, tmp_path: Path) -> None:
    notebooks.main(tmp_path / "tutorial")
    written = sorted((tmp_path / "tutorial").iterdir())
    assert [path.stem for path in written] == [page.stem for page in PAGES]
    first = json.loads(written[0].read_text(encoding="utf-8"))
    assert first == notebooks.notebook(PAGES[0])


def test_site_links_its_notebooks_and_a_checkout_has_no_dead_link(notebooks: ModuleType) -> None:
    start = ROOT / "docs/tutorial/index.md"
    text = start.read_text(encoding="utf-8")
    assert ".ipynb)" not in text
    page = SimpleNamespace(file=SimpleNamespace(src_uri="tutorial/index.md"))
    shown = notebooks.on_page_markdown(text, page=page)
    assert all(f"[{page.stem}.ipynb]({page.stem}.ipynb)" in shown for page in PAGES)
