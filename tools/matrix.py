"""Test the wheel on every supported Spark: versions by suites, one table.

    python tools/matrix.py [--spark 4.0.5 ...] [--java 21 ...] [--suite tables ...]
        [--sample tables=30 ...]

A column of the table is one Spark on one Java; a row is a group of the Python tests, run on the
installed wheel, which must contain the jars of all minors (`make test-all` sees to it). Each Spark
gets an environment of its own with that pyspark, and the other packages of .venv. A column in
which plain Spark does not start is refused with Spark's reason, and no suite runs there.

The results are kept in docs/reference/versions.json, and the page "Supported versions" is made
of them; a run of some columns or suites replaces those only. A sample is for the tests of every
change: its reports go to those of `make test`, and the table is not kept.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import class_data
import pages
import preview
from environments import (
    NEWEST_OF_EACH,
    OUT,
    ROOT,
    Column,
    columns,
    environment,
    javas,
    lakehouse_minors,
    minors_of_wheel,
    refusal,
    variables,
)
from matrix_results import Results, counts, failures, merged
from pages import PREVIEW, VERSIONS, versions_cell, versions_table

# The tests of a row, and pytest's selection among them.
SUITES = {
    "linkage": ["tests/test_linkage.py"],
    "tables": ["tests/test_conformance.py", "tests/test_sorted_input.py"],
    "streams": ["tests/test_stream_conformance.py", "-m", "not slow"],
    "settings": ["tests/test_settings.py", "-m", "not slow"],
    "windows": ["tests/test_window.py"],
    "plans": ["tests/test_plans.py", "-m", "not slow"],
    "python": ["tests/test_frames.py", "tests/test_trace.py"],
    "errors": ["tests/test_errors.py"],
    "loading": ["tests/test_loading.py", "tests/test_loading_servers.py"],
    "lakehouse": ["tests/lakehouse"],
    "cluster": ["tests/cluster"],
}
# Suites run two at a time, in one process each. Those that take longest begin first, and those
# whose tests start as many processes as a small machine bears are alone, at the end.
AT_ONCE = 2
LONGEST = ("lakehouse", "settings")
ALONE = ("cluster",)
# A Connect server in a program's own process listens on one fixed port.
CONNECT_PORT = Lock()
LONG_ENOUGH = 45 * 60  # seconds
# On minors that are not the newest each case has two of the sixteen rows of settings, and a cluster
# does not search 20 million rows. On those that are not the oldest either, some ways to load the
# plugin and some calls of Python are tried, those that `make test` tries, and there is no cluster.
IN_MAKE_TEST = ["-m", "not slow and not matrix"]
NOT_ON_NEWEST = {"settings": IN_MAKE_TEST, "cluster": ["-m", "not slow"]}
BETWEEN = {"loading": IN_MAKE_TEST, "python": IN_MAKE_TEST}
# An older patch, or another Java than the oldest, has the same jar: its calls, some of the cases.
ON_ALL = ("linkage", "tables", "errors")
A_THIRD = {"tables": ["--sample=160"]}

# What a sample reports where Maven Central does not answer: .ci/skips.txt allows it.
NO_ANSWER = re.compile(r"Could not (transfer|find|resolve)|was not found in")
NOT_FETCHED = """<testsuites><testsuite name="lakehouse">
<testcase classname="tests.lakehouse" name="all">
<skipped message="Maven could not fetch Delta Lake and Iceberg"/>
</testcase></testsuite></testsuites>
"""


class Job(NamedTuple):
    """A suite in a column, or so many of its tests."""

    column: Column
    suite: str
    sample: int

    @property
    def name(self) -> str:
        """Return what is printed of it."""
        return f"{self.column.name}, {self.suite}"

    @property
    def report(self) -> Path:
        """Return the file of its JUnit report."""
        if self.sample:
            return ROOT / "out/reports" / f"{self.column.folder}-{self.suite}.xml"
        return OUT / self.column.folder / f"{self.suite}.xml"


def run(job: Job) -> None:
    """Run a suite, and write its JUnit report and its log."""
    column, suite, report = job.column, job.suite, job.report
    python = environment(column)
    log_file = OUT / column.folder / f"{suite}.log"
    for file in (log_file, report):
        file.parent.mkdir(parents=True, exist_ok=True)
    command: list[str | Path] = [python, "-m", "pytest", *SUITES[suite], "--tb=short"]
    command += [f"--junitxml={report}"]
    if column.spark != NEWEST_OF_EACH[-1]:
        command += NOT_ON_NEWEST.get(suite, [])
        command += BETWEEN.get(suite, []) if column.spark != NEWEST_OF_EACH[0] else []
    if not is_whole(column):
        command += A_THIRD.get(suite, [])
    if job.sample:
        command += [f"--sample={job.sample}", "-m", "not slow"]
    env = variables(column, python)
    env["CLASS_DATA"] = str(class_file(column))
    if suite == "lakehouse" and not lakehouse(column).is_file():
        fetched = maven_log(column).read_text(encoding="utf-8")
        print(f"{job.name}: Maven failed; see {maven_log(column)}", flush=True)
        if job.sample and NO_ANSWER.search(fetched):
            report.write_text(NOT_FETCHED, encoding="utf-8")
        return
    began = time.monotonic()
    with log_file.open("w") as log:
        try:
            subprocess.run(  # noqa: S603
                command, cwd=ROOT, env=env, stdout=log, stderr=log, check=False, timeout=LONG_ENOUGH
            )
        except subprocess.TimeoutExpired as late:
            print(late, file=log)
    print(f"{job.name}: {time.monotonic() - began:.0f} s", flush=True)


def fetch(column: Column, suites: list[str]) -> None:
    """Make the environments that the suites of a column need, and fetch jars."""
    environment(column)
    if "lakehouse" in suites:
        maven_log(column).parent.mkdir(parents=True, exist_ok=True)
        target = str(lakehouse(column).relative_to(ROOT))
        with maven_log(column).open("w") as log:
            made = ["make", "--no-print-directory", target]
            subprocess.run(made, cwd=ROOT, stdout=log, stderr=log, check=False)  # noqa: S603


def start(column: Column, *, is_long: bool) -> str:
    """Return why plain Spark does not start in a column, or write what its JVMs share.

    That takes a minute, and each JVM needs five seconds of CPU less for it.
    """
    python, file = environment(column), class_file(column)
    if reason := refusal(column, python):
        return reason
    if is_long and not file.is_file():
        command: list[str | Path] = [python, class_data.__file__, file]
        with CONNECT_PORT:
            subprocess.run(command, env=variables(column, python), check=True)  # noqa: S603
    return ""


def class_file(column: Column) -> Path:
    """Return the file of classes that the JVMs of a column share, if it has one."""
    return OUT / column.folder / "class-data.jsa"


def lakehouse(column: Column) -> Path:
    """Return the file that is there as soon as the jars of Delta Lake and Iceberg are."""
    return ROOT / f"out/lakehouse/{column.minor}/.complete"


def maven_log(column: Column) -> Path:
    """Return the log of what fetches them."""
    return OUT / column.folder / "maven.log"


def run_all(jobs: list[Job], *, resume: bool) -> Iterator[Job]:
    """Run suites, if resumed those that have no report, and return each when it has ended."""

    def run_one(job: Job) -> Job:
        if not (resume and job.report.is_file()):
            job.report.unlink(missing_ok=True)
            run(job)
        return job

    others = [job for job in jobs if job.suite not in ALONE]
    others.sort(key=lambda job: job.suite not in LONGEST)
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        for ended in as_completed([pool.submit(run_one, job) for job in others]):
            yield ended.result()
    finally:  # after an error or an interrupt no further one begins
        pool.shutdown(cancel_futures=True)
    yield from (run_one(job) for job in jobs if job.suite in ALONE)


def suites_of(column: Column) -> list[str]:
    """Return the suites of a column: fewer ones where only the patch, Java or Scala differs.

    Spark's own jars need the Scala that they are compiled against, so only links can be tested.
    """
    if column.scala:
        return ["linkage"]
    if not is_whole(column):
        return list(ON_ALL)
    lacks = {
        "lakehouse": column.minor not in lakehouse_minors(),
        "cluster": column.spark not in (NEWEST_OF_EACH[0], NEWEST_OF_EACH[-1]),
    }
    return [suite for suite in SUITES if not lacks.get(suite)]


def is_whole(column: Column) -> bool:
    """Return whether a column is the newest patch of a minor on the oldest Java."""
    first = next(iter(javas()), column.java)
    return column.java == first and column.spark in NEWEST_OF_EACH


def keep(results: Results) -> None:
    """Put results into the kept ones."""
    kept = json.loads(VERSIONS.read_text(encoding="utf-8")) if VERSIONS.is_file() else {}
    every = columns()
    wanted = {column.name: {*suites_of(column)} for column in every}
    both = merged(kept, results, wanted, {column.spark for column in every})
    VERSIONS.write_text(json.dumps(both, indent=1) + "\n", encoding="utf-8")
    pages.main([])


def wanted_columns(
    sparks: list[str] | None, suites: list[str] | None, java: list[str] | None = None
) -> list[Column]:
    """Return the columns of these versions, or of all, that have one of these suites, or any."""
    return [
        column
        for column in columns()
        if (not sparks or column.spark in sparks)
        and (not java or column.java in java)
        and (not suites or {*suites} & {*suites_of(column)})
    ]


def main() -> int:
    """Run columns and suites, print the table, keep it; return 1 if a test failed."""
    parser = argparse.ArgumentParser(description="Test the wheel on every supported Spark.")
    parser.add_argument("--spark", nargs="*", help="versions of Spark, such as 4.0.5")
    parser.add_argument("--java", nargs="*", help="versions of Java, such as 21")
    parser.add_argument("--suite", nargs="*", choices=SUITES, help="rows of the table")
    parser.add_argument("--sample", nargs="*", help="suites=sizes, such as tables=30")
    parser.add_argument("--resume", action="store_true", help="run what has no report yet")
    wanted = parser.parse_args()
    sample = {
        suite: int(size) for suite, _, size in (s.partition("=") for s in wanted.sample or [])
    }
    suites = wanted.suite or sample or SUITES
    chosen = wanted_columns(wanted.spark, wanted.suite, wanted.java)[: 1 if sample else None]
    if lacking := sorted({column.minor for column in chosen} - minors_of_wheel()):
        parser.error(f"the wheel in .venv has no jar for Spark {', '.join(lacking)}")
    results: Results = {}
    jobs: list[Job] = []
    own = {column: [suite for suite in suites_of(column) if suite in suites] for column in chosen}
    for column in chosen:
        fetch(column, own[column])
    with ThreadPoolExecutor(AT_ONCE) as pool:
        starts = [
            pool.submit(start, column, is_long=not sample and not {*own[column]} <= {*ON_ALL})
            for column in chosen
        ]
    for column, started in zip(chosen, starts, strict=True):
        if reason := started.result():
            results[column.name] = {"refused": reason}
            continue
        results[column.name] = {}
        jobs += [Job(column, suite, sample.get(suite, 0)) for suite in own[column]]
    for job in run_all(jobs, resume=wanted.resume):
        results[job.column.name][job.suite] = found = counts(job.report)
        print(f"{job.name}: {versions_cell(found)}", flush=True)
        if not sample:
            keep(results)
    failed = failures(results)
    if not (wanted.spark or wanted.java or wanted.suite or sample):
        results[PREVIEW] = {"said": preview.report()}
        keep(results)
    print(versions_table(results))
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
