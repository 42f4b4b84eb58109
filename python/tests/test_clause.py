"""The text of the clause, and the errors in its arguments."""

from __future__ import annotations

import inspect
from datetime import timedelta
from typing import Any

import pytest

import spark_match_recognize as mr
from spark_match_recognize._text import quoted, unbalanced

EVERYTHING: dict[str, Any] = {
    "partition_by": ["symbol", "year(day) AS y"],
    "order_by": "day DESC",
    "measures": {"low": "MIN(A.price)", "high price": "MAX(price)"},
    "rows_per_match": "ALL ROWS PER MATCH",
    "after_match_skip": "TO LAST A",
    "pattern": " A+ B{2} ",
    "within": "INTERVAL '5' MINUTE",
    "subset": {"U": ["A", "B"], "my set": "A"},
    "define": {"A": "price > 1", "NULL": "price < 1"},
}
TEXT = """\
MATCH_RECOGNIZE (
  PARTITION BY symbol, year(day) AS y
  ORDER BY day DESC
  MEASURES
    MIN(A.price) AS low,
    MAX(price) AS `high price`
  ALL ROWS PER MATCH
  AFTER MATCH SKIP TO LAST A
  PATTERN (A+ B{2})
  WITHIN INTERVAL '5' MINUTE
  SUBSET
    U = (A, B),
    `my set` = (A)
  DEFINE
    A AS price > 1,
    `NULL` AS price < 1
)"""


def test_text() -> None:
    assert mr.to_sql(**EVERYTHING) == TEXT
    assert mr.to_sql(pattern="A") == "MATCH_RECOGNIZE (\n  PATTERN (A)\n)"


def test_parts_without_entries_are_left_out() -> None:
    empty: dict[str, Any] = {name: {} for name in ("measures", "subset", "define")}
    assert mr.to_sql(partition_by=[], order_by=(), pattern="", **empty) == (
        "MATCH_RECOGNIZE (\n  PATTERN ()\n)"
    )


def test_within_takes_a_timedelta() -> None:
    text = mr.to_sql(pattern="A", within=timedelta(seconds=90, microseconds=5))
    assert "WITHIN INTERVAL '0 00:01:30.000005' DAY TO SECOND\n" in text
    text = mr.to_sql(pattern="A", within=timedelta(days=40, hours=25))
    assert "WITHIN INTERVAL '41 01:00:00.000000' DAY TO SECOND\n" in text
    with pytest.raises(ValueError, match="within must not be negative"):
        mr.to_sql(pattern="A", within=timedelta(seconds=-1))


def test_comment_ends_before_the_next_part() -> None:
    text = mr.to_sql(pattern="A -- one", define={"A": "x > 1 -- big", "B": "x < 1"})
    assert "PATTERN (A -- one\n)" in text
    assert "A AS x > 1 -- big\n,\n    B AS x < 1\n)" in text


