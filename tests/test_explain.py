"""Why a query does not match: the sentence of `explain` that names the cause.

Each case is a mistake that is easily made, over rows of a shop: each session has as many rows, one
every ten seconds, in which a visitor looks, looks again, and sometimes buys.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from pyspark.sql import SparkSession

import spark_match_recognize as mr

VISITS = """
    SELECT
      printf('S%03d', id DIV {rows}) AS session,
      CAST(id % {rows} AS INT) + 1 AS seq,
      TIMESTAMP '2026-01-05 14:00:00' + make_dt_interval(0, 0, 0, (id % {rows}) * 10) AS ts,
      CASE WHEN id % 5 = 4 THEN 'buy' WHEN id % 5 = 3 THEN 'sell ' ELSE 'look' END AS side,
      IF(id % 7 = 3, NULL, 100 + (id * 37) % 50) AS price,
      (id * 13) % 40 AS quantity
    FROM range({sessions} * {rows})
"""
SMALL = {"sessions": 4, "rows": 25}
LARGE = {"sessions": 200, "rows": 500}


@dataclass
class Case:
    """A query and what has to be told of it."""

    clause: str
    cause: str
    source: str = "visits"


def by_session(pattern: str, define: str, **parts: str) -> str:
    """Return a clause over the rows of each session."""
    order, skip, within = (parts.get(name, "") for name in ("order", "skip", "within"))
    return f"""
        PARTITION BY session ORDER BY {order or "seq"} MEASURES COUNT(*) AS n
        {skip} PATTERN ({pattern}) {within} DEFINE {define}"""


CASES = {
    "PREV is off by one": Case(
        by_session("A B", "B AS seq = PREV(seq, 2) + 1"),
        r"attempts failed on `seq = PREV\(seq, 2\) \+ 1` of B; the furthest .*, \d+ = \d+ \+ 1 is "
        r"FALSE\.",
    ),
    "a string of digits as the order": Case(
        by_session("A B", "B AS digits = A.digits + 1", order="digits"),
        r"attempts failed on `digits = A.digits \+ 1` of B; .* '10' = '1' \+ 1 is FALSE",
        "(SELECT *, CAST(seq AS STRING) AS digits FROM visits)",
    ),
    "no PARTITION BY": Case(
        "ORDER BY seq, session MEASURES COUNT(*) AS n PATTERN (A B) "
        "DEFINE B AS session = A.session AND quantity >= A.quantity",
        r"attempts failed on `session = A.session` of B; .* 'S\d+' = 'S\d+' is FALSE",
    ),
    "NULL": Case(
        by_session("A B C", "B AS price > A.price, C AS price > B.price"),
        r"attempts failed on `price > [AB].price` of [BC]; .* is NULL, and NULL is not TRUE\.",
    ),
    "upper and lower case": Case(
        by_session("A B", "A AS side = 'look', B AS side = 'BUY'"),
        r"`side` is 'buy' in [\d,]+ rows, .*; did you mean 'buy' instead of 'BUY'\?",
    ),
    "a blank at the end": Case(
        by_session("A B", "B AS side IN ('sell', 'give')"),
        r"did you mean 'sell ' instead of 'sell'\?",
    ),
    "WITHIN is too short": Case(
        by_session("A X X B", "B AS side = 'buy'", order="ts", within="WITHIN INTERVAL 20 SECOND"),
        r"attempts ran out of time: WITHIN INTERVAL '20' SECOND\.",
    ),
    "a condition on the wrong variable": Case(
        by_session("A B", "B AS price > 0 AND quantity > 1000"),
        r"of its parts, `price > 0` is TRUE in [\d,]+ .* and `quantity > 1000` is TRUE in none of ",
    ),
    "the time zone": Case(
        by_session("A B", "B AS HOUR(ts) = 9"),
        r"`HOUR\(ts\)` is 14 in [\d,]+ rows",
    ),
    "SKIP": Case(
        by_session("A X B", "A AS side = 'look', B AS side = 'buy' OR side = 'sell '"),
        r"[\d,]+ rows lie inside a match, so no attempt began there \(AFTER MATCH SKIP PAST LAST "
        r"ROW\)\.",
    ),
    "an anchor": Case(
        by_session("^ A B", "B AS price < 0"),
        r"[\d,]+ starts were ruled out by \^ or \$\.",
    ),
    "SKIP TO a missing variable": Case(
        by_session("A X? B", "X AS price < 0", skip="AFTER MATCH SKIP TO LAST X"),
        r"Partition session = S000: An error ends the query: .*SKIP.* LAST X",
    ),
    "an error of a condition": Case(
        by_session("A B", "B AS 1 DIV (seq - 3) > 5"),
        r"In row 3 the condition of `B` raised an error, which ends the query: \[DIVIDE_BY_ZERO\]",
    ),
    "more rows than there are": Case(
        by_session("STRT DOWN{1,} UP{9,}", "DOWN AS seq > 0, UP AS side = 'buy'"),
        r"attempts? (?:was|were) still open when the rows of (?:its|their) partition ended; in "
        r"[\d,]+ of them `side = 'buy'` of UP had failed, as in row \d+ of partition ",
    ),
}
ENDS = re.compile(
    r"^([\d,]+) (?:attempts?|starts?) (?:failed|ran out|were still|was still|stopped|were ruled|"
    r"was ruled|were cut|was cut)"
)
TOTAL = re.compile(
    r"^([\d,]+) attempts in ([\d,]+) rows(?: of [\d,]+ partitions)? found (no|[\d,]+)"
)


@pytest.mark.parametrize("name", CASES)
def test_cause(spark: SparkSession, name: str) -> None:
    check(spark, CASES[name], SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_cause_in_many_rows(spark: SparkSession, name: str) -> None:
    check(spark, CASES[name], LARGE)


def check(spark: SparkSession, case: Case, size: dict[str, int]) -> None:
    """Look for the sentence that names the cause, and add up the attempts of the others."""
    spark.sql(VISITS.format(**size)).createOrReplaceTempView("visits")
    told = mr.explain(f"SELECT * FROM {case.source} MATCH_RECOGNIZE ({case.clause})", spark=spark)
    assert re.search(case.cause, str(told)), told
    total = TOTAL.match(told[0])
    assert total is not None
    assert number(total[2]) == size["sessions"] * size["rows"]
    ended = sum(number(end[1]) for sentence in told if (end := ENDS.match(sentence)))
    errors = re.findall(r"An error ends|raised an error", str(told))
    if not errors:
        assert number(total[1]) == number(total[3]) + ended, told


def number(text: str) -> int:
    return 0 if text == "no" else int(text.replace(",", ""))
