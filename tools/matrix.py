"""Test the wheel on every supported Spark: versions by suites, one table.

    python tools/matrix.py [--spark 4.0.5 ...] [--suite tables ...] [--sample tables=30 ...]

A column of the table is one Spark on one Java; a row is a group of the Python tests, run on the
installed wheel, which must contain the jars of all minors (`make matrix` sees to it). Each Spark
gets an environment of its own with that pyspark, and the other packages of .venv. A column in
which plain Spark does not start is refused with Spark's reason, and no suite runs there.

The results are kept in docs/reference/versions.json, from which the site makes "Supported
versions"; a run of some columns or suites replaces those only. A sample is for the tests of every
change: its reports go to those of `make test`, and the table is not kept.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple

from pages import VERSIONS, versions_cell, versions_table

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out/matrix"
TABLE = ROOT / "project/SparkVersions.scala"
NEWEST_OF_EACH = re.findall(r'SparkVersion\("([\d.]+)"', TABLE.read_text(encoding="utf-8"))

# The tests of a row, and pytest's selection among them.
SUITES = {
    "tables": ["tests/test_conformance.py"],
    "streams": ["tests/test_stream_conformance.py", "-m", "not slow"],
    "plans": ["tests/test_plans.py", "-m", "not slow"],
    "errors": ["tests/test_errors.py"],
    "upgrade": ["tests/test_stream_upgrade.py"],
    "loading": ["tests/test_loading.py", "tests/test_loading_servers.py"],
}
# A Java beside the newest patches runs the suites that do not start other programs.
ON_OTHER_JAVAS = ("tables", "streams", "errors")
PROBE = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
print("PROBE", spark.version, spark.sql("SELECT 1").collect()[0][0])
"""


class Column(NamedTuple):
    """One Spark on one Java; `scala` replaces the patch version of Scala that this Spark ships."""

    spark: str
    java: str
    scala: str = ""

    @property
    def minor(self) -> str:
        """Return the minor, such as 4.2."""
        return self.spark.rpartition(".")[0]

    @property
    def name(self) -> str:
        """Return the column's head."""
        return f"{self.spark} Java {self.java}" + (f" Scala {self.scala}" if self.scala else "")

    @property
    def folder(self) -> str:
        """Return the name of the column's folders."""
        return self.name.replace(" ", "-")


def oldest_patch(spark: str) -> str:
    """Return the first release of a minor."""
    return f"{spark.rpartition('.')[0]}.0"


def javas() -> dict[str, Path]:
    """Return the homes of the Java versions of this machine, by feature version, the oldest first.

    $JAVA_HOMES has further ones, separated by the character of the PATH.
    """
    homes = [Path(home) for home in os.environ.get("JAVA_HOMES", "").split(os.pathsep) if home]
    homes += sorted(Path("/usr/lib/jvm").glob("*"))
    found: dict[str, Path] = {}
    for home in homes:
        java = home / "bin/java"
        if java.is_file():
            said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603
            version = re.search(r'version "(\d+)', said.stderr)
            if version:
                found.setdefault(version[1], home)
    return dict(sorted(found.items(), key=lambda pair: int(pair[0])))


def columns() -> list[Column]:
    """Return what `make test-all` runs.

    Every minor on its oldest and newest patch with the oldest Java, its newest patch on every other
    Java, and the one pair of Spark and an older Scala that a platform ships (Fabric runtime 2.0).
    """
    oldest, *others = javas() or {"17": Path()}
    every = []
    for spark in NEWEST_OF_EACH:
        patches = dict.fromkeys([oldest_patch(spark), spark])
        every += [Column(patch, oldest) for patch in patches]
        every += [Column(spark, java) for java in others]
    return [*every, Column("4.1.1", oldest, "2.13.16")]


def run(command: list[str | Path], **options: object) -> None:
    """Run a command; it must succeed."""
    subprocess.run(command, check=True, **options)  # type: ignore[call-overload] # noqa: S603


def distribution(column: Column) -> Path:
    """Return a folder with the column's pyspark, installed once."""
    folder = ROOT / ".spark" / column.spark
    run(["make", "--no-print-directory", f".spark/{column.spark}/.complete"], cwd=ROOT)
    if not column.scala:
        return folder
    other = ROOT / ".spark" / f"{column.spark}-scala-{column.scala}"
    if not other.is_dir():
        part = other.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(folder, part, copy_function=os.link)
        for name in ("library", "reflect"):
            (old,) = part.glob(f"pyspark/jars/scala-{name}-2.13.*.jar")
            old.unlink()
            artifact = f"-Dartifact=org.scala-lang:scala-{name}:{column.scala}"
            target = f"-DoutputDirectory={old.parent}"
            run(["mvn", "-q", "-B", "dependency:copy", artifact, target])
        part.rename(other)
    return other


def environment(column: Column) -> Path:
    """Return the Python of an environment: the column's pyspark, and the packages of .venv."""
    spark = distribution(column)
    folder = OUT / "venv" / spark.name
    if not (folder / "bin/python").exists():
        run([sys.executable, "-m", "venv", "--without-pip", folder])
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "lib" / version / "site-packages"
    shared = ROOT / ".venv/lib" / version / "site-packages"
    (packages / "spark.pth").write_text(f"{spark}\n{shared}\n", encoding="utf-8")
    for script in (spark / "bin").iterdir():
        link = folder / "bin" / script.name
        if script.is_file() and not link.exists():
            link.symlink_to(script)
    return folder / "bin/python"


