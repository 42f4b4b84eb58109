"""Loading the plugin into a session, and asking a session whether it has it."""

from __future__ import annotations

import importlib
import os
import re
import warnings
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import unquote

from spark_match_recognize import _kinds as kinds
from spark_match_recognize._captured import messages_of_own_conditions
from spark_match_recognize._jars import (
    home_of_pyspark,
    is_client,
    jar_path,
    minor_of,
    pyspark_version,
    spark_version,
)
from spark_match_recognize._jvm import (
    default_jars,
    has_session_without_plugin,
    jars_with_plugin,
    load_jar,
    loaded_jar,
    running_gateway,
    share_with_executors,
)
from spark_match_recognize._kinds import checked

_SPARK_JARS = "spark.jars"
_ONLY_A_CLIENT = (
    "This pyspark is a client without Spark, pyspark-client, and the builder has no address of a "
    "Connect server. No jar was added, as a client cannot load one. Write "
    'SparkSession.builder.remote("sc://...") with the address of a server that was started with '
    "the jar; mr.doctor(spark) checks it. To run Spark in this process, install pyspark."
)
_FIRST_WITH_CREATE = (4, 2)  # before, create() was only for Connect


class SessionBuilder(Protocol):
    """What `configure` needs from a session builder, classic or Connect."""

    def config(self, key: str, value: str, /) -> Any:  # noqa: ANN401 - a builder of some library
        """Set one option and return the builder."""


class Session(Protocol):
    """What `is_enabled` needs from a session."""

    def sql(self, text: str, /) -> Any:  # noqa: ANN401 - a DataFrame, classic or Connect
        """Return the result of a SQL statement."""


Builder = TypeVar("Builder", bound=SessionBuilder)


@checked(builder=kinds.builder)
def configure(builder: Builder) -> Builder:
    """Add the plugin's jar to the jars that a session loads when it starts.

    The jar is appended to the `spark.jars` of the builder, or else of the JVM or
    `spark-defaults.conf`. Nothing else is set. If Spark's JVM is already running, because another
    session was stopped before or because spark-submit started the script, the jar is also put on
    the class path of that JVM, which no longer reads `spark.jars`. Configuring twice adds the jar
    once.

    A builder with the address of a remote Connect server (`sc://...`) is returned unchanged,
    because a server loads its own jars; `.remote("local[*]")` starts a server here, which does get
    the jar. With pyspark-client, which has no Spark, nothing is changed.

    Args:
        builder: `SparkSession.builder`, or any object with its `config` method.

    Returns:
        The same builder.

    Raises:
        TypeError: If `builder` is not a builder.
        PySparkNotFoundError: If there is no Spark to take the version from.
        WrongSparkVersionError: If this package has no jar for that version.

    Warns:
        UserWarning: If `getOrCreate` of the builder will return a session without the plugin, or
            cannot start one; the message says what to do.
    """
    options = getattr(builder, "_options", {})
    remote = str(options.get("spark.remote") or os.environ.get("SPARK_REMOTE") or "local")
    if not remote.startswith("local"):
        return builder
    if is_client():
        warnings.warn(_ONLY_A_CLIENT, stacklevel=3)
        return builder
    messages_of_own_conditions()
    jar = jar_path()
    gateway = running_gateway()
    present = options.get(_SPARK_JARS)
    if present is None:
        present = _jars_of_defaults() if gateway is None else default_jars(gateway)
    jars = split_jars(str(present))
    if not any(_is_file(entry, jar) for entry in jars):
        builder.config(_SPARK_JARS, ",".join([*jars, str(jar)]))
    problem = _problem_of_start(jar) if gateway is None else _load(gateway, jar)
    if problem is not None:
        warnings.warn(problem, stacklevel=3)  # where the decorated function is called
    return builder


@checked(spark=kinds.session)
def is_enabled(spark: Session) -> bool:
    """Tell whether a session has the plugin, local or over Spark Connect.

    Args:
        spark: A session.

    Returns:
        True if the probe function `match_recognize_version()` exists.

    Raises:
        TypeError: If `spark` is not a session.
    """
    errors = importlib.import_module("pyspark.errors")
    try:
        spark.sql("SELECT match_recognize_version()").collect()
    except errors.AnalysisException:
        return False
    return True


def split_jars(jars: str) -> list[str]:
    """Return the entries of a value of `spark.jars`."""
    return [jar.strip() for jar in jars.split(",") if jar.strip()]


