"""The benchmark of latency: its parts, and as a slow test a short run."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pictures
import pytest
from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parent.parent
KEYS = 1_000
Bench = Callable[[str], ModuleType]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return what imports a module of the benchmark; those import siblings and the examples."""
    monkeypatch.syspath_prepend(ROOT / "examples")
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module


@pytest.mark.parametrize(
    ("name", "rules", "matches"),
    [("v-shape", 1, 500), ("funnel", 1, 500), ("funnel", 9, 500), ("absence", 1, 250)],
)
def test_the_clause_finds_one_match_in_each_turn(
    spark: SparkSession, bench: Bench, name: str, rules: int, matches: int
) -> None:
    """Of absences, in every second one."""
    rows_of = bench("latency_rows")
    stream = rows_of.STREAMS[name]
    text = rows_of.lines(stream, KEYS, 0, 2_000, rules)
    session = spark.newSession()
    # a row each millisecond, and the keys of the second turn 10 seconds later
    lines = [line.replace("\t", ",").split(",") for line in text.splitlines()]
    rows = [(k, int(seq) + 10_000 * (int(seq) // 1_000), int(seq), float(v)) for k, seq, v in lines]
    table = session.createDataFrame(rows, "k STRING, ms BIGINT, seq BIGINT, price DOUBLE")
    table = table.selectExpr("*", "timestamp_millis(ms) AS ts")
    found = bench("latency_spark").matches(session, stream, table, rules).collect()
    assert len(found) == matches
    if stream.flink and rules == 1:
        table.createOrReplaceTempView("input")
        (flink,) = stream.searches(1, flink=True)
        assert session.sql(f"SELECT * FROM input {flink}").count() == matches


def test_all_keys_open_an_attempt_first(bench: Bench) -> None:
    rows_of = bench("latency_rows")
    text = rows_of.lines(rows_of.STREAMS["v-shape"], 5_000, 5_000, 4_000)
    keys = [line.partition("\t")[0] for line in text.splitlines()]
    assert len(set(keys[:5_000])) == 5_000
    assert len(set(keys[5_000:])) == 1_000


@pytest.mark.parametrize(
    "written",
    [{"5,1,2"}, {"5,1,2", "9,3,4", "9,3,5"}, set()],
    ids=["one is missing", "one too many", "none"],
)
def test_figures_of_other_matches_are_refused(bench: Bench, written: set[str]) -> None:
    compare = bench("latency_run").compare
    with pytest.raises(SystemExit, match="no figures"):
        compare({"5,1,2", "9,3,4"}, written, 5)


def test_matches_after_the_end_may_be_missing(bench: Bench) -> None:
    bench("latency_run").compare({"5,1,2", "9,3,4"}, {"5,1,2"}, 4)


def test_a_run_replaces_its_own_figures(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    runs = [("v-shape", "arrival", 1), ("funnel", "arrival", 2), ("v-shape", "watermark", 3)]
    for stream, system, p50 in [*runs, ("v-shape", "arrival", 4)]:
        figures = {"stream": stream, "system": system, "rate": 100, "keys": KEYS, "rules": 1}
        figures["p50"] = p50
        bench("latency").keep(figures, file)
    assert [each["p50"] for each in json.loads(file.read_text())] == [3, 4, 2]


def test_picture_of_the_page(bench: Bench, tmp_path: Path) -> None:
    latency, file = bench("latency"), tmp_path / "picture.svg"
    latency.draw(json.loads(latency.RESULTS.read_text(encoding="utf-8")), file)
    drawn, kept = file.read_text(encoding="utf-8"), ROOT / "docs/images/latency.svg"
    if "UPDATE_SNIPPETS" in os.environ:
        kept.write_text(drawn, encoding="utf-8")
    pictures.assert_same(drawn, kept.read_text(encoding="utf-8"), str(kept))
    assert all(f"{name} -->" in drawn for name in latency.SYSTEMS.values())


@pytest.mark.slow
def test_a_short_run(tmp_path: Path) -> None:
    targets = ("out/kafka", "out/bench/java/Feed.class", "out/bench/java/HandWrittenNow.class")
    files = [f"{name}/.complete" if name == "out/kafka" else name for name in targets]
    subprocess.run(["make", "-C", str(ROOT), *files], check=True)  # noqa: S607 - as a user does
    results = tmp_path / "results.json"
    command = [sys.executable, "benchmarks/latency.py", "--results", str(results)]
    command += ["--streams", "v-shape", "--keys", "1000", "--rates", "500", "--seconds", "8"]
    command += ["--warm-up", "3", "--batch", "6", "--systems", "arrival", "real-time", "by-hand"]
    command += ["--picture", str(tmp_path / "picture.svg")]
    paths = os.pathsep.join(["examples", os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3_000:]
    found = {each["system"]: each for each in json.loads(results.read_text(encoding="utf-8"))}
    assert set(found) == {"arrival", "real-time", "by-hand"}
    for each in found.values():
        assert each["n"] > 500
        assert 0 < each["p50"] <= each["p90"] <= each["p99"] <= each["max"]
        assert each["cpu_seconds"] > 0
    assert found["real-time"]["batch_ends"] >= 1
    assert found["real-time"]["away"]["n"] > 0
    assert found["arrival"]["state_bytes"] > 0
