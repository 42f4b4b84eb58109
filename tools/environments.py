"""The environments in which tools/matrix.py tests: one Spark on one Java each."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out/matrix"
TABLE = ROOT / "project/SparkVersions.scala"
OLDEST_JAVA = 17
NEWEST_OF_EACH = re.findall(r'SparkVersion\("([\d.]+)"', TABLE.read_text(encoding="utf-8"))

PROBE = """
import sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.jars", sys.argv[1]).getOrCreate()
print("PROBE", spark.version, spark.sql("SELECT 1").collect()[0][0])
"""


class Column(NamedTuple):
    """One Spark on one Java; `scala` replaces the patch version of Scala that this Spark ships."""

    spark: str
    java: str
    scala: str = ""

    @property
    def minor(self) -> str:
        """Return the minor, such as 4.2."""
        return self.spark.rpartition(".")[0]

    @property
    def name(self) -> str:
        """Return the column's head."""
        return f"{self.spark} Java {self.java}" + (f" Scala {self.scala}" if self.scala else "")

    @property
    def folder(self) -> str:
        """Return the name of the column's folders."""
        return self.name.replace(" ", "-")


def oldest_patch(spark: str) -> str:
    """Return the first release of a minor."""
    return f"{spark.rpartition('.')[0]}.0"


@functools.cache  # starts each Java to ask it
def javas() -> dict[str, Path]:
    """Return the homes of the Java versions of this machine, by feature version, the oldest first.

    $JAVA_HOMES has further ones, separated by the character of the PATH, and `make test-all` makes
    .java. What is older than Spark needs, as on machines that have every Java, is left out.
    """
    homes = [Path(home) for home in os.environ.get("JAVA_HOMES", "").split(os.pathsep) if home]
    homes += sorted(Path("/usr/lib/jvm").glob("*")) + sorted((ROOT / ".java").glob("*"))
    found: dict[str, Path] = {}
    for home in homes:
        java = home / "bin/java"
        if java.is_file():
            said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603
            version = re.search(r'version "(\d+)', said.stderr)
            if version and int(version[1]) >= OLDEST_JAVA:
                found.setdefault(version[1], home)
    return dict(sorted(found.items(), key=lambda pair: int(pair[0])))


def columns() -> list[Column]:
    """Return what `make test-all` runs.

    Every minor on its oldest and newest patch with the oldest Java, its newest patch on every other
    Java, and the patch that platforms ship (Glue 6, Fabric runtime 2.0), with its own Scala and
    with the older one of Fabric.
    """
    oldest, *others = javas() or {"17": Path()}
    every = []
    for spark in NEWEST_OF_EACH:
        patches = dict.fromkeys([oldest_patch(spark), spark])
        every += [Column(patch, oldest) for patch in patches]
        every += [Column(spark, java) for java in others]
    return [*every, Column("4.1.1", oldest), Column("4.1.1", oldest, "2.13.16")]


def run(command: list[str | Path], **options: object) -> None:
    """Run a command; it must succeed."""
    subprocess.run(command, check=True, **options)  # type: ignore[call-overload] # noqa: S603


@functools.cache  # asks make whether it is there
def distribution(column: Column) -> Path:
    """Return a folder with the column's pyspark, installed once."""
    folder = ROOT / ".spark" / column.spark
    run(["make", "--no-print-directory", f".spark/{column.spark}/.complete"], cwd=ROOT)
    if not column.scala:
        return folder
    other = ROOT / ".spark" / f"{column.spark}-scala-{column.scala}"
    if not other.is_dir():
        part = other.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(folder, part, copy_function=os.link)
        for name in ("library", "reflect"):
            (old,) = part.glob(f"pyspark/jars/scala-{name}-2.13.*.jar")
            old.unlink()
            artifact = f"-Dartifact=org.scala-lang:scala-{name}:{column.scala}"
            target = f"-DoutputDirectory={old.parent}"
            run(["mvn", "-q", "-B", "dependency:copy", artifact, target])
        part.rename(other)
    return other


def packages(environment: Path) -> Path:
    """Return where an environment has its packages."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return environment / "lib" / version / "site-packages"


def minors_of_wheel() -> set[str]:
    """Return the minors whose jars the wheel in .venv contains."""
    jars = (packages(ROOT / ".venv") / "spark_match_recognize/jars").glob("*.jar")
    return {minor for jar in jars for minor in re.findall(r"-spark-(\d+\.\d+)_", jar.name)}


def lakehouse_minors() -> list[str]:
    """Return the minors for which Delta Lake or Iceberg has an artifact."""
    text = (ROOT / "examples/lakehouse.pom.xml").read_text(encoding="utf-8")
    return re.findall(r"<id>spark-(\d+\.\d+)</id>", text)


@functools.cache  # its files are not written again while programs read them
def environment(column: Column) -> Path:
    """Return the Python of an environment: the column's pyspark, and the packages of .venv."""
    spark = distribution(column)
    folder = OUT / "venv" / spark.name
    if not (folder / "bin/python").exists():
        run([sys.executable, "-m", "venv", "--without-pip", folder])
    both = f"{spark}\n{packages(ROOT / '.venv')}\n"
    (packages(folder) / "spark.pth").write_text(both, encoding="utf-8")
    for script in (spark / "bin").iterdir():
        link = folder / "bin" / script.name
        if script.is_file() and not link.exists():
            link.symlink_to(script)
    return folder / "bin/python"


def variables(column: Column, python: Path) -> dict[str, str]:
    """Return the environment variables of a column's programs."""
    home = javas().get(column.java)
    found = {key: value for key, value in os.environ.items() if not key.startswith("SPARK_")}
    if home:
        found["JAVA_HOME"] = str(home)
    found["PATH"] = f"{python.parent}{os.pathsep}{found['PATH']}"
    return found


def refusal(column: Column, python: Path) -> str:
    """Return why plain Spark does not start with a jar in a column, or nothing.

    The jar is one that Spark has already: it is Spark's own way to a jar that fails on some Javas.
    """
    jar = next((distribution(column) / "pyspark/jars").glob("slf4j-api-*.jar"))
    done = subprocess.run(  # noqa: S603
        [python, "-c", PROBE, jar],
        env=variables(column, python),
        capture_output=True,
        text=True,
        check=False,
    )
    if f"PROBE {column.spark} 1" in done.stdout:
        return ""
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines()]
    telling = [line for line in lines if line.startswith("Exception in thread")]
    return (telling or lines[-1:] or ["no output"])[0][:200]
