"""What Spark reads in the same words as another system and computes in another way.

Types are not known here. What is equal whatever they are is left alone, what can be written so that
it is equal is rewritten, and the rest gets a note that quotes it as it is in the translation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import ErrorLevel, exp

from spark_match_recognize import _dialect_types as types
from spark_match_recognize._dialects import OF_THE_CLAUSE, Semantics, Writer

_TRUNCATE = ("flink", "trino")
_ROUND_CASTS = ("duckdb", "oracle", "snowflake", "trino", "vertica")
_AVERAGES = ("flink", "snowflake", "trino")  # of the type or the scale of what is averaged
_FROM_ONE = ("duckdb", "flink", "trino")
_DAYS = ("duckdb", "oracle", "snowflake", "vertica")
_SAME = ("databricks", "spark")
_BACKSLASH_IN_LIKE = ("vertica",)  # escapes the next character there, as in Spark

# The same in all systems, for arguments of one type.
_EQUAL: tuple[Any, ...] = (
    *(exp.Abs, exp.Ceil, exp.Exp, exp.Floor, exp.Pow, exp.Round, exp.Sign, exp.Sqrt),
    *(exp.Avg, exp.Count, exp.Max, exp.Min, exp.Sum, exp.Stddev, exp.StddevPop, exp.StddevSamp),
    *(exp.Case, exp.Coalesce, exp.Connector, exp.Exists, exp.If, exp.Nullif),
    *(exp.DenseRank, exp.Lag, exp.Lead, exp.Rank, exp.RowNumber),
    *(exp.Length, exp.Lower, exp.Trim, exp.Upper),
    *(exp.CurrentDate, exp.DateStrToDate, exp.Day, exp.DayOfWeekIso, exp.Month, exp.Year),
    exp.Anonymous,  # named in a note of their own, if they are not of the clause
)
_EQUAL_FIELDS = {"YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE"}
_INTEGER = (exp.Count, exp.DenseRank, exp.Length, exp.Rank, exp.RowNumber, exp.IntDiv)
_DOUBLE = (exp.Exp, exp.Ln, exp.Sqrt, exp.Stddev, exp.StddevPop, exp.StddevSamp)
_OF_ARGUMENT = (exp.Abs, exp.Filter, exp.Max, exp.Min, exp.Neg, exp.Paren, exp.Sum, Semantics)
_OPERATORS = (exp.Add, exp.Mod, exp.Mul, exp.Sub)
_NUMBERS = {"integer", "decimal", "double"}


def rewritten(statement: Any, read: str) -> Iterator[str]:
    """Rewrite what has an equal form, and say so."""
    types.complete(statement, read)
    _without_any(statement)
    if read in _TRUNCATE:
        found = []
        # the inner ones first: whether a quotient is an integer depends on those in it
        for division in reversed(list(statement.find_all(exp.Div, bfs=False))):
            if {_kind(division.this, read), _kind(division.expression, read)} == {"integer"}:
                whole = exp.IntDiv(this=division.this, expression=division.expression)
                division.replace(whole)
                found.append(f"`{text(whole)}`: {_quotient(read)} is an integer.")
        yield from reversed(found)
    if read == "oracle":
        for table in list(statement.find_all(exp.Table)):
            if table.name.upper() == "DUAL" and not table.db:
                source, query = table.parent, table.parent_select
                if isinstance(source, exp.From) and query and not query.args.get("joins"):
                    source.pop()
                else:
                    yield "The table DUAL is left as it is, and Spark does not have it."


def _without_any(statement: Any) -> None:
    """Write `a = ANY(b)` with EXISTS; sqlglot would call the elements x, as a column may be."""
    columns = {column.name.lower() for column in statement.find_all(exp.Column)}
    name = "element"
    while name in columns:
        name += "_"
    for element in list(statement.find_all(exp.Any)):
        compared = element.parent
        if isinstance(compared, exp.Like | exp.ILike) or not isinstance(compared, exp.Binary):
            continue
        if not isinstance(element.this, exp.Query):
            array = element.this.unnest()
            element.replace(exp.to_identifier(name))
            each = exp.Lambda(this=compared.copy(), expressions=[exp.to_identifier(name)])
            compared.replace(exp.Exists(this=array, expression=each))


def warnings(statement: Any, read: str) -> Iterator[str]:
    """Say what is left as it is and may have another meaning."""
    if read in _SAME:
        return
    name = spelled(read)
    for division in statement.find_all(exp.Div, bfs=False):
        yield from _of_division(division, read)
    if read in _DAYS:
        yield from _of_dates(statement, read, name)
    if read in _FROM_ONE:
        yield from _of_elements(statement, read, name)
    if read == "oracle":
        yield from types.of_oracle(statement, text)
        yield from _of_oracle(statement)
    if read not in _BACKSLASH_IN_LIKE:
        yield from _of_patterns(statement, name)
    yield from _of_limits(statement)
    for nulls in statement.find_all(exp.IgnoreNulls, exp.RespectNulls):
        if isinstance(nulls.this, exp.Anonymous) and nulls.this.name.upper() in OF_THE_CLAUSE:
            yield f"`{text(nulls)}`: the clause does not take the words after the function."
    calls = dict.fromkeys(text(call) for call in _uncertain(statement, read))
    if calls:
        shown = ", ".join(f"`{call}`" for call in calls)
        yield f"Compare what {name} and Spark return for {shown}: it is not known to be equal."


def spelled(read: str) -> str:
    """Return the name of a system as its makers write it."""
    return "DuckDB" if read == "duckdb" else read.capitalize()


def text(node: Any) -> str:
    """Return an expression as it is in the translation, on one line."""
    writer = Writer(dialect="spark", unsupported_level=ErrorLevel.IGNORE)
    return " ".join(str(writer.generate(node, copy=True)).split())


def _quotient(read: str) -> str:
    return f"in {spelled(read)} the quotient of two integers"


def _of_division(division: Any, read: str) -> Iterator[str]:
    kinds = {_kind(side, read) for side in _sides(division)}
    left, right = map(text, _sides(division))
    cure = "" if "decimal" in kinds else f" For integers write {left} DIV {right}."
    if "double" in kinds:
        return
    if read == "trino":
        yield (
            f"`{text(division)}`: {_quotient(read)} is an integer, and that of decimals is rounded "
            f"to their scale.{cure}"
        )
    elif read == "flink" and cure:
        yield f"`{text(division)}`: {_quotient(read)} is an integer.{cure}"
    elif read == "snowflake":
        yield f"`{text(division)}`: {_quotient(read)} is rounded to 6 decimals."


def _of_dates(statement: Any, read: str, name: str) -> Iterator[str]:
    numbers = _number_columns(statement)
    for difference in statement.find_all(exp.Sub, bfs=False):
        if not any(_is_number(side, numbers, read) for side in _sides(difference)):
            yield (
                f"`{text(difference)}`: in {name} the difference of two DATEs is a number of days; "
                "here it is an interval."
            )


def _of_patterns(statement: Any, name: str) -> Iterator[str]:
    for like in statement.find_all(exp.Like, exp.ILike):
        pattern = like.expression
        has_own = isinstance(like.parent, exp.Escape)
        if isinstance(pattern, exp.Literal) and "\\" in pattern.name and not has_own:
            yield (
                f"`{text(like)}`: a backslash escapes the next character here, and in {name} it is "
                "a character like others. Add ESCAPE with a character that is not in the text."
            )


def _of_limits(statement: Any) -> Iterator[str]:
    for fetch in statement.find_all(exp.Fetch):
        options, count = fetch.args.get("limit_options"), fetch.args.get("count")
        for key, words in (("percent", "PERCENT"), ("with_ties", "WITH TIES")):
            if options and options.args.get(key):
                yield f"LIMIT {text(count) if count else 1}: {words} is left out."


def _of_elements(statement: Any, read: str, name: str) -> Iterator[str]:
    for element in statement.find_all(exp.Bracket, bfs=False):
        if any(isinstance(at, exp.Literal) and at.is_string for at in element.expressions):
            continue  # of a map
        told = f"`{text(element)}`: {name} counts the elements of an array from 1, Spark from 0"
        if read == "flink":
            yield f"{told}; it is left as it is."
        else:
            yield f"{told}; it is right for an array, not for a map."


def _of_oracle(statement: Any) -> Iterator[str]:
    for column in statement.find_all(exp.Column, exp.Pseudocolumn):
        if column.name.upper() in ("ROWNUM", "ROWID") and not column.args.get("table"):
            yield (
                f"{column.name} is left as it is, and Spark does not have it: number the rows with "
                "ROW_NUMBER() OVER (ORDER BY ...), or write LIMIT."
            )
    for both in statement.find_all(exp.DPipe):
        if not all(isinstance(side, exp.Literal | exp.DPipe) for side in _sides(both)):
            yield f"`{text(both)}`: Oracle takes NULL for an empty text; here the result is NULL."


def _uncertain(statement: Any, read: str) -> Iterator[Any]:
    """Yield the calls that are not known to be equal, without the calls in them."""

    def is_uncertain(node: Any) -> bool:
        zone = isinstance(node, exp.AtTimeZone | exp.FromTimeZone)
        return zone or (isinstance(node, exp.Func) and _is_uncertain(node, read))

    for node in statement.walk(bfs=False, prune=is_uncertain):
        if is_uncertain(node):
            yield node


def _is_uncertain(call: Any, read: str) -> bool:
    if isinstance(call, exp.Cast):
        kind = _kind(call.this, read)
        if call.is_type(*exp.DataType.TEXT_TYPES):
            return not isinstance(call.this, exp.Literal) and kind != "integer"
        rounds = read in _ROUND_CASTS and _kind(call, read) == "integer" != kind
        return rounds or types.has_fewer_digits(call, read)
    if isinstance(call, exp.Extract):
        return call.name.upper() not in _EQUAL_FIELDS
    if isinstance(call, exp.Avg) and read in _AVERAGES:
        return _kind(call.this, read) != "double"
    return not isinstance(call, _EQUAL) or _has_another_form(call, read)


def _has_another_form(call: Any, read: str) -> bool:
    """Tell whether a call that is equal elsewhere is not so here, or with more arguments."""
    if isinstance(call, exp.Trim):  # Trino's removes tabs and line breaks too
        return read == "trino" and not call.expression
    if isinstance(call, exp.Stddev):  # of one row it is 0
        return read == "oracle"
    # the greatest n values; another way to round
    more = any(call.args.get(key) for key in ("expressions", "truncate"))
    return isinstance(call, exp.Max | exp.Min | exp.Round) and more


def _sides(node: Any) -> tuple[Any, Any]:
    return node.this, node.expression


def _kind(node: Any, read: str) -> str | None:  # noqa: C901, PLR0911, PLR0912 - a rule for each kind
    """Return `integer`, `decimal`, `double`, `other`, or None if the type is not evident."""
    if isinstance(node, exp.Literal):
        if node.is_string:
            return "other"
        return "double" if "E" in node.name.upper() else "integer" if node.is_int else "decimal"
    if isinstance(node, exp.Cast):
        if node.is_type(*exp.DataType.INTEGER_TYPES):
            return "integer"
        if node.is_type(exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT):
            return "double"
        return "decimal" if node.is_type(exp.DataType.Type.DECIMAL) else "other"
    if isinstance(node, _INTEGER):
        return "integer"
    if isinstance(node, _DOUBLE):
        return "double"
    if isinstance(node, exp.Anonymous):
        if node.name.upper() == "MATCH_NUMBER":
            return "integer"
        moved = node.name.upper() in ("FIRST", "LAST", "PREV", "NEXT") and node.expressions
        return _kind(node.expressions[0], read) if moved else None
    if isinstance(node, exp.Avg):
        argument = _kind(node.this, read)
        return "double" if argument == "integer" and read != "flink" else argument
    if isinstance(node, _OF_ARGUMENT):
        return _kind(node.this, read)
    if isinstance(node, (*_OPERATORS, exp.Div)):
        kinds = {_kind(side, read) for side in _sides(node)}
        if "double" in kinds:
            return "double"
        known = kinds <= _NUMBERS and not isinstance(node, exp.Div)
        return ("decimal" if "decimal" in kinds else "integer") if known else None
    return None


def _number_columns(statement: Any) -> set[str]:
    """Return the columns, in capitals, that the statement uses as numbers elsewhere."""
    found: set[str] = set()
    operators = (exp.Mul, exp.Div, exp.Mod, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
    for node in statement.find_all(*operators):
        for side, other in (_sides(node), _sides(node)[::-1]):
            scales = isinstance(node, exp.Mul | exp.Div | exp.Mod)
            if (scales or _kind(other, "") in _NUMBERS) and (column := _column(side)):
                found.add(column)
    for call in statement.find_all(exp.Sum, exp.Avg, *_DOUBLE):
        if column := _column(call.this):
            found.add(column)
    return found


def _column(node: Any) -> str | None:
    """Return the column whose value, in whatever row, an expression is."""
    if isinstance(node, exp.Column):
        return str(node.name).upper()
    moved = isinstance(node, exp.Anonymous) and node.name.upper() in OF_THE_CLAUSE
    if moved and node.expressions:
        return _column(node.expressions[0])
    return _column(node.this) if isinstance(node, (*_OF_ARGUMENT, exp.Avg)) else None


def _is_number(node: Any, numbers: set[str], read: str) -> bool:
    if _kind(node, read) in _NUMBERS or _column(node) in numbers:
        return True
    if isinstance(node, (exp.Paren, exp.Neg)):
        return _is_number(node.this, numbers, read)
    return isinstance(node, exp.Mul | exp.Div | exp.Mod | exp.Interval)
