"""Columns of Connect, read without a server."""

from __future__ import annotations

from typing import Any

import pytest

from spark_match_recognize._columns_connect import may_be_of

dataframe = pytest.importorskip("pyspark.sql.connect.dataframe")
plan = pytest.importorskip("pyspark.sql.connect.plan")


class Session:
    """A session as far as frames need it."""

    is_mock_session = True


def frame(made_of: Any) -> Any:
    return dataframe.DataFrame(made_of, Session())


def test_a_column_is_of_a_frame_or_of_what_it_is_made_of() -> None:
    first, second = (frame(plan.Range(0, 9, 1, 1)) for _ in range(2))
    kept = frame(plan.Filter(first._plan, (first["id"] > 1)))
    joined = frame(plan.Join(kept._plan, second._plan, None, "cross"))
    assert may_be_of(kept, kept["id"])
    assert may_be_of(kept, first["id"])
    assert not may_be_of(kept, second["id"])
    assert may_be_of(joined, first["id"])
    assert may_be_of(joined, second["id"])
    assert not may_be_of(first, joined["id"])


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_column_is_of_a_frame_that_was_queried(depth: int) -> None:
    """`spark.sql` returns a frame that has its plan as a message, not as plans of pyspark."""

    def queried(of: Any) -> Any:
        views = [plan.SubqueryAlias(of._plan, "v")]
        return frame(plan.CachedRelation(plan.SQL("SELECT * FROM v", [], {}, views).plan(None)))

    first, second = (queried(frame(plan.Range(0, 9, 1, 1))) for _ in range(2))
    above = first
    for _ in range(depth):
        above = queried(frame(plan.Filter(above._plan, first["id"] > 1)))
    assert may_be_of(above, first["id"])
    assert not may_be_of(above, second["id"])
