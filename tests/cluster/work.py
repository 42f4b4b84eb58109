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
from cluster.application import COMMON, MAPS, Application, Log, check_vanish
from cluster.standalone import PATIENCE
from pyspark.sql import SparkSession

from spark_match_recognize import configure

Rows = list[tuple[object, ...]]
Fault = Callable[[Application, random.Random], object]

ROWS = 120_000
KEYS = 200
# In no order, wide enough that a task spills some MB; each task has rows of all keys.
EVENTS = f"""
  SELECT CAST(pmod(hash(id), {KEYS}) AS INT) AS k, id AS i, CAST(hash(id, 7) % 1000 AS INT) AS v,
         element_at(array('view', 'look', 'buy', 'leave'), 1 + pmod(hash(id, 8), 4)) AS action,
         {{note}} AS note
  FROM range({{rows}})
"""
WIDE = "md5(CAST(id AS STRING))"
# So many that the digest of what is found is compared: the count of its rows, the sum of hashes.
MANY = 20_000_000
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

    def __init__(self, folder: Path, *, many: bool) -> None:
        """Write the rows, and search them, and if wanted many more, in a local session."""
        self.folder = folder
        self.digests: Rows = []
        with local(folder) as spark:
            events = (
                spark.sql(EVENTS.format(note=WIDE, rows=ROWS))
                .repartition(MAPS)
                .sortWithinPartitions("note")
            )
            events.write.parquet(str(folder / "events"))
            self.expected = {name: self._rows_of(spark, name) for name in SEARCHES_OF}
            if many:
                self.digests = digests(spark)

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
        app: Application,
        search: str,
        fault: Fault,
        seed: int,
        settings: Mapping[str, str] | None = None,
    ) -> Log:
        """Run a search in an application, with a fault; check rows and files.

        Args:
            app: The application, with nothing to do.
            search: Name of the search.
            fault: Plays the fault while the search runs.
            seed: Of what the fault decides.
            settings: Settings of the search.

        Returns:
            What the event log says.
        """
        target = app.cluster.folder / f"found-{next(_numbers)}"
        with set_for(app.spark, settings or {}) as session, ThreadPoolExecutor(1) as pool:
            running = pool.submit(self.write, session, search, target)
            try:
                fault(app, random.Random(seed))  # noqa: S311 - not for cryptography
            except TimeoutError:
                if running.done():  # what ended it before the fault tells more
                    running.result()
                raise
            running.result(PATIENCE)
        assert rows(target) == self.expected[search]
        check_folder(target, speculates=app.spark.conf.get("spark.speculation", "false") == "true")
        # its own executors are back; no file is left of the tasks that did not end
        app.wait_until_idle()
        check_no_temporary_files(app)
        shutil.rmtree(target)
        return app.new_log()


def digests(spark: SparkSession) -> Rows:
    """Return the digest of what each search finds in many rows."""
    many = spark.sql(EVENTS.format(note="CAST(hash(id, 9) AS STRING)", rows=MANY))
    many.createOrReplaceTempView("events")
    digest = "SELECT count(*), sum(hash(*)) FROM ({})"
    return [tuple(spark.sql(digest.format(text)).collect()[0]) for text in SEARCHES_OF.values()]


@contextlib.contextmanager
def set_for(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[SparkSession]:
    """Set settings of a session for a while."""
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield spark
    finally:
        for key in settings:
            spark.conf.unset(key)


def rows(folder: Path) -> Rows:
    """Return the rows of a folder, in order."""
    table = pq.read_table(folder)
    columns: list[Any] = [column.to_pylist() for column in table.columns]
    return sorted(zip(*columns, strict=True))


def check_folder(folder: Path, *, speculates: bool) -> None:
    """Check that a finished folder has nothing but files of rows, and Spark's mark of the end.

    The commit removes the folder of attempts. The writer of a task that was stopped, and was copied
    by speculation, may make it again.
    """
    names = [path.name for path in folder.iterdir()]
    assert "_SUCCESS" in names
    kept = (".parquet", ".crc", "_SUCCESS", *(["_temporary"] if speculates else []))
    others = [name for name in names if not name.endswith(kept)]
    assert others == [], others


def check_no_temporary_files(app: Application) -> None:
    """Check that tasks that ended, however they did, have no files in executors that live."""
    check_vanish(lambda: [path for one in app.executors() for path in one.temporary()])
