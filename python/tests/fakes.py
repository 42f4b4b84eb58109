"""A fake JVM for `configure` and `doctor`; the end-to-end tests in tests/ use real ones."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JError

PLUGIN = "io/matchrecognize/MatchRecognizeExtensions.class"


class Loader:
    """A class loader with a parent; `mutable` if it is of Spark's own kind."""

    def __init__(self, parent: Loader | None = None, *, mutable: bool) -> None:
        self.parent = parent
        self.mutable = mutable
        self.urls: list[str] = []

    def getParent(self) -> Loader | None:  # noqa: N802 - Java's name
        return self.parent

    def addURL(self, url: str) -> None:  # noqa: N802 - Java's name
        self.urls.append(url)

    def getResources(self, name: str) -> Any:  # noqa: N802 - Java's name
        assert name == PLUGIN
        urls = [*(self.parent.urls if self.parent else []), *self.urls]
        found = iter([f"jar:file:{url}!/{name}" for url in urls])
        left = [len(urls)]

        def take() -> Any:
            left[0] -= 1
            url = next(found)
            return SimpleNamespace(toString=lambda: url)

        return SimpleNamespace(hasMoreElements=lambda: left[0] > 0, nextElement=take)

    def getResource(self, name: str) -> Any:  # noqa: N802 - Java's name
        assert name == PLUGIN
        found = self.parent.getResource(name) if self.parent else None
        if found is None and self.urls:
            url = f"jar:file:{self.urls[0]}!/{name}"
            found = SimpleNamespace(toString=lambda: url)
        return found


class Gateway:
    """py4j's gateway to a JVM with a class loader, a Spark minor of its plugin and a session."""

    def __init__(self, loader: Loader, minor: str = "4.3", *, session: bool | None = None) -> None:
        build = SimpleNamespace(getMethod=lambda *_: SimpleNamespace(invoke=lambda *_: minor))
        thread = SimpleNamespace(getContextClassLoader=lambda: loader)
        lang = SimpleNamespace(
            Thread=SimpleNamespace(currentThread=lambda: thread),
            System=SimpleNamespace(getProperty=lambda _key: self.jars),
            Class=SimpleNamespace(forName=lambda *_: build),
            Object=object,
        )
        file = SimpleNamespace(
            File=lambda path: SimpleNamespace(toURI=lambda: SimpleNamespace(toURL=lambda: path))
        )
        java = SimpleNamespace(lang=lang, io=file)
        kinds = SimpleNamespace(isInstanceOf=lambda _name, one: one.mutable)
        py4j = SimpleNamespace(reflection=SimpleNamespace(TypeUtil=kinds))
        running = SimpleNamespace(
            sparkContext=lambda: SimpleNamespace(isStopped=lambda: False),
            catalog=lambda: SimpleNamespace(functionExists=lambda _name: session),
        )
        default = SimpleNamespace(isDefined=lambda: session is not None, get=lambda: running)
        spark = SimpleNamespace(getDefaultSession=lambda: default)
        sql = SimpleNamespace(classic=SimpleNamespace(SparkSession=spark))
        org = SimpleNamespace(apache=SimpleNamespace(spark=SimpleNamespace(sql=sql)))
        self.jvm = SimpleNamespace(java=java, py4j=py4j, org=org)
        self.jars: str | None = None

    def new_array(self, _kind: object, _length: int) -> list[object]:
        return []


class ForbiddenJvm:
    """A JVM of a platform that lets Python call only a few classes."""

    def __getattr__(self, name: str) -> Any:
        """Refuse."""
        raise Py4JError(name)


class Context:
    """A running Spark context, and the jars that its executors may fetch."""

    def __init__(self) -> None:
        self.jars: list[str] = []
        jars = SimpleNamespace(mkString=lambda _: ",".join(self.jars))
        self._jsc = SimpleNamespace(
            addJar=self.jars.append, sc=lambda: SimpleNamespace(listJars=lambda: jars)
        )


def install(
    monkeypatch: pytest.MonkeyPatch, gateway: object | None, context: Context | None = None
) -> None:
    """Give pyspark this gateway and this context."""
    core = ModuleType("pyspark.core.context")
    core.SparkContext = SimpleNamespace(  # type: ignore[attr-defined]
        _gateway=gateway, _active_spark_context=context
    )
    monkeypatch.setitem(sys.modules, "pyspark.core.context", core)
