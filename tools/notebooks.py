"""The pages of the tutorial as notebooks: the same text, code and results.

mkdocs calls `on_files` (mkdocs.yml names this file as a hook), which adds a notebook for each page.
A statement becomes `spark.sql(...)`; the results and pictures are those of the page, and the tests
run both the page and the notebook.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
START = DOCS / "tutorial/index.md"
PART = re.compile(
    r"^```(?P<mark>sql|python)\n(?P<code>.*?)^```\n(?:\s*^```text\n(?P<output>.*?)^```$)?"
    r"(?:\s*^!\[[^\]]*\]\((?P<picture>[^)\s]+\.svg)\)$)?",
    re.DOTALL | re.MULTILINE,
)


def pages() -> list[Path]:
    """Return the pages that are also notebooks."""
    return sorted(page for page in START.parent.glob("*.md") if page != START)


def notebook(page: Path) -> dict[str, Any]:
    """Return a page as a notebook.

    Args:
        page: Path of a page of the tutorial.

    Returns:
        The notebook, of nbformat 4.5.
    """
    cells = [
        {"id": f"cell-{number}", "metadata": {}, **cell} for number, cell in enumerate(_cells(page))
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _cells(page: Path) -> Iterator[dict[str, Any]]:
    """Yield the cells of a page; the first code cell makes the session."""
    text = page.read_text(encoding="utf-8")
    title, _, text = text.partition("\n")
    yield _text(title)
    start = PART.search(START.read_text(encoding="utf-8"))
    if start is None:
        message = f"{START} has no block that makes a session"
        raise ValueError(message)
    yield _code(start["code"], [_printed(start["output"])])
    end = 0
    for part in PART.finditer(text):
        if before := text[end : part.start()].strip():
            yield _text(before)
        outputs = [_printed(part["output"])] if part["output"] is not None else []
        if part["picture"]:
            picture = (page.parent / part["picture"]).read_text(encoding="utf-8")
            data = {"image/svg+xml": picture}
            outputs.append({"output_type": "display_data", "data": data, "metadata": {}})
        code = part["code"]
        if part["mark"] == "sql":
            code = f'spark.sql("""\n{code}""").show(truncate=False)'
        yield _code(code, outputs)
        end = part.end()
    if rest := text[end:].strip():
        yield _text(rest)


def _text(text: str) -> dict[str, Any]:
    """Return a cell of text; its links lead to the pages that are built beside the notebook."""
    text = re.sub(r"\]\(([\w./-]+)\.md(#[\w-]+)?\)", r"](\1.html\2)", text)
    text = re.sub(r'^!!! \w+ "(.*)"\n\n((?:    .*\n?|\n)+)', _note, text, flags=re.MULTILINE)
    return {"cell_type": "markdown", "source": text}


def _note(match: re.Match[str]) -> str:
    """Return an admonition as a quotation, since notebooks have none."""
    lines = match[2].replace("\n    ", "\n> ").strip()
    return f"> **{match[1]}.** {lines}\n"


def _code(code: str, outputs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "source": code.rstrip("\n"),
        "outputs": outputs,
        "execution_count": None,
    }


def _printed(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def on_files(files: Any, config: Any) -> Any:  # noqa: ANN401 - mkdocs' objects
    """Add the notebooks to the site; the hook of mkdocs."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - the tests do without mkdocs

    for page in pages():
        name = page.relative_to(DOCS).with_suffix(".ipynb").as_posix()
        content = json.dumps(notebook(page), indent=1, ensure_ascii=False)
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, **context: Any) -> str:  # noqa: ANN401 - mkdocs' objects
    """Link the notebooks on the first page of the tutorial: a checkout has none beside it."""
    if context["page"].file.src_uri != START.relative_to(DOCS).as_posix():
        return markdown
    for page in pages():
        name = page.with_suffix(".ipynb").name
        markdown = markdown.replace(f"`{name}`", f"[{name}]({name})")
    return markdown


def main(folder: Path) -> None:
    """Write the notebooks into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages():
        path = folder / page.with_suffix(".ipynb").name
        path.write_text(json.dumps(notebook(page), indent=1, ensure_ascii=False), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
