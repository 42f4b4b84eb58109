"""The released packages as a user meets them: from a Maven repository, and from a folder of wheels.

Nothing is downloaded: Spark's Ivy knows no repository but the folder, pip no index.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.metadata import distribution
from pathlib import Path

import pytest
from loading import SCRIPTS, Run
from pyspark import __version__ as spark_version

import spark_match_recognize as mr

ROOT = Path(__file__).resolve().parent.parent
VERSION = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
WHEEL = ROOT / f"dist/spark_match_recognize-{VERSION}-py3-none-any.whl"
URL = "https://forge.example/project"
MINOR = spark_version.rpartition(".")[0]
GROUP = "io.matchrecognize"
ARTIFACT = f"spark-match-recognize-spark-{MINOR}_2.13"
README = re.search(
    r"```sql\n(?P<query>.*?)```\s*```text\n(?P<output>.*?)```",
    (ROOT / "README.md").read_text(encoding="utf-8"),
    re.DOTALL,
)
PROGRAM = """
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
{setup}
builder.getOrCreate().sql({query!r}).show(truncate=False)
"""
IVY = """
<ivysettings>
  <settings defaultResolver="nowhere"/>
  <caches defaultCacheDir="{cache}"/>
  <resolvers><chain name="nowhere"/></resolvers>
</ivysettings>
"""
POM = "{http://maven.apache.org/POM/4.0.0}"


def publish(tree: Path, repository: Path) -> Path:
    """Publish the artifacts of the Spark at hand from a tree into a folder."""
    run = subprocess.run(
        ["./build/sbt", f"-Dspark.minor={MINOR}", f"-Drelease.maven={repository}", "publish"],
        cwd=tree,
        env={**os.environ, "JDK_JAVA_OPTIONS": "", "PROJECT_URL": URL},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-3000:]
    return repository


@pytest.fixture(scope="module")
def maven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Maven repository with the artifacts."""
    return publish(ROOT, tmp_path_factory.mktemp("maven"))


def artifacts(repository: Path) -> dict[str, Path]:
    """Return the files of a repository by name, checksums included."""
    return {path.name: path for path in repository.rglob("*") if path.is_file()}


def readme_program(setup: str) -> str:
    """Return a program with the first query of README.md."""
    assert README is not None
    return PROGRAM.format(setup=setup, query=README["query"])


def readme_output(run: subprocess.CompletedProcess[str]) -> None:
    """Check that a program printed what README.md shows."""
    assert README is not None
    assert run.returncode == 0, run.stderr[-3000:]
    assert README["output"] in run.stdout  # after the report of Ivy, where it runs


@pytest.mark.slow
def test_spark_loads_the_plugin_from_a_maven_repository(
    maven: Path, run_program: Run, tmp_path: Path
) -> None:
    settings = tmp_path / "ivysettings.xml"
    settings.write_text(IVY.format(cache=tmp_path / "cache"))
    confs = {
        "spark.jars.packages": f"{GROUP}:{ARTIFACT}:{VERSION}",
        "spark.jars.repositories": maven.as_uri(),
        "spark.jars.ivySettings": str(settings),
        "spark.jars.ivy": str(tmp_path / "ivy"),
    }
    setup = f"for key, value in {confs}.items(): builder = builder.config(key, value)"
    run = run_program(sys.executable, "-", stdin=readme_program(setup))
    readme_output(run)
    assert "1 artifacts copied" in run.stderr, "Spark and Scala are provided"
    (tmp_path / "job.py").write_text(readme_program("pass"))
    arguments = [word for key, value in confs.items() for word in ("--conf", f"{key}={value}")]
    readme_output(run_program(str(SCRIPTS / "spark-submit"), *arguments, "job.py"))


@pytest.mark.slow
def test_pom(maven: Path) -> None:
    pom = ET.parse(artifacts(maven)[f"{ARTIFACT}-{VERSION}.pom"]).getroot()  # noqa: S314 - ours
    text = {
        "/".join(names): pom.findtext("/".join(POM + name for name in names))
        for names in (
            *(["groupId"], ["artifactId"], ["version"], ["packaging"], ["name"], ["description"]),
            *(["url"], ["scm", "url"], ["scm", "connection"], ["licenses", "license", "name"]),
            ["developers", "developer", "name"],
        )
    }
    assert text["groupId"] == GROUP
    assert text["artifactId"] == ARTIFACT
    assert text["version"] == VERSION
    assert text["url"] == text["scm/url"] == URL
    assert text["scm/connection"] == f"scm:git:{URL}.git"
    assert text["licenses/license/name"] == "Apache-2.0"
    assert all(text.values()), text
    dependencies = pom.findall(f"{POM}dependencies/{POM}dependency")
    found = {d.findtext(f"{POM}artifactId"): d.findtext(f"{POM}scope") for d in dependencies}
    assert found == {"spark-sql_2.13": "provided", "scala-library": "provided"}


@pytest.mark.slow
def test_the_published_jar_is_the_one_of_the_wheel(maven: Path) -> None:
    published = artifacts(maven)
    assert published[f"{ARTIFACT}-{VERSION}.jar"].read_bytes() == mr.jar_path().read_bytes()
    names = [
        f"{ARTIFACT}-{VERSION}{end}" for end in (".jar", "-sources.jar", "-javadoc.jar", ".pom")
    ]
    assert published.keys() == {name + sum_ for name in names for sum_ in ("", ".md5", ".sha1")}


@pytest.mark.slow
def test_another_build_has_equal_bytes(tmp_path: Path) -> None:
    """Compiled from nothing, as `make release` does, in two folders where files have other times.

    A compile of changed files only gives other bytes: it reads generated Java as classes.
    """
    first, second = (
        artifacts(publish(copied(tmp_path / name), tmp_path / "maven" / name))
        for name in ("tree", "elsewhere/tree")
    )
    assert first.keys() == second.keys()
    assert [n for n, path in first.items() if path.read_bytes() != second[n].read_bytes()] == []


def copied(tree: Path) -> Path:
    """Copy what the jars are built from."""
    tree.mkdir(parents=True)
    for name in ("src", "project", "build", "build.sbt", "VERSION", "LICENSE", "NOTICE"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("target"))
        else:
            shutil.copyfile(source, tree / name)
    (tree / ".spark").symlink_to((ROOT / ".spark").resolve())
    return tree


@pytest.mark.slow
def test_pip_installs_the_wheel_without_an_index(run_program: Run, tmp_path: Path) -> None:
    run = run_program(sys.executable, "-m", "venv", "fresh")
    assert run.returncode == 0, run.stderr
    python = tmp_path / "fresh/bin/python"
    (site,) = (tmp_path / "fresh/lib").glob("python*/site-packages")
    for name in ("pyspark", "py4j"):  # hundreds of megabytes: linked, not copied
        files = distribution(name).files or []
        for top in {file.parts[0] for file in files if file.parts[0].startswith(name)}:
            (site / top).symlink_to(Path(str(distribution(name).locate_file(top))))
    options = ["--no-index", "--find-links", str(WHEEL.parent), "spark-match-recognize[spark]"]
    run = run_program(str(python), "-m", "pip", "install", *options)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"Successfully installed spark-match-recognize-{VERSION}" in run.stdout
    setup = "import spark_match_recognize as mr\nbuilder = mr.configure(builder)"
    environment = {"PYSPARK_PYTHON": str(python), "PYTHONNOUSERSITE": "1"}
    readme_output(run_program(str(python), "-", stdin=readme_program(setup), env=environment))
