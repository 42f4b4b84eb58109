"""`configure` on builders of any kind; no Spark is started here."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pyspark
import pytest
from fakes import Context, ForbiddenJvm, Gateway, Loader, install
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

import spark_match_recognize as mr
from spark_match_recognize import _session

JAR = str(mr.jar_path())


class Recorder:
    """A builder that is not pyspark's and does not expose its options."""

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


@pytest.mark.parametrize("builder", [None, SimpleNamespace(conf={}), "local"])
def test_what_is_no_builder(builder: object) -> None:
    with pytest.raises(TypeError, match=r"builder must be SparkSession\.builder, not "):
        mr.configure(builder)  # type: ignore[type-var]


@pytest.mark.parametrize(
    "line",
    [
        "spark.jars /d.jar",
        "spark.jars=/d.jar",
        "  spark.jars\t/d.jar  ",
        "spark.jars = /d.jar",
        "spark.jars: /d.jar",
        "spark.jars /no.jar\nspark.jars /d.jar",
        "spark.jars \\\n    /d.jar",
        "# as before: \\\nspark.jars /d.jar",
    ],
)
def test_keeps_the_jars_of_spark_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    defaults = f"# spark.jars /no.jar\nspark.jarsX /no.jar\n{line}\nspark.x y\n"
    (tmp_path / "spark-defaults.conf").write_text(defaults)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert options(mr.configure(SparkSession.builder))["spark.jars"] == f"/d.jar,{JAR}"


def test_spark_defaults_of_pyspark_and_bytes_that_are_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "conf").mkdir()
    file = tmp_path / "conf" / "spark-defaults.conf"
    file.write_bytes(b"# gr\xf6\xdfer\nspark.jars /d.jar,\\\n  /e.jar\n")
    for name in ("SPARK_HOME", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_session, "home_of_pyspark", lambda: str(tmp_path))
    assert options(mr.configure(SparkSession.builder))["spark.jars"] == f"/d.jar,/e.jar,{JAR}"
    monkeypatch.undo()
    assert _session.home_of_pyspark() == str(Path(pyspark.__file__).parent)


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


def messages(recwarn: pytest.WarningsRecorder) -> list[str]:
    assert all(warning.filename == __file__ for warning in recwarn), "it names the caller's line"
    return [str(warning.message) for warning in recwarn]


