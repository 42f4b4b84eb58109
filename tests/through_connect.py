"""The same checks in a classic session of the tests and, as a program, through Spark Connect.

The program's session is that of the environment variable SPARK_REMOTE.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loading import Run, answer
from pyspark.sql import SparkSession

import spark_match_recognize as mr

Answers = dict[str, Any]


def print_answers(everything: Callable[[SparkSession, Path], Answers]) -> None:
    """Print the answers of a Connect session as JSON; the program's argument is a folder."""
    folder = Path(sys.argv[1])
    session = mr.configure(SparkSession.builder).getOrCreate()
    print("ANSWER " + json.dumps(everything(session, folder)))
    session.stop()


def answers_of(program: str | None, run: Run, folder: Path) -> Answers:
    """Run a program that prints its answers, and return them."""
    found = answer(run(str(program), str(folder)))
    assert isinstance(found, dict)
    return found
