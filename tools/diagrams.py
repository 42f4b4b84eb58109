"""The diagrams of the site: each PATTERN of the language and the cookbook, below its statement.

The gallery gets the diagram, the picture and the query of each recipe that it names. mkdocs calls
`on_page_markdown` for each page (mkdocs.yml names this file as a hook).
"""

from __future__ import annotations

import html
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "python/src"
# words, quoted text and comments, so that PATTERN is a word of SQL
TOKEN = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)*'|`[^`]*`|\w+|[()]", re.DOTALL)

STATEMENT = re.compile(r"^```sql\n(?P<code>.*?)^```\n", re.DOTALL | re.MULTILINE)
SHOWN = re.compile(
    r"^```sql\n(?P<code>.*?)^```\n(?:\s*^```text\n(?P<output>.*?)^```$)?", re.DOTALL | re.MULTILINE
)
ITEM = re.compile(
    r"^- \[(?P<title>[^\]]+)\]\((?P<page>\S+)#(?P<anchor>\S+)\): (?P<question>.*)$", re.MULTILINE
)


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


def drawing(pattern: str) -> str:
    """Return the diagram of a pattern as one line of SVG."""
    if str(SOURCES) not in sys.path:  # the site is built without the wheel
        sys.path.append(str(SOURCES))
    svg = importlib.import_module("spark_match_recognize").diagram(pattern).svg
    return "".join(line.strip() for line in svg.splitlines())


def with_diagrams(markdown: str, *, is_open: bool) -> str:
    """Draw the PATTERN of each statement of a page below it, each pattern of a page once."""
    drawn = set()

    def draw(block: re.Match[str]) -> str:
        added = []
        for pattern in patterns(block["code"]):
            text = " ".join(pattern.split())
            if text in drawn:
                continue
            try:
                picture = drawing(text)
            except ValueError:  # the mistake that the page shows
                continue
            drawn.add(text)
            added.append(
                f'\n<details class="abstract"{" open" * is_open}>'
                f"<summary><code>PATTERN ({html.escape(text)})</code> as a diagram</summary>"
                f"<div>{picture}</div></details>\n"
            )
        return "".join([block[0], *added])

    return STATEMENT.sub(draw, markdown)


class Recipe(NamedTuple):
    """A section of the cookbook.

    Attributes:
        views: The statements of its page that make the views it reads.
        query: Its first query.
        output: The result of the query.
        picture: The path of its picture below docs/, if it has one.
    """

    views: list[str]
    query: str
    output: str
    picture: str | None


def recipe(page: str, anchor: str) -> Recipe:
    """Return a section of the cookbook.

    Args:
        page: Path of the page below docs/.
        anchor: The anchor of the section.

    Raises:
        ValueError: If there is no such section with a query.
    """
    path = ROOT / "docs" / page
    text = path.read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        if re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) != anchor:
            continue
        blocks = [block for block in SHOWN.finditer(body) if block["output"] is not None]
        if not blocks:
            break
        query = blocks[0]["code"]
        made = [block["code"] for block in SHOWN.finditer(text[: text.index(section)] + body)]
        views: list[str] = []
        for code in reversed(made):  # a view may read another one
            made_here = re.match(r"CREATE TEMPORARY VIEW (\w+)", code)
            if made_here and re.search(rf"\bFROM {made_here[1]}\b", "".join([query, *views])):
                views.insert(0, code)
        image = re.search(r"^!\[[^\]]*\]\((\S+\.svg)\)$", body, re.MULTILINE)
        folder = Path(page).parent
        picture = (folder / image[1]).as_posix() if image else None
        return Recipe(views, query, blocks[0]["output"], picture)
    message = f"{page} has no section #{anchor} with a query and its result"
    raise ValueError(message)


def gallery(markdown: str) -> str:
    """Replace each item of the gallery by a section with its diagram, query and result."""

    def show(item: re.Match[str]) -> str:
        found = recipe(item["page"], item["anchor"])
        (pattern, *_) = patterns("".join([found.query, *found.views[::-1]]))
        text = " ".join(pattern.split())
        title = f"### [{item['title']}]({item['page']}#{item['anchor']})"
        parts = [title, item["question"][:1].upper() + item["question"][1:]]
        parts += [f"`PATTERN ({text})`", f"<div>{drawing(text)}</div>"]
        if found.picture:
            parts.append(f"![{item['title']}]({found.picture})")
        blocks = [*(f"```sql\n{view}```" for view in found.views)]
        blocks += [f"```sql\n{found.query}```", f"```text\n{found.output}```"]
        inside = "\n\n".join(blocks).replace("\n", "\n    ")
        parts.append(f'??? example "Data, query and result"\n\n    {inside}')
        return "\n\n".join(parts) + "\n"

    return ITEM.sub(show, markdown)


def on_page_markdown(markdown: str, **context: Any) -> str:  # noqa: ANN401 - mkdocs' objects
    """Add the diagrams of one page; the hook of mkdocs."""
    page = context["page"].file.src_uri
    if page == "gallery.md":
        return gallery(markdown)
    if page.startswith(("language/", "cookbook/")):
        return with_diagrams(markdown, is_open=page == "language/pattern.md")
    return markdown
