"""The parts of the site that are generated: conditions, configuration, conformance.

mkdocs calls `on_page_markdown` for each page (mkdocs.yml names this file as a hook), and a line
`<!-- generated: NAME -->` in a page is replaced by what the table below makes for that name. The
data come from the plugin itself: the catalogue of conditions in the jar's sources, `SET -v` of a
session, the JUnit report of the conformance test. So nothing generated is kept in the repository.

    python tools/pages.py configuration FILE    # writes what SET -v says about the plugin's keys
"""

from __future__ import annotations

import html
import json
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "src/main/resources/error/match-recognize-conditions.json"
CONFIGURATION = ROOT / "out/docs/configuration.json"
REPORT = ROOT / "out/docs/conformance.xml"
CASES = ROOT / "tests/conformance"
CASE_FILES = ("cases.json", "extensions.json", "scenarios.json")
PREFIX = "spark.matchRecognize."

# Sections of the conformance page: title, the page about it, beginnings of the ids of its cases.
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
    ("Mistakes and their errors", "errors.md", ("err", "snowflake")),
    ("Several parts together", "../language/index.md", ("mix", "ok")),
    ("Whole queries", "../cookbook/index.md", ("use", "flink", "ydb", "taxi", "deltastream")),
]


class Condition(NamedTuple):
    """One entry of the catalogue that an error may carry."""

    sql_state: str
    message: str


def conditions(catalogue: Path = CATALOGUE) -> dict[str, Condition]:
    """Return every condition by its full name; one with sub-conditions stands for those only."""
    found = {}
    for name, entry in json.loads(catalogue.read_text(encoding="utf-8")).items():
        head = " ".join(entry["message"])
        state = entry["sqlState"]
        for sub, part in entry.get("subClass", {}).items():
            found[f"{name}.{sub}"] = Condition(state, f"{head} {' '.join(part['message'])}")
        if "subClass" not in entry:
            found[name] = Condition(state, head)
    return found


def described_conditions(markdown: str) -> list[str]:
    """Return the conditions that the errors page has a heading for, in its order."""
    return re.findall(r"^### (MATCH_RECOGNIZE_\S+)$", markdown, re.MULTILINE)


def with_conditions(markdown: str) -> str:
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
        text = html.escape(condition.message)
        return f"{match[0]}\n\nSQLSTATE {condition.sql_state}\n\n> {text}\n"

    return re.sub(r"^### (MATCH_RECOGNIZE_\S+)$", entry, markdown, flags=re.MULTILINE)


def configuration_table() -> str:
    """Return the plugin's confs as a table."""
    lines = ["| key | default | meaning | since |", "| --- | --- | --- | --- |"]
    for entry in json.loads(CONFIGURATION.read_text(encoding="utf-8")):
        key, default, meaning, since = (html.escape(str(part)) for part in entry)
        lines.append(f"| `{key}` | `{default}` | {meaning} | {since} |")
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
    """Return for each case of the report whether it passed; an expected failure has not."""
    found = {}
    for test in ET.parse(REPORT).getroot().iter("testcase"):  # noqa: S314 - our own file
        match = re.fullmatch(r"test_case\[(.*)\]", test.get("name", ""))
        if match and "test_conformance" in test.get("classname", ""):
            found[match[1]] = not any(
                test.find(tag) is not None for tag in ("failure", "error", "skipped")
            )
    return found


def conformance_tables() -> str:
    """Return the table of sections, then the cases of each.

    Raises:
        ValueError: If the report is not one of all cases.
    """
    features, passed = cases(), outcomes()
    if features.keys() != passed.keys():
        message = f"the report is not of these cases: {sorted(features.keys() ^ passed.keys())}"
        raise ValueError(message)
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
            # stars, braces and brackets of a feature are no markup
            feature = re.sub(r"([\\`*_{}\[\]])", r"\\\1", html.escape(features[case]))
            yield f"    - `{case}`, {mark}: {feature}"


GENERATED: dict[str, Callable[[], str]] = {
    "configuration": configuration_table,
    "conformance": conformance_tables,
}


def on_page_markdown(markdown: str, **context: Any) -> str:  # noqa: ANN401 - mkdocs' objects
    """Fill in the generated parts of one page; the hook of mkdocs."""
    markdown = re.sub(
        r"^<!-- generated: (\w+) -->$",
        lambda match: GENERATED[match[1]](),
        markdown,
        flags=re.MULTILINE,
    )
    if context["page"].file.src_uri == "reference/errors.md":
        return with_conditions(markdown)
    return markdown


def write_configuration(file: Path) -> None:
    """Ask a session for the plugin's confs and write them as rows of a table."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - a build of the site has no pyspark

    from spark_match_recognize import configure  # noqa: PLC0415 - as above

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = configure(builder).getOrCreate()
    # the keys are known to SET from the first clause on
    spark.sql("SELECT * FROM VALUES (1) AS t(k) MATCH_RECOGNIZE (MEASURES k AS k PATTERN (A))")
    rows = [list(row) for row in spark.sql("SET -v").collect() if row[0].startswith(PREFIX)]
    spark.stop()
    if not rows:
        message = f"SET -v lists no {PREFIX}*"
        raise ValueError(message)
    file.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] != ["configuration"]:
        sys.exit(__doc__)
    write_configuration(Path(sys.argv[2]))
