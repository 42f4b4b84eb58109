"""The bill of materials names what is in the wheel, by checksum, and what it needs beside it."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
VERSION = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
WHEEL = ROOT / f"dist/spark_match_recognize-{VERSION}-py3-none-any.whl"
POM = """
<project xmlns="http://example.org/POM">
  <dependencies>
    <dependency>
      <groupId>org.apache.spark</groupId>
      <artifactId>spark-sql_2.13</artifactId>
      <version>4.3.0</version>
      <scope>provided</scope>
    </dependency>
  </dependencies>
</project>
"""


@pytest.fixture(scope="module")
def bom(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """Return tools/bom.py."""
    return load_tool("bom")


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """Return a folder with a wheel, and the POM of each of its jars."""
    shutil.copy(WHEEL, tmp_path)
    (tmp_path / "maven").mkdir()
    for jar in jars():
        (tmp_path / "maven" / f"{jar.removesuffix('.jar')}.pom").write_text(POM)
    return tmp_path


def jars() -> dict[str, str]:
    """Return the checksums of the jars in the wheel."""
    with zipfile.ZipFile(WHEEL) as wheel:
        return {
            Path(name).name: hashlib.sha256(wheel.read(name)).hexdigest()
            for name in wheel.namelist()
            if name.endswith(".jar")
        }


def checksum(component: dict[str, Any]) -> str:
    """Return the one checksum of a component."""
    (found,) = component["hashes"]
    assert found["alg"] == "SHA-256"
    return str(found["content"])


def test_what_is_shipped_is_named_with_its_checksum(bom: ModuleType, dist: Path) -> None:
    document = json.loads(bom.bill(dist, VERSION))
    package = document["metadata"]["component"]
    assert package["purl"] == f"pkg:pypi/spark-match-recognize@{VERSION}"
    assert checksum(package) == hashlib.sha256(WHEEL.read_bytes()).hexdigest()
    found = {f"{jar['name']}-{VERSION}.jar": checksum(jar) for jar in package["components"]}
    assert found == jars()
    for component in (package, *package["components"]):
        assert component["licenses"][0]["license"]["id"] == "Apache-2.0"


def test_what_is_needed_is_named_and_not_as_shipped(bom: ModuleType, dist: Path) -> None:
    document = json.loads(bom.bill(dist, VERSION))
    scopes = {component["purl"]: component["scope"] for component in document["components"]}
    assert scopes == {
        "pkg:maven/org.apache.spark/spark-sql_2.13@4.3.0": "excluded",
        "pkg:pypi/matplotlib": "optional",
        "pkg:pypi/pyspark": "optional",
        "pkg:pypi/railroad-diagrams": "optional",
    }
    depends = {entry["ref"]: entry.get("dependsOn") for entry in document["dependencies"]}
    assert depends.keys() >= scopes.keys()
    for jar in document["metadata"]["component"]["components"]:
        assert depends[jar["bom-ref"]] == ["pkg:maven/org.apache.spark/spark-sql_2.13@4.3.0"]


def test_equal_releases_have_equal_bills_and_others_have_not(bom: ModuleType, dist: Path) -> None:
    first = bom.bill(dist, VERSION)
    assert bom.bill(dist, VERSION) == first
    wheel = next(dist.glob("*.whl"))
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("more", "")
    assert json.loads(bom.bill(dist, VERSION))["serialNumber"] != json.loads(first)["serialNumber"]


@pytest.mark.parametrize("number", [0, 2])
def test_a_jar_has_one_pom(bom: ModuleType, dist: Path, number: int) -> None:
    pom = next((dist / "maven").glob("*.pom"))
    (dist / "maven" / "more").mkdir()
    if number:
        shutil.copy(pom, dist / "maven" / "more")
    else:
        pom.unlink()
    with pytest.raises(SystemExit, match=rf"\.jar has {number} POMs in .*maven, and needs one"):
        bom.bill(dist, VERSION)


def test_a_licence_is_known(bom: ModuleType, dist: Path) -> None:
    pom = next((dist / "maven").glob("*.pom"))
    pom.write_text(POM.replace("org.apache.spark", "org.example"))
    with pytest.raises(
        SystemExit, match=r"org\.example:spark-sql_2\.13 has the licence None, which"
    ):
        bom.bill(dist, VERSION)
    pom.write_text(POM.replace("org.apache.spark", "org.scala-lang"))
    found = json.loads(bom.bill(dist, VERSION))["components"]
    scala = [each for each in found if "org.scala-lang" in each["purl"]]
    assert [each["licenses"][0]["license"]["id"] for each in scala] == ["Apache-2.0"]


def test_ranges_of_one_package_are_one(bom: ModuleType) -> None:
    lines = ["pyspark<4.4,>=4.0; extra == 'spark'", "PySpark[connect]>=4.1; extra == 'connect'"]
    (found,) = bom._extras(lines)
    assert found.description == "installed by an extra: pyspark<4.4,>=4.0,>=4.1"
    assert found.name == "pyspark"
