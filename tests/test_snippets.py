"""Every snippet of README.md and docs/ runs, and prints exactly what the page says.

The convention for the pages, by the mark of a block:

- `sql`: one statement. It runs in a session with the plugin; the blocks of one page share that
  session, so one may create the view that the next reads.
- `python`: a complete program if it creates a session: it then runs in a new interpreter, in an
  empty folder. Otherwise it runs in the test's process, with the page's session as `spark`.
  Pages of streaming/ begin with the names of the first block of its index page.
- `sh`: commands, in an empty folder, with the programs of the environment on the path.
- `text` right after one of them, with only blank lines between, is the output: of a statement,
  `show(truncate=False)` of its result, or for EXPLAIN the plan with its ids counted from 1; of a
  program or command, its standard output. An output that begins with a condition in square brackets
  says that the statement fails so; there line breaks are free.
- An image `![...](images/falls.svg)` right after a Python block, or after its output, is what the
  last line of the block shows: a figure or a diagram.
- A mark with a title, `python title="examples/demo_kafka.py"`, means that the block is part of this
  file, word for word. It is not run here, because only the tests of that file start what it needs.
- `properties`, `ebnf`, `xml`, `dockerfile` and `console` are not run; `json` and `yaml` must parse.
  A `console` block is for commands that need more than a test has: a package index, a cluster, a
  managed platform.

`make snippets` rewrites the outputs and pictures of the pages; review the difference before you
commit it.
"""

from __future__ import annotations

import json
import os
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pictures
import pytest
import yaml
from loading import Run
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from tidy import tidy

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Pages whose blocks need the jars of a lakehouse: tests/lakehouse runs them.
LAKEHOUSE = [ROOT / "docs/install/delta.md", ROOT / "docs/install/iceberg.md"]
STREAMING = ROOT / "docs/streaming"
DATA: dict[str, Callable[[str], Any]] = {"json": json.loads, "yaml": yaml.safe_load}
MARKS = {"sql", "python", "sh", "text", "properties", "ebnf", "xml", "dockerfile", "console", *DATA}
BLOCK = re.compile(
    r"^```(?P<mark>sql|python|sh)\n(?P<code>.*?)^```\n(?:\s*^```text\n(?P<output>.*?)^```$)?"
    r"(?:\s*^!\[[^\]]*\]\((?P<picture>[^)\s]+\.svg)\)$)?",
    re.DOTALL | re.MULTILINE,
)
EXCERPT = re.compile(
    r'^```\w+ title="(?P<file>[^"]+)"\n(?P<code>.*?)^```$', re.DOTALL | re.MULTILINE
)
TITLE = re.compile(r' title="[^"]+"$')
UPDATE = "UPDATE_SNIPPETS" in os.environ


class Snippet(NamedTuple):
    """One block of a page, with the output that the page claims."""

    page: Path
    line: int
    mark: str
    code: str
    output: str | None
    picture: str | None

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def is_program(self) -> bool:
        """Whether it needs a separate process."""
        return self.mark == "sh" or (self.mark == "python" and "getOrCreate" in self.code)

    @property
    def wants_error(self) -> bool:
        return self.output is not None and re.match(r"\[[A-Z?]", self.output) is not None


def snippets(page: Path) -> list[Snippet]:
    """Return the executable blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Snippet(
            page,
            text.count("\n", 0, m.start()) + 1,
            m["mark"],
            m["code"],
            m["output"],
            m["picture"],
        )
        for m in BLOCK.finditer(text)
    ]


def stripped(text: str) -> str:
    """Return a text without trailing blanks and without blank lines around it."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def check(snippet: Snippet, got: str) -> None:
    """Compare the output of a snippet with that on the page, or update the page."""
    if snippet.output is None:
        return
    got = stripped(got)
    if not UPDATE:
        want = stripped(snippet.output)
        if snippet.wants_error:
            got, want = " ".join(got.split()), " ".join(want.split())
        assert got == want, snippet.place
        return
    if snippet.wants_error:
        got = textwrap.fill(got, 100, break_long_words=False, break_on_hyphens=False)
    text = snippet.page.read_text(encoding="utf-8")
    # a page may contain the same code twice: take the block nearest to its line
    start = min(
        (m for m in BLOCK.finditer(text) if m["code"] == snippet.code and m["output"] is not None),
        key=lambda m: abs(text.count("\n", 0, m.start()) + 1 - snippet.line),
    )
    changed = text[: start.start("output")] + got + "\n" + text[start.end("output") :]
    snippet.page.write_text(changed, encoding="utf-8")


def check_picture(snippet: Snippet, picture: Any) -> None:
    """Compare a picture with its file, or write the file."""
    path = snippet.page.parent / str(snippet.picture)
    got = pictures.svg(picture)
    if UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(got, encoding="utf-8")
    else:
        pictures.assert_same(got, path.read_text(encoding="utf-8"), snippet.place)


def run_block(snippet: Snippet, names: dict[str, Any]) -> None:
    """Run a Python block, and compare what it shows."""
    if snippet.picture is None:
        exec(compile(snippet.code, snippet.place, "exec"), names)  # noqa: S102 - our own page
    else:
        check_picture(snippet, pictures.shown(snippet.code, snippet.place, names))