def how_to_get_a_session(*, is_loaded: bool) -> str:
    """Return the advice for a session without the plugin, as the end of a message.

    Args:
        is_loaded: Whether the driver has the jar by now, so that a new session has the plugin.
    """
    stop = "call spark.stop(), then mr.configure(...).getOrCreate()"
    version = pyspark_version()
    old = tuple(int(part) for part in version.split(".")[:2]) < _FIRST_WITH_CREATE
    if old or "SPARK_LOCAL_REMOTE" in os.environ:  # create() of Connect requires a remote server
        return f"C{stop[1:]}."
    builder = "SparkSession.builder" if is_loaded else "mr.configure(SparkSession.builder)"
    return (
        f"Either {stop}. Or let it run and write {builder}.create(): that makes a second session, "
        "which has the plugin and temporary views of its own."
    )


def problem_of_loaded_jar(gateway: Any, spark: str) -> str | None:  # noqa: ANN401 - py4j has no types
    """Say what is wrong if the driver has the plugin of another Spark minor.

    Args:
        gateway: The gateway to the driver.
        spark: The version of Spark that runs there.

    Returns:
        The end of a message, or None if the driver has the right plugin or none.
    """
    found = loaded_jar(gateway)
    if found is None or found[1] == minor_of(spark):
        return None
    url, minor = found
    return (
        f"The class path of Spark's driver has the plugin for Spark {minor} ({url}), and this is "
        f"Spark {spark}; that jar adds nothing here. Restart without it: it comes from spark.jars, "
        "from --jars, or from the jars folder of Spark."
    )


def problem_of_several_jars(gateway: Any) -> str | None:  # noqa: ANN401 - py4j has no types
    """Say which jars are in each other's way, if the driver has more than one version or minor.

    Args:
        gateway: The gateway to the driver.

    Returns:
        A message, or None if there are no two different ones. The same jar in two places is
        harmless.
    """
    jars = jars_with_plugin(gateway)
    if len({jar.rpartition("/")[2] for jar in jars}) < 2:  # noqa: PLR2004 - two jars
        return None
    return (
        f"The class path of Spark's driver has {len(jars)} jars of the plugin, and Spark uses the "
        f"first: {', '.join(jars)}. Keep the one for this Spark; the others come from spark.jars, "
        "from --jars, or from the jars folder of Spark."
    )


def _is_file(entry: str, jar: Path) -> bool:
    """Tell whether an entry of `spark.jars`, which spark-submit writes as a URL, is the jar."""
    return entry == str(jar) or (entry.startswith("file:/") and Path(unquote(entry[5:])) == jar)


def _jars_of_defaults() -> str:
    """Return `spark.jars` of spark-defaults.conf, which an option of the builder would replace."""
    home = os.environ.get("SPARK_HOME") or home_of_pyspark()
    directory = os.environ.get("SPARK_CONF_DIR") or (home and str(Path(home, "conf")))
    file = Path(directory or "", "spark-defaults.conf")
    if not directory or not file.is_file():
        return ""
    found = ""
    lines = iter(file.read_text(encoding="utf-8", errors="replace").splitlines())
    for line in lines:  # a file of properties of Java
        entry = line.strip()
        while entry.endswith("\\") and not entry.startswith(("#", "!")):
            entry = entry[:-1] + next(lines, "").strip()
        key, *value = re.split(r"\s*[=:\s]\s*", entry, maxsplit=1)
        if key == _SPARK_JARS and value:
            found = value[0]
    return found


def _problem_of_start(jar: Path) -> str | None:
    """Say why a JVM that is yet to start would not load the jar."""
    arguments = os.environ.get("PYSPARK_SUBMIT_ARGS", "")
    if jar.name in arguments or not re.search(
        r"(^|[\s\"'=])(--jars|spark\.jars)\b[\s=]", arguments
    ):
        return None
    return (
        "PYSPARK_SUBMIT_ARGS lists jars, and that list wins over spark.jars of the session: the "
        f"plugin would not be loaded. Add its jar to that list, after a comma: {jar}"
    )


def _load(gateway: Any, jar: Path) -> str | None:  # noqa: ANN401 - py4j has no types
    """Load the jar into the running JVM, or say why the next session will lack the plugin."""
    if not load_jar(gateway, jar):
        return (
            "Spark's JVM runs already in this process, and its class path cannot be changed from "
            "here. Restart the kernel (or the process) and call configure before Spark starts, or "
            f"start the application with --jars {jar}"
        )
    if (wrong := problem_of_loaded_jar(gateway, spark_version())) is not None:
        return wrong
    share_with_executors(jar)
    if has_session_without_plugin(gateway):
        return (
            "A Spark session that was started without the plugin runs in this process, and "
            f"getOrCreate() would return it. {how_to_get_a_session(is_loaded=True)}"
        )
    return None
