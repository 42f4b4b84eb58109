"""The recipes of docs/cookbook/incremental.md over other rows: n nights give what one search gives.

The functions and clauses are those of the page, whose blocks test_snippets.py runs. Here rows also
arrive late, are filled in, have no time, and nights are run again.
"""

from __future__ import annotations

import ast
import datetime as dt
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.functions import to_date
from test_snippets import snippets
from tidy import tidy

import spark_match_recognize as mr

PAGE = Path(__file__).resolve().parent.parent / "docs/cookbook/incremental.md"
DAYS = [dt.date(2026, 3, day) for day in (1, 2, 3)]
# The table of a recipe, its function and its clause.
RECIPES = {
    "bursts": ("overwrite", "BURSTS"),
    "sessions": ("begin_in_gap", "SESSIONS"),
    "by_user": ("search_changed", "SESSIONS"),
}
recipes = pytest.mark.parametrize("table", RECIPES)


class Login(NamedTuple):
    """A row, and the day on which it arrives."""

    user: str
    ok: bool
    ts: dt.datetime | None
    arrives: dt.date


def definitions(*changes: tuple[str, str]) -> dict[str, Any]:
    """Return the functions and clauses of the page, as changed."""
    code = "\n".join(snippet.code for snippet in snippets(PAGE) if snippet.mark == "python")
    for old, new in changes:
        assert code.count(old) == 1, old
        code = code.replace(old, new)
    parts: list[ast.stmt] = []
    for part in ast.parse(code).body:
        is_clause = isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant)
        if is_clause or isinstance(part, ast.FunctionDef | ast.Import):
            parts.append(part)
    names: dict[str, Any] = {}
    exec(compile(ast.Module(parts, []), str(PAGE), "exec"), names)  # noqa: S102 - our own page
    return names


class Job:
    """A recipe of the page with its table, over rows that arrive."""

    def __init__(
        self,
        spark: SparkSession,
        table: str,
        logins: list[Login],
        *changes: tuple[str, str],
        kind: str = "parquet",
    ) -> None:
        """Make the table of a recipe, empty.

        Args:
            spark: The session.
            table: A key of RECIPES, or such a table in another catalog.
            logins: The rows.
            changes: Texts of the page, and what they are replaced by.
            kind: The format of the table.
        """
        self.spark, self.table = spark, table
        self.names = definitions(*changes)
        function, clause = RECIPES[table.rpartition(".")[2]]
        self.clause: str = self.names[clause]
        self.search = self.names[function]
        spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
        types = {"user": "string", "ok": "bool", "arrives": "date32"}
        columns = {name: pa.type_for_alias(alias) for name, alias in types.items()}
        schema = pa.schema({**columns, "ts": pa.timestamp("us", "UTC")})
        rows = pa.Table.from_pylist([row._asdict() for row in logins], schema)
        self.rows = spark.createDataFrame(rows)
        self.arrive(DAYS[0])
        lookback = mr.lookback(self.frame("logins"))
        self.names |= {"spark": spark, "bursts": lookback, "sessions": lookback}
        partitioned = "PARTITIONED BY (day)" if table == "bursts" else ""
        empty = self.clause.format(rows="(FROM logins LIMIT 0)")
        spark.sql(f"CREATE TABLE {table} USING {kind} {partitioned} AS {empty}")

    def arrive(self, day: dt.date) -> None:
        """Let `logins` be those that have arrived on a day or before."""
        rows = self.rows.where(f"arrives <= '{day}'").withColumn("day", to_date("ts"))
        rows.drop("arrives").createOrReplaceTempView("logins")

    def night(self, day: dt.date, late: int = 0) -> None:
        """Let a day arrive, and search what it, and so many days before it, may have changed."""
        self.arrive(day)
        self.search(day - dt.timedelta(late))

    def frame(self, rows: str) -> DataFrame:
        """Return the clause over a relation."""
        return self.spark.sql(self.clause.format(rows=rows))

    def whole(self, rows: str = "logins") -> list[Row]:
        """Return the matches of one search."""
        return sorted(self.frame(rows).collect(), key=repr)

    def kept(self) -> list[Row]:
        """Return the matches of the table."""
        columns = self.frame("logins").columns
        return sorted(self.spark.table(self.table).select(columns).collect(), key=repr)


