"""The check of a running session: whether it has the plugin, why not, and what to do."""

from __future__ import annotations

import difflib
import importlib
import os
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import Any

from spark_match_recognize._checks import first_line, report, run_probe
from spark_match_recognize._details import block_of
from spark_match_recognize._errors import (
    PySparkNotFoundError,
    SetupError,
    WrongSparkVersionError,
)
from spark_match_recognize._jars import JAR_NAME, jar_path, pyspark_version, version
from spark_match_recognize._jvm import EXTENSION, is_connect, loaded_jar, running_gateway
from spark_match_recognize._kinds import checked, optional, session
from spark_match_recognize._session import (
    Session,
    how_to_get_a_session,
    is_enabled,
    problem_of_loaded_jar,
    problem_of_several_jars,
    split_jars,
)

_NEW_SESSION = "Make a new one: mr.configure(SparkSession.builder).getOrCreate()"
_SETTINGS = "spark.matchRecognize."
_ENABLED = "spark.matchRecognize.enabled"
_ORDER = "spark.matchRecognize.stream.inputOrder"
_ALLOWLIST = "spark.sql.streaming.realTimeMode.allowlistCheck"
# the first Spark that runs stateful operators in Real-Time Mode
_REAL_TIME = (4, 3)


@checked(spark=optional(session))
def doctor(spark: Session | None = None) -> bool:
    """Check a running session, as `python -m spark_match_recognize doctor` checks a new one.

    The report is printed: one line per check, `ok` or `FAILED` with the cause and the cure, and
    below `details` what belongs into the report of a fault: versions and settings, without paths,
    hosts or anything else that is private. The session is not changed.

    Args:
        spark: The session, classic or Connect; the active one if it is not given.

    Returns:
        True if a query with MATCH_RECOGNIZE works in it.

    Raises:
        RuntimeError: If there is no session.
        TypeError: If `spark` is not a session.
    """
    found = spark if spark is not None else _active()
    if found is None:
        message = (
            "There is no active Spark session: pass one, as in mr.doctor(spark), or check the "
            "installation with python -m spark_match_recognize doctor."
        )
        raise RuntimeError(message)
    return report(
        [("package", lambda: f"spark-match-recognize {version()}"), *checks_of(found)], print
    )


def checks_of(spark: Session) -> list[tuple[str, Callable[[], str]]]:
    """Return the checks of a running session."""
    examined = _Examined(spark)
    return [
        ("session", examined.describe),
        ("details", examined.show_details),
        ("jar", examined.find_jar),
        ("plugin", examined.find_plugin),
        ("setting", examined.read_setting),
        ("limits", examined.read_limits),
        ("query", examined.run_query),
        ("real time", examined.tell_real_time),
    ]


def _instead(key: str, known: Iterable[str]) -> str:
    """Return the setting that a name is probably meant for, in parentheses."""
    near = difflib.get_close_matches(key, [name for name in known if name.startswith(_SETTINGS)], 1)
    return f" (for {near[0]}?)" if near else ""


def _active() -> Session | None:
    """Return the active session, classic or Connect; None without one."""
    try:
        sessions = importlib.import_module("pyspark.sql").SparkSession
    except ImportError as error:
        raise PySparkNotFoundError from error
    active: Session | None = sessions.getActiveSession()
    return active


