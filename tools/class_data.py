"""Write the classes that Spark loads at its start into a file that the JVMs of the tests share.

    python tools/class_data.py FILE

Most of the Python tests start programs of their own, and most of such a program's CPU goes into
reading, verifying and linking Spark's classes. Java's class data sharing does that once: on the
4.3.0 of .venv a session with one query took 10 s of CPU without the file and 5 s with it. A JVM of
another version, or with other jars at the head of its class path, starts as if there were no file.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

# A session of Spark Connect, whose server is a classic session in the same JVM: both are loaded.
PROGRAM = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
numbers = spark.range(100).selectExpr("id % 3 AS k", "id", "string(id) AS s")
numbers.write.parquet("numbers")
numbers = spark.read.parquet("numbers")
numbers.groupBy("k").count().join(numbers, "k").orderBy("id").collect()
numbers.selectExpr("lag(id) OVER (PARTITION BY k ORDER BY id)").collect()
stream = spark.readStream.schema(numbers.schema).parquet("numbers").groupBy("k").count()
query = stream.writeStream.format("memory").queryName("counts").outputMode("complete")
query.trigger(availableNow=True).start().awaitTermination()
spark.stop()
"""


def write(file: Path) -> None:
    """Run a program that needs most of Spark in a JVM that writes its classes when it ends."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    options = f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ArchiveClassesAtExit={file.resolve()}"
    with tempfile.TemporaryDirectory() as folder:
        # the JVM ends after the program; it holds the pipe open until then
        subprocess.run(  # noqa: S603
            [sys.executable, "-c", PROGRAM],
            cwd=folder,
            env={**os.environ, "JDK_JAVA_OPTIONS": options},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=True,
        )


if __name__ == "__main__":
    write(Path(sys.argv[1]))
