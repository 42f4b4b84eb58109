"""The pages about the code name files and classes that exist, and every package."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAIN = ROOT / "src/main/scala/io/matchrecognize"
TESTS = ROOT / "src/test/scala/io/matchrecognize"
PAGES = [*sorted((ROOT / "docs/internals").glob("*.md")), ROOT / "CONTRIBUTING.md"]
# Classes of others, and what only looks like a class.
OTHERS = {
    "BaseSessionStateBuilder",
    "IncrementalExecution",
    "OneRowRelation",
    "ResolverExtension",
    "WriteStateStore",
}


@cache
def sources() -> str:
    """Return the texts in which a class may be declared or used."""
    folders = ("src/main", "src/test", "project", "python", "tests", "tools")
    files = [f for top in folders for f in (ROOT / top).rglob("*") if f.suffix in (".scala", ".py")]
    others = [*(ROOT / "src").rglob("*.java"), *(ROOT / "src").rglob("*.g4"), ROOT / "build.sbt"]
    return "\n".join(file.read_text(encoding="utf-8") for file in [*files, *others])


@cache
def words() -> set[str]:
    """Return every word of the sources."""
    return set(re.findall(r"\w+", sources()))


def code(page: Path) -> list[str]:
    """Return what a page has in backticks, outside of blocks."""
    prose = re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    return [" ".join(found.split()) for found in re.findall(r"`([^`]+)`", prose)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_classes_exist(page: Path) -> None:
    names = {name for text in code(page) for name in re.findall(r"^[A-Z][a-z]+[A-Z]\w*\b", text)}
    assert sorted(names - words() - OTHERS) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_exist(page: Path) -> None:
    paths = [path for path in code(page) if re.fullmatch(r"[\w./+-]+/[\w+-]+\.(scala|py)", path)]
    roots = (MAIN, TESTS, ROOT)
    assert [p for p in paths if not any((root / p).is_file() for root in roots)] == []


def test_every_layer_says_which_file_to_open_first() -> None:
    text = (ROOT / "docs/internals/layers.md").read_text(encoding="utf-8")
    layers = text.split("\n## ")[1:]
    assert len(layers) > 10
    for layer in layers:
        first = layer.partition("**Open first** ")[2].partition("\n- **")[0]
        assert re.search(r"`[\w./]+\.(scala|py)`", first), layer
        assert layer.count("\n") <= 16, layer


def test_the_map_has_every_package() -> None:
    text = (ROOT / "docs/internals/index.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z]+(?:\.[a-z]+)*)`", text))
    folders = {file.parent.relative_to(MAIN) for file in MAIN.rglob("*.scala")} - {Path()}
    assert sorted({".".join(folder.parts) for folder in folders} - named) == []