def test_functions_have_the_same_arguments_in_the_order_of_the_clause() -> None:
    _, *ours, hint = inspect.signature(mr.match_recognize).parameters
    assert ours == list(inspect.signature(mr.to_sql).parameters) == list(EVERYTHING)
    assert hint == "input_order"  # it is before the clause


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("price", "price"),
        ("_a1", "_a1"),
        ("a b", "`a b`"),
        ("a`b", "`a``b`"),
        ("a.b", "`a.b`"),
        ("1a", "`1a`"),
        ("Select", "`Select`"),
        ("größe", "`größe`"),
        ("", "``"),
    ],
)
def test_quoted(name: str, sql: str) -> None:
    assert quoted(name) == sql


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pattern": None}, "pattern must be a string of SQL, as in selectExpr, not None"),
        ({"within": 5}, "within must be .* not a value of type int"),
        ({"order_by": 5}, "order_by must be .* not a value of type int"),
        ({"order_by": ["a", 5]}, r"order_by\[1\] must be .* not a value of type int"),
        ({"define": {"A": True}}, r'define\["A"\] must be .* not a value of type bool'),
        ({"define": [5]}, r"define\[0\] must be a dict from names to .* alias.*, not a value of"),
        ({"measures": 5}, "measures must be a dict from names to .* not a value of type int"),
        ({"partition_by": b"a"}, "partition_by must be .* a list of them, not .* type bytes"),
        ({"measures": {1: "x"}}, "the keys of measures must be names, not a value of type int"),
        ({"subset": {"U": ["A", 2]}}, r'subset\["U"\]\[1\] must be .* not a value of type int'),
        ({"partition_by": {"a": 1}}, "partition_by must be .* not a value of type dict"),
        ({"subset": {"U": {"A", 2}}}, r'subset\["U"\]\[0\] must be .* not a value of type int'),
        ({"partition_by": frozenset("a")}, "partition_by must be .* a value of type frozenset"),
        ({"order_by": {"a", "b"}}, "order_by must be .* a list of them, not a value of type set"),
        ({"rows_per_match": 1}, "rows_per_match must be .* not a value of type int"),
    ],
)
def test_wrong_types(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        mr.to_sql(**{"pattern": "A", **arguments})


@pytest.mark.parametrize(
    ("arguments", "place", "words", "rest"),
    [
        ({"pattern": "PATTERN (A B+)"}, "pattern", "PATTERN", "A B+"),
        ({"pattern": " pattern((A) (B)) "}, "pattern", "PATTERN", "(A) (B)"),
        ({"pattern": "PATTERN (A) | B"}, "pattern", "PATTERN", "(A) | B"),
        ({"after_match_skip": "SKIP TO LAST A"}, "after_match_skip", "SKIP", "TO LAST A"),
        (
            {"after_match_skip": "after match  skip TO NEXT ROW"},
            "after_match_skip",
            "AFTER MATCH SKIP",
            "TO NEXT ROW",
        ),
        ({"within": "WITHIN INTERVAL '5' DAY"}, "within", "WITHIN", "INTERVAL '5' DAY"),
        ({"order_by": "ORDER BY ts"}, "order_by", "ORDER BY", "ts"),
        ({"order_by": ["a", "Order By ts"]}, "order_by[1]", "ORDER BY", "ts"),
        ({"partition_by": "PARTITION\nBY x"}, "partition_by", "PARTITION BY", "x"),
        ({"measures": {"n": "COUNT(*) AS n"}}, 'measures["n"]', "AS n", "COUNT(*)"),
        ({"measures": {"n": "MEASURES 1 AS `a b`"}}, 'measures["n"]', "AS `a b`", "1"),
        ({"measures": {"n": "MEASURES COUNT(*)"}}, 'measures["n"]', "MEASURES", "COUNT(*)"),
        ({"define": {"B": "define x > 1"}}, 'define["B"]', "DEFINE", "x > 1"),
        ({"subset": {"U": "SUBSET A, B"}}, 'subset["U"]', "SUBSET", "A, B"),
        ({"define": {"B": "B AS x < 5"}}, 'define["B"]', "B AS", "x < 5"),
        (
            {"define": {"B": "DEFINE `B` AS CAST(x AS INT) > 1"}},
            'define["B"]',
            "`B` AS",
            "CAST(x AS INT) > 1",
        ),
        ({"define": {"B": "x > 'AS b' AS B"}}, 'define["B"]', "AS B", "x > 'AS b'"),
        ({"subset": {"U": "U = (A, B)"}}, 'subset["U"]', "U =", "A, B"),
        ({"subset": {"U": "(A, B)"}}, 'subset["U"]', "the parentheses", "A, B"),
    ],
)
def test_words_that_an_argument_implies(
    arguments: dict[str, Any], place: str, words: str, rest: str
) -> None:
    with pytest.raises(ValueError, match="repeats") as caught:
        mr.to_sql(**{"pattern": "A", **arguments})
    assert str(caught.value) == (
        f'{place} repeats {words}, which the clause already has: write {place}="{rest}"'
    )


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ({"rows_per_match": "ALL"}, '"ALL ROWS PER MATCH"'),
        ({"rows_per_match": "one row"}, '"ONE ROW PER MATCH"'),
        ({"rows_per_match": "each"}, '"ONE ROW PER MATCH" or "ALL ROWS PER MATCH"'),
        ({"subset": {"U": "A `b c`"}}, '["A", "b c"]'),
    ],
)
def test_words_that_an_argument_lacks(arguments: dict[str, Any], written: str) -> None:
    with pytest.raises(ValueError, match="write") as caught:
        mr.to_sql(**{"pattern": "A", **arguments})
    assert str(caught.value).partition("=")[2] == written


