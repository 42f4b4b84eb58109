"""What names Spark versions agrees with project/SparkVersions.scala, the one table of them."""

from __future__ import annotations

import re
from importlib.metadata import metadata
from pathlib import Path

import pytest
from environments import NEWEST_OF_EACH, columns

ROOT = Path(__file__).resolve().parent.parent
MINORS = [version.rpartition(".")[0] for version in NEWEST_OF_EACH]
OLDEST, NEWEST = MINORS[0], MINORS[-1]
NEXT = f"{NEWEST.partition('.')[0]}.{int(NEWEST.partition('.')[2]) + 1}"
AND = f"{', '.join(MINORS[:-1])} and {NEWEST}"
SUITES = "src/test/scala/io/matchrecognize"

# Words that each of these files has, for the minors of the table.
WORDS = {
    "README.md": [f"| {', '.join(reversed(MINORS))} | 2.13 |"],
    "docs/reference/versions.md": [f"runs on Spark {AND},", f"| | {' | '.join(MINORS)} |"],
    "docs/streaming/index.md": [f"on Spark {OLDEST} to {NEWEST}"],
    "docs/install/databricks.md": [f"{OLDEST} to {NEWEST}"],
    "docs/internals/release.md": [f"`MINORS={NEWEST}`"],
    "python/pyproject.toml": [
        f'"pyspark>={OLDEST},<{NEXT}"',
        f'"pyspark[connect]>={OLDEST},<{NEXT}"',
    ],
    "requirements-spark.txt": [f"pyspark=={spark} " for spark in {c.spark for c in columns()}],
    "requirements.txt": [f"pyspark=={NEWEST_OF_EACH[-1]} "],
    "examples/dbt/requirements.txt": [f"pyspark=={NEWEST_OF_EACH[-1]} "],
    "Makefile": [f"MINORS={NEWEST} "],
    f"{SUITES}/shims/MinorClassSuite.scala": [", ".join(f'"{minor}"' for minor in MINORS)],
    f"{SUITES}/errors/GoldenErrorSuite.scala": [f'BuildInfo.sparkMinor == "{NEWEST}"'],
}
# Pages about a platform name the minor that its vendor ships.
PLATFORMS = ("databricks", "cloud")


def text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("file", WORDS)
def test_words(file: str) -> None:
    assert [words for words in WORDS[file] if words not in text(file)] == []


def test_tables_of_the_installation_have_every_minor() -> None:
    rows = re.findall(
        r"^\| ((?:\d\.\d+(?:, )?)+) \| 2\.13 \|", text("docs/install.md"), re.MULTILINE
    )
    assert [minor for row in rows for minor in row.split(", ")] == MINORS[::-1]


def test_one_page_says_which_python() -> None:
    """Others name what the newest pyspark needs, or link the page."""
    (newest,) = metadata("pyspark").get_all("Requires-Python") or []
    (package,) = re.findall(r'requires-python = "(.*)"', text("python/pyproject.toml"))
    needed = {newest: f"{newest.removeprefix('>=')} and newer", package: "3.10 and newer"}
    rows = re.findall(
        r"^\| ([\d., ]+) \| 2\.13 \|[^|]*\| ([^|]*) \|", text("docs/install.md"), re.MULTILINE
    )
    assert [python for _, python in rows] == [needed[newest], *[needed[package]] * (len(rows) - 1)]
    assert package == ">=3.10"
    pages = ["README.md", "CONTRIBUTING.md", *(str(p) for p in ROOT.glob("docs/**/*.md"))]
    said = {
        (page, python)
        for page in pages
        if not page.endswith("docs/install.md")
        for python in re.findall(r"Python (3\.\d+)", text(page))
    }
    assert {python for _, python in said} == {newest.removeprefix(">=")}, said


def test_commands_name_the_newest() -> None:
    named = re.compile(
        r"pyspark==(\d+\.\d+\.\d+)|-spark-(\d+\.\d+)_2\.13|jar --spark (\d+\.\d+)|MINORS=(\d+\.\d+)"
        r"|apache/spark:(\d+\.\d+\.\d+)|sparkVersion: (\d+\.\d+\.\d+)"
    )
    pages = [ROOT / "README.md", ROOT / "spark-defaults.conf.example", *ROOT.glob("docs/**/*.md")]
    found = {
        (page, version)
        for page in pages
        if page.stem not in PLATFORMS
        for groups in named.findall(page.read_text(encoding="utf-8"))
        for version in groups
        if version
    }
    assert len(found) > 10
    assert [one for one in found if one[1] not in (NEWEST, NEWEST_OF_EACH[-1])] == []


def test_platforms_have_a_minor_of_the_table() -> None:
    for page in PLATFORMS:
        jars = set(re.findall(r"-spark-(\d+\.\d+)_2\.13", text(f"docs/install/{page}.md")))
        assert jars, page
        assert jars <= set(MINORS), page


def test_no_page_counts_the_minors() -> None:
    """A number of them would be one more place to touch."""
    pages = ["README.md", "CONTRIBUTING.md", "Makefile", *map(str, ROOT.glob("docs/**/*.md"))]
    number = "(?:three|four|five)"
    counted = re.compile(rf"\b{number} (?:Spark )?minors|jars of all {number}\b")
    assert [
        (page, counted.findall(text(page))) for page in pages if counted.search(text(page))
    ] == []