def older(column: Column) -> Column:
    """Return the column whose checkpoints a column reads: the newest patch of the minor before."""
    before = [spark for spark in NEWEST_OF_EACH if Column(spark, "").minor < column.minor]
    spark = before[-1] if before else oldest_patch(column.spark)
    return Column(spark, column.java)


def variables(column: Column, python: Path) -> dict[str, str]:
    """Return the environment variables of a column's programs."""
    home = javas().get(column.java)
    found = {key: value for key, value in os.environ.items() if not key.startswith("SPARK_")}
    if home:
        found["JAVA_HOME"] = str(home)
    found["PATH"] = f"{python.parent}{os.pathsep}{found['PATH']}"
    return found


def refusal(column: Column, python: Path) -> str:
    """Return why plain Spark does not start in a column, or nothing."""
    done = subprocess.run(  # noqa: S603
        [python, "-c", PROBE],
        env=variables(column, python),
        capture_output=True,
        text=True,
        check=False,
    )
    if f"PROBE {column.spark} 1" in done.stdout:
        return ""
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines()]
    telling = [line for line in lines if re.search(r"(Exception|Error)\b.*:", line)]
    return (telling or lines or ["no output"])[-1][:200]


def test(column: Column, suite: str, python: Path, sample: int) -> dict[str, object]:
    """Run a suite, or so many of its tests; return its counts, seconds and failed tests."""
    log_file = OUT / column.folder / f"{suite}.log"
    log_file.parent.mkdir(parents=True, exist_ok=True)
    report = log_file.with_suffix(".xml")
    if sample:
        report = ROOT / "out/reports" / f"{column.folder}-{suite}.xml"
    report.unlink(missing_ok=True)
    command: list[str | Path] = [
        python,
        "-m",
        "pytest",
        *SUITES[suite],
        f"--junitxml={report}",
        "--tb=short",
    ]
    command += [f"--sample={sample}"] if sample else ["--numprocesses=2", "--dist=loadscope"]
    env = variables(column, python)
    if suite == "upgrade":
        env["OLDER_PYTHON"] = str(environment(older(column)))
    began = time.monotonic()
    with log_file.open("w") as log:
        subprocess.run(  # noqa: S603
            command, cwd=ROOT, env=env, stdout=log, stderr=log, check=False
        )
    seconds = round(time.monotonic() - began)
    if not report.is_file():
        return {"passed": 0, "failed": ["pytest itself; see its log"], "seconds": seconds}
    passed, failed, skipped = 0, [], []
    for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314 - our own file
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(str(case.get("name")))
        elif (reason := case.find("skipped")) is None:
            passed += 1
        else:
            skipped.append(str(reason.get("message")))
    return {"passed": passed, "failed": failed, "skipped": skipped, "seconds": seconds}


def suites_of(column: Column) -> list[str]:
    """Return the suites of a column: fewer ones where only the Java differs."""
    first = next(iter(javas()), column.java)
    return [s for s in SUITES if column.java == first or s in ON_OTHER_JAVAS]


def main() -> int:
    """Run columns and suites, print the table, keep it; return 1 if a test failed."""
    parser = argparse.ArgumentParser(description="Test the wheel on every supported Spark.")
    parser.add_argument("--spark", nargs="*", help="versions of Spark, such as 4.0.5")
    parser.add_argument("--suite", nargs="*", choices=SUITES, help="rows of the table")
    parser.add_argument(
        "--sample", nargs="*", default=[], help="suites and how many of their tests"
    )
    wanted = parser.parse_args()
    sample = {suite: int(size) for suite, _, size in (s.partition("=") for s in wanted.sample)}
    suites = wanted.suite or sample or SUITES
    chosen = [c for c in columns() if not wanted.spark or c.spark in wanted.spark]
    if sample:
        chosen = [c for c in chosen if c.java == chosen[0].java]
    kept = json.loads(VERSIONS.read_text(encoding="utf-8")) if VERSIONS.is_file() else {}
    now: dict[str, dict[str, object]] = {}
    for column in chosen:
        python = environment(column)
        reason = refusal(column, python)
        now[column.name] = {"refused": reason} if reason else {}
        for suite in [] if reason else suites_of(column):
            if suite in suites:
                result = test(column, suite, python, sample.get(suite, 0))
                now[column.name][suite] = result
                print(f"{column.name}, {suite}: {versions_cell(result)}", flush=True)
    print(versions_table(now))
    failed = [
        f"{name}, {suite}: {test}"
        for name, results in now.items()
        for suite, result in results.items()
        if isinstance(result, dict)
        for test in result["failed"]
    ]
    print("\n".join(failed))
    if not sample:
        for name, results in now.items():
            kept[name] = {**kept.get(name, {}), **results}
        known = [column.name for column in columns()]
        ordered = {name: kept[name] for name in known if name in kept}
        VERSIONS.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