@pytest.mark.parametrize(
    "arguments",
    [
        {"pattern": "PATTERN (A)", "define": {"pattern": "x > 1"}},
        {"pattern": "PATTERN (A)", "subset": {"PATTERN": ["A"]}},
        {"pattern": "`PATTERN` (A)"},
        {"pattern": "PATTERN | A"},
        {"order_by": "order", "partition_by": ["partition", "within", "x AS y"]},
        {"measures": {"a": "measures - 1", "b": "CAST(x AS INT)", "c": "A.as", "d": "'x' -- AS y"}},
        {"define": {"A": "A.x > CAST(skip AS INT)", "B": "define IS NULL", "C": "define"}},
        {"within": "5", "subset": {"U": "A", "V": "A, B", "W": ["A"]}},
    ],
)
def test_words_that_are_meant(arguments: dict[str, Any]) -> None:
    assert mr.to_sql(**{"pattern": "A", **arguments})


class Texts:
    """Texts whose comparison is not a boolean, as those of an index of pandas."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def __iter__(self) -> Any:  # noqa: D105
        return iter(self.texts)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> Any:  # noqa: D105
        raise ValueError("the lengths do not match")


def test_texts_of_any_kind() -> None:
    text = mr.to_sql(
        partition_by=Texts("a", "b"),
        order_by=(t for t in ("c", "d")),
        pattern="A",  # type: ignore[arg-type]
    )
    assert "PARTITION BY a, b\n  ORDER BY c, d\n" in text
    assert "BY" not in mr.to_sql(partition_by=Texts(), order_by=iter(()), pattern="A")  # type: ignore[arg-type]


def test_keys_of_a_dict_have_an_order() -> None:
    keys = {"b": 1, "a": 2}
    text = mr.to_sql(
        partition_by=keys.keys(),  # type: ignore[arg-type]
        order_by=keys.keys(),  # type: ignore[arg-type]
        subset={"U": keys.keys()},  # type: ignore[dict-item]
        pattern="A",
    )
    assert "PARTITION BY b, a\n  ORDER BY b, a\n" in text
    assert "U = (b, a)" in text


def test_variables_of_a_subset_need_no_order() -> None:
    for names in {"B", "C", "A"}, frozenset("CAB"):
        text = mr.to_sql(subset={"U": names}, pattern="A")  # type: ignore[dict-item]
        assert "U = (A, B, C)" in text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a > (1", (4, "( is not closed")),
        ("a > 1)", (5, ") closes nothing")),
        ("(a]", (2, "] closes nothing")),
        ("A {- B", (2, "{ is not closed")),
        ("'it", (0, "' is not closed")),
        ("x /* y", (2, "/* is not closed")),
        (r"'it\'s (' -- (", None),
        ("r'\\' || (a[1])", None),
        ('`a(` > "(" /* ( */', None),
    ],
)
def test_unbalanced(text: str, found: tuple[int, str] | None) -> None:
    assert unbalanced(text) == found


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ("ticks", "df must be a DataFrame of Spark, not a value of type str: spark.table..ticks"),
        (None, "df must be a DataFrame of Spark, not None"),
    ],
)
def test_no_frame(frame: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        mr.match_recognize(frame, pattern="A")