class _Examined:
    """One session under examination.

    Attributes:
        spark: The session.
        version: The version of its Spark, once it has answered.
        loaded: Whether it has the plugin, once it has answered.
    """

    def __init__(self, spark: Any) -> None:  # noqa: ANN401 - a classic or Connect session
        self.spark = spark
        self.version = ""
        self.loaded = False

    @property
    def is_remote(self) -> bool:
        """Whether its driver is another process."""
        return is_connect(self.spark) and "SPARK_LOCAL_REMOTE" not in os.environ

    def describe(self) -> str:
        """Ask the session for its Spark version."""
        # a stopped classic session still answers calls that need no job
        if getattr(getattr(self.spark, "_sc", self), "_jsc", self) is None:
            message = f"The session was stopped. {_NEW_SESSION}"
            raise SetupError(message)
        try:
            self.version = str(self.spark.version)
            self.loaded = is_enabled(self.spark)
        except Exception as error:
            message = f"The session does not answer: {first_line(error)}. {_NEW_SESSION}"
            raise SetupError(message) from error
        client = pyspark_version()
        kind = "Connect" if is_connect(self.spark) else ""
        text = f"Spark {self.version}, {kind or 'classic'} session, pyspark {client}"
        if client != self.version and not kind:
            text += f"; Spark wants both of one version: pip install pyspark=={self.version}"
        return text

    def show_details(self) -> str:
        """Ask for what the report of a fault needs."""
        return block_of(self.spark)

    def find_jar(self) -> str:
        """Look for this package's jar for the session's Spark."""
        try:
            return str(jar_path(self.version))
        except WrongSparkVersionError:
            if not self.loaded:
                raise
            return f"none here for Spark {self.version}; the session has one of its own"

    def find_plugin(self) -> str:
        """Ask for the plugin's version, or say why it is missing."""
        if not self.loaded:
            raise SetupError(self._why_not_loaded())
        gateway = None if self.is_remote else running_gateway()
        if gateway is not None and (several := problem_of_several_jars(gateway)):
            raise SetupError(several)
        found = self.spark.sql("SELECT match_recognize_version()").collect()[0][0]
        if found == version():
            return f"version {found} is loaded"
        return f"version {found} is loaded, not from this package, which has {version()}"

    def read_setting(self) -> str:
        """Check whether the plugin is switched on."""
        value = str(self.spark.conf.get(_ENABLED, "true"))
        if value.lower() == "false":
            message = (
                f"{_ENABLED} is false in this session, so Spark reads every statement by itself. "
                f'Switch it on: spark.conf.set("{_ENABLED}", "true")'
            )
            raise SetupError(message)
        return f"{_ENABLED} is {value}"

    def read_limits(self) -> str:
        """Say which limits are off, and which settings of the session the plugin does not know."""
        if not self.loaded:
            return "not read: the plugin is not loaded"
        known = {row.key: row for row in self.spark.sql("SET -v").collect()}
        off = [
            f"no limit: {key}"
            for key, row in known.items()
            if key.startswith(_SETTINGS)
            and "0 means no limit" in row.meaning
            and row.value in ("0", "0ms")
        ]
        unknown = [
            f"not a setting: {key}{_instead(key, known)}"
            for key in self.spark.conf.getAll
            if key.startswith(_SETTINGS) and key not in known
        ]
        return "; ".join([*unknown, *off]) or "all limits are set"

    def run_query(self) -> str:
        """Run a query with the clause."""
        run_probe(self.spark)
        return "a query with MATCH_RECOGNIZE gives the right row"

    def tell_real_time(self) -> str:
        """Say what a stream needs for `trigger(realTime=...)`."""
        if tuple(int(part) for part in self.version.split(".")[:2]) < _REAL_TIME:
            return (
                f"Spark {self.version} has no Real-Time Mode for this clause, 4.3 has; {_ORDER} = "
                "arrival returns matches in the micro-batch of their last row"
            )
        # what Spark checks, a default too, has to be of the setting's type
        wanted = {_ORDER: ("arrival", "watermark"), _ALLOWLIST: ("false", "true")}
        unset = [
            f"{key} = {value}"
            for key, (value, default) in wanted.items()
            if str(self.spark.conf.get(key, default)).lower() != value
        ]
        missing = f"set {' and '.join(unset)}" if unset else "the settings are made"
        partitions = self.spark.conf.get("spark.sql.shuffle.partitions", "200")
        return (
            f"for a trigger of Real-Time Mode {missing}; write in update mode, with a free slot "
            f"for each partition of the source and {partitions} for spark.sql.shuffle.partitions"
        )

    def _why_not_loaded(self) -> str:
        if self.is_remote:
            return (
                "The Connect server has not loaded the plugin. The jar belongs to the server: "
                f"start it with --jars and the jar for Spark {self.version}, here "
                f"{jar_path(self.version)}. A jar of the client (spark.jars, configure, "
                "addArtifacts) does not reach it."
            )
        gateway = running_gateway()
        if gateway is not None and (wrong := problem_of_loaded_jar(gateway, self.version)):
            return wrong
        is_loaded = gateway is not None and loaded_jar(gateway) is not None
        cause = self._why_the_driver_has_not(is_loaded=is_loaded)
        return f"{cause} {how_to_get_a_session(is_loaded=is_loaded)}"

    def _why_the_driver_has_not(self, *, is_loaded: bool) -> str:
        if is_loaded:
            return "The driver has the jar by now, but this session began before it came."
        jars = split_jars(str(self.spark.conf.get("spark.jars", "")))
        listed = [jar for jar in jars if JAR_NAME.fullmatch(PurePosixPath(jar).name)]
        if listed:
            return (
                f"spark.jars lists {listed[0]}, and the driver has not loaded it: its JVM was "
                "running before that was set, or the file is not there."
            )
        if EXTENSION in str(self.spark.conf.get("spark.sql.extensions", "")):
            return (
                f"spark.sql.extensions names {EXTENSION}, but the driver has no jar with that "
                "class, and Spark skipped it with a WARN in the log."
            )
        return "The session was started without the jar."
