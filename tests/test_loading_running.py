"""Loading into a process with a running JVM: stopped and live sessions, spark-submit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from loading import EXTENSION, PROGRAM, QUERY, SCRIPTS, Run, answer, program_runner

# One kernel in which Spark is started in every wrong way and then repaired. It prints one JSON
# object with the observations of each step.
KERNEL = """
import contextlib, io, json, warnings
from pyspark.sql import SparkSession
import spark_match_recognize as mr

seen = {}

def builder():
    quiet = SparkSession.builder.config("spark.ui.enabled", "false")
    return quiet.config("spark.log.level", "OFF").config("spark.sql.shuffle.partitions", "1")

def configure(name, builder):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert mr.configure(builder) is builder
    seen[name] = [str(warning.message) for warning in caught]
    return builder

def examine(name, spark):
    report = io.StringIO()
    with contextlib.redirect_stdout(report):
        well = mr.doctor(spark)
    seen[name] = [well, report.getvalue().splitlines()]

def ask(name, spark):
    enabled = mr.is_enabled(spark)
    seen[name] = [list(row) for row in spark.sql(QUERY).collect()] if enabled else None

local = lambda: builder().master("local[1]")

spark = local().getOrCreate()
examine("doctor: no jar", spark)
spark.stop()
spark = local().config("spark.sql.extensions", EXTENSION).getOrCreate()
examine("doctor: extension without jar", spark)
spark.stop()
spark = local().config("spark.jars", str(mr.jar_path())).getOrCreate()
examine("doctor: jar came too late", spark)

configure("warning: live", local())
ask("live: the same session", spark)
ask("live: getOrCreate", local().getOrCreate())
second = local().create()  # as the warning says
ask("live: create", second)
examine("doctor: create", second)
configure("warning: live, again", local())
examine("doctor: before the jar", spark)
second.conf.set("spark.matchRecognize.enabled", "false")
examine("doctor: switched off", second)
spark.stop()
examine("doctor: stopped", spark)

spark = configure("warning: stopped", configure("warning: stopped, twice", local())).getOrCreate()
ask("stopped", spark)
examine("doctor: well", spark)
configure("warning: live with plugin", local())
loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
seen["class path"] = [url.getPath() for url in loader.getURLs()]
seen["executors"] = spark._jsc.sc().listJars().mkString(",").split(",")
spark.stop()

spark = configure("warning: connect", builder().remote("local[1]")).getOrCreate()
ask("connect", spark)
examine("doctor: connect", spark)
spark.stop()
print("ANSWER " + json.dumps(seen))
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the observations of the kernel's steps."""
    source = KERNEL.replace("QUERY", repr(QUERY)).replace("EXTENSION", repr(EXTENSION))
    found = answer(
        program_runner(tmp_path_factory.mktemp("kernel"))(sys.executable, "-", stdin=source)
    )
    assert isinstance(found, dict)
    return found


def failed(report: list[Any]) -> str:
    """Return the FAILED line of a doctor's report, which is its last."""
    well, lines = report
    assert not well
    checks = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert checks == [*["ok"] * (len(checks) - 1), "FAILED"]
    return str(lines[-1])


@pytest.mark.connect  # it is the first one that needs `seen`
def test_stop_then_configure(seen: dict[str, Any], jar: str) -> None:
    assert seen["stopped"] == [[1, 20]]
    assert seen["warning: stopped"] == seen["warning: stopped, twice"] == []
    assert seen["class path"].count(jar) == 1, "the jar is added once"
    assert len(seen["executors"]) == 1
    assert seen["warning: live with plugin"] == []


def test_live_session_stays_as_it_is_and_the_warning_says_what_helps(seen: dict[str, Any]) -> None:
    assert seen["live: the same session"] is None
    assert seen["live: getOrCreate"] is None
    (warning,) = seen["warning: live"]
    assert "call spark.stop(), then mr.configure(...).getOrCreate()" in warning
    assert "write SparkSession.builder.create()" in warning


def test_live_session_and_create(seen: dict[str, Any]) -> None:
    assert seen["live: create"] == [[1, 20]]
    assert seen["doctor: create"][0]
    assert len(seen["warning: live, again"]) == 1, "getOrCreate still returns the first session"


def test_connect_server_in_a_jvm_that_ran_before(seen: dict[str, Any]) -> None:
    assert seen["warning: connect"] == []
    assert seen["connect"] == [[1, 20]]


@pytest.mark.parametrize(("report", "kind"), [("well", "classic"), ("connect", "Connect")])
def test_doctor_of_a_session_that_works(
    seen: dict[str, Any], jar: str, report: str, kind: str
) -> None:
    well, lines = seen[f"doctor: {report}"]
    assert well
    checks = [line for line in lines if line.startswith("ok ")]
    told = [line.split()[1] for line in checks]
    names = ["package", "session", "details", "jar", "plugin", "setting", "limits", "query"]
    assert told[:8] == [f"{name}:" for name in names]
    assert told[8:] in ([], ["real"]), "Real-Time Mode, where Spark has it for the clause"
    assert f"{kind} session" in lines[1]
    assert checks[3] == f"ok      jar: {jar}"
    assert not any("/" in line for line in lines if line.startswith("   ")), lines
    assert lines[-1] == "All is well: MATCH_RECOGNIZE works here."


@pytest.mark.parametrize(
    ("report", "cause", "cure"),
    [
        ("extension without jar", f"spark.sql.extensions names {EXTENSION}, but", ").create()"),
        ("jar came too late", "spark.jars lists /", "call spark.stop()"),
        ("no jar", "The session was started without the jar.", "call spark.stop()"),
        ("before the jar", "this session began before it came", "SparkSession.builder.create()"),
        (
            "switched off",
            "spark.matchRecognize.enabled is false in this session",
            'spark.conf.set("spark.matchRecognize.enabled", "true")',
        ),
        ("stopped", "The session was stopped", "mr.configure(SparkSession.builder).getOrCreate()"),
    ],
)
def test_doctor_names_cause_and_cure(
    seen: dict[str, Any], report: str, cause: str, cure: str
) -> None:
    line = failed(seen[f"doctor: {report}"])
    assert cause in line
    assert cure in line


@pytest.mark.slow
@pytest.mark.parametrize(
    "master",
    ["local[1]", "local-cluster[1,1,1024]"],
)
def test_spark_submit_without_jars(run_program: Run, tmp_path: Path, master: str) -> None:
    """The JVM is older than the script; other entries of --jars stay."""
    other = tmp_path / "other.jar"
    other.write_bytes(b"PK\x05\x06" + bytes(18))  # an empty archive
    script = tmp_path / "job.py"
    kept = "assert 'other.jar,' in spark.conf.get('spark.jars')\nplain ="
    source = PROGRAM.format(setup="configure(builder)", query=QUERY).replace("plain =", kept)
    script.write_text(source)
    run = run_program(
        *(str(SCRIPTS / "spark-submit"), "--master", master, "--jars", str(other), str(script))
    )
    assert answer(run) == [[[1, 20]], [[1]]]
    assert "UserWarning" not in run.stderr
