"""The contents of the wheel, and that the installed package is that wheel."""

from __future__ import annotations

import email
import re
import zipfile
from pathlib import Path

import pytest

import spark_match_recognize

ROOT = Path(__file__).resolve().parent.parent
VERSION = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
NAME = f"spark_match_recognize-{VERSION}"
JAR = re.compile(
    rf"spark_match_recognize/jars/spark-match-recognize-spark-4\.\d_2\.13-{re.escape(VERSION)}\.jar"
)


@pytest.fixture(scope="module")
def wheel() -> zipfile.ZipFile:
    """Return the one wheel in dist/."""
    return zipfile.ZipFile(ROOT / "dist" / f"{NAME}-py3-none-any.whl")


def test_holds_the_package_the_jars_and_the_licences_only(wheel: zipfile.ZipFile) -> None:
    sources = (ROOT / "python/src").rglob("*")
    package = {str(p.relative_to(ROOT / "python/src")) for p in sources if p.suffix == ".py"}
    info = {"METADATA", "WHEEL", "RECORD", "licenses/LICENSE", "licenses/NOTICE"}
    wanted = package | {"spark_match_recognize/py.typed"} | {f"{NAME}.dist-info/{f}" for f in info}
    names = set(wheel.namelist())
    jars = {name for name in names if JAR.fullmatch(name)}
    assert jars
    assert names - jars == wanted


def test_jars_hold_the_plugin_its_licences_and_nothing_of_others(wheel: zipfile.ZipFile) -> None:
    for name in wheel.namelist():
        if not name.endswith(".jar"):
            continue
        with wheel.open(name) as file, zipfile.ZipFile(file) as jar:
            entries = {entry for entry in jar.namelist() if not entry.endswith("/")}
        assert {"META-INF/LICENSE", "META-INF/NOTICE"} <= entries
        assert "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider" in entries, (
            name
        )
        ours = re.compile(
            r"META-INF/.*|io/matchrecognize/.*|org/apache/spark/sql/matchrecognize/.*|error/match-recognize-.*"
        )
        assert not [entry for entry in entries if not ours.fullmatch(entry)]


def test_licences_are_the_projects(wheel: zipfile.ZipFile) -> None:
    for name in ("LICENSE", "NOTICE"):
        assert wheel.read(f"{NAME}.dist-info/licenses/{name}") == (ROOT / name).read_bytes()


def test_metadata(wheel: zipfile.ZipFile) -> None:
    metadata = email.message_from_bytes(wheel.read(f"{NAME}.dist-info/METADATA"))
    assert metadata["Version"] == VERSION
    assert metadata["License-Expression"] == "Apache-2.0"
    required = metadata.get_all("Requires-Dist", [])
    assert all("extra ==" in requirement for requirement in required), "a hard dependency"


def test_installed_package_is_this_wheel(wheel: zipfile.ZipFile) -> None:
    installed = Path(spark_match_recognize.__file__).parent.parent
    assert spark_match_recognize.version() == VERSION
    assert ROOT / "python" not in installed.parents
    for name in wheel.namelist():
        if not name.endswith("RECORD"):
            assert (installed / name).read_bytes() == wheel.read(name)


def test_bundled_jars_are_those_that_were_built(wheel: zipfile.ZipFile) -> None:
    for name in filter(JAR.fullmatch, wheel.namelist()):
        built = list(ROOT.glob(f"target/spark-*/{Path(name).name}"))
        assert [path.read_bytes() for path in built] == [wheel.read(name)]
