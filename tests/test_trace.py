"""`trace`, `explain` and `report`: the same answers in a classic and a Connect session."""

from __future__ import annotations

import pytest
import traces
from pyspark.sql import SparkSession
from through_connect import Answers

import spark_match_recognize as mr

ENDED = [None, None, None, "rows ended", None]
ASKED = traces
WANTED = {
    "of_frame": [
        7,
        [
            ["symbol = it's \\", 1, 2, "B", "NULL < 9", "condition failed", "A"],
            ["symbol = it's \\", 2, *ENDED],
        ],
        [["symbol = NULL", 1, *ENDED]],
        [["symbol = NULL", 1, *ENDED]],
        [],
    ],
    "of_text": [
        [
            [None, 1, 2, "B", "1 > 1", "condition failed", "A"],
            [None, 2, 3, None, None, "match", "A B"],
        ],
        2,
    ],
    "types": [
        [1] * 15 + [2, 1] + [1, 1] + [2, 1, 1] * 2,
        "a value of type list cannot choose a partition; write the condition as SQL text",
    ],
    "told": [
        [
            "7 attempts in 7 rows of 3 partitions found no match.",
            (
                "The condition of C depends on the match so far; attempts found it TRUE in none "
                "of 3 tests (FALSE in 3). Alone, `ts > 0` is TRUE in all 7 rows."
            ),
            (
                "1 attempt failed on `price < A.price` of B: it began at row 1 of partition "
                "symbol = it's \\ and reached row 1 as A; in row 2, NULL < 9 is NULL, and NULL "
                "is not TRUE."
            ),
            (
                "6 attempts were still open when the rows of their partition ended; in 2 of them "
                "`price > A.price` of C had failed, as in row 4 of partition symbol = A: 30 > 50."
            ),
            (
                "`price < A.price` of B depends on the match so far; attempts found it TRUE in 6 "
                "of 7 tests (NULL in 1)."
            ),
        ],
        [
            "4 attempts in 4 rows found no match.",
            (
                "The condition of C depends on the match so far; attempts found it TRUE in none "
                "of 3 tests (FALSE in 3). Alone, `ts > 0` is TRUE in all 4 rows."
            ),
            (
                "4 attempts were still open when the rows of their partition ended; in 2 of them "
                "`price > A.price` of C had failed, as in row 4: 30 > 50."
            ),
            (
                "`price < A.price` of B depends on the match so far; attempts found it TRUE in "
                "all 6 tests."
            ),
        ],
        ["There are no rows: the input is empty, or no partition has these keys."],
        [
            "1 attempt in 2 rows found no match.",
            (
                "In row 2 the condition of `B` raised an error, which ends the query: "
                "[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate divisor being 0 "
                'and return NULL instead. If necessary set "spark.sql.ansi.enabled" to "false" to '
                "bypass this error. SQLSTATE: 22012."
            ),
            "`1 DIV (id - 1) > 0` of B is TRUE in none of 2 rows (FALSE in 1, an error in 1).",
        ],
        [
            "2 attempts in 3 rows found 1 match.",
            (
                "1 row lies inside a match, so no attempt began there (AFTER MATCH SKIP PAST LAST "
                "ROW)."
            ),
            (
                "1 attempt failed on `id > 1` of B: it began at row 1 and reached row 1 as A; in "
                "row 2, 1 > 1 is FALSE."
            ),
            "`id > 1` of B is TRUE in 1 of 3 rows (FALSE in 2).",
        ],
    ],
    "refused": [
        "MATCH_RECOGNIZE_INVALID_TRACE.PARTITION",
        "MATCH_RECOGNIZE_INVALID_TRACE.ARGUMENT",
        "MATCH_RECOGNIZE_INVALID_TRACE.NO_CLAUSE",
        "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.TRACE",
        "MATCH_RECOGNIZE_LIMIT_EXCEEDED.TRACE_ROWS",
        "MATCH_RECOGNIZE_INVALID_TRACE.PARTITION",
        "MATCH_RECOGNIZE_INVALID_TRACE.ARGUMENT",
        "MATCH_RECOGNIZE_INVALID_TRACE.NO_CLAUSE",
        "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.TRACE",
    ],
    "in_sql": [
        True,
        [1, 2, 3],
        (
            "The search read 1 row of a larger input, to which max_rows limits it: some partitions "
            "may lack rows. Give the condition of some as `partition`, filter the input, or set "
            "max_rows."
        ),
    ],
    "places": [
        [5, True, ["ParseException", "PARSE_SYNTAX_ERROR"]],
        [5, True, ["AnalysisException", "UNRESOLVED_COLUMN.WITH_SUGGESTION"]],
        [5, True, ["AnalysisException", "MATCH_RECOGNIZE_INVALID_VARIABLE.UNKNOWN"]],
    ],
    "kinds": [
        (
            "query must be a statement or a DataFrame of Spark, not a value of type DataFrame: "
            "spark.createDataFrame(query) makes one of it"
        ),
        (
            "query must be a statement or a DataFrame of Spark, not None: spark.sql(...) or "
            "spark.table(...) returns one"
        ),
        (
            "partition must be a dict from names of PARTITION BY columns to values, or SQL text, "
            "not a value of type SparkSession; pass a session as spark=spark"
        ),
        "max_rows must be an integer, not a value of type DataFrame",
        (
            "sql must be a statement or a DataFrame of Spark, not a value of type DataFrame: "
            "spark.createDataFrame(sql) makes one of it"
        ),
        "spark must be a session of Spark, not a value of type DataFrame",
        (
            "df must be a DataFrame of Spark or pandas, not a value of type str: spark.sql(...) or "
            "spark.table(...) returns one"
        ),
    ],
    "messages": [
        "[MATCH_RECOGNIZE_INVALID_VARIABLE",
        "[UNRESOLVED_COLUMN",
        "[PARSE_SYNTAX_ERROR] Syntax error at or near 'SELEC'",
    ],
    "pages": [True, True, 3, 3],
}


@pytest.mark.parametrize("check", WANTED)
def test_answer(answers: Answers, check: str) -> None:
    assert answers[check] == WANTED[check]


def test_session_without_plugin(spark: SparkSession) -> None:
    class Without:
        """A session that knows neither function."""

        def sql(self, text: str, **_: object) -> None:
            spark.sql("SELECT * FROM nosuch_function()" if "trace" in text else "SELECT nosuch()")

    with pytest.raises(mr.PluginNotLoadedError):
        mr.trace("SELECT 1", spark=Without())  # type: ignore[arg-type]
