"""What only Oracle computes in its own way."""

from __future__ import annotations

import pytest
from translating import CLAUSE, item, translated


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("d - 1/24", "d - INTERVAL '1' HOUR"),
        ("d + 5/1440", "d + INTERVAL '5' MINUTE"),
        ("d + 10/24/60/60", "d + INTERVAL '10' SECOND"),
        ("d + 1/(24*60)", "d + INTERVAL '1' MINUTE"),
        ("1/24 + d", "d + INTERVAL '1' HOUR"),
        ("d + 30/24/60", "d + INTERVAL '30' MINUTE"),
        ("SYSDATE + 1/3", "CURRENT_TIMESTAMP() + INTERVAL '8' HOUR"),
        ("SYSDATE - 0.5", "CURRENT_TIMESTAMP() - INTERVAL '12' HOUR"),
        ("x + 1/3", "x + 1 / 3"),
        ("x + 5/100", "x + 5 / 100"),
        ("x * 2 + 1/24", "x * 2 + 1 / 24"),
        ("x - y > 1/2", "x - y > 1 / 2"),
        ("x - y > 1/24", "x - y > INTERVAL '1' HOUR"),
        ("x - SUM(y) > 1/24", "x - SUM(y) > 1 / 24"),
        ("d + 1", "d + 1"),
        ("TRUNC(d, 'MM') - 1", "DATE_TRUNC('MONTH', d) - INTERVAL '1' DAY"),
        ("TRUNC(d, 'Q')", "DATE_TRUNC('QUARTER', d)"),
        ("ROUND(d, 'HH24')", "DATE_TRUNC('HOUR', d + INTERVAL '30' MINUTE)"),
        ("TRUNC(x, 2)", "IF(x < 0, CEIL(x, 2), FLOOR(x, 2))"),
        ("(b - a) * 24 * 60", "(TIMESTAMPDIFF(SECOND, a, b) / 60)"),
        ("ROUND((b - a) * 86400)", "ROUND(TIMESTAMPDIFF(SECOND, a, b))"),
        ("(b - a) * 24", "( b - a ) * 24"),
        ("EXTRACT(DAY FROM (b - a))", "EXTRACT(DAY FROM ( b - a ))"),
        ("REPLACE(s, 'a', 'b')", "REPLACE(s, 'a', 'b')"),
        ("REPLACE(s, 'a', '')", "NULLIF(REPLACE(s, 'a', ''), '')"),
        ("REPLACE(s, 'a', t)", "NULLIF(REPLACE(s, 'a', COALESCE(t, '')), '')"),
        ("REPLACE(s, '', 'b')", "s"),
        ("REPLACE(s, t, 'b')", "IF(t IS NULL, s, REPLACE(s, t, 'b'))"),
        ("REGEXP_REPLACE(s, '', 'b')", "s"),
        ("CONCAT('a', t)", "CONCAT_WS('', 'a', t)"),
        ("CONCAT(s, t)", "NULLIF(CONCAT_WS('', s, t), '')"),
        ("s || '-' || t", "CONCAT_WS('', s, '-', t)"),
        ("'a' || 'b'", "'a' || 'b'"),
    ],
)
def test_written(given: str, written: str) -> None:
    assert item(given, "oracle") == written


def test_columns_that_are_times() -> None:
    """What a column is used for elsewhere tells whether it is a time."""
    sql = CLAUSE.format("TRUNC(A.k) AS a, ROUND(d) AS b, LAST(d) - FIRST(d) AS c", "d > SYSDATE")
    got, notes = translated(sql, "oracle")
    assert "DATE_TRUNC('DAY', A.k) AS a" in got
    assert "DATE_TRUNC('DAY', d + INTERVAL '12' HOUR) AS b" in got
    assert "(TIMESTAMPDIFF(SECOND, FIRST(d), LAST(d)) / 86400) AS c" in got
    assert [note for note in notes if "number of days" in note]
    sql = CLAUSE.format("TRUNC(A.x) AS a, (LAST(k) - FIRST(k)) * 24 AS b", "k * 2 > x")
    got = translated(sql, "oracle")[0]
    assert "TRUNC(A.x) AS a, ( LAST(k) - FIRST(k) ) * 24 AS b" in got


@pytest.mark.parametrize(
    ("condition", "written", "told"),
    [
        # price is summed up: a number
        ("price - PREV(price) > 1/24", "price - PREV(price) > 1 / 24", ""),
        ("(price - PREV(price)) * 1440 > 1", "( price - PREV(price) ) * 1440 > 1", ""),
        ("price + 1/24 > 5", "price + 1 / 24 > 5", ""),
        # x may be anything
        ("x - PREV(x) > 1/2", "x - PREV(x) > 1 / 2", "the difference of two DATEs"),
        ("x + 5/100 > y", "x + 5 / 100 > y", "if that is one, write an INTERVAL"),
        ("x - PREV(x) > 1/24", "x - PREV(x) > INTERVAL '1' HOUR", "X is taken for a DATE"),
        ("x + 1/24 > y", "x + INTERVAL '1' HOUR > y", "X is taken for a DATE"),
        # the key and d are times
        ("k - PREV(k) > 1/24", "k - PREV(k) > INTERVAL '1' HOUR", "`: a number is one of days"),
        ("d - PREV(d) > 1/2", "d - PREV(d) > INTERVAL '12' HOUR", "`: a number is one of days"),
    ],
)
def test_fractions_are_parts_of_days_only_beside_times(
    condition: str, written: str, told: str
) -> None:
    sql = CLAUSE.format("SUM(price) AS s, TRUNC(d, 'MM') AS m", condition)
    got, notes = translated(sql, "oracle")
    assert got.endswith(f"DEFINE A AS {written} )")
    assert any(told in note for note in notes) if told else "DATE" not in str(notes)


def test_an_interval_has_no_note() -> None:
    for condition in ("k - PREV(k) < INTERVAL '5' MINUTE", "EXTRACT(DAY FROM k - PREV(k)) < 1"):
        notes = translated(CLAUSE.format("1 AS n", condition), "oracle")[1]
        assert not [note for note in notes if "DATEs" in note]


def test_outer_joins() -> None:
    got, notes = translated("SELECT * FROM t, u WHERE t.a = u.a(+)", "oracle")
    assert (got, notes) == ("SELECT * FROM t LEFT JOIN u ON t.a = u.a", ())


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ("MAX(x) KEEP (DENSE_RANK LAST ORDER BY y)", "write MAX_BY"),
        ("RATIO_TO_REPORT(x) OVER ()", r"write x / SUM\(x\) OVER"),
    ],
)
def test_refused(given: str, advice: str) -> None:
    with pytest.raises(ValueError, match=advice):
        item(given, "oracle")
