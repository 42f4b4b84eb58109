"""The generated parts of the pages: conditions, configuration, conformance, supported versions.

They are kept in the repository, so that the pages can be read there. `python tools/pages.py` writes
between the lines `<!-- generated: NAME -->` and `<!-- end -->` what the function of that name in
the table below returns, and the messages on the errors page; `--check`, a part of `make check`,
fails if a page is not up to date. The data come from the sources of the plugin, its conditions and
its confs, from the conformance cases and from the results of tools/matrix.py. Their tables have no
blanks beside the bars.

mkdocs calls `on_page_markdown` for each page (mkdocs.yml names this file as a hook). The site adds
the docstrings of the Python functions, and each conformance case with its result in the last run.
"""

from __future__ import annotations

import ast
import csv
import html
import json
import re
import sys
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from standard import standard_table

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "src/main/resources/error/match-recognize-conditions.json"
CONFS = ROOT / "src/main/scala/io/matchrecognize/conf/MatchRecognizeConf.scala"
DOCS = ROOT / "docs"
ERRORS = DOCS / "reference/errors.md"
PACKAGE = ROOT / "python/src/spark_match_recognize"
DEFAULTS = ROOT / "spark-defaults.conf.example"
REPORT = ROOT / "out/docs/conformance.xml"
CASES = ROOT / "tests/conformance"
FEATURES = DOCS / "features.csv"
VERSIONS = DOCS / "reference/versions.json"
CASE_FILES = ("cases.json", "extensions.json", "scenarios.json", "window.json")

# Sections of the conformance page: title, the page about it, prefixes of the ids of its cases.
SECTIONS: list[tuple[str, str, tuple[str, ...]]] = [
    ("Defaults and smallest inputs", "../language/index.md", ("basic",)),
    ("PARTITION BY and ORDER BY", "../language/partition-order.md", ("part", "order")),
    ("PATTERN: order of preference", "../language/pattern.md", ("pat", "quant", "dialect")),
    ("PATTERN: parts that match no row", "../language/pattern.md", ("cycle", "empty")),
    ("PATTERN: exclusion", "../language/pattern.md", ("excl",)),
    ("PATTERN: long searches", "../performance.md", ("exp",)),
    ("ONE ROW and ALL ROWS PER MATCH", "../language/rows-per-match.md", ("out", "unmatched")),
    ("AFTER MATCH SKIP", "../language/skip.md", ("skip",)),
    ("SUBSET", "../language/subset.md", ("subset",)),
    ("Navigation", "../language/measures.md", ("nav",)),
    ("RUNNING and FINAL", "../language/measures.md", ("rf",)),
    ("CLASSIFIER and MATCH_NUMBER", "../language/measures.md", ("cls", "mno")),
    ("Aggregates", "../language/measures.md", ("agg",)),
    ("DEFINE: conditions that read other rows", "../language/define.md", ("ref",)),
    ("DEFINE: errors of conditions", "../language/define.md", ("ansi",)),
    ("WITHIN", "../language/within.md", ("within",)),
    ("SHOW TIMEOUT MATCHES", "../language/rows-per-match.md", ("timeout",)),
    ("MATCH_ROWTIME and MATCH_PROCTIME", "../language/measures.md", ("rowtime", "proctime")),
    ("Output columns", "../language/rows-per-match.md", ("layout",)),
    ("Names", "../language/index.md", ("name",)),
    ("Lexing", "../language/pattern.md", ("lex",)),
    ("Types and expressions", "../language/functions.md", ("type", "expr")),
    ("The clause inside queries", "../language/index.md", ("q",)),
    ("Row patterns in windows (R020)", "../language/window.md", ("window",)),
    ("Mistakes and their errors", "errors.md", ("err", "snowflake")),
    ("Several parts together", "../language/index.md", ("mix", "ok")),
    ("Whole queries", "../cookbook/index.md", ("use", "flink", "ydb", "taxi", "deltastream")),
]

