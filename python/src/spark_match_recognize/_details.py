"""What the report of a fault needs to say of a session, without anything private."""

from __future__ import annotations

import platform
import re
from typing import Any

from spark_match_recognize._jars import pyspark_version, version
from spark_match_recognize._jvm import is_connect

_OURS = "spark.matchRecognize."
_SPARKS = (
    "spark.sql.adaptive.enabled",
    "spark.sql.ansi.enabled",
    "spark.sql.caseSensitive",
    "spark.sql.codegen.factoryMode",
    "spark.sql.codegen.wholeStage",
    "spark.sql.extensions",
    "spark.sql.session.timeZone",
    "spark.sql.shuffle.partitions",
    "spark.sql.streaming.stateStore.providerClass",
    "spark.sql.timestampType",
)
_JAVA = "SELECT reflect('java.lang.System', 'getProperty', 'java.version')"
# Names of classes are shown if they begin so; of others their number.
_PUBLIC = ("io.matchrecognize.", "io.delta.", "org.apache.")
_CLASSES = ("spark.sql.extensions", "spark.sql.streaming.stateStore.providerClass")


def block_of(spark: Any) -> str:  # noqa: ANN401 - a classic or Connect session
    """Return the lines to paste as one text, or why there are none.

    Args:
        spark: A session that answers, with the plugin or without it.
    """
    try:
        details = details_of(spark)
    except Exception as error:  # noqa: BLE001 - a session that forbids SET can still work
        return f"the session does not tell its settings ({type(error).__name__})"
    return "\n        ".join(["for the report of a fault, without anything private", *details])


def details_of(spark: Any) -> list[str]:  # noqa: ANN401 - a classic or Connect session
    """Return lines to paste into the report of a fault.

    They name versions, the kind of cluster, the plugin's settings, and those of Spark's that decide
    what a query means or how it runs. Paths, hosts, users, catalogs, other settings and the names
    of classes that are not of Apache or Delta Lake stay out.

    Args:
        spark: A session that answers, with the plugin or without it.

    Returns:
        A line of versions, a line on the session, and a line for each of those settings that is
        set, by name.
    """
    settings = {row[0]: row[1] for row in spark.sql("SET").collect()}
    client = pyspark_version()
    system = f"{platform.system()} {platform.machine()}"
    versions = (
        f"spark-match-recognize {version()}, Spark {spark.version}, pyspark {client}, "
        f"Java {_java(spark)}, Python {platform.python_version()}, {system}"
    )
    kind = "Connect" if is_connect(spark) else "classic"
    master = re.sub(r"://.*", "://...", str(settings.get("spark.master", "unknown")))
    shown = sorted(key for key in settings if key.startswith(_OURS) or key in _SPARKS)
    lines = [f"{key} = {_value(key, str(settings[key]))}" for key in shown]
    return [versions, f"{kind} session, master {master}", *lines]


def _value(key: str, value: str) -> str:
    """Return what is shown of a setting, in one line."""
    if key not in _CLASSES:
        return " ".join(value.split())
    names = [name.strip() for name in value.split(",") if name.strip()]
    public = [name for name in names if name.startswith(_PUBLIC)]
    others = len(names) - len(public)
    return ", ".join([*public, *([f"{others} of others"] if others else [])])


def _java(spark: Any) -> str:  # noqa: ANN401
    """Return the version of the driver's Java; sessions may forbid to ask for it."""
    try:
        return str(spark.sql(_JAVA).collect()[0][0])
    except Exception:  # noqa: BLE001 - whatever the session says of it, the other lines matter
        return "of unknown version"
