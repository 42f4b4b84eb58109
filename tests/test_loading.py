"""Every documented way to load the plugin, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_match_recognize import jar_path

Run = Callable[..., "subprocess.CompletedProcess[str]"]

QUERY = """
SELECT * FROM VALUES (1, 30), (2, 10), (3, 20) AS t(k, v) MATCH_RECOGNIZE (
  ORDER BY k
  MEASURES FIRST(k) AS first_k, LAST(v) AS last_v
  PATTERN (STRT DOWN UP)
  DEFINE DOWN AS v < PREV(v), UP AS v > PREV(v)
)
"""
EXTENSION = "io.matchrecognize.MatchRecognizeExtensions"
PROGRAM = """
import json
from pyspark.sql import SparkSession
from spark_match_recognize import configure, is_enabled
builder = SparkSession.builder.config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
{setup}
spark = builder.getOrCreate()
rows = [list(row) for row in spark.sql({query!r}).collect()] if is_enabled(spark) else None
plain = [list(row) for row in spark.sql("SELECT 1 AS one").collect()]
print("ANSWER " + json.dumps([rows, plain]))
spark.stop()
"""
SCRIPTS = Path(sys.executable).parent


def answer(run: subprocess.CompletedProcess[str]) -> object:
    """Return what the program printed after ANSWER, which may stand behind a prompt."""
    answers = [line.partition("ANSWER ")[2] for line in run.stdout.splitlines()]
    answers = [text for text in answers if text.startswith("[")]
    assert run.returncode == 0, run.stderr[-3000:]
    assert answers, run.stdout + run.stderr[-3000:]
    return json.loads(answers[-1])


@pytest.mark.parametrize(
    "setup",
    [
        pytest.param("configure(builder.master('local[1]'))", id="configure"),
        pytest.param(
            "configure(configure(builder.master('local[1]')))",
            id="configure-twice",
        ),
        pytest.param(
            "builder.master('local[1]').config('spark.jars', JAR)",
            id="jar-alone",
        ),
        pytest.param(
            f"builder.master('local[1]').config('spark.jars', JAR)"
            f".config('spark.sql.extensions', '{EXTENSION}')",
            id="jar-and-extensions",
        ),
        pytest.param("configure(builder.remote('local[1]'))", id="connect"),
        pytest.param(
            f"configure(builder.remote('local[1]')).config('spark.sql.extensions', '{EXTENSION}')",
            id="connect-and-extensions",
        ),
        pytest.param(
            "configure(builder.master('local-cluster[1,1,1024]'))",
            id="local-cluster",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_session_of_python(run_python: Run, jar: str, setup: str) -> None:
    source = PROGRAM.format(setup=setup.replace("JAR", repr(jar)), query=QUERY)
    assert answer(run_python(source)) == [[[1, 20]], [[1]]]


def test_session_without_the_jar_is_not_enabled(run_python: Run) -> None:
    source = PROGRAM.format(setup="builder.master('local[1]')", query=QUERY)
    run = run_python(source)
    assert answer(run) == [None, [[1]]]
    assert "match_recognize_version" not in run.stderr, "asking made noise"


def test_other_jars_stay(run_python: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.jar"
    other.write_bytes(b"PK\x05\x06" + bytes(18))  # an empty archive
    setup = f"configure(builder.master('local[1]').config('spark.jars', {str(other)!r}))"
    source = PROGRAM.format(setup=setup, query=QUERY).replace(
        "plain =", "assert 'other.jar,' in spark.conf.get('spark.jars')\nplain ="
    )
    assert answer(run_python(source)) == [[[1, 20]], [[1]]]


def test_spark_sql(run_program: Run, jar: str) -> None:
    run = run_program(
        str(SCRIPTS / "spark-sql"), "--jars", jar, "--master", "local[1]", "-e", QUERY
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.strip() == "1\t20"


def test_spark_sql_script_in_many_lines(run_program: Run, jar: str, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    view = "CREATE TEMPORARY VIEW t AS SELECT * FROM VALUES (1, 30), (2, 10), (3, 20) AS t(k, v);\n"
    body = QUERY.replace("VALUES (1, 30), (2, 10), (3, 20) AS t(k, v)", "t")
    script.write_text(f"{view}-- a comment; with a semicolon\n{body};\nSELECT 'x;y';\n")
    run = run_program(
        str(SCRIPTS / "spark-sql"), "--jars", jar, "--master", "local[1]", "-f", str(script)
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.split() == ["1", "20", "x;y"]


def test_spark_shell(run_program: Run, jar: str) -> None:
    quotes = '"""'
    source = (
        f"val rows = spark.sql({quotes}{QUERY}{quotes}).collect()\n"
        'println("ANSWER " + rows.map(_.mkString("[", ",", "]")).mkString("[", ",", "]"))\n:quit\n'
    )
    run = run_program(
        str(SCRIPTS / "spark-shell"), "--jars", jar, "--master", "local[1]", stdin=source
    )
    assert answer(run) == [[1, 20]]


def test_spark_submit(run_program: Run, jar: str, tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(PROGRAM.format(setup="", query=QUERY))
    run = run_program(
        str(SCRIPTS / "spark-submit"), "--jars", jar, "--master", "local[1]", str(script)
    )
    assert answer(run) == [[[1, 20]], [[1]]]


def test_pipe_of_the_jar_command(run_program: Run, jar: str) -> None:
    run = run_program(sys.executable, "-m", "spark_match_recognize", "jar")
    assert (run.returncode, run.stdout) == (0, f"{jar}\n")


@pytest.mark.slow
def test_jar_of_another_minor(run_python: Run) -> None:
    """It adds nothing, says so once, and Spark works as ever (needs a wheel of all minors)."""
    source = f"""
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.jars", {str(jar_path("4.2"))!r}).getOrCreate()
print("ANSWER", [list(row) for row in spark.sql("SELECT 1 AS x").collect()])
"""
    run = run_python(source)
    assert answer(run) == [[1]]
    said = run.stdout + run.stderr
    assert said.count("MATCH_RECOGNIZE_WRONG_SPARK_VERSION") == 1
    assert "spark-match-recognize-spark-4.3_2.13" in said