NO_REPORT = """\
!!! note "No results"

    {why}. `make conformance` runs the cases, `make test` all tests; then `make docs` shows here how
    many cases of each part pass, and which.
"""


class Condition(NamedTuple):
    """One entry of the catalogue that an error may carry."""

    sql_state: str
    message: str


class Conf(NamedTuple):
    """One setting of the plugin."""

    key: str
    default: str
    meaning: str
    since: str


def conditions(catalogue: Path = CATALOGUE) -> dict[str, Condition]:
    """Return every condition by its full name; a sub-condition with its part of the message."""
    found = {}
    for name, entry in json.loads(catalogue.read_text(encoding="utf-8")).items():
        state = entry["sqlState"]
        for sub, part in entry.get("subClass", {}).items():
            found[f"{name}.{sub}"] = Condition(state, " ".join(part["message"]))
        if "subClass" not in entry:
            found[name] = Condition(state, " ".join(entry["message"]))
    return found


def described_conditions(markdown: str) -> list[str]:
    """Return the conditions with a heading on the errors page, in its order."""
    return re.findall(r"^### (MATCH_RECOGNIZE_\S+)$", markdown, re.MULTILINE)


def with_conditions(markdown: str) -> str:
    """Give the heading of each condition of the errors page a short name for the contents."""

    def entry(match: re.Match[str]) -> str:
        label = match[1].rpartition(".")[2].removeprefix("MATCH_RECOGNIZE_")
        return f'{match[0]} {{ data-toc-label="{label}" }}'

    return re.sub(r"^### (MATCH_RECOGNIZE_\S+)$", entry, markdown, flags=re.MULTILINE)


def with_messages(markdown: str) -> str:
    """Put SQLSTATE and message under the heading of each condition of the errors page.

    Raises:
        ValueError: If the page and the catalogue do not name the same conditions.
    """
    known = conditions()
    described = described_conditions(markdown)
    if sorted(described) != sorted(known):
        message = f"the errors page is not the catalogue: {sorted({*described} ^ {*known})}"
        raise ValueError(message)

    def entry(match: re.Match[str]) -> str:
        condition = known[match[1]]
        text = re.sub(r"<\w+>", r"`\g<0>`", condition.message)
        lines = textwrap.wrap(
            f"SQLSTATE {condition.sql_state}. {text}",
            120,
            break_long_words=False,
            break_on_hyphens=False,
        )
        return "\n".join([f"### {match[1]}", "", *lines, ""])

    return re.sub(
        r"^### (MATCH_RECOGNIZE_\S+)\n(?:\nSQLSTATE (?:.+\n)+)?",
        entry,
        markdown,
        flags=re.MULTILINE,
    )


def confs() -> Iterator[Conf]:
    """Return the plugin's confs, in the order of their source; not those for tests, `way`."""
    example = DEFAULTS.read_text(encoding="utf-8")
    defaults = dict(re.findall(r"^# (spark\.matchRecognize\.\S+)\s+(\S+)$", example, re.MULTILINE))
    source = CONFS.read_text(encoding="utf-8")
    entry = r'= (?!way)\w+\("(?P<key>spark\.matchRecognize\.\S+)".*?\)\(\s+(?P<doc>.*?)\n  \)'
    (since,) = re.findall(r'\.version\("(\S+)"\)', source)
    for match in re.finditer(entry, source, re.DOTALL):
        meaning = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match["doc"]))
        yield Conf(match["key"], defaults[match["key"]], meaning, since)


def configuration_list() -> str:
    """Return the plugin's confs as a list; their keys are too wide for a table."""
    lines: list[str] = []
    for conf in confs():
        default = "not set" if conf.default == "<undefined>" else f"`{conf.default}`"
        lines.append(f"- `{conf.key}`, {default}: {html.escape(conf.meaning)}")
    (since,) = {conf.since for conf in confs()}
    return "\n".join([*lines, "", f"All are there since {since}."])


