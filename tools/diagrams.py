"""The diagrams of the site: each PATTERN of the language reference, drawn below its statement.

mkdocs calls `on_page_markdown` for each page (mkdocs.yml names this file as a hook).
"""

from __future__ import annotations

import html
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).resolve().parent.parent / "python/src"
# words, quoted text and comments, so that PATTERN is a word of SQL
TOKEN = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)*'|`[^`]*`|\w+|[()]", re.DOTALL)


def patterns(sql: str) -> Iterator[str]:
    """Yield what is in the parentheses of each PATTERN of a statement."""
    start: int | None = None
    depth = 0
    is_pattern = False
    for match in TOKEN.finditer(sql):
        if start is None:
            if match[0] == "(" and is_pattern:
                start, depth = match.end(), 1
            if not match[0].startswith(("--", "/*")):
                is_pattern = match[0].upper() == "PATTERN"
            continue
        depth += (match[0] == "(") - (match[0] == ")")
        if depth == 0:
            yield sql[start : match.start()]
            start, is_pattern = None, False


def with_diagrams(markdown: str, *, is_open: bool) -> str:
    """Draw the PATTERN of each statement of a page below it, each pattern of a page once."""
    if str(SOURCES) not in sys.path:  # the site is built without the wheel
        sys.path.append(str(SOURCES))
    package = importlib.import_module("spark_match_recognize")
    drawn = set()

    def draw(block: re.Match[str]) -> str:
        added = []
        for pattern in patterns(block["code"]):
            text = " ".join(pattern.split())
            if text in drawn:
                continue
            try:
                svg = package.diagram(text).svg
            except ValueError:  # the mistake that the page shows
                continue
            drawn.add(text)
            picture = "".join(line.strip() for line in svg.splitlines())
            added.append(
                f'\n<details class="abstract"{" open" * is_open}>'
                f"<summary><code>PATTERN ({html.escape(text)})</code> as a diagram</summary>"
                f"<div>{picture}</div></details>\n"
            )
        return "".join([block[0], *added])

    return re.sub(r"^```sql\n(?P<code>.*?)^```\n", draw, markdown, flags=re.DOTALL | re.MULTILINE)


def on_page_markdown(markdown: str, **context: Any) -> str:  # noqa: ANN401 - mkdocs' objects
    """Add the diagrams of one page; the hook of mkdocs."""
    page = context["page"].file.src_uri
    if not page.startswith("language/"):
        return markdown
    return with_diagrams(markdown, is_open=page == "language/pattern.md")
