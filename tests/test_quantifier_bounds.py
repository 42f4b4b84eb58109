"""Parameters and session variables as bounds of quantifiers: classic and Connect, streams."""

from __future__ import annotations

from pathlib import Path

import pytest
import quantifier_bounds
from pyspark.sql import SparkSession
from through_connect import Answers

VALUE = ["MATCH_RECOGNIZE_INVALID_PATTERN.QUANTIFIER_VALUE", True]
ASKED = quantifier_bounds
WANTED = {
    "parameters": [
        [[1, 6], [8, 4]],
        [[1, 2], [3, 2], [5, 2], [8, 2], [10, 2]],
        [3, 0, 0, 3, 0, 0, 0, 3, 0, 0, 1],
        [5, *[0] * 10],
    ],
    "variables": [[[1, 5], [8, 4]], [[1, 5]], [1, 5]],
    "views": [[1, 4], [8, 4]],
    "errors": [VALUE, ["MATCH_RECOGNIZE_INVALID_PATTERN.QUANTIFIER_BOUNDS", True], *[VALUE] * 3],
}


@pytest.mark.parametrize("check", quantifier_bounds.CHECKS)
def test_answer(answers: Answers, check: str) -> None:
    assert answers[check] == WANTED[check]


def test_stream(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    lines = [f'{{"ts": "2026-01-01 00:00:{second:02}"}}' for second in (*range(6), 59)]
    (folder / "rows.json").write_text("\n".join(lines))
    stream = spark.readStream.schema("ts TIMESTAMP").json(str(folder))
    stream.withWatermark("ts", "0 seconds").createOrReplaceTempView("bounded_stream")
    found = spark.sql(
        """SELECT * FROM bounded_stream MATCH_RECOGNIZE (
          ORDER BY ts MEASURES COUNT(*) AS n PATTERN (A{:n}) WITHIN 10 SECONDS)""",
        args={"n": 3},
    )
    writer = found.writeStream.format("memory").queryName("bounded_found")
    writer.trigger(availableNow=True).start().awaitTermination()
    assert [row.n for row in spark.table("bounded_found").collect()] == [3, 3]
