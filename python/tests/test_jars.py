"""The choice of the jar, and the error if there is none."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pyspark
import pytest

import spark_match_recognize as mr
from spark_match_recognize import _jars
from spark_match_recognize.__main__ import main


@pytest.fixture
def jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that replaces the package's own, with jars for two minors."""
    for name in ("4.9_2.13-1.0.0", "4.10_2.13-1.0.0"):
        (tmp_path / f"spark-match-recognize-spark-{name}.jar").touch()
    (tmp_path / "something-else.jar").touch()
    monkeypatch.setattr(_jars, "_JARS", tmp_path)
    return tmp_path


def test_jar_of_the_installed_pyspark() -> None:
    minor = ".".join(pyspark.__version__.split(".")[:2])
    path = mr.jar_path()
    assert path.is_file()
    assert path == mr.jar_path(minor)
    assert path.name == f"spark-match-recognize-spark-{minor}_2.13-{mr.version()}.jar"


def test_full_version_is_cut_to_its_minor(jars: Path) -> None:
    jar = jars / "spark-match-recognize-spark-4.10_2.13-1.0.0.jar"
    assert mr.jar_path("4.10.3") == mr.jar_path("4.10") == jar


def test_minors_are_in_the_order_of_numbers(jars: Path) -> None:
    assert {path.parent for path in _jars.bundled_jars().values()} == {jars}
    assert list(_jars.bundled_jars()) == ["4.9", "4.10"]


def test_wrong_minor(jars: Path) -> None:
    with pytest.raises(mr.WrongSparkVersionError) as caught:
        mr.jar_path("3.5.1")
    assert jars.is_dir()
    assert (caught.value.running, caught.value.built) == ("3.5.1", ("4.9", "4.10"))
    assert caught.value.condition == "MATCH_RECOGNIZE_WRONG_SPARK_VERSION"
    assert str(caught.value) == (
        "[MATCH_RECOGNIZE_WRONG_SPARK_VERSION] The jars of this wheel are built for Spark 4.9, "
        "4.10, the session runs Spark 3.5.1; nothing was configured. Install pyspark 4.10, or a "
        "wheel of spark-match-recognize with a jar for Spark 3.5.1."
    )


def test_no_jar_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_jars, "_JARS", tmp_path)
    with pytest.raises(mr.WrongSparkVersionError, match="has no jar at all"):
        mr.jar_path()


def test_no_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(mr.PySparkNotFoundError, match="pip install"):
        mr.jar_path()
    assert mr.jar_path([*_jars.bundled_jars()][-1]).is_file()


def test_spark_home_goes_before_pyspark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.13-3.4.2.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    with pytest.raises(mr.WrongSparkVersionError, match=r"runs Spark 3\.4\.2"):
        mr.jar_path()


def test_spark_home_without_jars_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert mr.jar_path().is_file()


def test_every_error_is_a_setup_error() -> None:
    for kind in (mr.JavaNotFoundError, mr.PySparkNotFoundError, mr.WrongSparkVersionError):
        assert issubclass(kind, mr.SetupError)


def test_command_prints_the_jar(capsys: pytest.CaptureFixture[str], jars: Path) -> None:
    assert main(["jar", "--spark", "4.9"]) == 0
    assert capsys.readouterr().out == f"{jars}/spark-match-recognize-spark-4.9_2.13-1.0.0.jar\n"


def test_command_fails_without_a_jar(capsys: pytest.CaptureFixture[str], jars: Path) -> None:
    assert jars.is_dir()
    assert main(["jar", "--spark", "3.5"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "MATCH_RECOGNIZE_WRONG_SPARK_VERSION" in captured.err


def test_version_of_the_package() -> None:
    assert mr.__version__ == mr.version()
    with pytest.raises(AttributeError, match="has no attribute 'nosuch'"):
        _ = mr.nosuch
