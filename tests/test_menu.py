"""The menu and the search of the site: for users, without the pages about the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import yaml

import spark_match_recognize as mr

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = {page.relative_to(DOCS).as_posix(): page for page in DOCS.rglob("*.md")}
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
# Words that people type, and a page that has them.
SEARCHED = {
    "sessionization": "cookbook/sessions.md",
    "funnel": "cookbook/funnels.md",
    "OOM": "debugging.md",
    "time zone": "debugging.md",
    "timezone": "debugging.md",
    "daylight saving": "debugging.md",
    "skew": "debugging.md",
    "late data": "debugging.md",
    "unsupported": "debugging.md",
    "unit-test": "testing.md",
    "Iceberg": "performance.md",
    "flatMapGroupsWithState": "coming-from/stateful.md",
    "transformWithState": "coming-from/stateful.md",
}


def listed(entries: Any) -> Iterator[str]:
    """Yield the pages of a part of the menu."""
    for entry in entries:
        for part in entry.values() if isinstance(entry, dict) else [entry]:
            if isinstance(part, list):
                yield from listed(part)
            else:
                yield part


def test_menu_is_short_and_has_every_page_of_a_user() -> None:
    assert len(CONFIG["nav"]) <= 10
    named = list(listed(CONFIG["nav"]))
    assert len(named) == len(set(named))
    hidden = CONFIG["not_in_nav"].split()
    left = sorted(set(PAGES) - set(named))
    assert [page for page in left if not f"/{page}".startswith(tuple(hidden))] == []
    assert [page for page in named if f"/{page}".startswith(tuple(hidden))] == []


def test_search_leaves_the_pages_about_the_code_out(load_tool: Callable[[str], ModuleType]) -> None:
    hook = load_tool("pages").on_page_markdown
    left_out = set()
    for name, page in PAGES.items():
        meta: dict[str, Any] = {}
        hook(
            page.read_text("utf-8"),
            page=SimpleNamespace(file=SimpleNamespace(src_uri=name), meta=meta),
        )
        if meta.get("search", {}).get("exclude"):
            left_out.add(name)
    assert left_out == {name for name in PAGES if name.startswith("internals/")} != set()


def test_pages_about_the_code_are_linked_from_contributing_only() -> None:
    link = re.compile(r"\]\(([^)\s#]+\.md)(?:#[^)\s]*)?\)")
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = {DOCS / "internals/index.md"} & {(ROOT / to).resolve() for to in link.findall(text)}
    seen: set[Path] = set()
    while found > seen:
        seen |= found
        found = seen | {
            (page.parent / to).resolve()
            for page in seen
            for to in link.findall(page.read_text("utf-8"))
            if (page.parent / to).resolve().is_relative_to(DOCS / "internals")
        }
    assert found == set((DOCS / "internals").glob("*.md"))


@pytest.mark.parametrize("words", SEARCHED)
def test_search_finds_what_people_type(words: str) -> None:
    assert words.lower() in PAGES[SEARCHED[words]].read_text(encoding="utf-8").lower()


def test_cheat_sheet_names_functions_that_exist() -> None:
    sheet = PAGES["cheat-sheet.md"].read_text(encoding="utf-8")
    called = set(re.findall(r"\bmr\.(\w+)\(", sheet))
    assert len(called) > 8
    assert sorted(called - set(mr.__all__)) == []
