"""The next Spark, as soon as the package index has a preview of it. It may fail.

    python tools/preview.py

The jar of the newest minor is linked against the preview's jars, as tests/test_linkage.py links it
against its own Spark's. What is missing there is what a port begins with; only a row of
project/SparkVersions.scala makes it a supported Spark. Its name on the package index is that of
the releases, with the suffix dev, rc, a or b and a number.
"""

from __future__ import annotations

import re
import subprocess
import sys

from environments import NEWEST_OF_EACH, ROOT, Column, distribution, javas, packages

PRE_RELEASE = re.compile(r"\b(\d+)\.(\d+)\.\d+\.?(?:dev|rc|a|b)\d+\b")


def newest(listed: str, known: str) -> str:
    """Return the newest pre-release of a minor after a known version, or nothing.

    Args:
        listed: Versions, the newest first.
        known: The newest version that is supported.
    """
    after = tuple(map(int, known.split(".")[:2]))
    found = (m[0] for m in PRE_RELEASE.finditer(listed) if (int(m[1]), int(m[2])) > after)
    return next(found, "")


def listed() -> str:
    """Return the versions of pyspark on the package index, the newest first."""
    command = [sys.executable, "-m", "pip", "index", "versions", "pyspark", "--pre"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout


def missing(spark: str) -> list[str]:
    """Return what the jar of the newest minor calls and a Spark does not have."""
    minor = NEWEST_OF_EACH[-1].rpartition(".")[0]
    folder = packages(ROOT / ".venv") / "spark_match_recognize/jars"
    (jar,) = folder.glob(f"*-spark-{minor}_*.jar")
    home = next(iter(javas().values()), None)
    java = home / "bin/java" if home else "java"
    jars = distribution(Column(spark, "")) / "pyspark/jars/*"
    command = [java, "-cp", f"{jars}:{jar}", ROOT / "tests/Linkage.java", jar]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout.splitlines()


def report() -> str:
    """Return what is known of the next Spark, or why nothing is, as one line."""
    try:
        spark = newest(listed(), NEWEST_OF_EACH[-1])
        if not spark:
            return f"The package index has no preview of a Spark after {NEWEST_OF_EACH[-1]}."
        lines = missing(spark)
    except (subprocess.CalledProcessError, OSError, ValueError) as failed:
        return f"A preview of the next Spark could not be tried: {failed}"
    if not lines:
        return f"{spark} (a preview, may fail): all that the jar calls is there."
    return f"{spark} (a preview, may fail): {len(lines)} missing: " + "; ".join(lines)


if __name__ == "__main__":
    print(report())
