"""The MATCH clause of Vertica."""

from __future__ import annotations

import pytest
from translating import VERTICA, item, translated

import spark_match_recognize as mr


def test_vertica() -> None:
    sql = VERTICA.format("k, EVENT_NAME(), match_id() AS pos", "A+ B?", " ROWS MATCH FIRST EVENT")
    got, notes = translated(sql, "vertica")
    assert got == (
        "SELECT k, event_name, match_id AS pos FROM t MATCH_RECOGNIZE ( ORDER BY k MEASURES "
        "CLASSIFIER() AS event_name, RUNNING COUNT(*) AS match_id ALL ROWS PER MATCH OMIT EMPTY "
        "MATCHES PATTERN (A+ B?) DEFINE A AS v > 1, B AS v < 9 AND NOT ( v > 1 ) IS TRUE ) AS t"
    )
    assert [note.split()[0] for note in notes] == ["EVENT_NAME()", "MATCH_ID()", "ROWS", "Vertica"]


def test_vertica_reads_what_where_leaves() -> None:
    sql = VERTICA.format("c.k, c.pattern_id, PATTERN_ID()", "A", "").replace(
        "t MATCH", "s.t c WHERE c.v::INT > 0 MATCH"
    )
    got, notes = translated(sql.replace("A AS v", "A AS c.v"), "vertica")
    assert got.startswith(
        "SELECT c.k, c.pattern_id, pattern_id_of_match AS pattern_id FROM ( SELECT * FROM s.t AS c "
        "WHERE CAST(ROUND(c.v) AS INT) > 0 ) MATCH_RECOGNIZE ( ORDER BY k MEASURES MATCH_NUMBER() "
        "AS pattern_id_of_match"
    )
    assert got.endswith("DEFINE A AS v > 1, B AS v < 9 ) AS c")
    assert [note for note in notes if "two events are true" in note]
    assert [n for n in translated(VERTICA.format("*", "A", ""), "vertica")[1] if n[0] == "*"]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (VERTICA.format("k", "A*+ B", ""), r"possessive quantifier \*\+"),
        (VERTICA.format("k", "A{2}", ""), r"PATTERN has \{"),
        (VERTICA.format("DISTINCT k", "A", ""), "its query has DISTINCT"),
        (VERTICA.format("k", "A", "").replace("t MATCH", "t, u MATCH"), "it reads a join"),
        (VERTICA.format("k", "A", "").replace("ORDER BY k", ""), "Expecting ORDER BY"),
        (VERTICA.format("k", "A", "").replace("PATTERN P AS", "PATTERN"), "Expecting AS"),
    ],
)
def test_vertica_refused(sql: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mr.translate(sql, read="vertica")


def test_columns_of_vertica_with_a_schema() -> None:
    sql = VERTICA.format("k", "A", "").replace("FROM t", "FROM s.t").replace("A AS v", "A AS s.t.v")
    assert "DEFINE A AS v > 1" in translated(sql, "vertica")[0]


def test_arrays_and_quotients_of_vertica() -> None:
    assert item("a[0]", "vertica") == "a[0]"
    assert item("x::INT / y::INT", "vertica") == "CAST(x AS INT) / CAST(y AS INT)"
