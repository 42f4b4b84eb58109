"""Every PATTERN of the conformance cases and of the pages can be read and drawn."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from conformance_cases import all_cases

import spark_match_recognize as mr
from spark_match_recognize._pattern import (
    Alternation,
    Anchor,
    Exclusion,
    Node,
    Permutation,
    Repetition,
    Sequence,
    Variable,
    read,
)

ROOT = Path(__file__).resolve().parent.parent
COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


@pytest.fixture(scope="module")
def diagrams(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    return load_tool("diagrams")


def written(node: Node) -> str:  # noqa: PLR0911 - one return for each kind
    """Return a tree as text, each group in parentheses and each quantifier with both bounds."""
    match node:
        case Variable(name):
            return name
        case Anchor(symbol):
            return symbol
        case Sequence(items):
            return "(" + " ".join(map(written, items)) + ")"
        case Alternation(items):
            return "(" + "|".join(map(written, items)) + ")"
        case Permutation(items):
            return "PERMUTE(" + ",".join(map(written, items)) + ")"
        case Exclusion(item):
            return "{-" + written(item) + "-}"
        case Repetition(item, least, most, reluctant):
            bound = "" if most is None else most
            return f"({written(item)}){{{least},{bound}}}" + "?" * reluctant


def words(pattern: str) -> list[str]:
    """Return what a pattern consists of, besides its groups and the spelling of quantifiers."""
    text = re.sub(r"PERMUTE\s*\(", "@ (", COMMENT.sub(" ", pattern), flags=re.IGNORECASE)
    text = re.sub(r"\{\s*(\d+)\s*\}", r"{\1,\1}", text)
    text = re.sub(r"\{\s*,", "{0,", text)
    text = text.replace("{-", "<").replace("-}", ">")
    text = re.sub(r"(?<=[^{\s,?])\s*\?", "{0,1}", re.sub(r"(?<=[*+?}])\s*\?", "~", text))
    text = text.replace("*", "{0,}").replace("+", "{1,}").replace("?", "{0,1}")
    return re.findall(r"`[^`]*`|[^\s()`{}|,<>~@^$]+|[{}|,<>~@^$]", text.replace("`", ""))


def test_patterns_of_the_conformance_cases(diagrams: ModuleType) -> None:
    count = 0
    for case in all_cases():
        found = list(diagrams.patterns(case["sql"]))
        # diagrams are drawn of the clause in FROM
        if "expected_error" in case or case["id"].startswith("window-"):
            continue
        assert found or "PATTERN" not in case["sql"].upper(), case["id"]
        for pattern in found:
            assert words(written(read(pattern))) == words(pattern), case["id"]
            assert mr.diagram(pattern).svg.endswith("</svg>"), case["id"]
            count += 1
    assert count >= 390


def test_patterns_in_a_statement(diagrams: ModuleType) -> None:
    sql = """SELECT 'PATTERN (x)' AS pattern, `PATTERN` (1) -- PATTERN (y)
    FROM t MATCH_RECOGNIZE (PATTERN -- the first
      ((A | B) `)`)) MATCH_RECOGNIZE (MEASURES 1 AS pattern PATTERN (C))"""
    assert list(diagrams.patterns(sql)) == ["(A | B) `)`", "C"]


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs/language").glob("*.md")), ids=lambda page: page.name
)
def test_patterns_of_the_language_are_drawn(diagrams: ModuleType, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```sql\n(.*?)^```\n", text, re.DOTALL | re.MULTILINE)
    found = {" ".join(p.split()) for block in blocks for p in diagrams.patterns(block)}
    drawn = diagrams.with_diagrams(text, is_open=False)
    # what is not drawn is a mistake that the page shows
    missing = {
        p for p in found if f"<code>PATTERN ({html.escape(p)})</code> as a diagram" not in drawn
    }
    assert missing <= {"A B ?? ?", "A{0}"}, missing
    assert drawn.count("<svg ") == len(found) - len(missing)
    assert text == re.sub(r"\n<details class=\"abstract\">.*</details>\n", "", drawn).replace(
        "```\n\n\n", "```\n\n"
    )


def test_gallery_shows_a_recipe_with_its_data_for_each_item(diagrams: ModuleType) -> None:
    text = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
    items = re.findall(r"^- \[", text, re.MULTILINE)
    shown = diagrams.gallery(text)
    assert len(items) >= 20
    assert not re.findall(r"^- \[", shown, re.MULTILINE)
    assert shown.count("<svg ") == shown.count("```text") == len(items)
    for section in shown.split("\n### ")[1:]:
        title = section.partition("\n")[0]
        tables = set(re.findall(r"\bFROM (?!VALUES\b)(\w+)", section))
        assert tables <= set(re.findall(r"CREATE TEMPORARY VIEW (\w+)", section)), title
    assert len(re.findall(r"^!\[.*\]\(cookbook/images/.*\.svg\)$", shown, re.MULTILINE)) >= 2


def test_gallery_refuses_what_is_not_in_the_cookbook(diagrams: ModuleType) -> None:
    with pytest.raises(ValueError, match="no section #no-such"):
        diagrams.recipe("cookbook/shapes.md", "no-such")
