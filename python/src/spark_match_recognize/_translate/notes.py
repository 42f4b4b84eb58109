"""What is left as it is and may have another meaning in Spark: a note quotes each such place.

Types are not known here, so a note says what to compare where a type decides.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from spark_match_recognize import _pattern as patterns
from spark_match_recognize._translate import times
from spark_match_recognize._translate.calls import uncertain
from spark_match_recognize._translate.kinds import is_number, kind, number_columns
from spark_match_recognize._translate.nodes import (
    OF_THE_CLAUSE,
    Clause,
    Semantics,
    Written,
    is_call,
    sides,
)
from spark_match_recognize._translate.systems import (
    DATABRICKS,
    FLINK,
    ORACLE,
    SNOWFLAKE,
    TRINO,
    System,
)
from spark_match_recognize._translate.writer import text


def warnings(statement: Any, system: System) -> Iterator[str]:
    """Say what may differ, in the order of the rules below."""
    for rule in _RULES if system.is_spark else (*_RULES, *_RULES_OF_OTHERS):
        yield from rule(statement, system)


def _within(statement: Any, system: System) -> Iterator[str]:
    if system is FLINK and any(c.args.get("within") for c in statement.find_all(Clause)):
        yield "WITHIN includes its bound here; check matches that last exactly as long."


def _matches_of_databricks(statement: Any, system: System) -> Iterator[str]:
    for clause in statement.find_all(Clause) if system is DATABRICKS else ():
        with contextlib.suppress(ValueError):  # Spark will refuse it
            if patterns.can_be_empty(patterns.read(clause.args["pattern"])):
                yield (
                    "PATTERN can match no row: Databricks does not return such a match, and here "
                    "there is a row for it."
                )
        if not str(clause.args.get("rows") or "").upper().startswith("ALL"):
            continue
        for measure in clause.args.get("measures") or ():
            for call in measure.find_all(exp.Avg, exp.Count, exp.Max, exp.Min, exp.Sum):
                if not isinstance(call.parent, Semantics):
                    yield (
                        "An aggregate of ALL ROWS PER MATCH is that of the rows up to each row "
                        "here; Databricks describes it as that of all rows of the match, which is "
                        "FINAL."
                    )


def _windows(statement: Any, _: System) -> Iterator[str]:
    own = (Clause, exp.Select)  # a window of a subquery is not the clause's
    clauses = statement.find_all(Clause)
    windows = (window for clause in clauses for window in clause.find_all(exp.Window))
    if any(isinstance(window.find_ancestor(*own), Clause) for window in windows):
        yield (
            "Window functions cannot be used in the clause: compute them in a subquery that the "
            "clause reads."
        )


def _unknown_functions(statement: Any, _: System) -> Iterator[str]:
    for call in statement.find_all(exp.Anonymous):
        if not is_call(call, OF_THE_CLAUSE):
            yield f"The function {call.name} is left as it is."


def _quotients(statement: Any, system: System) -> Iterator[str]:
    quotient = f"in {system.title} the quotient of two integers"
    for division in statement.find_all(exp.Div, bfs=False):
        kinds = {kind(side, system) for side in sides(division)}
        left, right = map(text, sides(division))
        cure = "" if "decimal" in kinds else f" For integers write {left} DIV {right}."
        if "double" in kinds:
            continue
        if system is TRINO:
            yield (
                f"`{text(division)}`: {quotient} is an integer, and that of decimals is rounded to "
                f"their scale.{cure}"
            )
        elif system is FLINK and cure:
            yield f"`{text(division)}`: {quotient} is an integer.{cure}"
        elif system is SNOWFLAKE:
            yield f"`{text(division)}`: {quotient} is rounded to 6 decimals."


def _dates(statement: Any, system: System) -> Iterator[str]:
    if not system.days:
        return
    numbers = number_columns(statement, system)
    for difference in statement.find_all(exp.Sub, bfs=False):
        if times.is_interval(difference):
            continue
        if not any(is_number(side, numbers, system) for side in sides(difference)):
            yield (
                f"`{text(difference)}`: in {system.title} the difference of two DATEs is a number "
                "of days; here it is an interval."
            )


def _of_oracle(statement: Any, system: System) -> Iterator[str]:
    if system is not ORACLE:
        return
    for cast in statement.find_all(exp.Cast):
        if cast.is_type(exp.DataType.Type.DECIMAL) and not cast.to.expressions:
            yield (
                f"`{text(cast)}`: a NUMBER of Oracle has any decimals; here it has none. Write its "
                "precision and scale."
            )
    numbers = number_columns(statement, system)
    for sum_ in statement.find_all(exp.Add, exp.Sub, bfs=False):
        parts = [side for side in sides(sum_) if isinstance(side, exp.Div) and _is_quotient(side)]
        if parts and not all(is_number(side, numbers, system) for side in sides(sum_)):
            yield (
                f"`{text(sum_)}`: a number beside a DATE is one of days in Oracle; if that is one, "
                "write an INTERVAL."
            )
    for column in statement.find_all(exp.Column, exp.Pseudocolumn):
        if column.name.upper() in ("ROWNUM", "ROWID") and not column.args.get("table"):
            yield (
                f"{column.name} is left as it is, and Spark does not have it: number the rows with "
                "ROW_NUMBER() OVER (ORDER BY ...), or write LIMIT."
            )


def _is_quotient(division: exp.Div) -> bool:
    return all(isinstance(leaf, exp.Literal) for leaf in division.find_all(exp.Column, exp.Literal))


def _written(statement: Any, _: System) -> Iterator[str]:
    for call in statement.find_all(Written, bfs=False):
        if call.args.get("note"):
            yield f"`{text(call)}`: {call.args['note']}"


def _backslashes(statement: Any, system: System) -> Iterator[str]:
    for like in () if system.backslash_escapes else statement.find_all(exp.Like, exp.ILike):
        pattern = like.expression
        has_own = isinstance(like.parent, exp.Escape)
        if isinstance(pattern, exp.Literal) and "\\" in pattern.name and not has_own:
            yield (
                f"`{text(like)}`: a backslash escapes the next character here, and in "
                f"{system.title} it is a character like others. Add ESCAPE with a character that "
                "is not in the text."
            )


def _limits(statement: Any, _: System) -> Iterator[str]:
    for fetch in statement.find_all(exp.Fetch):
        options, count = fetch.args.get("limit_options"), fetch.args.get("count")
        for key, words in (("percent", "PERCENT"), ("with_ties", "WITH TIES")):
            if options and options.args.get(key):
                yield f"LIMIT {text(count) if count else 1}: {words} is left out."


def _words_after_functions(statement: Any, _: System) -> Iterator[str]:
    for nulls in statement.find_all(exp.IgnoreNulls, exp.RespectNulls):
        if is_call(nulls.this, OF_THE_CLAUSE):
            yield f"`{text(nulls)}`: the clause does not take the words after the function."


def _uncertain_calls(statement: Any, system: System) -> Iterator[str]:
    calls = dict.fromkeys(text(call) for call in uncertain(statement, system))
    if calls:
        shown = ", ".join(f"`{call}`" for call in calls)
        yield (
            f"Compare what {system.title} and Spark return for {shown}: it is not known to be "
            "equal."
        )


_RULES = (_within, _matches_of_databricks, _windows, _unknown_functions)
_RULES_OF_OTHERS = (
    *(_quotients, _dates, _written, _of_oracle, _backslashes, _limits),
    *(_words_after_functions, _uncertain_calls),
)
