"""Every documented way to load the plugin, each in a separate process."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest
from loading import EXTENSION, PROGRAM, QUERY, SCRIPTS, Run, answer

from spark_match_recognize._jars import bundled_jars, minor_of, spark_version

# Spark's errors for the clause without the plugin, as docs/debugging.md quotes them
AFTER_ALIAS = "'('" if minor_of(spark_version()) > "4.2" else "'BY'"
UNKNOWN = {
    "SELECT * FROM {ticks} MATCH_RECOGNIZE (ORDER BY id MEASURES 1 AS x PATTERN (A))": AFTER_ALIAS,
    "SELECT * FROM (SELECT 1 AS id) MATCH_RECOGNIZE (ORDER BY id PATTERN (A))": AFTER_ALIAS,
    "SELECT * FROM {ticks} t MATCH_RECOGNIZE (ORDER BY id PATTERN (A))": "'MATCH_RECOGNIZE'",
}

ROOT = Path(__file__).resolve().parent.parent
MINOR = minor_of(spark_version())
OTHER = "4.2" if MINOR != "4.2" else "4.1"


@pytest.mark.parametrize(
    "setup",
    [
        # as in test_other_jars_stay
        pytest.param(
            "configure(builder.master('local[1]'))", id="configure", marks=pytest.mark.slow
        ),
        pytest.param(
            "configure(configure(builder.master('local[1]')))",
            id="configure-twice",
            marks=pytest.mark.slow,
        ),
        # as in test_spark_sql
        pytest.param(
            "builder.master('local[1]').config('spark.jars', JAR)",
            id="jar-alone",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            f"builder.master('local[1]').config('spark.jars', JAR)"
            f".config('spark.sql.extensions', '{EXTENSION}')",
            id="jar-and-extensions",
            marks=pytest.mark.slow,
        ),
        pytest.param("configure(builder.remote('local[1]'))", id="connect", marks=pytest.mark.slow),
        pytest.param(
            f"configure(builder.remote('local[1]')).config('spark.sql.extensions', '{EXTENSION}')",
            id="connect-and-extensions",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "configure(builder.master('local-cluster[2,1,1024]'))",
            id="local-cluster",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_session_of_python(run_python: Run, jar: str, setup: str) -> None:
    source = PROGRAM.format(setup=setup.replace("JAR", repr(jar)), query=QUERY)
    assert answer(run_python(source)) == [[[1, 20]], [[1]]]


@pytest.mark.slow
def test_session_without_the_jar_is_not_enabled(run_python: Run) -> None:
    """The check prints nothing, and the syntax errors are the ones that the pages quote."""
    queries = [query.format(ticks="range(3)") for query in UNKNOWN]
    queries += [query.format(ticks="ticks") for query in UNKNOWN]
    errors = f"""
spark.range(3).createOrReplaceTempView("ticks")
said = []
for query in {queries!r}:
    try:
        spark.sql(query)
    except Exception as error:
        said.append(str(error).split("==")[0])
print("ANSWER " + json.dumps([rows, plain, said]))
spark.stop()"""
    source = PROGRAM.format(setup="builder.master('local[1]')", query=QUERY)
    run = run_python(source.replace("\nspark.stop()", errors))
    rows, plain, said = answer(run)
    assert (rows, plain) == (None, [[1]])
    assert "match_recognize_version" not in run.stderr, "asking made noise"
    page = (ROOT / "docs/debugging.md").read_text(encoding="utf-8")
    wanted = [f"[PARSE_SYNTAX_ERROR] Syntax error at or near {near}" for near in UNKNOWN.values()]
    assert [message.strip().partition(".")[0] for message in said] == wanted * 2
    assert {text for text in wanted if f"`{text}`" in page} == set(wanted)


@pytest.mark.slow
def test_other_jars_stay(run_python: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.jar"
    other.write_bytes(b"PK\x05\x06" + bytes(18))  # an empty archive
    setup = f"configure(builder.master('local[1]').config('spark.jars', {str(other)!r}))"
    source = PROGRAM.format(setup=setup, query=QUERY).replace(
        "plain =", "assert 'other.jar,' in spark.conf.get('spark.jars')\nplain ="
    )
    assert answer(run_python(source)) == [[[1, 20]], [[1]]]


def test_spark_sql(run_program: Run, jar: str) -> None:
    """A query, and why a stricter one finds nothing."""
    stricter = QUERY.replace("v > PREV(v)", "v > 99")
    explained = f"SELECT sentence FROM match_recognize_explain('{stricter}')"
    run = run_program(
        *(str(SCRIPTS / "spark-sql"), "--jars", jar, "--master", "local[1]"),
        *("-e", f"{QUERY}; {explained}"),
    )
    assert run.returncode == 0, run.stderr[-3000:]
    answer, *sentences = run.stdout.strip().splitlines()
    assert answer == "1\t20"
    assert "`v > 99` of UP is TRUE in none of 3 rows (FALSE in 3)." in sentences


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_pyspark_shell(run_program: Run, jar: str) -> None:
    source = f"""
import json
rows = [list(row) for row in spark.sql({" ".join(QUERY.split())!r}).collect()]
print("ANSWER " + json.dumps(rows))
"""
    # python reads the startup file that creates `spark` only if it is interactive
    run = run_program(
        *(str(SCRIPTS / "pyspark"), "--jars", jar, "--master", "local[1]"),
        stdin=source,
        env={"PYSPARK_DRIVER_PYTHON_OPTS": "-i"},
    )
    assert answer(run) == [[1, 20]]


@pytest.mark.slow
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


def relabelled(jar: str, folder: Path) -> Path:
    """Return a copy of a jar that says it is built for another minor."""
    copy = folder / Path(jar).name.replace(f"spark-{MINOR}", f"spark-{OTHER}")
    changed = 0
    with zipfile.ZipFile(jar) as old, zipfile.ZipFile(copy, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if "BuildInfo" in name:  # a string of a class file: its length, then its bytes
                mine, its = (b"\x00\x03" + minor.encode() for minor in (MINOR, OTHER))
                changed += content.count(mine)
                content = content.replace(mine, its)
            new.writestr(name, content)
    assert changed == 1
    return copy


@pytest.mark.parametrize(
    "real",
    [
        pytest.param(False, id="relabelled", marks=pytest.mark.slow),
        # needs a wheel of all minors
        pytest.param(True, id="real", marks=pytest.mark.slow),
    ],
)
def test_jar_of_another_minor(run_python: Run, tmp_path: Path, jar: str, *, real: bool) -> None:
    """It adds nothing, says so once, and Spark works as usual; the doctor names the jar."""
    other = bundled_jars()[OTHER] if real else relabelled(jar, tmp_path)
    source = f"""
from pyspark.sql import SparkSession
import spark_match_recognize as mr
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.jars", {str(other)!r}).getOrCreate()
print("ANSWER", [list(row) for row in spark.sql("SELECT 1 AS x").collect()])
mr.doctor(spark)
mr.configure(SparkSession.builder)
"""
    run = run_python(source)
    assert answer(run) == [[1]]
    said = run.stdout + run.stderr
    assert said.count("MATCH_RECOGNIZE_WRONG_SPARK_VERSION") == 1
    assert f"spark-match-recognize-spark-{MINOR}_2.13" in said
    report = run.stdout.splitlines()[-1]
    assert report.startswith("FAILED  plugin")
    problem = f"has the plugin for Spark {OTHER} (file:{other}), and this is Spark {MINOR}"
    assert problem in report
    assert f"UserWarning: The class path of Spark's driver {problem}" in run.stderr
