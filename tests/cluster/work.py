"""What runs on a cluster: rows, searches over them, and the result of an undisturbed run."""

from __future__ import annotations

import contextlib
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from cluster.application import COMMON, MAPS, Application, Log, application, log_of
from cluster.standalone import PATIENCE, Cluster, wait_for
from pyspark.sql import SparkSession

from spark_match_recognize import configure

Rows = list[tuple[object, ...]]
Fault = Callable[[Application, random.Random], object]

ROWS = 240_000
KEYS = 200
# In no order, wide enough that a task spills some MB; each task has rows of all keys.
EVENTS = f"""
  SELECT CAST(hash(id) % {KEYS} AS INT) AS k, id AS i, CAST(hash(id, 7) % 1000 AS INT) AS v,
         element_at(array('view', 'look', 'buy', 'leave'), 1 + pmod(hash(id, 8), 4)) AS action,
         md5(CAST(id AS STRING)) AS note
  FROM range({ROWS})
"""
SEARCHES_OF = {
    "V shape": """
      SELECT * FROM events MATCH_RECOGNIZE (
        PARTITION BY k ORDER BY i
        MEASURES STRT.i AS from_i, LAST(DOWN.v) AS low, LAST(UP.i) AS to_i, LAST(UP.note) AS note
        AFTER MATCH SKIP TO LAST UP
        PATTERN (STRT DOWN+ UP+)
        DEFINE DOWN AS v < PREV(v), UP AS v > PREV(v))""",
    "funnel": """
      SELECT * FROM events MATCH_RECOGNIZE (
        PARTITION BY k ORDER BY i
        MEASURES V.i AS viewed, B.i AS bought, COUNT(X.*) AS others, B.note AS note
        PATTERN (V X*? L X*? B) WITHIN 3000
        DEFINE V AS action = 'view', L AS action = 'look', B AS action = 'buy')""",
}
# Rows leave the memory long before it is full.
SPILLING = {"spark.matchRecognize.buffer.spillThresholdRows": "500"}
_numbers = count()


@contextlib.contextmanager
def local(folder: Path) -> Iterator[SparkSession]:
    """Return a local session, whose files go to a folder; stop it at the end."""
    builder = SparkSession.builder.master("local[2]").config(map=COMMON)
    spark = configure(builder.config("spark.local.dir", str(folder / "local"))).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


class Work:
    """Rows in a folder, and what the searches find there without a cluster."""

    def __init__(self, folder: Path) -> None:
        """Write the rows, and search them in a local session, which is stopped."""
        self.folder = folder
        with local(folder) as spark:
            events = spark.sql(EVENTS).repartition(MAPS).sortWithinPartitions("note")
            events.write.parquet(str(folder / "events"))
            self.expected = {name: self._rows_of(spark, name) for name in SEARCHES_OF}

    def write(self, spark: SparkSession, search: str, target: Path) -> None:
        """Write what a search finds to a new folder."""
        spark.read.parquet(str(self.folder / "events")).createOrReplaceTempView("events")
        spark.sql(SEARCHES_OF[search]).write.parquet(str(target))

    def search(self, seed: int) -> str:
        """Return the name of one of the searches."""
        return list(SEARCHES_OF)[seed % len(SEARCHES_OF)]

    def _rows_of(self, spark: SparkSession, search: str) -> Rows:
        self.write(spark, search, self.folder / search)
        return rows(self.folder / search)

    def run(
        self,
        cluster: Cluster,
        search: str,
        fault: Fault,
        seed: int,
        settings: Mapping[str, str] | None = None,
    ) -> Log:
        """Run a search in an application of its own, with a fault; check rows and files.

        Returns:
            What the event log says.
        """
        target = cluster.folder / f"found-{next(_numbers)}"
        with application(cluster, settings) as app:
            with ThreadPoolExecutor(1) as pool:
                running = pool.submit(self.write, app.spark, search, target)
                fault(app, random.Random(seed))  # noqa: S311 - not for cryptography
                running.result(PATIENCE)
            assert rows(target) == self.expected[search]
            check_folder(target)
            check_no_temporary_files(app)
        # also of executors that were killed
        check_vanish(cluster.left_files)
        shutil.rmtree(target)
        return log_of(cluster)


def rows(folder: Path) -> Rows:
    """Return the rows of a folder, in order."""
    table = pq.read_table(folder)
    columns: list[Any] = [column.to_pylist() for column in table.columns]
    return sorted(zip(*columns, strict=True))


def check_folder(folder: Path) -> None:
    """Check that a finished folder has nothing but files of rows, and Spark's mark of the end."""
    names = [path.name for path in folder.iterdir()]
    assert "_SUCCESS" in names
    kept = (".parquet", ".crc", "_SUCCESS")
    assert [name for name in names if not name.endswith(kept)] == []


def check_no_temporary_files(app: Application) -> None:
    """Check that tasks that ended, however they did, have no files in executors that live."""
    check_vanish(lambda: [path for one in app.cluster.executors() for path in one.temporary()])


def check_vanish(left: Callable[[], list[Path]]) -> None:
    """Check that files vanish; a task that is killed may still be ending."""
    with contextlib.suppress(TimeoutError):
        wait_for("end of files", lambda: not left())
    assert left() == []
