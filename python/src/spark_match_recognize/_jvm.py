"""The JVM that this process already has, and loading the jar into it.

Spark puts the jars of `spark.jars` on the driver's class path only when its JVM starts: stopping a
session ends the Spark context, not the JVM. So no setting of a session builder affects the JVM of a
kernel that has run Spark before, or of a script under spark-submit. But the class loader that Spark
uses in such a JVM accepts further jars.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

EXTENSION = "io.matchrecognize.MatchRecognizeExtensions"
_BUILD = "io.matchrecognize.BuildInfo"
_LOADER = "org.apache.spark.util.MutableURLClassLoader"


def is_connect(value: object) -> bool:
    """Tell whether a session, a DataFrame or a column of pyspark is one of Spark Connect."""
    return type(value).__module__.startswith("pyspark.sql.connect.")


def running_gateway() -> Any | None:  # noqa: ANN401 - py4j has no types
    """Return py4j's gateway to the JVM of this process, or None if there is none yet.

    Under spark-submit the JVM is older than this process, and the gateway is opened here.
    """
    context = _context_class()
    if context is None and "PYSPARK_GATEWAY_PORT" in os.environ:
        context = importlib.import_module("pyspark.core.context").SparkContext
    if context is None:
        return None
    if context._gateway is None and "PYSPARK_GATEWAY_PORT" in os.environ:  # noqa: SLF001 - no API
        context._ensure_initialized()  # noqa: SLF001 - as above
    return context._gateway  # noqa: SLF001 - as above


def load_jar(gateway: Any, jar: Path) -> bool:  # noqa: ANN401 - as above
    """Put the plugin on the class path of a JVM that is already running.

    Args:
        gateway: What `running_gateway` returned.
        jar: The jar of the plugin.

    Returns:
        True if the driver now has the plugin, from this jar or from another. False if its class
        loader is not Spark's, or is not accessible from Python.
    """
    errors = importlib.import_module("py4j.protocol")
    java = importlib.import_module("py4j.java_gateway")
    try:
        loader = _class_loader(gateway)
        if loader.getResource(_path(EXTENSION)) is not None:
            return True
        # a shell may have added its own class loader, whose parent is Spark's
        while loader is not None and not java.is_instance_of(gateway, loader, _LOADER):
            loader = loader.getParent()
        if loader is None:
            return False
        loader.addURL(gateway.jvm.java.io.File(str(jar)).toURI().toURL())
    except errors.Py4JError:  # platforms that let Python call only a few classes
        return False
    return True


def loaded_jar(gateway: Any) -> tuple[str, str] | None:  # noqa: ANN401 - as above
    """Return the jar from which the driver has the plugin, and the Spark minor it is built for.

    Args:
        gateway: What `running_gateway` returned.

    Returns:
        The URL of a jar and a minor such as `4.3`, or None if the driver has no plugin.
    """
    jvm = gateway.jvm
    loader = _class_loader(gateway)
    found = loader.getResource(_path(EXTENSION))
    if found is None:
        return None
    build = jvm.java.lang.Class.forName(_BUILD, True, loader)  # noqa: FBT003 - Java has no keywords
    minor = build.getMethod("sparkMinor", gateway.new_array(jvm.java.lang.Class, 0))
    value = minor.invoke(None, gateway.new_array(jvm.java.lang.Object, 0))
    return _jar_of(found), str(value)


def jars_with_plugin(gateway: Any) -> list[str]:  # noqa: ANN401 - as above
    """Return the URL of every jar with the plugin on the driver's class path, the used one first.

    Args:
        gateway: What `running_gateway` returned.
    """
    errors = importlib.import_module("py4j.protocol")
    jars = []
    try:
        found = _class_loader(gateway).getResources(_path(EXTENSION))
        while found.hasMoreElements():
            jars.append(_jar_of(found.nextElement()))
    except errors.Py4JError:  # platforms that let Python call only a few classes
        return []
    return list(dict.fromkeys(jars))


def default_jars(gateway: Any) -> str:  # noqa: ANN401 - as above
    """Return the `spark.jars` that the JVM was started with, from whatever source."""
    errors = importlib.import_module("py4j.protocol")
    try:
        return str(gateway.jvm.java.lang.System.getProperty("spark.jars") or "")
    except errors.Py4JError:  # not allowed here; then load_jar fails too, and reports it
        return ""


def share_with_executors(jar: Path) -> None:
    """Let the executors of a running Spark context fetch the jar, too."""
    context = active_context()
    if context is not None:
        jars = context._jsc.sc().listJars().mkString(",")  # noqa: SLF001 - no API
        if jar.name not in jars:
            context._jsc.addJar(str(jar))  # noqa: SLF001 - as above


def has_session_without_plugin(gateway: Any) -> bool:  # noqa: ANN401 - as above
    """Tell whether `getOrCreate` would return a running session without the plugin."""
    if active_context() is None:
        return False
    default = gateway.jvm.org.apache.spark.sql.classic.SparkSession.getDefaultSession()
    if not default.isDefined() or default.get().sparkContext().isStopped():
        return False
    return not default.get().catalog().functionExists("match_recognize_version")


def active_context() -> Any | None:  # noqa: ANN401 - as above
    """Return the Spark context of this process, or None if none runs."""
    return getattr(_context_class(), "_active_spark_context", None)


def _context_class() -> Any | None:  # noqa: ANN401 - as above
    core = sys.modules.get("pyspark.core.context")  # not imported: Spark is not running
    return getattr(core, "SparkContext", None)


def _class_loader(gateway: Any) -> Any:  # noqa: ANN401 - as above
    return gateway.jvm.java.lang.Thread.currentThread().getContextClassLoader()


def _jar_of(resource: Any) -> str:  # noqa: ANN401 - a URL such as jar:file:/x.jar!/name
    return str(resource.toString()).removeprefix("jar:").partition("!")[0]


def _path(name: str) -> str:
    return name.replace(".", "/") + ".class"
