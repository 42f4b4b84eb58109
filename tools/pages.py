"""The generated parts of the site: conditions, configuration, conformance, supported versions.

mkdocs calls `on_page_markdown` for each page (mkdocs.yml names this file as a hook), and a line
`<!-- generated: NAME -->` in a page is replaced by the result of the function for that name in the
table below. The data come from the sources of the plugin, its conditions and its confs, and from
the JUnit report of the last test run, if there was one, and the pages are built in seconds;
tests/test_pages.py compares them with a session. Only the messages on the errors page are kept in
the repository: `python tools/pages.py` writes them.
"""

from __future__ import annotations

import csv
import html
import json
import re
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from standard import standard_table

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "src/main/resources/error/match-recognize-conditions.json"
CONFS = ROOT / "src/main/scala/io/matchrecognize/conf/MatchRecognizeConf.scala"
ERRORS = ROOT / "docs/reference/errors.md"
DEFAULTS = ROOT / "spark-defaults.conf.example"
REPORT = ROOT / "out/docs/conformance.xml"
CASES = ROOT / "tests/conformance"
FEATURES = ROOT / "docs/features.csv"
VERSIONS = ROOT / "docs/reference/versions.json"
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
    """Return the plugin's confs as a list of definitions; their keys are too wide for a table."""
    lines: list[str] = []
    for conf in confs():
        default = "not set" if conf.default == "<undefined>" else f"`{conf.default}`"
        lines += [f"`{conf.key}`", f":   Default: {default}. {html.escape(conf.meaning)}"]
        lines += [f"    Since {conf.since}.", ""]
    return "\n".join(lines)


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


def standard() -> str:
    """Return the rows of the features of the standard, or nothing if there is no report of them."""
    passed = outcomes() if REPORT.is_file() else {}
    if cases().keys() != passed.keys():
        return ""
    beyond = {case["id"] for case in json.loads((CASES / "extensions.json").read_text("utf-8"))}
    return standard_table(passed, beyond)


def conformance_tables() -> str:
    """Return the table of sections and the cases of each, or how to run them if no run exists."""
    if not REPORT.is_file():
        return NO_REPORT.format(why="No test has been run in this checkout yet")
    features, passed = cases(), outcomes()
    if features.keys() != passed.keys():
        return NO_REPORT.format(why="The cases have changed since the tests were run")
    return "\n".join(_conformance_lines(features, passed))


def _conformance_lines(features: dict[str, str], passed: dict[str, bool]) -> Iterator[str]:
    yield from ["| about | cases | passed |", "| --- | ---: | ---: |"]
    members = {title: [c for c in features if section_of(c) == title] for title, _, _ in SECTIONS}
    for title, page, _ in SECTIONS:
        ids = members[title]
        yield f"| [{title}]({page}) | {len(ids)} | {sum(passed[case] for case in ids)} |"
    yield f"| **all** | **{len(features)}** | **{sum(passed.values())}** |"
    for title, _, _ in SECTIONS:
        yield from ["", f'??? note "{title}"', ""]
        for case in members[title]:
            mark = "passed" if passed[case] else "**failed**"
            # stars, braces and brackets of a feature are not markup
            feature = re.sub(r"([\\`*_{}\[\]])", r"\\\1", html.escape(features[case]))
            yield f"    - `{case}`, {mark}: {feature}"


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
    """Return the results of tools/matrix.py as a table, with its reasons below it."""
    tried = {name: found for name, found in results.items() if name != PREVIEW}
    suites = list(dict.fromkeys(s for found in tried.values() for s in found if s != "refused"))
    rows = ["| Spark | " + " | ".join(suites) + " |", "| --- |" + " --- |" * len(suites)]
    reasons = []
    for name, found in tried.items():
        cells = [versions_cell(found.get(suite)) for suite in suites]
        if found.get("refused"):
            cells = ["refused"] * len(suites)
            reasons.append(f"- {name}: plain Spark does not start, `{found['refused']}`")
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    if PREVIEW in results:
        rows.append("| the next, may fail | see below |" + " |" * (len(suites) - 1))
    reasons += [f"- The next Spark: {said}" for said in results.get(PREVIEW, {}).values()]
    return "\n".join([*rows, "", *reasons])


def versions() -> str:
    """Return the kept table of versions."""
    return versions_table(json.loads(VERSIONS.read_text(encoding="utf-8")))


def features() -> str:
    """Return the table of what each system has."""
    with FEATURES.open(encoding="utf-8", newline="") as file:
        heading, *rows = csv.reader(file)
    lines = ["| " + " | ".join(heading[1:]) + " |", "| --- |" + " --- |" * (len(heading) - 2)]
    about = ""
    for group, *cells in rows:
        if group != about:
            lines.append(f"| **{group}** |" + " |" * (len(heading) - 2))
            about = group
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


GENERATED: dict[str, Callable[[], str]] = {
    "configuration": configuration_list,
    "conformance": conformance_tables,
    "features": features,
    "standard": standard,
    "versions": versions,
}


def on_page_markdown(markdown: str, **context: Any) -> str:  # noqa: ANN401 - mkdocs' objects
    """Fill in the generated parts of one page; the hook of mkdocs."""
    if context["page"].file.src_uri.startswith("internals/"):
        context["page"].meta["search"] = {"exclude": True}  # users search
    markdown = re.sub(
        r"^<!-- generated: (\w+) -->$",
        lambda match: GENERATED[match[1]](),
        markdown,
        flags=re.MULTILINE,
    )
    if context["page"].file.src_uri == "reference/errors.md":
        return with_conditions(markdown)
    return markdown


if __name__ == "__main__":  # the messages of the errors page are kept in the repository
    ERRORS.write_text(with_messages(ERRORS.read_text(encoding="utf-8")), encoding="utf-8")