def logins(seed: int, late: float = 0) -> list[Login]:
    """Return logins of all days.

    Args:
        seed: Of the random times.
        late: How many of them arrive a day late, of 1.
    """
    chance = random.Random(seed)  # noqa: S311 - not a secret
    found = []
    for user in ("u", "v"):
        ts = dt.datetime(2026, 3, 1, chance.randrange(3), tzinfo=dt.UTC)
        while ts.date() <= DAYS[-1]:
            arrives = ts.date() + dt.timedelta(chance.random() < late)
            found.append(Login(user, chance.random() < 0.2, ts, arrives))
            ts += dt.timedelta(minutes=chance.choice([1, 9, 14, 20, 31, 50, 90]))
    return found


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    """Return a session whose tables are dropped afterwards."""
    session = spark.newSession()
    yield session
    tidy(session)


@recipes
def test_nights_give_what_one_search_gives(session: SparkSession, table: str) -> None:
    job = Job(session, table, logins(1))
    alone: list[Row] = []
    for day in DAYS:
        job.night(day)
        assert job.kept() == job.whole()
        alone += job.whole(f"(SELECT * FROM logins WHERE day = '{day}')")
    kept = job.kept()
    assert sorted(alone, key=repr) != kept  # some matches are over a midnight
    job.night(DAYS[-1])
    job.search(DAYS[1])
    assert job.kept() == kept


@recipes
def test_rows_that_arrive_a_day_late(session: SparkSession, table: str) -> None:
    job = Job(session, table, logins(2, late=0.2))
    for day in DAYS:
        job.night(day, late=1)
        assert job.kept() == job.whole()


@recipes
def test_rows_that_are_filled_in(session: SparkSession, table: str) -> None:
    rows = logins(3)
    later = DAYS[-1] + dt.timedelta(1)
    for number, row in enumerate(rows):
        if row.ts and row.ts.date() == DAYS[0] and 2 < row.ts.hour < 7:
            rows[number] = row._replace(arrives=later)
    job = Job(session, table, rows)
    job.arrive(DAYS[-1])
    job.search(DAYS[0])
    job.night(later)  # reads nothing of that day, but all rows of a key
    assert (job.kept() == job.whole()) is False
    job.search(DAYS[0])
    assert job.kept() == job.whole()


def burst(day: int, hour: int) -> list[Login]:
    """Return a login and three failures after it, the first of them on the hour."""
    ts = dt.datetime(2026, 3, day, hour, tzinfo=dt.UTC)
    steps = [(minutes, minutes < 0) for minutes in (-1, 0, 5, 10)]
    return [Login("u", ok, ts + dt.timedelta(minutes=m), ts.date()) for m, ok in steps]


@pytest.mark.parametrize(("condition", "is_same"), [(" WHERE day >= '{first}'", True), ("", False)])
def test_matches_before_the_first_day_are_dropped(
    session: SparkSession, condition: str, *, is_same: bool
) -> None:
    """The rows of the day before are there for PREV, and those before them are not."""
    change = (" WHERE day >= '{first}'\")", f'{condition}")')
    job = Job(session, "bursts", burst(1, 0) + burst(3, 12), change)
    for day in DAYS:
        job.night(day)
    assert (job.kept() == job.whole()) is is_same


def test_a_day_without_matches_keeps_its_partition(session: SparkSession) -> None:
    """Why the partition is deleted first where late rows may remove the last match of a day."""
    between = Login("u", True, dt.datetime(2026, 3, 2, 12, 3, tzinfo=dt.UTC), DAYS[2])  # noqa: FBT003
    job = Job(session, "bursts", [*burst(2, 12), between])
    job.night(DAYS[1])
    assert len(job.kept()) == 1
    job.night(DAYS[2], late=1)
    assert job.whole() == []
    assert len(job.kept()) == 1
    session.sql(f"ALTER TABLE bursts DROP PARTITION (day = DATE '{DAYS[1]}')")
    job.search(DAYS[1])
    assert job.kept() == []


@pytest.mark.parametrize(
    ("table", "arrived_first", "arrived_later"),
    [("bursts", False, False), ("sessions", True, False), ("by_user", True, True)],
)
def test_rows_without_a_time(
    session: SparkSession, table: str, *, arrived_first: bool, arrived_later: bool
) -> None:
    """No night reads them again, unless it reads all rows of their key."""
    rows = logins(4)
    for user, day in (("u", DAYS[0]), ("v", DAYS[1])):
        rows += [Login(user, False, None, day)] * 3  # noqa: FBT003
    job = Job(session, table, rows)
    for day in DAYS:
        job.night(day)
    users = ["'u'"] * arrived_first + ["'v'"] * arrived_later
    of_users = f" OR user IN ({', '.join(users)})" if users else ""
    assert job.kept() == job.whole(f"(SELECT * FROM logins WHERE ts IS NOT NULL{of_users})")
    everything = job.whole()
    assert (job.kept() == everything) is (table != "sessions")
    if table == "bursts":  # rows without a time are in no match that has a bound
        assert all(match.from_ts for match in everything)
