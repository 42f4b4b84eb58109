"""The demo's results against loops over its data, without row patterns.

The loops implement the meaning of the queries independently, share with the demo only the loading
of the data, and cover all rows and all columns.
"""

from __future__ import annotations

import importlib
import itertools
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

Rows = list[tuple[Any, ...]]

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "examples" / "demo.py"


@pytest.fixture(scope="module")
def demo() -> ModuleType:
    """Return the demo as a module."""
    sys.path.insert(0, str(DEMO.parent))
    try:
        return importlib.import_module("demo")
    finally:
        sys.path.remove(str(DEMO.parent))


@pytest.fixture(scope="module")
def flights(demo: ModuleType) -> pd.DataFrame:
    return demo.flights()


@pytest.fixture(scope="module")
def stocks(demo: ModuleType) -> pd.DataFrame:
    return demo.stocks()


@pytest.fixture(scope="module")
def session(
    spark: SparkSession, demo: ModuleType, flights: pd.DataFrame, stocks: pd.DataFrame
) -> SparkSession:
    """Return a session with the views of the demo."""
    session = spark.newSession()
    demo.create_view(session, "flights", flights)
    demo.create_view(session, "stocks", stocks)
    return session


def result(session: SparkSession, sql: str, columns: list[str]) -> Rows:
    """Return the rows of a query in a fixed order, once its columns are as expected."""
    frame = session.sql(sql)
    assert frame.columns == columns
    return sorted(tuple(row) for row in frame.collect())


def chains(flights: pd.DataFrame) -> Rows:
    """Walk along the departures of each aircraft and collect its late chains."""
    found = []
    named = flights[flights["tailnum"].notna()].sort_values(["tailnum", "sched_dep", "flight"])
    for tail, group in named.groupby("tailnum"):
        delays = [math.nan if pd.isna(x) else int(x) for x in group["dep_delay"]]
        begin = 0
        while begin < len(delays):
            last = begin
            if delays[begin] <= 5:
                while (
                    last + 1 < len(delays)
                    and delays[last + 1] > 15
                    and delays[last + 1] > delays[last]
                ):
                    last += 1
            if last - begin < 2 or last + 1 == len(delays) or not delays[last + 1] <= 5:
                begin += 1
                continue
            end = last + 1
            rows = group.iloc[begin : end + 1]
            late = delays[begin + 1 : end]
            route = " ".join(f"{o}-{d}" for o, d in zip(rows["origin"], rows["dest"], strict=True))
            since = rows["sched_dep"].iloc[0].to_pydatetime()
            found.append((tail, since, late[0], max(late), delays[end], len(late), route))
            begin = end + 1
    return sorted(found)


def legs(closes: list[float], begin: int, signs: list[int]) -> list[int] | None:
    """Follow falls (-1) and rises (1) from one row; return where each leg ends, or None."""
    turns = []
    at = begin
    for sign in signs:
        start = at
        while at + 1 < len(closes) and (closes[at + 1] - closes[at]) * sign > 0:
            at += 1
        if at == start:
            return None
        turns.append(at)
    return turns


def by_symbol(stocks: pd.DataFrame) -> Iterator[tuple[str, list[Any], list[float]]]:
    """Return the days and the prices of each symbol in order of time."""
    for symbol, group in stocks.groupby("symbol"):
        ordered = group.sort_values("day")
        yield str(symbol), ordered["day"].tolist(), ordered["close"].tolist()


def test_data_are_what_the_demo_says(flights: pd.DataFrame, stocks: pd.DataFrame) -> None:
    assert len(flights) == 336_776
    assert sorted(stocks["symbol"].unique()) == ["AAPL", "FB", "GOOG", "IBM", "MSFT"]


def test_order_is_total(flights: pd.DataFrame, stocks: pd.DataFrame) -> None:
    named = flights[flights["tailnum"].notna()]
    assert not named.duplicated(["tailnum", "sched_dep", "flight"]).any()
    assert not stocks.duplicated(["symbol", "day"]).any()


def test_missing_values_are_null(session: SparkSession, flights: pd.DataFrame) -> None:
    nulls = session.sql(
        "SELECT count_if(dep_delay IS NULL), count_if(tailnum IS NULL) FROM flights"
    )
    missing = flights[["dep_delay", "tailnum"]].isna().sum()
    assert tuple(nulls.collect()[0]) == tuple(missing) == (8255, 2512)


def test_late_chains(session: SparkSession, demo: ModuleType, flights: pd.DataFrame) -> None:
    columns = ["tailnum", "since", "first_delay", "worst_delay", "last_delay", "late_flights"]
    got = result(session, demo.LATE_CHAINS, [*columns, "route"])
    want = chains(flights)
    assert len(want) > 100
    assert got == want


def test_v_shapes(session: SparkSession, demo: ModuleType, stocks: pd.DataFrame) -> None:
    want = []
    for symbol, days, closes in by_symbol(stocks):
        begin = 0
        while begin < len(days):
            turns = legs(closes, begin, [-1, 1])
            if turns is None:
                begin += 1
                continue
            places = (begin, *turns)
            dates, prices = [days[i] for i in places], [closes[i] for i in places]
            want.append((symbol, *dates, *prices, turns[0] - begin, turns[1] - turns[0]))
            begin = turns[1]
    columns = ["symbol", "start_day", "bottom_day", "end_day"]
    columns += ["start_price", "bottom_price", "end_price", "days_down", "days_up"]
    got = result(session, demo.V_SHAPES, columns)
    assert len(want) > 1000
    assert got == sorted(want)


def test_w_shapes(session: SparkSession, demo: ModuleType, stocks: pd.DataFrame) -> None:
    want = []
    for symbol, days, closes in by_symbol(stocks):
        number = itertools.count(1)
        begin = 0
        while begin < len(days):
            turns = legs(closes, begin, [-1, 1, -1, 1])
            if turns is None:
                begin += 1
                continue
            span = closes[begin : turns[3] + 1]
            dates = [days[i] for i in (begin, *turns)]
            want.append((symbol, next(number), *dates, min(span), max(span), len(span)))
            begin = turns[3] + 1
    columns = ["symbol", "number", "start_day", "first_bottom", "middle_top", "second_bottom"]
    got = result(session, demo.W_SHAPES, [*columns, "end_day", "lowest", "highest", "days"])
    assert len(want) > 500
    assert got == sorted(want)


def test_demo_writes_report_pictures_and_page(
    session: SparkSession, demo: ModuleType, tmp_path: Path, stocks: pd.DataFrame
) -> None:
    texts = []
    for query in demo.QUERIES:
        matches, text = demo.run(query, session, rows=3)
        texts.append(text)
        assert query.sql in text
        assert f"{len(matches):,} matches in " in text
        data = stocks if "FROM stocks" in query.sql else None
        query.plot(matches, data).savefig(tmp_path / f"{query.name}.png")
    demo.write_page(tmp_path, texts)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    for query in demo.QUERIES:
        assert f'src="{query.name}.png"' in page
        assert (tmp_path / f"{query.name}.png").stat().st_size > 10_000


def test_make_demo_ends_by_saying_what_to_open() -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    # what make would do with a demo that is up to date
    command = ["make", "--dry-run", "--assume-old=out/demo/index.html", "demo"]
    run = subprocess.run(
        command, cwd=DEMO.parent.parent, env=environment, capture_output=True, text=True, check=True
    )
    last = ("sh", "-c", run.stdout.splitlines()[-1])
    said = subprocess.run(last, capture_output=True, text=True, check=True).stdout
    assert said.startswith("\nOpen out/demo/index.html")
