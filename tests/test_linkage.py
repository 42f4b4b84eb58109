"""The jar finds everything that it calls in this Spark, on paths that no other test takes too."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pyspark
import pytest

SOURCE = Path(__file__).resolve().parent / "Linkage.java"
SPARK_JARS = Path(pyspark.__file__).parent / "jars"


def tool(name: str) -> str:
    """Return the path of a program of the JDK that is tested, or of the one on the path."""
    own = Path(os.environ.get("JAVA_HOME", "")) / "bin" / name
    return str(own) if own.exists() else shutil.which(name) or name


def linkage(source: Path, jar: str, folder: Path) -> list[str]:
    """Return what the jar calls and the class path does not have.

    The Java that is tested may have no compiler.
    """
    jars = f"{SPARK_JARS}/*{os.pathsep}{jar}"
    compiler = [tool("javac"), "--release", "17", "-cp", jars, "-d", folder, source]
    subprocess.run(compiler, check=True)
    command = [tool("java"), "-cp", f"{folder}{os.pathsep}{jars}"]
    run = subprocess.run([*command, source.stem, jar], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def test_everything_called_is_there(jar: str, tmp_path: Path) -> None:
    assert linkage(SOURCE, jar, tmp_path) == []


@pytest.mark.slow
def test_what_is_missing_is_named(jar: str, tmp_path: Path) -> None:
    """With a name that no class has in place of one that the jar calls."""
    source = tmp_path / "Linkage.java"
    text = SOURCE.read_text(encoding="utf-8")
    source.write_text(
        text.replace("name, descriptor)) return;", 'name + "Gone", descriptor)) return;')
    )
    found = linkage(source, jar, tmp_path)
    assert any("ErrorClassesJsonReader.isValidErrorClass" in line for line in found), found[:5]
