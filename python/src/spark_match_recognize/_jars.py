"""The jars in this package, and the choice of the one for the installed Spark."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
from pathlib import Path

from spark_match_recognize._errors import PySparkNotFoundError, WrongSparkVersionError
from spark_match_recognize._kinds import checked, optional, text

_JARS = Path(__file__).parent / "jars"
JAR_NAME = re.compile(r"spark-match-recognize-spark-(\d+\.\d+)_[\d.]+-.+\.jar")
_CORE_NAME = re.compile(r"spark-core_[\d.]+-(\d+\.\d+\..+)\.jar")


def version() -> str:
    """Return the version of this package, which is also that of its jars.

    Returns:
        A version such as `1.0.0`.
    """
    return importlib.metadata.version("spark-match-recognize")


@checked(minor=optional(text))
def jar_path(minor: str | None = None) -> Path:
    """Return the plugin's jar for one Spark minor, for `--jars` and the like.

    Args:
        minor: A Spark minor such as `4.3`; a full version is cut to its minor. By default that of
            Spark in `SPARK_HOME` if that is set, else of the installed pyspark.

    Returns:
        The path of a jar inside this package.

    Raises:
        PySparkNotFoundError: If no minor is given and there is no Spark to take it from.
        TypeError: If `minor` is not a string.
        WrongSparkVersionError: If this package has no jar for that minor.
    """
    wanted = minor if minor is not None else spark_version()
    jars = bundled_jars()
    jar = jars.get(minor_of(wanted))
    if jar is None:
        raise WrongSparkVersionError(wanted, list(jars))
    return jar


def bundled_jars() -> dict[str, Path]:
    """Return every jar of this package by the Spark minor it is built for, oldest first."""
    found = ((JAR_NAME.fullmatch(path.name), path) for path in sorted(_JARS.glob("*.jar")))
    jars = {match[1]: path for match, path in found if match}
    return dict(sorted(jars.items(), key=lambda item: [int(part) for part in item[0].split(".")]))


def spark_version() -> str:
    """Return the version of the Spark that a session of this process would start.

    Returns:
        A version such as `4.3.0`.

    Raises:
        PySparkNotFoundError: If there is neither a `SPARK_HOME` nor pyspark.
    """
    home = os.environ.get("SPARK_HOME")
    if home:  # then pyspark starts that Spark, whatever version pyspark itself has
        for path in Path(home, "jars").glob("spark-core_*.jar"):
            if match := _CORE_NAME.fullmatch(path.name):
                return match[1]
    if importlib.util.find_spec("pyspark") is None:
        raise PySparkNotFoundError
    return pyspark_version()


def pyspark_version() -> str:
    """Return the version of the installed pyspark, or of pyspark-client."""
    import pyspark  # noqa: PLC0415 - optional, and slow to import

    return str(pyspark.__version__)


def is_client() -> bool:
    """Tell whether pyspark is only a client of Connect servers, without Spark: pyspark-client."""
    return bool(importlib.util.find_spec("pyspark")) and not importlib.util.find_spec(
        "pyspark.core"
    )


def home_of_pyspark() -> str | None:
    """Return the folder that is the `SPARK_HOME` of an installed pyspark, or None without one."""
    found = importlib.util.find_spec("pyspark")
    return str(Path(found.origin).parent) if found and found.origin else None


def minor_of(text: str) -> str:
    """Return the minor of a version: `4.3` of `4.3.0`."""
    return ".".join(text.split(".")[:2])