def message(error: PySparkException) -> str:
    """Return an error as the pages show it: without the query, its position and Java's stack."""
    # getMessage() does not know the conditions of the clause
    is_own = str(error.getCondition()).startswith("MATCH_RECOGNIZE_")
    text = str(error) if is_own else error.getMessage() or ""
    text = re.split(r"; line \d+ pos \d+|== SQL|JVM stacktrace:", text, maxsplit=1)[0].strip()
    text = re.sub(r"\s*\(line \d+, pos \d+\)$", "", text)
    prefix = f"[{error.getCondition()}]"
    return text if text.startswith(prefix) else f"{prefix} {text}"


def plan(frame: Any) -> str:
    """Return the plan from EXPLAIN, with expression and plan ids renumbered from 1."""
    (row,) = frame.collect()
    text = str(row[0])
    for pattern in (r"(?<=#)\d+(?=L?\b)", r"(?<=plan_id=)\d+"):
        order = {
            found: str(i) for i, found in enumerate(dict.fromkeys(re.findall(pattern, text)), 1)
        }
        text = re.sub(pattern, lambda m, order=order: order[m[0]], text)
    return text


def run_statement(
    session: SparkSession, snippet: Snippet, capsys: pytest.CaptureFixture[str]
) -> str:
    """Return the output of a statement, or the error that the page expects."""
    capsys.readouterr()
    try:
        frame = session.sql(snippet.code)
        if frame.columns == ["plan"]:
            return plan(frame)
        frame.show(1000, truncate=False)
    except PySparkException as error:
        if not snippet.wants_error:
            error.add_note(snippet.place)
            raise
        return message(error)
    assert not snippet.wants_error, f"{snippet.place}: no error"
    return capsys.readouterr().out


def run_page(session: SparkSession, page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Run the blocks of a page that are not programs."""
    names: dict[str, Any] = {"spark": session, "__name__": "__main__"}
    if page.parent == STREAMING:
        run_block(snippets(STREAMING / "index.md")[0], names)
    for snippet in snippets(page):
        if snippet.is_program:
            continue
        if snippet.mark == "sql":
            check(snippet, run_statement(session, snippet, capsys))
        else:
            capsys.readouterr()
            run_block(snippet, names)
            check(snippet, capsys.readouterr().out)


# test_tutorial.py runs the others, so that another worker takes them
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.parent.name != "tutorial" and page not in LAKEHOUSE],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_page(spark: SparkSession, page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = spark.newSession()
    try:
        run_page(session, page, capsys)
    finally:
        tidy(session)


@pytest.mark.parametrize(
    "snippet",
    [
        # README has the main ways to load the plugin; each program starts a Spark or two, and what
        # it does beside that the blocks of other pages do, too
        pytest.param(
            snippet,
            id=snippet.place,
            marks=[] if snippet.page.name == "README.md" else [pytest.mark.slow],
        )
        for page in PAGES
        if page not in LAKEHOUSE
        for snippet in snippets(page)
        if snippet.is_program
    ],
)
def test_program(run_python: Run, run_program: Run, snippet: Snippet) -> None:
    if snippet.mark == "sh":
        run = run_program("bash", "-euo", "pipefail", "-c", snippet.code)
    else:
        run = run_python(snippet.code)
    assert run.returncode == 0, f"{snippet.place}: {run.stderr[-3000:]}"
    check(snippet, run.stdout)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_are_marked(page: Path) -> None:
    """A block that no test runs, or an output without a block, is a mistake."""
    text = page.read_text(encoding="utf-8")
    fences = re.findall(r"^([ >]*)```(.*)$", text, re.MULTILINE)
    assert all(not indent for indent, _ in fences), "an indented block"
    opened = [mark for _, mark in fences[::2]]
    excerpts = [mark for mark in opened if TITLE.search(mark)]
    assert {TITLE.sub("", mark) for mark in opened} <= MARKS
    assert len(excerpts) == len(list(EXCERPT.finditer(text)))
    assert all(mark == "" for _, mark in fences[1::2])
    assert opened.count("text") == sum(s.output is not None for s in snippets(page))


@pytest.mark.parametrize(
    ("place", "file", "code"),
    [
        pytest.param(place, excerpt["file"], excerpt["code"], id=place)
        for page in PAGES
        for text in [page.read_text(encoding="utf-8")]
        for excerpt in EXCERPT.finditer(text)
        for place in [f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, excerpt.start()) + 1}"]
    ],
)
def test_excerpt(place: str, file: str, code: str) -> None:
    """An excerpt on a page is in its file, in whole lines."""
    assert f"\n{code}" in f"\n{(ROOT / file).read_text(encoding='utf-8')}", place


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_data_parse(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(json|yaml)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert all(DATA[mark](code) for mark, code in blocks)


def test_readme_has_snippets() -> None:
    marks = [snippet.mark for snippet in snippets(ROOT / "README.md") if snippet.output]
    assert "sql" in marks
    assert "python" in marks