def test_jvm_that_runs_gets_the_jar_once(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    spark = Loader(mutable=True)
    # a shell has put its own class loader on top
    install(monkeypatch, Gateway(Loader(spark, mutable=False)))
    mr.configure(mr.configure(Recorder()))
    assert spark.urls == [JAR]
    assert messages(recwarn) == []


def test_jars_of_the_jvm_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = Gateway(Loader(mutable=True))
    install(monkeypatch, gateway)
    gateway.jars = "file:///a.jar"
    assert options(mr.configure(SparkSession.builder))["spark.jars"] == f"file:///a.jar,{JAR}"
    gateway.jars = f"file:///a.jar,file://{JAR}"  # as spark-submit writes them
    assert "spark.jars" not in options(mr.configure(SparkSession.builder))


@pytest.mark.parametrize(
    "gateway", [Gateway(Loader(mutable=False)), None], ids=["loader", "rights"]
)
def test_jvm_that_takes_no_jar(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder, gateway: Gateway | None
) -> None:
    install(monkeypatch, gateway or SimpleNamespace(jvm=ForbiddenJvm()))
    mr.configure(Recorder())
    (message,) = messages(recwarn)
    assert "Restart the kernel" in message
    assert f"--jars {JAR}" in message


def test_jvm_with_a_jar_of_another_minor(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    loader = Loader(mutable=True)
    loader.addURL("/old.jar")
    install(monkeypatch, Gateway(loader, "3.9"))
    mr.configure(Recorder())
    (message,) = messages(recwarn)
    assert "has the plugin for Spark 3.9 (file:/old.jar)" in message
    assert "Restart without it" in message
    assert loader.urls == ["/old.jar"]


@pytest.mark.parametrize(("session", "warns"), [(None, False), (False, True), (True, False)])
@pytest.mark.parametrize(("version", "helps"), [("4.1.2", False), ("4.2.0", True), ("5.0.0", True)])
def test_context_that_runs(  # noqa: PLR0913 - two parametrisations
    monkeypatch: pytest.MonkeyPatch,
    recwarn: pytest.WarningsRecorder,
    version: str,
    *,
    session: bool | None,
    warns: bool,
    helps: bool,
) -> None:
    """Its executors get the jar; its session does not change, and configure warns."""
    minor = mr.jar_path().name.split("-")[4].partition("_")[0]
    monkeypatch.setattr(_session, "spark_version", lambda: minor)
    monkeypatch.setattr(_session, "jar_path", lambda: Path(JAR))
    monkeypatch.setattr(pyspark, "__version__", version)
    context = Context()
    install(monkeypatch, Gateway(Loader(mutable=True), minor, session=session), context)
    mr.configure(Recorder())
    assert context.jars == [JAR]
    assert len(messages(recwarn)) == warns
    for message in messages(recwarn):
        assert "all spark.stop(), then mr.configure(...).getOrCreate()" in message
        # configure would warn again
        assert ("write SparkSession.builder.create()" in message) == helps


@pytest.mark.parametrize(
    ("arguments", "warns"),
    [
        ("pyspark-shell", False),
        ("--jars /a.jar pyspark-shell", True),
        ("--conf spark.jars=/a.jar pyspark-shell", True),
        ('--conf "spark.jars=/a.jar" pyspark-shell', True),
        ("--conf=spark.jars=/a.jar pyspark-shell", True),
        ("--conf spark.jars.packages=a:b:1 pyspark-shell", False),
        (f"--jars /a.jar,{JAR} pyspark-shell", False),
    ],
)
def test_jars_of_the_submit_arguments_win(
    monkeypatch: pytest.MonkeyPatch,
    recwarn: pytest.WarningsRecorder,
    arguments: str,
    *,
    warns: bool,
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    mr.configure(SparkSession.builder)
    assert len(messages(recwarn)) == warns


def test_probe_that_is_unknown_means_no_plugin() -> None:
    from pyspark.errors import AnalysisException  # noqa: PLC0415

    def refuse(_text: str) -> None:
        raise AnalysisException("unknown function")

    assert not mr.is_enabled(SimpleNamespace(sql=refuse))
    answers = SimpleNamespace(collect=list)
    assert mr.is_enabled(SimpleNamespace(sql=lambda _text: answers))


def test_probes_of_several_threads_leave_the_log_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    monkeypatch.setattr(logger, "disabled", False)  # an example of the pages silences it
    record = logger.makeRecord("", 0, "", 0, "", (), None)
    written: list[object] = []
    first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))

    def first(_text: str) -> SimpleNamespace:
        first_is_in.set()
        second_is_in.wait(10)
        return SimpleNamespace(collect=list)

    def second(_text: str) -> SimpleNamespace:
        second_is_in.set()
        first_is_out.wait(10)
        written.append(logger.filter(record))
        return SimpleNamespace(collect=list)

    def probe(sql: object) -> None:
        assert mr.is_enabled(SimpleNamespace(sql=sql))

    one, two = (threading.Thread(target=probe, args=(sql,)) for sql in (first, second))
    one.start()
    first_is_in.wait(10)
    two.start()
    one.join(10)
    assert logger.filter(record), "in this thread nothing is expected"
    first_is_out.set()
    two.join(10)
    assert written == [False]
    assert logger.filter(record)
    assert not logger.disabled


def test_probe_lets_other_errors_through() -> None:
    def fail(_text: str) -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        mr.is_enabled(SimpleNamespace(sql=fail))


def test_client_without_spark_gets_no_jar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_match_recognize._session.is_client", lambda: True)
    builder = SparkSession.builder
    with pytest.warns(UserWarning, match="a client without Spark, pyspark-client") as warned:
        assert mr.configure(builder) is builder
    assert warned[0].filename == __file__
