"""Errors of a clause, with the place in the argument instead of that in the statement."""

from __future__ import annotations

import importlib
import re
from typing import Any, NamedTuple

from spark_match_recognize._clause import Clause, Place
from spark_match_recognize._text import caret, quoted, unbalanced

# How Spark ends a message with a position, from 0 in its line.
_POSITION = re.compile(r"\s*(?:; line (\d+) pos (\d+);?|\(line (\d+), pos (\d+)\))")
_CARETS = re.compile(r"^-* *(\^+) *$", re.MULTILINE)
# What a hint says about another place of the statement
_OTHER = re.compile(r" at line (\d+), position (\d+)")
_VIEW = re.compile(r"`?_pyspark_\w*[0-9a-f]{32}`?\.?")
_FIRST_LINE = 2  # of the clause in the statement
# Words and signs of Python, and what SQL has for them
_PYTHON = re.compile(r"&&?|\|\||None\b|\*\*|//", re.IGNORECASE)
_SQL = {
    "&": "AND between conditions",
    "&&": "AND between conditions",
    "||": "OR between conditions",
    "none": "NULL, as in IS NULL",
    "**": "POWER(x, y)",
    "//": "DIV for the integer quotient",
}
_WORD = re.compile(r"\w+|.")


class _Span(NamedTuple):
    """A part of the clause's text that an error is about."""

    start: int
    stop: int


def retell(error: Any, clause: Clause, columns: list[str]) -> bool:  # noqa: ANN401 - of Spark
    """Replace the statement in the message of an error by the argument that the error is about.

    Condition, SQLSTATE, parameters and class of the error are kept.

    Args:
        error: Raised by Spark for a statement whose second line begins with the clause.
        clause: That clause.
        columns: The columns of the DataFrame.

    Returns:
        False if the error is about the words of the clause before its first argument.
    """
    attribute = "_desc" if hasattr(error, "_desc") else "_message"  # classic, Connect
    text = str(getattr(error, attribute))
    position = _POSITION.search(text)
    if position is None:
        return True
    line, column = (int(number) for number in position.groups() if number is not None)
    start = _offset(clause.text, line, column)
    # through Connect the DataFrame itself may be wrong: its expressions are analysed only now
    if line < _FIRST_LINE or not _is_ours(error, clause.text, start):
        return True
    is_syntax = isinstance(error, importlib.import_module("pyspark.errors").ParseException)
    span = _Span(start, start + _length(error, text, clause.text, start, is_syntax=is_syntax))
    if is_syntax and span.start < clause.places[0].start:
        return False
    head = _VIEW.sub("", text[: position.start()]).strip()
    wrong = _unbalanced(clause) if is_syntax else None
    if wrong is not None:
        place, offset, problem = wrong
        head = f"[{error.getCondition()}] Syntax error: {problem}. SQLSTATE: {error.getSqlState()}"
        shown = _show(place, offset, 1)
    else:
        head = _OTHER.sub(lambda other: _named(clause, other), head)
        found = _place(clause, span, is_syntax=is_syntax)
        if found is None:
            drawn = caret(clause.text, span.start, span.stop - span.start)[2]
            shown = f"== MATCH_RECOGNIZE ==\n{drawn}"
        else:
            place, offset, length = found
            hint = _hint(place, offset, columns, is_syntax=is_syntax)
            shown = _show(place, offset, length) + hint
    setattr(error, attribute, f"{head}\n{shown}\n")
    return True


def _offset(clause: str, line: int, column: int) -> int:
    """Return the place in the clause of a position in the statement."""
    lines = clause.splitlines(keepends=True)
    return min(sum(map(len, lines[: max(0, line - _FIRST_LINE)])) + column, len(clause))


def _is_ours(error: Any, clause: str, start: int) -> bool:  # noqa: ANN401 - as above
    """Tell whether the text that an error quotes is at this place of the clause."""
    contexts = error.getQueryContext()
    if not contexts or not clause.isascii():  # Spark's fragments are shifted after an emoji
        return True
    return clause.startswith(str(contexts[0].fragment()), start)


def _length(
    error: Any,  # noqa: ANN401 - as above
    text: str,
    clause: str,
    start: int,
    *,
    is_syntax: bool,
) -> int:
    """Return how many characters the error is about."""
    if is_syntax:  # Spark always draws three
        word = _WORD.match(clause, start)
        return len(word[0]) if word else 1
    contexts = error.getQueryContext()
    if contexts:
        return len(contexts[0].fragment())
    carets = _CARETS.search(text)
    return len(carets[1]) if carets else 1


def _place(clause: Clause, span: _Span, *, is_syntax: bool) -> tuple[Place, int, int] | None:
    """Return the argument that a span is in, and the span's beginning and length there."""
    before = None
    for place in clause.places:
        if place.start < span.stop and span.start < place.stop:
            start, stop = max(span.start, place.start), min(span.stop, place.stop)
            return place, place.left_out + start - place.start, stop - start
        if place.stop <= span.start:
            before = place
    if is_syntax and before is not None:  # the text ends too early, or something is too much
        return before, before.left_out + before.stop - before.start, 1
    return None


def _named(clause: Clause, other: re.Match[str]) -> str:
    """Name the argument that a hint refers to, or return nothing for the clause's own words."""
    start = _offset(clause.text, int(other[1]), int(other[2]))
    found = _place(clause, _Span(start, start + 1), is_syntax=False)
    return f" in {found[0].argument}" if found else ""


def _unbalanced(clause: Clause) -> tuple[Place, int, str] | None:
    """Return the argument with an open bracket or quote: the parser notices it much later."""
    for place in clause.places:
        found = unbalanced(place.text)
        if found is not None:
            return place, *found
    return None


def _show(place: Place, offset: int, length: int) -> str:
    line, column, drawn = caret(place.text, offset, length)
    where = f" (line {line}, position {column})" if "\n" in place.text.strip() else ""
    return f"== {place.argument}{where} ==\n{drawn}"


def _hint(place: Place, offset: int, columns: list[str], *, is_syntax: bool) -> str:
    """Say what is probably meant, for mistakes that only Python makes possible."""
    name = place.argument.partition("[")[0]
    is_column = name in ("partition_by", "order_by") and place.text in columns
    if is_column and quoted(place.text) != place.text:
        return f"\nThe strings are SQL: the column is {quoted(place.text)}, with the backticks."
    if not is_syntax:
        return ""
    for column in columns:  # part of an expression, as in "last price < 5"
        begins = place.text.rfind(column, 0, offset + len(column))
        ends = begins + len(column)
        is_here = begins >= 0 and not place.text[ends:offset].strip()
        if quoted(column) != column and is_here:
            return f"\nThe strings are SQL: the column is {quoted(column)}, with the backticks."
    found = _PYTHON.match(place.text, offset)
    return f"\nThe strings are SQL, which writes {_SQL[found[0].lower()]}." if found else ""
