"""Nightly jobs whose matches are in tables of Delta Lake and Iceberg: MERGE, and DELETE and INSERT.

The clause and the rows are those of tests/test_incremental.py.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial

import pytest
from pyspark.sql import SparkSession
from test_incremental import DAYS, Job, logins

pytestmark = [pytest.mark.matrix, pytest.mark.one_order]
Search = Callable[[Job, dt.date], None]


def merge_changed(job: Job, day: dt.date) -> None:
    """Search the users with new rows, and merge what is found into the table."""
    changed = job.spark.sql(f"SELECT DISTINCT user FROM logins WHERE day >= '{day}'").collect()
    users = ", ".join(f"'{row.user}'" for row in changed)
    found = job.clause.format(rows=f"(SELECT * FROM logins WHERE user IN ({users}))")
    job.spark.sql(f"""
        MERGE INTO {job.table} AS kept USING ({found}) AS found
        ON kept.user = found.user AND kept.from_ts = found.from_ts
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *
        WHEN NOT MATCHED BY SOURCE AND kept.user IN ({users}) THEN DELETE
    """)


def replace_from_cut(job: Job, day: dt.date) -> None:
    """Begin each user in a gap: delete the matches from there on, and insert those found."""
    job.names["cut"](day)
    cuts = {row.user: row.cut_ts for row in job.spark.table("cuts").collect()}
    for (user,) in job.spark.sql("SELECT DISTINCT user FROM logins").collect():
        from_cut = f" AND from_ts >= TIMESTAMP '{cuts[user]}'" if user in cuts else ""
        job.spark.sql(f"DELETE FROM {job.table} WHERE user = '{user}'{from_cut}")
    rows = """(SELECT l.* FROM logins l LEFT JOIN cuts USING (user)
               WHERE cut_ts IS NULL OR ts >= cut_ts)"""
    job.spark.sql(f"INSERT INTO {job.table} {job.clause.format(rows=rows)}")


def check_nights(spark: SparkSession, table: str, kind: str, search: Search) -> None:
    """Compare nights with one search: rows arrive late, and a night is run again."""
    job = Job(spark, table, logins(2, late=0.2), kind=kind)
    job.search = partial(search, job)
    for day in DAYS:
        job.night(day, late=1)
        assert job.kept() == job.whole()
    kept = job.kept()
    job.search(DAYS[1])
    assert job.kept() == kept
    # sessions in the middle of the second day disappear
    job.rows = job.rows.where(f"to_date(ts) <> '{DAYS[1]}' OR hour(ts) NOT BETWEEN 9 AND 15")
    job.arrive(DAYS[-1])
    job.search(DAYS[1])
    assert job.kept() == job.whole() != kept


@pytest.mark.parametrize("search", [merge_changed, replace_from_cut])
def test_nights_in_delta(delta: SparkSession, search: Search) -> None:
    check_nights(delta, "sessions", "delta", search)


@pytest.mark.parametrize("search", [merge_changed, replace_from_cut])
def test_nights_in_iceberg(iceberg: SparkSession, search: Search) -> None:
    check_nights(iceberg, "ice.db.sessions", "iceberg", search)
