"""The pages cover all conditions, confs and cases; tools/pages.py writes the generated parts."""

from __future__ import annotations

import ast
import csv
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from pyspark.sql import SparkSession

import spark_match_recognize as mr

ROOT = Path(__file__).resolve().parent.parent
ERRORS = ROOT / "docs/reference/errors.md"
KEY = re.compile(r"spark\.matchRecognize\.[\w.]*\w")


@pytest.fixture(scope="module")
def pages(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """Return tools/pages.py."""
    return load_tool("pages")


@pytest.fixture(scope="module")
def keys(spark: SparkSession) -> dict[str, str]:
    """Return the plugin's confs with their defaults."""
    # SET knows the keys from the first clause on
    spark.sql("SELECT * FROM VALUES (1) AS t(k) MATCH_RECOGNIZE (MEASURES k AS k PATTERN (A))")
    rows = spark.newSession().sql("SET -v").collect()
    return {row[0]: row[1] for row in rows if KEY.fullmatch(row[0])}


def test_errors_page_has_every_condition_with_its_message(pages: ModuleType) -> None:
    """If not: `python tools/pages.py`."""
    markdown = ERRORS.read_text(encoding="utf-8")
    assert sorted(pages.described_conditions(markdown)) == sorted(pages.conditions())
    assert pages.with_messages(markdown) == markdown
    assert markdown.count("\nSQLSTATE ") == len(pages.conditions())


def test_contents_of_the_errors_page_have_short_names(pages: ModuleType) -> None:
    filled = pages.with_conditions(ERRORS.read_text(encoding="utf-8"))
    labels = re.findall(
        r'^### MATCH_RECOGNIZE_\S+ \{ data-toc-label="(.+)" \}$', filled, re.MULTILINE
    )
    assert len(labels) == len(pages.conditions())
    assert max(map(len, labels)) <= 30
    assert not [label for label in labels if label.startswith("MATCH_RECOGNIZE")]


def test_configuration_page_says_what_a_session_says(
    pages: ModuleType, spark: SparkSession
) -> None:
    spark.sql("SELECT * FROM VALUES (1) AS t(k) MATCH_RECOGNIZE (MEASURES k AS k PATTERN (A))")
    rows = [tuple(row) for row in spark.sql("SET -v").collect() if KEY.fullmatch(row[0])]
    shown = [(conf.key, conf.meaning, conf.since) for conf in pages.confs()]
    assert sorted(shown) == sorted((key, meaning, since) for key, _, meaning, since in rows)
    text = pages.configuration_list()
    assert text.count("\n- `") + 1 == len(rows)
    assert "&amp;" not in text
    assert "undefined" not in text


def test_pages_that_are_kept_are_up_to_date(pages: ModuleType) -> None:
    """If not: `python tools/pages.py`."""
    assert list(pages.stale()) == []
    texts = [page.read_text(encoding="utf-8") for page in pages.DOCS.rglob("*.md")]
    parts = [name for text in texts for name in re.findall(r"<!-- generated: (\w+) -->", text)]
    assert sorted(parts) == sorted(pages.GENERATED)


def test_a_page_that_is_not_up_to_date_fails_the_check(
    pages: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "DOCS", tmp_path)
    monkeypatch.setitem(pages.GENERATED, "versions", lambda: "|new|")
    page, other = tmp_path / "a.md", tmp_path / "b.md"
    page.write_text("# A\n\n<!-- generated: versions -->\n\n|old|\n\n<!-- end -->\nlast\n")
    other.write_text("# B\n")
    before = page.read_text()
    assert pages.main(["--check"]) == 1
    assert capsys.readouterr().err == "a.md is not up to date: run `python tools/pages.py`\n"
    assert page.read_text() == before
    assert pages.main([]) == 0
    assert page.read_text() == before.replace("old", "new")
    assert pages.main(["--check"]) == 0
    page.write_text("<!-- generated: versions -->\n")
    with pytest.raises(ValueError, match="no line <!-- end -->"):
        pages.main([])


def test_site_shows_each_case_with_its_result(
    pages: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pages, "REPORT", tmp_path / "conformance.xml")
    assert "No test has been run" in pages.conformance_cases()
    test = '<testcase classname="tests.test_conformance" name="test_case[{}]"/>'
    ids = list(pages.cases())
    for known in (ids, ids[1:]):
        tests = "".join(test.format(case) for case in known)
        pages.REPORT.write_text(f"<testsuite>{tests}</testsuite>")
        shown = pages.conformance_cases()
        assert shown.count(", passed: ") == (len(ids) if known is ids else 0)
    assert "The cases have changed" in shown


def test_cases_that_need_not_pass_yet_are_counted(
    pages: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for file in pages.CASES.glob("*.json"):
        (tmp_path / file.name).write_text(file.read_text("utf-8"), encoding="utf-8")
    monkeypatch.setattr(pages, "CASES", tmp_path)

    def rows(failing: str) -> dict[str, list[str]]:
        (tmp_path / "not-yet.txt").write_text(f"# reasons\n{failing}")
        lines = pages.standard().splitlines()[2:]
        return {cells[1]: cells[3:6] for cells in (line.split("|") for line in lines)}

    passed = rows("")
    assert list(passed) == ["R010", "R020", "R030", ""]
    count = len(pages.cases())
    assert sum(int(cases) for cases, _, _ in passed.values()) == count
    assert int(passed["R010"][0]) > 300
    assert int(passed["R020"][0]) > 20
    assert int(passed["R030"][0]) > 10
    assert all(row[0] == row[1] and row[2] == "complete" for name, row in passed.items() if name)
    broken = rows("window-seek # the reason\n")
    assert broken["R020"][2] == "**not complete**"
    assert int(broken["R020"][1]) == int(broken["R020"][0]) - 1
    assert {name for name in broken if broken[name] != passed[name]} == {"R020"}
    assert f"|**all**|**{count}**|**{count - 1}**|" in pages.conformance_table()


def test_errors_page_refuses_a_condition_too_many(pages: ModuleType) -> None:
    markdown = ERRORS.read_text(encoding="utf-8") + "\n### MATCH_RECOGNIZE_NO_SUCH\n"
    with pytest.raises(ValueError, match="MATCH_RECOGNIZE_NO_SUCH"):
        pages.with_messages(markdown)


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/install/*.md")), ids=lambda page: page.stem)
def test_each_place_says_whether_it_was_tried(page: Path) -> None:
    title, _, first, *_ = page.read_text(encoding="utf-8").splitlines()
    assert title.startswith("# ")
    assert re.match(r"(Not )?[Tt]ried here\b", first), first
    assert f"install/{page.name}" in (ROOT / "docs/install.md").read_text(encoding="utf-8")


def test_install_page_quotes_what_the_doctor_says() -> None:
    sources = [ast.parse(path.read_text()) for path in (ROOT / "python/src").rglob("*.py")]
    nodes = (node for source in sources for node in ast.walk(source))
    said = "\n".join(
        str(node.value) for node in nodes if isinstance(node, ast.Constant) and node.value
    )
    text = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    table = text.partition("## Checking the installation")[2].partition("\n## ")[0]
    quotes = re.findall(r"\| `(.+)` \|$", table, re.MULTILINE)
    assert len(quotes) >= 7
    for quote in quotes:  # numbers and names are filled in
        pieces = re.split(r"\d+(?:\.\d+)?|io\.matchrecognize\S*", quote)
        assert all(piece.strip(" ,") in said for piece in pieces), quote


def test_each_case_has_a_section(pages: ModuleType) -> None:
    titles = {pages.section_of(case) for case in pages.cases()}
    assert titles == {title for title, _, _ in pages.SECTIONS}


def test_example_of_defaults_lists_every_conf(keys: dict[str, str]) -> None:
    text = (ROOT / "spark-defaults.conf.example").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^# (spark\.matchRecognize\.\S+)\s+(\S+)$", text, re.MULTILINE))
    assert listed.keys() == keys.keys()
    for key, default in listed.items():
        value = str(2**30) + "b" if default == "1g" else default
        assert value == keys[key], key


def test_pages_name_confs_that_exist(keys: dict[str, str]) -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        named = set(KEY.findall(page.read_text(encoding="utf-8")))
        assert named <= keys.keys(), page


def test_python_page_lists_what_the_package_exports(pages: ModuleType) -> None:
    text = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    page = SimpleNamespace(file=SimpleNamespace(src_uri="reference/python.md"), meta={})
    site = pages.on_page_markdown(text, page=page)
    for markdown, entry in (
        (text, r"^- `mr\.(\w+)`: \w.*\.$"),
        (site, r"^::: spark_match_recognize\.(\w+)$"),
    ):
        assert sorted(re.findall(entry, markdown, re.MULTILINE)) == sorted(mr.__all__)


def test_table_of_systems_is_complete(pages: ModuleType) -> None:
    heading, _, *rows = pages.features().splitlines()
    assert all(row.count("|") == heading.count("|") for row in rows)
    assert len(rows) > 30
    with pages.FEATURES.open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert all(cell == cell.strip() != "" for cell in cells)


FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#]*)#([^)\s]+)\)")


def anchors(markdown: str) -> set[str]:
    """Return the anchors of a page, as Python-Markdown makes them of its headings."""
    found = set(re.findall(r'\bid="([^"]+)"', markdown))
    found |= set(re.findall(r"^::: (\S+)", markdown, re.MULTILINE))
    for heading in re.findall(r"^#+ +(.+?) *$", markdown, re.MULTILINE):
        text, _, attributes = heading.partition(" {")
        ascii_only = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
        slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip().lower())
        named = re.search(r"#([\w-]+)", attributes)
        found.add(named[1] if named else slug)
    return found


def test_links_lead_to_headings(pages: ModuleType) -> None:
    """What `make docs` refuses, for links to a place in a page; here without building the site."""
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    texts = {file: FENCE.sub("", file.read_text(encoding="utf-8")) for file in files}
    texts[ERRORS] = pages.with_conditions(texts[ERRORS])
    known = {file: anchors(text) for file, text in texts.items()}
    links = [
        (file, (file.parent / page).resolve() if page else file, anchor)
        for file, text in texts.items()
        for page, anchor in LINK.findall(text)
        if not page.startswith("http")
    ]
    assert len(links) > 40
    broken = [
        f"{file.relative_to(ROOT)}: {target.name}#{anchor}"
        for file, target, anchor in links
        if target in known and anchor not in known[target]
    ]
    assert broken == []


def test_colours_of_the_clause(load_tool: Callable[[str], ModuleType]) -> None:
    lexer = load_tool("lexer").ClauseLexer()
    sql = """SELECT day, pattern FROM t MATCH_RECOGNIZE (
      ORDER BY day MEASURES LAST(MOVE.day) AS day, COUNT(*) AS n AFTER MATCH SKIP TO LAST UP
      PATTERN (^ STRT (DOWN | FLAT){2,3}? UP) SUBSET MOVE = (DOWN, UP)
      DEFINE DOWN AS price < PREV(price))"""
    found = {(str(kind).removeprefix("Token."), text) for kind, text in lexer.get_tokens(sql)}
    kinds: dict[str, set[str]] = {}
    for kind, text in found:
        kinds.setdefault(kind, set()).add(text)
    assert kinds["Name.Variable"] == {"STRT", "DOWN", "FLAT", "UP", "MOVE"}
    assert kinds["Name.Function"] == {"LAST", "COUNT", "PREV"}
    assert {"MATCH_RECOGNIZE", "PATTERN", "SKIP", "LAST", "SUBSET", "DEFINE"} <= kinds["Keyword"]
    assert {"day", "pattern", "price"} <= kinds["Name"]
    assert "Error" not in kinds
