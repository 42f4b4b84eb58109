"""`python -m spark_match_recognize doctor` when all is well, and when one thing is missing."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from loading import Run
from pyspark.sql import SparkSession

import spark_match_recognize as mr
from spark_match_recognize._checks import run_probe

ROOT = Path(__file__).resolve().parent.parent
DOCTOR = (sys.executable, "-m", "spark_match_recognize", "doctor")


def failure(run: subprocess.CompletedProcess[str]) -> str:
    """Return the FAILED line of a run that failed."""
    assert run.returncode == 1, run.stdout + run.stderr
    assert "Traceback" not in run.stderr
    return next(line for line in run.stdout.splitlines() if line.startswith("FAILED"))


@pytest.fixture
def fake_java(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that makes a JAVA_HOME whose java claims to be some version."""

    def make(version: str) -> str:
        home = tmp_path / "java"
        (home / "bin").mkdir(parents=True)
        java = home / "bin" / "java"
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
        java.chmod(0o755)
        return str(home)

    return make


@pytest.mark.slow
def test_all_is_well(run_program: Run, jar: str) -> None:
    run = run_program(*DOCTOR)
    assert run.returncode == 0, run.stdout + run.stderr[-2000:]
    lines = run.stdout.splitlines()
    checks = [line.split()[1] for line in lines if line.startswith("ok ")]
    names = ["package", "java", "JAVA_HOME", "spark", "jar", "session", "details"]
    assert checks == [f"{name}:" for name in names]
    assert any(line.startswith("        classic session, master ") for line in lines)
    assert f"ok      jar: {jar}" in lines
    assert lines[-1] == "All is well: MATCH_RECOGNIZE works here."
    assert run.stderr == "", "Spark's log is of use only where something fails"


@pytest.mark.slow  # test_loading_running.py has the doctor of such a session
def test_all_is_well_through_connect(run_program: Run) -> None:
    run = run_program(*DOCTOR, env={"SPARK_REMOTE": "local[1]"})
    assert run.returncode == 0, run.stdout + run.stderr[-2000:]
    assert "        Connect session, master " in run.stdout


def test_no_java(run_program: Run, tmp_path: Path) -> None:
    line = failure(run_program(*DOCTOR, env={"PATH": str(tmp_path), "JAVA_HOME": ""}))
    assert "MATCH_RECOGNIZE_NO_JAVA" in line
    assert "Install a JDK or JRE of version 17" in line


def test_java_home_without_java(run_program: Run, tmp_path: Path) -> None:
    line = failure(run_program(*DOCTOR, env={"JAVA_HOME": str(tmp_path)}))
    assert f"JAVA_HOME is {tmp_path}, and there is no bin/java in it" in line


def test_java_that_is_too_old(run_program: Run, fake_java: Callable[[str], str]) -> None:
    line = failure(run_program(*DOCTOR, env={"JAVA_HOME": fake_java("11.0.2")}))
    assert "MATCH_RECOGNIZE_NO_JAVA" in line
    assert "Spark 4 needs Java 17 or newer" in line


def test_java_that_does_not_start_a_session(
    run_program: Run, fake_java: Callable[[str], str]
) -> None:
    line = failure(run_program(*DOCTOR, env={"JAVA_HOME": fake_java("21.0.1")}))
    assert "session: [MATCH_RECOGNIZE_SETUP] No session starts" in line


@pytest.mark.parametrize("command", ["doctor", "jar"])
def test_no_pyspark(run_program: Run, tmp_path: Path, command: str) -> None:
    wheel = next((ROOT / "dist").glob("*.whl"))
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    # -S: without site-packages, so nothing but this package is installed
    arguments = (sys.executable, "-S", "-m", "spark_match_recognize", command)
    run = run_program(*arguments, env={"PYTHONPATH": str(tmp_path / "site")})
    said = failure(run) if command == "doctor" else run.stderr
    assert run.returncode == 1
    assert "MATCH_RECOGNIZE_NO_PYSPARK" in said
    assert "pip install 'spark-match-recognize[spark]'" in said


