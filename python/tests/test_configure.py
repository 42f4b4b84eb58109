"""`configure` on builders of any kind; no Spark is started here."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import SparkSession

import spark_match_recognize as mr

JAR = str(mr.jar_path())


class Recorder:
    """A builder that is none of pyspark's and shows no options."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []

    def config(self, key: str, value: str) -> Recorder:
        self.calls.append((key, value))
        return self


@pytest.fixture(autouse=True)
def _no_running_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    # another test file of the same process may have started one
    monkeypatch.delitem(sys.modules, "pyspark.core.context", raising=False)


def options(builder: SparkSession.Builder) -> dict[str, str]:
    return builder._options


def test_sets_the_jar_and_nothing_else() -> None:
    builder = SparkSession.builder
    assert mr.configure(builder) is builder
    assert options(builder) == {"spark.jars": JAR}


def test_keeps_the_jars_that_are_there() -> None:
    builder = SparkSession.builder.config("spark.jars", "/a.jar, /b.jar")
    assert options(mr.configure(builder))["spark.jars"] == f"/a.jar,/b.jar,{JAR}"


def test_twice_is_as_once() -> None:
    builder = mr.configure(mr.configure(SparkSession.builder.config("spark.jars", "/a.jar")))
    assert options(builder)["spark.jars"] == f"/a.jar,{JAR}"


def test_any_object_with_config_will_do() -> None:
    recorder = Recorder()
    assert mr.configure(recorder) is recorder
    assert recorder.calls == [("spark.jars", JAR)]


@pytest.mark.parametrize(
    "line",
    ["spark.jars /d.jar", "spark.jars=/d.jar", "  spark.jars\t/d.jar  ", "spark.jars = /d.jar"],
)
def test_keeps_the_jars_of_spark_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    defaults = f"# spark.jars /no.jar\nspark.jarsX /no.jar\n{line}\nspark.x y\n"
    (tmp_path / "spark-defaults.conf").write_text(defaults)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert options(mr.configure(SparkSession.builder))["spark.jars"] == f"/d.jar,{JAR}"


def test_an_option_of_the_builder_hides_spark_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.jars /d.jar\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    builder = SparkSession.builder.config("spark.jars", "/a.jar")
    assert options(mr.configure(builder))["spark.jars"] == f"/a.jar,{JAR}"


def test_connect_server_of_this_machine_gets_the_jar() -> None:
    builder = mr.configure(SparkSession.builder.remote("local[*]"))
    assert options(builder)["spark.jars"] == JAR


def test_remote_connect_server_has_its_own_jars(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "spark.jars" not in options(mr.configure(SparkSession.builder.remote("sc://host")))
    monkeypatch.setenv("SPARK_REMOTE", "sc://host")
    assert "spark.jars" not in options(mr.configure(SparkSession.builder))


@pytest.mark.parametrize(
    ("jars", "warns"), [("", True), ("/a.jar", True), (f"/a.jar,{JAR}", False)]
)
def test_warns_if_spark_runs_without_the_jar(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder, jars: str, *, warns: bool
) -> None:
    conf = SimpleNamespace(get=lambda _key, _default: jars)
    context = SimpleNamespace(_active_spark_context=SimpleNamespace(getConf=lambda: conf))
    monkeypatch.setitem(sys.modules, "pyspark.core.context", SimpleNamespace(SparkContext=context))
    mr.configure(Recorder())
    assert len(recwarn) == warns
    if warns:
        assert "spark.stop()" in str(recwarn[0].message)
        assert recwarn[0].filename == __file__


def test_probe_that_is_unknown_means_no_plugin() -> None:
    from pyspark.errors import AnalysisException  # noqa: PLC0415

    def refuse(_text: str) -> None:
        raise AnalysisException("unknown function")

    assert not mr.is_enabled(SimpleNamespace(sql=refuse))
    answers = SimpleNamespace(collect=list)
    assert mr.is_enabled(SimpleNamespace(sql=lambda _text: answers))


def test_probe_lets_other_errors_through() -> None:
    def fail(_text: str) -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        mr.is_enabled(SimpleNamespace(sql=fail))
