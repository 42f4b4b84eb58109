"""Test the wheel on every supported Spark: versions by suites, one table.

    python tools/matrix.py [--spark 4.0.5 ...] [--suite tables ...] [--sample tables=30 ...]

A column of the table is one Spark on one Java; a row is a group of the Python tests, run on the
installed wheel, which must contain the jars of all minors (`make test-all` sees to it). Each Spark
gets an environment of its own with that pyspark, and the other packages of .venv. A column in
which plain Spark does not start is refused with Spark's reason, and no suite runs there.

The results are kept in docs/reference/versions.json, from which the site makes "Supported
versions"; a run of some columns or suites replaces those only. A sample is for the tests of every
change: its reports go to those of `make test`, and the table is not kept.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

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
    older,
    refusal,
    variables,
)
from pages import VERSIONS, versions_cell, versions_table

# The tests of a row, and pytest's selection among them.
SUITES = {
    "linkage": ["tests/test_linkage.py"],
    "tables": ["tests/test_conformance.py"],
    "streams": ["tests/test_stream_conformance.py", "-m", "not slow"],
    "settings": ["tests/test_settings.py", "-m", "not slow"],
    "windows": ["tests/test_window.py"],
    "plans": ["tests/test_plans.py", "-m", "not slow"],
    "python": ["tests/test_frames.py", "tests/test_trace.py"],
    "errors": ["tests/test_errors.py"],
    "upgrade": ["tests/test_stream_upgrade.py"],
    "loading": ["tests/test_loading.py", "tests/test_loading_servers.py"],
    "lakehouse": ["tests/lakehouse"],
    "cluster": ["tests/cluster"],
}
# Suites run two at a time, in one process each. Those that take longest begin first, and those
# whose tests start as many processes as a small machine bears are alone, at the end.
AT_ONCE = 2
LONGEST = ("lakehouse", "settings")
ALONE = ("cluster",)
# Each case has two of the sixteen rows of settings on the other minors, all of them on the newest.
FEWER_SETTINGS = ["-m", "not slow and not matrix"]
# These differ between minors, hardly between their patches.
ON_NEWEST_PATCHES = ("settings", "windows", "plans", "python", "loading", "lakehouse", "cluster")
# A Java beside the newest patches runs the suites that do not start other programs.
ON_OTHER_JAVAS = ("linkage", "tables", "streams", "errors")

# What a sample reports where Maven Central does not answer: .ci/skips.txt allows it.
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
    if suite == "settings" and column.spark != NEWEST_OF_EACH[-1]:
        command += FEWER_SETTINGS
    if job.sample:
        command += [f"--sample={job.sample}", "-m", "not slow"]
    env = variables(column, python)
    env["CLASS_DATA"] = ""  # that of the newest Spark is none for the others
    if suite == "lakehouse":
        made = ["make", "--no-print-directory", f"out/lakehouse/{column.minor}/.complete"]
        with log_file.open("w") as log:
            fetched = subprocess.run(made, cwd=ROOT, stdout=log, stderr=log, check=False)  # noqa: S603
        if fetched.returncode:
            print(f"{job.name}: Maven failed; see {log_file}", flush=True)
            if job.sample:
                report.write_text(NOT_FETCHED, encoding="utf-8")
            return
    if suite == "upgrade":
        env["OLDER_PYTHON"] = str(environment(older(column)))
    began = time.monotonic()
    with log_file.open("w") as log:
        subprocess.run(command, cwd=ROOT, env=env, stdout=log, stderr=log, check=False)  # noqa: S603
    print(f"{job.name}: {time.monotonic() - began:.0f} s", flush=True)


def prepare(column: Column, suites: list[str]) -> str:
    """Make the environments of a column, or return why plain Spark does not start there."""
    reason = refusal(column, environment(column))
    if not reason and "upgrade" in suites:
        environment(older(column))
    return reason


def run_all(jobs: list[Job], *, resume: bool) -> Iterator[Job]:
    """Run suites, if resumed those that have no report, and return each when it has ended."""

    def run_one(job: Job) -> Job:
        if not (resume and job.report.is_file()):
            job.report.unlink(missing_ok=True)
            run(job)
        return job

    others = [job for job in jobs if job.suite not in ALONE]
    others.sort(key=lambda job: job.suite not in LONGEST)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for ended in as_completed([pool.submit(run_one, job) for job in others]):
            yield ended.result()
    yield from (run_one(job) for job in jobs if job.suite in ALONE)


def counts(report: Path) -> dict[str, Any]:
    """Return how many tests passed, which failed, and why others were refused."""
    if not report.is_file():
        return {"passed": 0, "failed": ["what starts it; see its log"]}
    found: dict[str, Any] = {"passed": 0, "failed": [], "refused": []}
    for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314 - our own file
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            found["failed"].append(case.get("name"))
        elif skipped is not None:
            found["refused"].append(skipped.get("message"))
        else:
            found["passed"] += 1
    if not any(found.values()):
        found["failed"].append("no test ran")
    return found


def keep(results: dict[str, dict[str, Any]]) -> None:
    """Put results into the kept ones, ordered by version, without those of other versions."""
    kept = json.loads(VERSIONS.read_text(encoding="utf-8")) if VERSIONS.is_file() else {}
    for name, found in results.items():
        kept[name] = found if "refused" in found else {**kept.get(name, {}), **found}
    sparks = {column.spark for column in columns()}
    names = sorted(kept, key=lambda name: [int(part) for part in re.findall(r"\d+", name)])
    ordered = {name: kept[name] for name in names if name.partition(" ")[0] in sparks}
    VERSIONS.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def suites_of(column: Column) -> list[str]:
    """Return the suites of a column: fewer ones where only the patch, Java or Scala differs.

    Spark's own jars need the Scala that they are compiled against, so only links can be tested.
    """
    if column.scala:
        return ["linkage"]
    first = next(iter(javas()), column.java)
    if column.java != first:
        return list(ON_OTHER_JAVAS)
    is_newest = column.spark in NEWEST_OF_EACH
    return [
        suite
        for suite in SUITES
        if (is_newest or suite not in ON_NEWEST_PATCHES)
        and (suite != "lakehouse" or column.minor in lakehouse_minors())
    ]


def failures(results: dict[str, dict[str, Any]]) -> list[str]:
    """Return what has failed, one line for a test, and the Sparks that no Java started."""
    started = {name.partition(" ")[0] for name, found in results.items() if "refused" not in found}
    never = {name.partition(" ")[0] for name in results} - started
    return [
        f"{spark}: plain Spark did not start, so nothing was tested" for spark in sorted(never)
    ] + [
        f"{name}, {suite}: {test}"
        for name, found in results.items()
        if "refused" not in found
        for suite, counted in found.items()
        for test in counted["failed"]
    ]


def wanted_columns(sparks: list[str] | None, suites: list[str] | None) -> list[Column]:
    """Return the columns of these versions, or of all, that have one of these suites, or any."""
    return [
        column
        for column in columns()
        if (not sparks or column.spark in sparks)
        and (not suites or {*suites} & {*suites_of(column)})
    ]


def main() -> int:
    """Run columns and suites, print the table, keep it; return 1 if a test failed."""
    parser = argparse.ArgumentParser(description="Test the wheel on every supported Spark.")
    parser.add_argument("--spark", nargs="*", help="versions of Spark, such as 4.0.5")
    parser.add_argument("--suite", nargs="*", choices=SUITES, help="rows of the table")
    parser.add_argument("--sample", nargs="*", help="suites=sizes, such as tables=30")
    parser.add_argument("--resume", action="store_true", help="run what has no report yet")
    wanted = parser.parse_args()
    sample = {
        suite: int(size) for suite, _, size in (s.partition("=") for s in wanted.sample or [])
    }
    suites = wanted.suite or sample or SUITES
    chosen = wanted_columns(wanted.spark, wanted.suite)[: 1 if sample else None]
    if lacking := sorted({column.minor for column in chosen} - minors_of_wheel()):
        parser.error(f"the wheel in .venv has no jar for Spark {', '.join(lacking)}")
    results: dict[str, dict[str, Any]] = {}
    jobs: list[Job] = []
    for column in chosen:
        own = [suite for suite in suites_of(column) if suite in suites]
        if reason := prepare(column, own):
            results[column.name] = {"refused": reason}
            continue
        results[column.name] = {}
        jobs += [Job(column, suite, sample.get(suite, 0)) for suite in own]
    for job in run_all(jobs, resume=wanted.resume):
        results[job.column.name][job.suite] = found = counts(job.report)
        print(f"{job.name}: {versions_cell(found)}", flush=True)
        if not sample:
            keep(results)
    print(versions_table(results))
    failed = failures(results)
    print("\n".join(failed))
    if not (wanted.spark or wanted.suite or sample):
        print(preview.report())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
