"""The answers of `frames` that are right: the same in a classic and in a Connect session."""

from __future__ import annotations

ODD = "`it's $ \\ ``b`"
COUNTED = ["MEASURES", "count(*) AS n,", "FIRST(`a.b`) AS p", "PATTERN (A+)"]
BEFORE = 'Compute it before, as in df.withColumn("x", ...), and write "x"'
WANTED = {
    "odd_names": [
        ["my key", "a.b", "sum of `it`", "select", "x.y", "tick`s {0}"],
        [
            ["A", 1, 90, 2, 1, 50],
            ["A", 2, 40, 1, 1, 40],
            ["A", 2, 70, 2, 1, 40],
            ["A", 3, 30, 1, 1, 30],
            ["A", 3, 75, 2, 1, 30],
            ["A", 4, 45, 1, 1, 45],
            ["B", 1, 17, 2, 1, 9],
            ["B", 2, 8, 1, 1, 8],
        ],
    ],
    "warned": [
        [
            "There is no ORDER BY, so the result depends on the order in which the rows are read.",
            "PERMUTE(A B) has one element, so it has no effect. Separate elements by commas.",
            (
                "The condition of A is never true, because a part of it is NULL. Write IS NULL to "
                "compare with NULL."
            ),
        ],
        [],
        3,
        "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION",
        [
            "PERMUTE(A B) has one element, so it has no effect. Separate elements by commas.",
            (
                "The condition of B is never true, because a part of it is NULL. Write IS NULL to "
                "compare with NULL."
            ),
        ],
        [
            (
                "PARTITION BY 'k' is a constant and separates no rows. A column is "
                "written without quotes or in backticks, `k`."
            ),
            ("ORDER BY 1 is a constant and orders no rows. It is not the position of a column."),
        ],
    ],
    "columns": [
        f"{place} has {what}: a Column with it cannot be written as SQL. {cure}"
        for place, what, cure in [
            ("partition_by", "a window", BEFORE),
            ("order_by[1]", "a lambda function", BEFORE),
            ('define["A"]', "a Python function", BEFORE),
            ("order_by", "isin() of no values", BEFORE),
            ("order_by", "the star *", "Name the columns"),
            ("order_by", "expr('ts, price'), which is not one expression", "Correct it"),
            (
                "partition_by",
                "an alias with metadata, which the clause would lose",
                "Leave the metadata out",
            ),
            ("partition_by", "the name a${b}, in which SQL replaces ${...}", "Rename the column"),
        ]
    ]
    + [
        "partition_by has an order, DESC: only order_by has one",
        'measures[0] has no name: add alias("..."), or write a dict from names to columns',
        (
            "measures[\"n\"] has another name, alias('m'): the key of the dict is the name. Remove "
            "the alias"
        ),
        'measures["n"] has an order, DESC: only order_by has one',
        (
            "define[\"A\"] reads Column<'price'> of a DataFrame that is not df, or not one that df "
            'is made of without change. Write F.col("...") for the column of df with that name'
        ),
        "pattern must be a string of SQL, as in selectExpr, not Column<'A'>",
        "within must be a string of SQL, as in selectExpr, not Column<'1'>",
        *(
            f"{place} has a name with ${{...}}, which Spark replaces in SQL: use another name"
            for place in ('measures["a${b}"]', "partition_by")
        ),
        (
            "measures has the name ${b}, in which SQL replaces ${...}: a Column with it cannot be "
            "written as SQL. Rename the column"
        ),
        *(
            f"{place} has a name with ${{...}}, which Spark replaces in SQL: use another name"
            for place in ('define["${b}"]', 'subset["U"][0]')
        ),
        (
            "measures has first(..., ignorenulls=True): a Column with it cannot be written as SQL. "
            "In the clause FIRST counts rows with NULL. Write F.get(F.collect_list(...), F.lit(0))"
        ),
        (
            'measures["p"] has last(..., ignorenulls=True): a Column with it cannot be written as '
            "SQL. In the clause LAST counts rows with NULL. Write "
            "F.try_element_at(F.collect_list(...), F.lit(-1))"
        ),
        (
            'measures["p"] has lag() with a default: a Column with it cannot be written as SQL. '
            "Write F.coalesce(F.lag(...), ...)"
        ),
        (
            'measures["p"] has lag() with a default: a Column with it cannot be written as SQL. '
            "Write F.coalesce(F.lag(...), ...)"
        ),
    ],
    "columns_as_arguments": [
        ["PARTITION BY `my key`", "ORDER BY ts", *COUNTED],
        [True, True],
        ["PARTITION BY `my key` AS `k``1`", "ORDER BY `a.b` DESC NULLS LAST", *COUNTED],
        [True, True],
        [
            "PARTITION BY `my key`, ts",
            "ORDER BY `a.b` ASC NULLS LAST, s.`the ts` DESC NULLS FIRST",
            *COUNTED,
        ],
        [True, True],
        ["ORDER BY ts DESC NULLS LAST, s.x, s['x'] ASC NULLS FIRST", *COUNTED],
        [True, True],
        [
            "PARTITION BY lower(`my key`) AS k, ts % 2",
            "ORDER BY ts DESC NULLS LAST",
            *COUNTED,
            "DEFINE",
            "A AS (ts > 1) AND (`a.b` < CAST('60' AS INT))",
        ],
        [True, True],
        [
            "ORDER BY ts",
            "MEASURES",
            "max(A.ts) AS `last ts`,",
            "count(A.*) AS n,",
            "COUNT(*) AS m,",
            "FIRST(ts) AS f",
            "PATTERN (A+)",
            "DEFINE",
            "A AS `a.b` > coalesce((PREV(`a.b`)), 0)",
        ],
        [True, True],
        ["MEASURES", "first(ts) AS f", "PATTERN (A+)", "DEFINE", "A AS ts > 0"],
        [True, True],
        ["ORDER BY s.x", "MEASURES", "max(s['x']) AS m", "PATTERN (s+)"],
        [True, True],
        [
            f"ORDER BY s.{ODD}",
            "MEASURES",
            f"max(named_struct('c', s).c.{ODD}) AS m",
            "PATTERN (s+)",
            "DEFINE",
            f"s AS named_struct('c', s).c.{ODD} > 1",
        ],
        [True, True],
    ],
    "columns_as_sql": [107, 15, 107, 15],
    "navigation": [
        ["PREV(price) AS before,", "NEXT(price, 2) AS `two after`", "DOWN AS price < PREV(price)"],
        [["A", 50, 45], ["B", 9, None]],
    ],
    "of_alias": [["A", 4, 4, 50], ["B", 1, 1, 9]],
    "of_another_frame": [[[4]], [[4]], "order_by reads Column<'ts'> of a DataFra"] * 2,
    "without_nulls": [[5, 6], [None, None]],
    "cached": [True, True],
    "used_twice": [[["A", 30, 3], ["B", 8, 2]], [[[30, 8]]]],
    "threads": [12, [["A", 30, 3], ["B", 8, 2]], True],
    "chained": [[["A", 30, 3], ["B", 8, 2]], [[12]], [[6]]],
    "method": [[["A", 30, 3], ["B", 8, 2]], [[2]]],
    "drawing": [
        ["A", {"STRT": [[1, 50]], "DOWN": [[2, 40], [3, 30]]}],
        ["B", {"STRT": [[1, 9]], "DOWN": [[2, 8]]}],
    ],
    "mistake_of_the_frame": [["UNRESOLVED_COLUMN.WITH_SUGGESTION", False]] * 2,
    "stream": [True, [["A", 30, 3]]],
    "views": [],
}
# The end of each message: the argument, its line, the caret; and the condition.
PLACES = {
    "condition": (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        """\
== define["DOWN"] ==
  price > 1 AND prise < PREV(price)
                ^^^^^""",
    ),
    "second line": (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        """\
== define["DOWN"] (line 2, position 7) ==
  AND prise < PREV(price)
      ^^^^^""",
    ),
    "type": (
        "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
        '== define["DOWN"] ==\nprice + 1\n^^^^^^^^^',
    ),
    "function": (
        "UNRESOLVED_ROUTINE",
        '== define["DOWN"] ==\nprice > nosuch(price)\n        ^^^^^^^^^^^^^',
    ),
    "measure": (
        "MATCH_RECOGNIZE_INVALID_VARIABLE.UNKNOWN",
        '== measures["high"] ==\nMAX(UP.price)\n    ^^^^^^^^',
    ),
    "name": (
        "MATCH_RECOGNIZE_DUPLICATE_NAME.OUTPUT_COLUMN",
        '== measures["LOW"] ==\nLOW\n^^^',
    ),
    "unused": ("MATCH_RECOGNIZE_INVALID_VARIABLE.NOT_PRIMARY", '== define["UP"] ==\nUP\n^^'),
    "syntax": ("PARSE_SYNTAX_ERROR", '== define["DOWN"] ==\nprice < \n       ^'),
    "emoji": (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        """== measures["😀"] ==\n'😀' || prise\n       ^^^^^""",
    ),
    "bracket": (
        "PARSE_SYNTAX_ERROR",
        """\
[PARSE_SYNTAX_ERROR] Syntax error: ( is not closed. SQLSTATE: 42601
== define["DOWN"] ==
price < (PREV(price)
        ^""",
    ),
    "and": (
        "PARSE_SYNTAX_ERROR",
        """\
== define["DOWN"] ==
price > 1 && price < PREV(price)
           ^
The strings are SQL, which writes AND between conditions.""",
    ),
    "none": (
        "PARSE_SYNTAX_ERROR",
        """\
== define["DOWN"] ==
price is None
         ^^^^
The strings are SQL, which writes NULL, as in IS NULL.""",
    ),
    "name in a condition": (
        "PARSE_SYNTAX_ERROR",
        """\
== define["DOWN"] ==
last price < PREV(price)
           ^
The strings are SQL: the column is `last price`, with the backticks.""",
    ),
    "quote": ("PARSE_SYNTAX_ERROR", """== measures["a"] ==\n'it\n^"""),
    "too much": (
        "PARSE_SYNTAX_ERROR",
        '== measures["a"] ==\nFIRST(price) b\n             ^',
    ),
    "pattern": ("PARSE_SYNTAX_ERROR", "== pattern ==\nSTRT -> DOWN\n     ^"),
    "pattern ends": ("PARSE_SYNTAX_ERROR", "== pattern ==\nSTRT |\n      ^"),
    "key of order": (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "== order_by[1] ==\ntss DESC\n^^^",
    ),
    "name of column": (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        """\
== partition_by[0] ==
last price
^^^^
The strings are SQL: the column is `last price`, with the backticks.""",
    ),
    "skip": (
        "MATCH_RECOGNIZE_INVALID_VARIABLE.UNKNOWN",
        "== after_match_skip ==\nTO LAST UP\n        ^^",
    ),
    "rows": ("PARSE_SYNTAX_ERROR", "== rows_per_match ==\nALL ROW PER MATCH\n^^^"),
    "within": (
        "MATCH_RECOGNIZE_INVALID_WITHIN.BOUND",
        "== within ==\nINTERVAL '1' DAY\n^^^^^^^^^^^^^^^^",
    ),
    "subset": (
        "MATCH_RECOGNIZE_INVALID_VARIABLE.NOT_PRIMARY",
        '== subset["U"][1] ==\nUP\n^^',
    ),
    "subset name": (
        "MATCH_RECOGNIZE_DUPLICATE_NAME.VARIABLE",
        '== subset["DOWN"] ==\nDOWN\n^^^^',
    ),
}
