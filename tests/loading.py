"""Shared by the tests of loading the plugin: one query, one program, and its answer."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

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
    """Return what the program printed after ANSWER, which may follow a prompt."""
    answers = [line.partition("ANSWER ")[2] for line in run.stdout.splitlines()]
    answers = [text for text in answers if text[:1] in ("[", "{")]
    assert run.returncode == 0, run.stderr[-3000:]
    assert answers, run.stdout + run.stderr[-3000:]
    return json.loads(answers[-1])


def program_runner(folder: Path) -> Run:
    """Return a function that runs a program in a folder.

    As in an activated environment, the scripts of pyspark find its Python first.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def run(
        *command: str, stdin: str = "", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            input=stdin,
            cwd=folder,
            env={**os.environ, "PATH": path, **(env or {})},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    return run


def free_port() -> int:
    """Return a free port of this machine, of those that no program gets without asking for it."""
    while True:
        port = random.randrange(20000, 32000)  # noqa: S311 - not a secret
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("localhost", port))
            return port


@contextlib.contextmanager
def server(
    folder: Path, port: int, *command: str, is_ready: Callable[[], bool] = lambda: True
) -> Iterator[None]:
    """Start a server in a folder, wait until it is ready on the port, and stop it at the end."""
    log = folder / "server.log"
    environment = {**os.environ, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"}
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, "SPARK_LOG_DIR": str(folder), "SPARK_PID_DIR": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # the scripts start Java as a child process: both end together
        )
    try:
        deadline = time.monotonic() + 300
        while not (_listens(port) and is_ready()):
            assert process.poll() is None, log.read_text()[-3000:]
            assert time.monotonic() < deadline, log.read_text()[-3000:]
            time.sleep(0.2)
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("localhost", port)) == 0
