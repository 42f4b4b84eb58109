"""Loading the plugin into a session, and asking a session whether it has it."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

from spark_match_recognize._jars import jar_path

_SPARK_JARS = "spark.jars"


class SessionBuilder(Protocol):
    """What `configure` needs of a session builder; pyspark's classic and Connect ones have it."""

    def config(self, key: str, value: str, /) -> Any:  # noqa: ANN401 - a builder of some library
        """Set one option and return the builder."""


class Session(Protocol):
    """What `is_enabled` needs of a session."""

    def sql(self, text: str, /) -> Any:  # noqa: ANN401 - a DataFrame, classic or Connect
        """Return the result of a SQL statement."""


Builder = TypeVar("Builder", bound=SessionBuilder)


def configure(builder: Builder) -> Builder:
    """Add the plugin's jar to what a session will load when it starts.

    The jar is appended to `spark.jars`: what the builder, or else `spark-defaults.conf`, lists
    there stays. Nothing else is set. Configuring twice adds the jar once. A builder with the
    address of a remote Connect server (`sc://...`) is returned as it is, because a server loads
    its own jars; `.remote("local[*]")` starts a server here and does get the jar.

    Args:
        builder: `SparkSession.builder`, or any object with its `config` method.

    Returns:
        The same builder.

    Raises:
        PySparkNotFoundError: If there is no Spark to take the version from.
        WrongSparkVersionError: If this package has no jar for that version.
    """
    options = getattr(builder, "_options", {})
    remote = str(options.get("spark.remote") or os.environ.get("SPARK_REMOTE") or "local")
    if not remote.startswith("local"):
        return builder
    jar = str(jar_path())
    present = options.get(_SPARK_JARS)
    jars = _split(str(present) if present is not None else _default_jars())
    if jar not in jars:
        builder.config(_SPARK_JARS, ",".join([*jars, jar]))
    _warn_if_too_late(jar)
    return builder


def is_enabled(spark: Session) -> bool:
    """Tell whether a session has the plugin, local or behind Spark Connect.

    Args:
        spark: A session.

    Returns:
        True if the probe function `match_recognize_version()` answers.
    """
    errors = importlib.import_module("pyspark.errors")
    try:
        with _quiet():
            spark.sql("SELECT match_recognize_version()").collect()
    except errors.AnalysisException:
        return False
    return True


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep pyspark from writing an expected error, with its Java stack, to standard error."""
    name = "SQLQueryContextLogger"
    loggers = importlib.import_module("pyspark.logger")
    logger = loggers.PySparkLogger.getLogger(name)  # logging's own would make one of another class
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _split(jars: str) -> list[str]:
    return [jar.strip() for jar in jars.split(",") if jar.strip()]


def _default_jars() -> str:
    """Return `spark.jars` of spark-defaults.conf, which an option of the builder would replace."""
    home = os.environ.get("SPARK_HOME")
    directory = os.environ.get("SPARK_CONF_DIR") or (home and str(Path(home, "conf")))
    file = Path(directory or "", "spark-defaults.conf")
    if not directory or not file.is_file():
        return ""
    for line in file.read_text(encoding="utf-8").splitlines():
        key, *value = re.split(r"\s*[=\s]\s*", line.strip(), maxsplit=1)
        if key == _SPARK_JARS and value:
            return value[0]
    return ""


def _warn_if_too_late(jar: str) -> None:
    core = sys.modules.get("pyspark.core.context")
    context = getattr(getattr(core, "SparkContext", None), "_active_spark_context", None)
    if context is not None and jar not in _split(context.getConf().get(_SPARK_JARS, "")):
        warnings.warn(
            "Spark is already running in this process and reads spark.jars only when it starts. "
            "Call spark.stop() first, or start the application with "
            '--jars "$(python -m spark_match_recognize jar)".',
            stacklevel=3,
        )
