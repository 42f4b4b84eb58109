"""The report of a doctor: a sequence of checks, each `ok` or `FAILED` with its cure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from spark_match_recognize._errors import SetupError

Checks = Sequence[tuple[str, Callable[[], str]]]

_PROBE = """
SELECT * FROM VALUES (1, 3), (2, 1), (3, 2) AS t(k, v) MATCH_RECOGNIZE (
  ORDER BY k
  MEASURES FIRST(k) AS first_row, LAST(k) AS last_row
  PATTERN (START_ROW DOWN UP)
  DEFINE DOWN AS v < PREV(v), UP AS v > PREV(v)
)
"""
_PROBE_RESULT = [(1, 3)]
# what executors say of a task whose classes they do not have; the second one is Java's way
_MISSING_CLASS = re.compile(
    r"(ClassNotFoundException|NoClassDefFoundError): "
    r"(io[./]matchrecognize|org[./]apache[./]spark[./]sql[./]matchrecognize)[./]"
    r"|cannot assign instance of java\.lang\.invoke\.SerializedLambda"
)


def report(checks: Checks, say: Callable[[str], None]) -> bool:
    """Run checks in order up to the first failure, since later ones depend on earlier ones.

    Args:
        checks: The name of each check, and a function that returns what it found or raises
            `SetupError` with what is wrong and what to do.
        say: Takes one line of the report at a time.

    Returns:
        True if no check failed.
    """
    for name, check in checks:
        try:
            finding = check()
        except SetupError as error:
            say(f"FAILED  {name}: {error}")
            return False
        say(f"ok      {name}: {finding}")
    say("All is well: MATCH_RECOGNIZE works here.")
    return True


def run_probe(spark: Any) -> None:  # noqa: ANN401 - a classic or Connect session
    """Run a query with the clause.

    Args:
        spark: A session that has the plugin.

    Raises:
        SetupError: If the query fails or returns a wrong row.
    """
    try:
        rows = [tuple(row) for row in spark.sql(_PROBE).collect()]
    except Exception as error:
        if _MISSING_CLASS.search(str(error)):
            message = (
                "The driver has the jar and the executors do not: the probe query fails there. "
                "Name the jar in --jars or spark.jars, which reach both; --driver-class-path and "
                "spark.driver.extraClassPath reach the driver only."
            )
            raise SetupError(message) from error
        message = (
            f"The probe query fails: {first_line(error)}. If spark.matchRecognize.enabled is "
            "false in your configuration, remove it; else please report this output."
        )
        raise SetupError(message) from error
    if rows != _PROBE_RESULT:
        message = f"The probe query returns {rows}, not {_PROBE_RESULT}. Please report this output."
        raise SetupError(message)


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text, or the name of its class if it has none."""
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