def python_functions() -> str:
    """Return what the package exports: functions, their results, errors, each by its summary."""
    found = {}
    source = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    (exported,) = re.findall(r"^__all__ = (\[.*?\])", source, re.MULTILINE | re.DOTALL)
    names = ast.literal_eval(exported)
    for file in PACKAGE.rglob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names:
                kind = isinstance(node, ast.ClassDef) + node.name.endswith("Error")
                summary = (ast.get_docstring(node) or "").partition("\n")[0]
                found[kind, node.name] = f"- `mr.{node.name}`: {summary}"
    return "\n".join(found[key] for key in sorted(found))


def cases() -> dict[str, str]:
    """Return what each conformance case is about, by its id."""
    return {
        case["id"]: case["feature"]
        for file in CASE_FILES
        for case in json.loads((CASES / file).read_text(encoding="utf-8"))
    }


def section_of(case: str) -> str:
    """Return the title of the section that a case belongs to.

    Raises:
        ValueError: If no section takes it.
    """
    family = case.partition("-")[0]
    for title, _, families in SECTIONS:
        if family in families:
            return title
    message = f"no section of the conformance page takes {case}"
    raise ValueError(message)


def outcomes() -> dict[str, bool]:
    """Return for each case of the report whether it passed; expected failures have not."""
    found = {}
    for test in ET.parse(REPORT).getroot().iter("testcase"):  # noqa: S314 - our own file
        match = re.fullmatch(r"test_case\[(.*)\]", test.get("name", ""))
        if match and "test_conformance" in test.get("classname", ""):
            found[match[1]] = not any(
                test.find(tag) is not None for tag in ("failure", "error", "skipped")
            )
    return found


def expected() -> dict[str, bool]:
    """Return for each case whether it has to pass, as those do that not-yet.txt does not list."""
    lines = (CASES / "not-yet.txt").read_text(encoding="utf-8").splitlines()
    failing = {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}
    return {case: case not in failing for case in cases()}


def standard() -> str:
    """Return the table of the features of the standard."""
    beyond = {case["id"] for case in json.loads((CASES / "extensions.json").read_text("utf-8"))}
    return standard_table(expected(), beyond)


def conformance_table() -> str:
    """Return the table of sections."""
    passed = expected()
    lines = ["|about|cases|passed|", "|---|---:|---:|"]
    for title, page, _ in SECTIONS:
        ids = [case for case in passed if section_of(case) == title]
        lines.append(f"|[{title}]({page})|{len(ids)}|{sum(passed[case] for case in ids)}|")
    return "\n".join([*lines, f"|**all**|**{len(passed)}**|**{sum(passed.values())}**|"])


def conformance_cases() -> str:
    """Return the cases of each section with their results, or how to run them if no run exists."""
    if not REPORT.is_file():
        return NO_REPORT.format(why="No test has been run in this checkout yet")
    features, passed = cases(), outcomes()
    if features.keys() != passed.keys():
        return NO_REPORT.format(why="The cases have changed since the tests were run")
    lines = []
    for title, _, _ in SECTIONS:
        lines += ["", f'??? note "{title}"', ""]
        for case in features:
            if section_of(case) != title:
                continue
            mark = "passed" if passed[case] else "**failed**"
            # stars, braces and brackets of a feature are not markup
            feature = re.sub(r"([\\`*_{}\[\]])", r"\\\1", html.escape(features[case]))
            lines.append(f"    - `{case}`, {mark}: {feature}")
    return "\n".join(lines)


PREVIEW = "preview"  # in the place of a column's name


def versions_cell(result: Any) -> str:  # noqa: ANN401 - JSON
    """Return what the table of versions says of one suite in one column."""
    if not isinstance(result, dict):
        return ""
    failed = len(result["failed"])
    refused = result.get("refused", [])
    return (
        f"{result['passed']} passed"
        + (f", **{failed} failed**" if failed else "")
        + (f", {len(refused)} refused: {', '.join(sorted(set(refused)))}" if refused else "")
    )