@pytest.mark.parametrize("command", ["doctor", "jar"])
def test_pyspark_of_another_minor(run_program: Run, tmp_path: Path, command: str) -> None:
    package = tmp_path / "path" / "pyspark"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "3.5.1"\n')
    (package / "core").mkdir()  # which pyspark-client has not
    (package / "core" / "__init__.py").touch()
    env = {"PYTHONPATH": str(package.parent)}
    run = run_program(sys.executable, "-m", "spark_match_recognize", command, env=env)
    said = failure(run) if command == "doctor" else run.stderr
    assert run.returncode == 1
    assert "MATCH_RECOGNIZE_WRONG_SPARK_VERSION" in said
    assert "the session runs Spark 3.5.1; nothing was configured" in said


@pytest.mark.slow
def test_another_list_of_jars_wins(run_program: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.jar"
    other.write_bytes(b"PK\x05\x06" + bytes(18))
    env = {"PYSPARK_SUBMIT_ARGS": f"--jars {other} pyspark-shell"}
    run = run_program(*DOCTOR, env=env)
    assert "it has not loaded the plugin" in failure(run)
    assert "PYSPARK_SUBMIT_ARGS lists jars, and that list wins over spark.jars" in run.stderr
    assert " WARN " in run.stderr, "the log of the session that failed"


# What needs no JVM of its own is asked in the session of the tests.
def test_switched_off(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    session = spark.newSession()
    session.conf.set("spark.matchRecognize.enabled", "false")
    with pytest.raises(mr.SetupError, match=r"is false in your configuration, remove it"):
        run_probe(session)
    assert not mr.doctor(session)
    assert "FAILED  setting: [MATCH_RECOGNIZE_SETUP] spark.matchRecog" in capsys.readouterr().out


def test_limits(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    session = spark.newSession()
    assert mr.doctor(session)
    limits = ["maxSearchTime", "stream.maxPendingRows"]
    said = "; ".join(f"no limit: spark.matchRecognize.{name}" for name in limits)
    assert f"{said}\n" in capsys.readouterr().out
    session.conf.set("spark.matchRecognize.maxStepsPerMtch", "7")
    session.conf.set("spark.matchRecognize.maxStepsPerMatch", "0")
    assert mr.doctor(session)
    said = next(line for line in capsys.readouterr().out.splitlines() if " limits: " in line)
    assert "maxStepsPerMtch (for spark.matchRecognize.maxStepsPerMatch?)" in said
    assert "no limit: spark.matchRecognize.maxStepsPerMatch" in said


def test_jars_of_two_versions(
    spark: SparkSession, tmp_path: Path, jar: str, capsys: pytest.CaptureFixture[str]
) -> None:
    old = tmp_path / Path(jar).name.replace(mr.version(), "0.0.1")
    shutil.copy(jar, old)
    jvm: Any = spark._jvm
    thread = jvm.java.lang.Thread.currentThread()
    loader = thread.getContextClassLoader()
    urls = spark.sparkContext._gateway.new_array(jvm.java.net.URL, 1)  # type: ignore[union-attr]
    urls[0] = jvm.java.io.File(str(old)).toURI().toURL()
    thread.setContextClassLoader(jvm.java.net.URLClassLoader(urls, loader))
    try:
        assert not mr.doctor(spark)
    finally:
        thread.setContextClassLoader(loader)
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("FAILED  plugin: ")
    assert f"has 2 jars of the plugin, and Spark uses the first: file:{jar}, file:{old}" in line
    assert "Keep the one for this Spark" in line
    assert mr.doctor(spark)


@pytest.mark.slow
def test_executors_without_the_jar(run_program: Run, tmp_path: Path, jar: str) -> None:
    script = tmp_path / "job.py"
    script.write_text(
        "from pyspark.sql import SparkSession\n"
        "import spark_match_recognize as mr\n"
        "mr.doctor(SparkSession.builder.getOrCreate())\n"
    )
    submit = (str(Path(sys.executable).parent / "spark-submit"), "--master")
    cluster = (*submit, "local-cluster[1,1,1024]")
    run = run_program(*cluster, "--driver-class-path", jar, str(script))
    line = run.stdout.splitlines()[-1]
    assert line.startswith("FAILED  query: "), run.stdout + run.stderr[-3000:]
    assert "The driver has the jar and the executors do not" in line
    run = run_program(*cluster, "--jars", jar, str(script))
    assert run.stdout.splitlines()[-1] == "All is well: MATCH_RECOGNIZE works here."
