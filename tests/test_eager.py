"""Only rows that a search tests raise ANSI errors, whatever the plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from plan_variants import VARIANTS, Variant
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

# a divisor of 0, a text that is not a number, and a number that overflows, on the fourth row of p
ROWS = """VALUES ('p', 1, 1, '1', 1), ('p', 2, 2, '2', 2), ('p', 3, 3, '3', 3),
  ('p', 4, 0, 'x', 2147483647), ('q', 1, 1, '1', 1) AS t(g, k, v, c, w)"""
FAILING = {
    "DIVIDE_BY_ZERO": "6 / {}v > 0",
    "CAST_INVALID_INPUT": "CAST({}c AS INT) > 0",
    "ARITHMETIC_OVERFLOW": "{}w + 1 > 0",
}
# the condition of a clause, and the matches of p and q as (first k, last k)
UNTESTED = {
    "a branch before it accepts": ("(^ A B | ^ C D D D)", "D AS {}", [(1, 2)]),
    "the preferred branch accepts": ("(A | B)", "A AS TRUE, B AS {}", None),
    "the row is inside a match": ("(A X X X)", "A AS {}", [(1, 4)]),
    "AND is decided before": ("(A)", "A AS k < 4 AND {}", [(1, 1), (2, 2), (3, 3), (1, 1)]),
    "the loop ends before": ("(^ A{{3}})", "A AS {}", [(1, 3)]),
    "the end anchor fails before": ("(^ A B)", "B AS k = 2 AND {}", [(1, 2)]),
    "the bound ends before": ("(A A) WITHIN 1", "A AS k < 3 AND {}", [(1, 2)]),
}
PLANS = [
    variant
    for variant in VARIANTS
    if "codegen" in variant.name or variant.name in {"not-adaptive", "spill-2"}
]


def query(pattern: str, define: str, condition: str, variable: str) -> str:
    conditions = define.format(condition.replace("{}", variable))
    return f"""SELECT a, z FROM {ROWS} MATCH_RECOGNIZE (PARTITION BY g ORDER BY k
        MEASURES FIRST(k) AS a, LAST(k) AS z PATTERN {pattern.format()} DEFINE {conditions})"""


def spread(cases: Iterable[str]) -> Iterator[Any]:
    """Return the pairs of a plan and a case; a third, with each of both, has no mark."""
    for plan_number, variant in enumerate(PLANS):
        for case_number, case in enumerate(cases):
            marks = [pytest.mark.slow] if (plan_number + case_number) % 3 else []
            yield pytest.param(variant, case, id=f"{case}-{variant.name}", marks=marks)


@pytest.mark.parametrize(("variant", "case"), list(spread(UNTESTED)))
def test_a_row_that_is_not_tested_raises_nothing(
    spark: SparkSession, variant: Variant, case: str
) -> None:
    session = variant.session(spark)
    pattern, define, matches = UNTESTED[case]
    if matches is None:
        matches = [(1, 1), (2, 2), (3, 3), (4, 4), (1, 1)]
    condition = f"({' AND '.join(FAILING.values())})"
    rows = session.sql(query(pattern, define, condition, "")).collect()
    assert sorted(map(tuple, rows)) == sorted(matches)


@pytest.mark.parametrize(("variant", "condition"), list(spread(FAILING)))
def test_a_row_that_is_tested_raises_and_names_the_partition(
    spark: SparkSession, variant: Variant, condition: str
) -> None:
    session = variant.session(spark)
    failing = FAILING[condition]
    total = "A AS SUM(CASE WHEN {} THEN 1 END) > 0"
    texts = {
        "DEFINE": query("(A+)", "A AS {}", failing, ""),
        "the last branch": query("(A A A B | A A A C)", "B AS FALSE, C AS {}", failing, ""),
        "an aggregate": query("(A+)", total, failing, "A."),
        "MEASURES": f"""SELECT * FROM {ROWS} MATCH_RECOGNIZE (PARTITION BY g ORDER BY k
            MEASURES LAST({failing.format("")}) AS m PATTERN (A+))""",
        "ALL ROWS": f"""SELECT * FROM {ROWS} MATCH_RECOGNIZE (PARTITION BY g ORDER BY k
            MEASURES {failing.format("A.")} AS m ALL ROWS PER MATCH PATTERN (A+))""",
    }
    for place, sql in texts.items():
        error: Any = None
        try:
            session.sql(sql).collect()
        except PySparkException as caught:
            error = caught
        assert error is not None, f"{place}: no error"
        assert error.getCondition() == condition, place
        text = str(error)
        assert "== SQL" in text, place
        assert "== MATCH_RECOGNIZE ==" in text, f"{place}: {text}"
        assert "in partition g = p" in text, f"{place}: {text}"