def versions_table(results: dict[str, Any]) -> str:
    """Return how many tests of each suite passed in tools/matrix.py, and the reasons below it."""
    tried = {name: found for name, found in results.items() if name != PREVIEW}
    suites = list(dict.fromkeys(s for found in tried.values() for s in found if s != "refused"))
    rows = ["|Spark|" + "|".join(suites) + "|", "|---|" + "---:|" * len(suites)]
    reasons = []
    for name, found in tried.items():
        ran = {suite: result for suite, result in found.items() if suite != "refused"}
        cells = {
            suite: f"{result['passed']}"
            + (f", **{len(result['failed'])} failed**" if result["failed"] else "")
            for suite, result in ran.items()
        }
        if found.get("refused"):
            cells = dict.fromkeys(suites, "refused")
            reasons.append(f"- {name}: plain Spark does not start, `{found['refused']}`")
        lacking = sorted({why for result in ran.values() for why in result.get("refused", [])})
        reasons += [f"- {name}: some are refused: {why}" for why in lacking]
        rows.append(f"|{name}|" + "|".join(cells.get(suite, "") for suite in suites) + "|")
    reasons += [f"- The next Spark: {said}" for said in results.get(PREVIEW, {}).values()]
    return "\n".join([*rows, "", *reasons])


def versions() -> str:
    """Return the kept table of versions."""
    return versions_table(json.loads(VERSIONS.read_text(encoding="utf-8")))


def features() -> str:
    """Return the table of what each system has."""
    with FEATURES.open(encoding="utf-8", newline="") as file:
        heading, *rows = csv.reader(file)
    lines = ["|" + "|".join(heading[1:]) + "|", "|---|" + "---|" * (len(heading) - 2)]
    about = ""
    for group, *cells in rows:
        if group != about:
            lines.append(f"|**{group}**|" + "|" * (len(heading) - 2))
            about = group
        lines.append("|" + "|".join(cells) + "|")
    return "\n".join(lines)


GENERATED: dict[str, Callable[[], str]] = {
    "configuration": configuration_list,
    "conformance": conformance_table,
    "features": features,
    "python": python_functions,
    "standard": standard,
    "versions": versions,
}


def with_generated(markdown: str) -> str:
    """Write the generated parts of a page anew.

    Raises:
        ValueError: If a part has no end.
    """
    written, parts = re.subn(
        r"^<!-- generated: (\w+) -->\n.*?^<!-- end -->$",
        lambda match: f"<!-- generated: {match[1]} -->\n\n{GENERATED[match[1]]()}\n\n<!-- end -->",
        markdown,
        flags=re.MULTILINE | re.DOTALL,
    )
    if parts != markdown.count("<!-- generated: "):
        message = "a generated part has no line <!-- end -->"
        raise ValueError(message)
    return written


def stale() -> dict[Path, str]:
    """Return the pages that are not up to date, with what they should be."""
    found = {}
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        written = with_generated(with_messages(text) if page == ERRORS else text)
        if written != text:
            found[page] = written
    return found


def on_page_markdown(markdown: str, **context: Any) -> str:  # noqa: ANN401 - mkdocs' objects
    """Add what only the site has to one page; the hook of mkdocs."""
    page = context["page"].file.src_uri
    if page.startswith("internals/"):
        context["page"].meta["search"] = {"exclude": True}  # users search
    if page == "reference/python.md":  # the docstrings begin with what the list has
        return re.sub(
            r"^- `mr\.(\w+)`: .*", r"::: spark_match_recognize.\1\n", markdown, flags=re.MULTILINE
        )
    if page == "reference/conformance.md":
        return f"{markdown}\n{conformance_cases()}\n"
    return with_conditions(markdown) if page == "reference/errors.md" else markdown


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` name those that are not up to date; return 1 for these."""
    pages = stale()
    for page, text in pages.items():
        if "--check" in arguments:
            name = page.relative_to(ROOT)
            print(f"{name} is not up to date: run `python tools/pages.py`", file=sys.stderr)
        else:
            page.write_text(text, encoding="utf-8")
    return 1 if pages and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
