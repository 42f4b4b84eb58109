"""The check of an installation, which `python -m spark_match_recognize doctor` runs."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from spark_match_recognize._checks import Checks, first_line, report, run_probe
from spark_match_recognize._details import block_of
from spark_match_recognize._errors import JavaNotFoundError, SetupError
from spark_match_recognize._jars import is_client, jar_path, pyspark_version, spark_version, version
from spark_match_recognize._jvm import running_gateway
from spark_match_recognize._session import (
    configure,
    is_enabled,
    problem_of_loaded_jar,
    problem_of_several_jars,
)
from spark_match_recognize._session_doctor import checks_of

_OLDEST_JAVA = 17


def examine(say: Callable[[str], None]) -> bool:
    """Check everything that the plugin needs, in the order in which it is needed.

    Args:
        say: Takes one line of the report at a time.

    Returns:
        True if the plugin works here. The checks stop at the first failure, since later ones depend
        on earlier ones.
    """
    package = ("package", lambda: f"spark-match-recognize {version()}")
    probed: list[str] = []  # what the probe of a session leaves for the check after it
    details = ("details", lambda: "".join(probed))
    if is_client():
        server = ("server", lambda: _probe_server(probed))
        return report([package, ("client", _describe_client), server, details], say)
    checks: Checks = [
        package,
        ("java", find_java),
        ("JAVA_HOME", lambda: os.environ.get("JAVA_HOME") or "not set; java comes from PATH"),
        ("spark", _describe_spark),
        ("jar", lambda: str(jar_path())),
        ("session", lambda: _probe_session(probed)),
        details,
    ]
    return report(checks, say)


def _describe_client() -> str:
    """Say which parts are checked elsewhere."""
    found = pyspark_version()
    return f"pyspark-client {found}, without Spark; Java and the jar belong to the Connect server"


def _probe_server(details: list[str]) -> str:
    """Check the server that the environment names, and append what the report of a fault needs."""
    remote = os.environ.get("SPARK_REMOTE", "")
    if not remote.startswith("sc://"):
        message = (
            "No server is named. Set SPARK_REMOTE=sc://HOST:15002 and run this again, or call "
            "mr.doctor(spark) with a session. To run Spark here, without a server, install pyspark."
        )
        raise SetupError(message)
    try:
        builder = importlib.import_module("pyspark.sql").SparkSession.builder
        spark = builder.remote(remote).getOrCreate()
    except Exception as error:
        message = f"No session starts at {remote.partition(';')[0]}: {first_line(error)}"
        raise SetupError(message) from error
    try:
        lines: list[str] = []
        # the details are asked for once, when all is well
        checks = [(name, check) for name, check in checks_of(spark) if name != "details"]
        if not report(checks, lines.append):
            raise SetupError(lines[-1].partition("] ")[2])
        details.append(block_of(spark))
    finally:
        spark.stop()
    return "it has the plugin, and a query with MATCH_RECOGNIZE gives the right row"


def find_java() -> str:
    """Find the Java that Spark would start.

    Returns:
        Its path and the first line of `java -version`.

    Raises:
        JavaNotFoundError: If there is none, it does not run, or it is older than 17.
    """
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home, "bin"))) if home else shutil.which("java")
    if java is None:
        if home:
            message = f"JAVA_HOME is {home}, and there is no bin/java in it. Correct or unset it."
        else:
            message = (
                "There is no java on PATH and JAVA_HOME is not set. Install a JDK or JRE of "
                f"version {_OLDEST_JAVA} or newer, or point JAVA_HOME at one."
            )
        raise JavaNotFoundError(message)
    try:
        run = subprocess.run(  # noqa: S603 - the java that Spark itself would start
            [java, "-version"], capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError) as error:
        message = f"{java} -version does not run ({error}). Install another Java."
        raise JavaNotFoundError(message) from error
    lines = (run.stderr + run.stdout).splitlines()
    line = next((line for line in lines if "version" in line), "a Java of unknown version")
    match = re.search(r'version "(\d+)(?:\.(\d+))?', line)
    major = 0 if match is None else int(match[2] if match[1] == "1" and match[2] else match[1])
    if match is not None and major < _OLDEST_JAVA:
        message = (
            f"{java} is {line.strip()}; Spark 4 needs Java {_OLDEST_JAVA} or newer. Install one "
            "and point JAVA_HOME at it."
        )
        raise JavaNotFoundError(message)
    return f"{java}, {line.strip()}"


def _describe_spark() -> str:
    found = spark_version()
    home = os.environ.get("SPARK_HOME")
    return f"{found}, SPARK_HOME is {home or 'not set'}"


def _probe_session(details: list[str]) -> str:
    """Start a session with the plugin and run a query with the clause, as `_probe_server` does."""
    try:
        builder = importlib.import_module("pyspark.sql").SparkSession.builder
    except ImportError as error:
        message = f"pyspark cannot be imported: {error}. Repair it: pip install pyspark"
        raise SetupError(message) from error
    builder = builder.appName("spark-match-recognize doctor").config("spark.ui.enabled", "false")
    if "SPARK_REMOTE" not in os.environ:
        builder = builder.master("local[1]")
    with _log_aside():
        details.append(_probe_builder(builder))
    return "it starts, has the plugin, and a query with MATCH_RECOGNIZE gives the right row"


@contextlib.contextmanager
def _log_aside() -> Iterator[None]:
    """Keep the log of the JVM started here out of the report, unless something fails."""
    with tempfile.TemporaryFile() as log:
        stderr = os.dup(2)
        os.dup2(log.fileno(), 2)  # the JVM inherits it
        try:
            yield
        except SetupError:
            log.seek(0)
            os.write(stderr, log.read())
            raise
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)


def _probe_builder(builder: Any) -> str:  # noqa: ANN401 - a classic or Connect builder
    """Return what the report of a fault needs, if a query with the clause runs."""
    try:
        spark = configure(builder).getOrCreate()
    except SetupError:
        raise
    except Exception as error:
        message = (
            f"No session starts: {first_line(error)}. The cause is in Spark, Java or the "
            "configuration: try the same without spark-match-recognize."
        )
        raise SetupError(message) from error
    gateway = None if "SPARK_REMOTE" in os.environ else running_gateway()
    try:
        if gateway is not None:
            wrong = problem_of_several_jars(gateway) or problem_of_loaded_jar(
                gateway, str(spark.version)
            )
            if wrong is not None:
                raise SetupError(wrong)
        if not is_enabled(spark):
            message = (
                "A session starts, but it has not loaded the plugin. Look for a WARN or ERROR line "
                "about MatchRecognizeExtensions in the log above, and for another list of jars "
                "that wins over spark.jars (--jars in PYSPARK_SUBMIT_ARGS)."
            )
            raise SetupError(message)
        run_probe(spark)
        return block_of(spark)
    finally:
        spark.stop()
