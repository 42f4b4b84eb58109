"""The declarative pipeline of examples/, against loops over its data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from loading import Run

ROOT = Path(__file__).resolve().parent.parent


def aircraft(rows: pd.DataFrame) -> Iterator[tuple[str, list[tuple[pd.Timestamp, int | None]]]]:
    """Yield the times and delays of each aircraft."""
    for name, mine in rows.groupby("aircraft"):
        ordered = mine.sort_values(["ts", "flight"])
        delays = [None if pd.isna(d) else int(d) for d in ordered["delay"]]
        yield str(name), list(zip(ordered["ts"], delays, strict=True))


def late(flights: list[tuple[pd.Timestamp, int | None]], start: int) -> int:
    """Return how many flights after one on time are late, each more than the one before."""
    end = start + 1
    while end < len(flights):
        before, now = flights[end - 1][1], flights[end][1]
        if before is None or now is None or now <= 15 or now <= before:
            break
        end += 1
    return end - start - 1


def is_on_time(delay: int | None) -> bool:
    return delay is not None and delay <= 5


@pytest.mark.slow
def test_tables_of_the_pipeline(run_program: Run, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    run = run_program(sys.executable, str(ROOT / "examples/demo_pipelines.py"), str(folder))
    log = folder / "log.txt"
    assert run.returncode == 0, run.stderr[-2000:] + (
        log.read_text()[-3000:] if log.exists() else ""
    )
    rows = pd.concat(
        [pq.read_table(file).to_pandas() for file in sorted((folder / "departures").iterdir())]
    )
    assert len(rows) > 900
    assert not rows.duplicated(["aircraft", "ts", "flight"]).any()  # no ties
    alerts, unrecovered = [], []
    for name, flights in aircraft(rows):
        for start, (since, delay) in enumerate(flights):
            if not is_on_time(delay):
                continue
            length = late(flights, start)
            if length >= 2:  # with 12 hours from the first to the last row
                at, worst = flights[start + 2]
                if at - since <= pd.Timedelta(hours=12):
                    alerts.append((name, since, at, worst))
            end = start + length + 1
            if length and end == len(flights):
                unrecovered.append((name, since, length, flights[end - 1][1]))
    found = {}
    for table in ("alerts", "unrecovered"):
        frame = pq.read_table(folder / "spark-warehouse" / table).to_pandas()
        for column in ("since", "at"):
            if column in frame:
                frame[column] = pd.to_datetime(frame[column], utc=True)
        found[table] = sorted(frame.itertuples(index=False, name=None))
    assert len(alerts) >= 5
    assert found["alerts"] == sorted(alerts)
    assert len(unrecovered) >= 5
    assert found["unrecovered"] == sorted(unrecovered)
    first, second, *_ = run.stdout.splitlines()
    assert int(first.split()[3]) < int(second.split()[3]) == len(alerts)


@pytest.mark.slow
def test_clause_in_python(run_program: Run, tmp_path: Path) -> None:
    folder = tmp_path / "transformations"
    folder.mkdir()
    (tmp_path / "spark-pipeline.yml").write_text(
        f"name: falls\nstorage: file://{tmp_path}/storage\n"
        "libraries: [{glob: {include: transformations/**}}]\n"
    )
    (folder / "falls.py").write_text('''
from pyspark import pipelines as dp
from pyspark.sql import SparkSession

@dp.materialized_view
def falls():
    return SparkSession.active().sql("""
        SELECT * FROM VALUES (1, 5), (2, 3), (3, 4) AS t(k, v) MATCH_RECOGNIZE (
          ORDER BY k MEASURES LAST(k) AS k PATTERN (STRT DOWN) DEFINE DOWN AS v < PREV(v)
        )""")
''')
    command = 'spark-pipelines run --jars "$(python -m spark_match_recognize jar)"'
    run = run_program("bash", "-euo", "pipefail", "-c", command)
    assert run.returncode == 0, run.stderr[-3000:]
    assert pq.read_table(tmp_path / "spark-warehouse/falls").to_pylist() == [{"k": 2}]
