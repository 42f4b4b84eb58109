"""The same checks in a classic session of the tests and, as a program, through Spark Connect."""

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
    builder = SparkSession.builder.config("spark.log.level", "OFF").remote("local[2]")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    builder = builder.config("spark.sql.warehouse.dir", str(folder / "warehouse"))
    session = mr.configure(builder).getOrCreate()
    print("ANSWER " + json.dumps(everything(session, folder)))
    session.stop()


def answers_of(program: str | None, runner: Callable[[Path], Run], folder: Path) -> Answers:
    """Run a program that prints its answers, and return them."""
    found = answer(runner(folder)(sys.executable, str(program), str(folder)))
    assert isinstance(found, dict)
    return found
