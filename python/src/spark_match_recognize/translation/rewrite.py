"""Edits the tokens of a statement, each in its place; none is moved or taken out."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from spark_match_recognize._text import in_backticks
from spark_match_recognize.translation.systems import DATES, KEYWORDS, NOTED, UNITS, System
from spark_match_recognize.translation.tokens import Token, literal, place, tokens_of, value

_MARK = re.compile(r"\?\.\.\.|[?#±@!%~^&]")
_UNIT = re.compile(rf"({'|'.join(UNITS)})S?")
_OF_INTERVALS = re.compile("(YEAR|MONTH|DAY|HOUR|MINUTE|SECOND)S?")
_LONG = {"YEAR", "YEARS", "QUARTER", "QUARTERS", "MONTH", "MONTHS"}
_NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DATE = r"\d{4}-\d{2}-\d{2}"
_LITERALS = {
    "DATE": re.compile(_DATE),
    "TIMESTAMP": re.compile(rf"{_DATE} \d{{2}}:\d{{2}}(:\d{{2}}(\.\d{{1,6}})?)?"),
}
_LENGTH = re.compile(r"[+-]?\d+")
_SECONDS = re.compile(r"[+-]?\d+(\.\d{1,6})?")
_LENGTHS = re.compile(r"[+-]?[\d: .-]+")
_LENGTH_AND_UNIT = re.compile(rf"[+-]?\d+ {_OF_INTERVALS.pattern}", re.IGNORECASE)
# What belongs to the form of a call, and makes it another one than the templates say.
_FORM_WORDS = """
    TO FROM ORDER IGNORE RESPECT USING FOR ON WITHIN AS LIMIT HAVING WHERE
"""
_FORMS = frozenset(_FORM_WORDS.split())
_AFTER_KEYS = """
    AFTER ALL DEFINE EXCEPT FETCH FOR GROUPS INITIAL INTERSECT LIMIT MEASURES MINUS OFFSET ONE
    PATTERN RANGE ROWS SEEK SUBSET UNION
"""
_ENDS_KEYS = frozenset(_AFTER_KEYS.split())
_SEPARATORS = "-/.,: "


def rewritten(sql: str, system: System) -> tuple[str, tuple[str, ...]]:
    """Rewrite one statement.

    Args:
        sql: The statement.
        system: The system that it is written for.

    Returns:
        The statement for Spark, and notes on what may fail or differ.

    Raises:
        ValueError: If it is not one statement, or something in it is not closed.
    """
    tokens = tokens_of(sql, system)
    statement = _Statement(sql, [t for t in tokens if t.kind not in ("space", "comment")], system)
    for token in tokens:
        if token.kind == "comment":
            token.out = _comment(token.text)
            if token.text.startswith("/*+"):
                statement.notes[token.start] = ["the hint is a comment in Spark"]
    statement.edit()
    notes = dict(sorted(statement.notes.items()))
    told = (f"{place(sql, start)}: {note}." for start, all_ in notes.items() for note in all_)
    return "".join(token.out + token.after for token in tokens), tuple(told)


def _comment(text: str) -> str:
    """Return a comment that is neither a hint nor opens another one in Spark, nor continues."""
    if text.startswith("/*"):
        body = text[2:].replace("/*", "/ *")
        return f"/*{' ' if body.startswith('+') else ''}{body}"
    return f"--{text[2:]}{' ' if text.endswith(chr(92)) else ''}"


class _Statement:
    """The tokens of a statement without spaces and comments, and the notes by their offsets."""

    def __init__(self, sql: str, tokens: list[Token], system: System) -> None:
        self.sql = sql
        self.tokens = tokens
        self.system = system
        self.notes: dict[int, list[str]] = {}
        self.closing = self._brackets()
        self.patterns: set[int] = set()  # places of PATTERN, where no expression is
        self.clauses: set[int] = set()
        self.seen: set[int] = set()  # those of literals with a unit, and of types

    def note(self, at: int, text: str) -> None:
        found = self.notes.setdefault(self.tokens[at].start, [])
        if text not in found:
            found.append(text)

    def left(self, at: int, what: str = "", why: str = "Spark's may fail or differ") -> None:
        self.note(at, f"{what or self.tokens[at].text} is left as it is: {why}")

    def upper(self, at: int) -> str:
        return self.tokens[at].upper if 0 <= at < len(self.tokens) else ""

    def kind(self, at: int) -> str:
        return self.tokens[at].kind if 0 <= at < len(self.tokens) else ""

    def edit(self) -> None:
        """Edit all tokens."""
        ends = [at for at in range(len(self.tokens)) if self.upper(at) == ";"]
        if not self.tokens or (ends and ends[0] < len(self.tokens) - 1) or ends == [0]:
            message = "translate takes one statement"
            raise ValueError(message)
        for opened in self.closing:
            self._clause(opened)
        for at, token in enumerate(self.tokens):
            if token.kind == "string" and at not in self.seen:
                self._string(at)
            elif token.kind == "name":
                body = token.text[1:-1].replace(self.system.quote * 2, self.system.quote)
                token.out = in_backticks(body)
                if "${" in body:
                    self.left(at, why="spark.sql replaces ${...} by a variable")
            elif token.kind == "word" and not _PLAIN_WORD.fullmatch(token.text):
                token.out = in_backticks(token.out)
            if at not in self.patterns:
                self._expression(at)

    def _brackets(self) -> dict[int, int]:
        opened: list[int] = []
        found: dict[int, int] = {}
        for at in range(len(self.tokens)):
            if self.upper(at) in ("(", "["):
                opened.append(at)
            elif self.upper(at) in (")", "]"):
                if not opened or self.upper(opened[-1]) + self.upper(at) not in ("()", "[]"):
                    message = f"{place(self.sql, self.tokens[at].start)}: a bracket is not opened"
                    raise ValueError(message)
                found[opened.pop()] = at
        if opened:
            message = f"{place(self.sql, self.tokens[opened[-1]].start)}: a bracket is not closed"
            raise ValueError(message)
        return found

    def _level(self, start: int, end: int) -> Iterator[int]:
        """Yield the places from one to another that are in no bracket between them."""
        at = start
        while at < end:
            yield at
            at = self.closing.get(at, at) + 1

    # The clause

    def _clause(self, opened: int) -> None:
        """Edit a clause, or a window with a row pattern."""
        inside = list(self._level(opened + 1, self.closing[opened]))
        words = [self.upper(at) for at in inside]
        found = [at for at in inside if self.upper(at) == "PATTERN" and self.upper(at + 1) == "("]
        if not found or (self.upper(opened - 1) != "MATCH_RECOGNIZE" and "DEFINE" not in words):
            return
        first = found[0]
        self.clauses.update(range(opened + 1, self.closing[opened]))
        self.patterns.update(range(first + 1, self.closing[first + 1] + 1))
        if self.system.title == "Flink":
            before = words[: inside.index(first)]
            if ("AFTER", "MATCH") not in itertools.pairwise(before):
                self.tokens[first].out = "AFTER MATCH SKIP TO NEXT ROW " + self.tokens[first].text
            if self.upper(self.closing[first + 1] + 1) == "WITHIN":
                after = self.closing[first + 1] + 1
                self.note(after, "WITHIN includes its bound in Spark, and excludes it in Flink")
        called = {self.upper(at) for at in range(opened, self.closing[opened])}
        if self.system.capitals and "CLASSIFIER" in called:
            for at in range(first + 2, self.closing[first + 1]):
                self.tokens[at].out = self.upper(at) or self.tokens[at].text
        plain = {self.upper(at) for at in range(first + 2, self.closing[first + 1])}
        for at in range(first + 2, self.closing[first + 1]):
            text = self.tokens[at].text
            if self.upper(at).endswith("$") and self.kind(at) == "word":
                self.note(at, f"{text} is one name, in backticks; write a space before an anchor")
            named = text[1:-1].upper()
            if self.kind(at) == "name" and text[1:-1] != named and named in plain:
                self.note(at, f"{text} and {named} are one variable in Spark: rename one")

    def _order(self, by: int) -> None:
        """Say where NULLs are sorted, after each key of ORDER BY."""
        last = by
        for at in [*self._level(by + 1, len(self.tokens)), len(self.tokens)]:
            ended = last > by and self._ends_value(last)
            end = self.upper(at) in ("", ")", "]", ";") and self.kind(at) in ("", "operator")
            end = end or (ended and self.upper(at) in _ENDS_KEYS)
            if end or self.upper(at) == ",":
                words = {self.upper(place_) for place_ in (last - 1, last)}
                nulls = self.system.nulls["DESC" in words]
                if nulls and "NULLS" not in words and last > by:
                    self.tokens[last].after = f" {nulls}"
            if end:
                return
            last = self.closing.get(at, at)

    def _ends_value(self, at: int) -> bool:
        """Tell whether a value may end here."""
        token_kind, text = self.kind(at), self.upper(at)
        return token_kind in ("word", "name", "string", "number") or text in (")", "]")

    # Expressions

    def _expression(self, at: int) -> None:
        token = self.tokens[at]
        if at in self.seen:
            return
        if token.kind == "word":
            self._any_word(at)
        elif token.kind == "operator":
            self._operator(at)
        else:
            called = token.kind == "name" and self.upper(at + 1) == "("
            strange = token.kind == "number" and not _NUMBER.fullmatch(token.text)
            if strange or (called and not self._is_alias(at)):
                self.left(at)

    def _any_word(self, at: int) -> None:
        word, before, after = self.upper(at), self.upper(at - 1), self.upper(at + 1)
        if word == "BY" and before == "ORDER":
            self._order(at)
        elif self.kind(at + 1) == "string" and before != ".":
            self._literal(at)
        elif after == "(" and not self._is_keyword(at) and not self._is_alias(at):
            self._call(at)
        elif before != "." and after != ".":
            self._word(at)

    def _is_alias(self, at: int) -> bool:
        """Tell whether a name before a parenthesis is that of a relation with its columns."""
        after = self.closing[at + 1] + 1
        if self.upper(at) in NOTED or at in self.clauses:
            return False
        named = self.upper(after) == "AS" and self.upper(after + 1) == "("
        return named or self.upper(at - 1) in ("AS", ")", "INTO")

    def _is_keyword(self, at: int) -> bool:
        """Tell whether a word before a parenthesis calls no function."""
        word = self.upper(at)
        return word in KEYWORDS and (word != "FILTER" or self.upper(at - 1) == ")")

    def _word(self, at: int) -> None:
        word, before = self.upper(at), self.upper(at - 1)
        in_clause = at in self.clauses
        if in_clause and word in self.system.clause and self.system.title == "Snowflake":
            template = self.system.clause[word][0]
            if template.endswith("()") and before != "AS":
                self.tokens[at].out = template
        elif word == "OVER" and in_clause:
            self.left(at, why="window functions are not allowed in the clause")
        elif word in ("LIKE", "ILIKE"):
            self._like(at)
        elif word in NOTED and before != "AS":
            self.left(at)

    def _like(self, at: int) -> None:
        pattern = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        known = pattern is not None and pattern.kind == "string"
        if known and pattern and "\\" not in value(pattern.text, self.system):
            return
        if self.upper(at) == "ILIKE" or self.upper(at + 2) != "ESCAPE" or not known:
            self.left(at, why="a backslash in the pattern escapes in Spark")

    def _operator(self, at: int) -> None:
        text = self.upper(at)
        if text == "::":
            self._type(at + 1, self._end_of_type(at + 1))
        elif text == "+" and self.upper(at - 1) == "(" and self.upper(at + 1) == ")":
            self.left(at - 1, "(+)", "write LEFT JOIN")
        elif text == "-" and self.system.subtracts_days and self._is_binary(at):
            sides = (self.kind(at - 1), self.kind(at + 1))
            if "number" not in sides and self.upper(at + 1) != "INTERVAL":
                self.left(at, why="the difference of two dates is a number there, not an INTERVAL")
        elif text == "/":
            self.left(at, why="the quotient has another type or scale")
        elif text == "[":
            self.left(at, why="Spark counts elements from 0, and its arrays are ARRAY(...)")
        elif text not in self.system.operators and text != "]":
            self.left(at)

    def _is_binary(self, at: int) -> bool:
        return self._ends_value(at - 1) and self.upper(at - 1) not in KEYWORDS - {"END"}

    def _string(self, at: int) -> None:
        token = self.tokens[at]
        characters = value(token.text, self.system)
        token.out = literal(characters)
        if self.system.title == "Oracle" and not characters:
            token.out = "CAST(NULL AS STRING)"

    def _literal(self, at: int) -> None:
        """Check a word and a string: DATE '...', INTERVAL '...', or anything else."""
        word, text = self.upper(at), value(self.tokens[at + 1].text, self.system)
        if word == "INTERVAL":
            self._interval(at, text)
        elif word in _LITERALS:
            if not _LITERALS[word].fullmatch(text):
                self.left(at, "the literal")
        elif word in KEYWORDS or word in NOTED:
            self._word(at)
        else:
            self.left(at, f"{word} before a string")

    def _interval(self, at: int, text: str) -> None:
        unit, more = _OF_INTERVALS.fullmatch(self.upper(at + 2)), self.upper(at + 3)
        if not unit:
            known = self.system.title == "Snowflake" and bool(_LENGTH_AND_UNIT.fullmatch(text))
        elif more == "TO":
            self.seen.update((at + 2, at + 4))
            until = _OF_INTERVALS.fullmatch(self.upper(at + 4))
            known = bool(until and _LENGTHS.fullmatch(text)) and self.upper(at + 5) != "("
        else:
            self.seen.add(at + 2)
            length = _SECONDS if unit[1] == "SECOND" else _LENGTH
            known = bool(length.fullmatch(text)) and more != "("
        if not known:
            self.left(at, "the interval")

    # Calls and types

    def _call(self, at: int) -> None:
        name, close = self.upper(at), self.closing[at + 1]
        if self.upper(at - 1) == ".":
            self.left(at)
        elif name in ("CAST", "TRY_CAST"):
            found = [place_ for place_ in self._level(at + 2, close) if self.upper(place_) == "AS"]
            if found:
                self._type(found[-1] + 1, close)
            else:
                self.left(at)
        elif name == "EXTRACT":
            if self.upper(at + 2) not in UNITS[:-1] or self.upper(at + 3) != "FROM":
                self.left(at)
            self.seen.add(at + 2)
        else:
            in_clause = at in self.clauses and self.upper(close + 1) != "OVER"
            known_forms = self.system.clause.get(name) if in_clause else None
            templates = known_forms or self.system.functions.get(name, ())
            if not any(self._fits(at, close, template) for template in templates):
                self.left(at)

    def _fits(self, at: int, close: int, template: str) -> bool:
        """Write a call by a template, if it has that form."""
        inside = list(self._level(at + 2, close))
        commas = [place_ for place_ in inside if self.upper(place_) == ","]
        starts = [at + 2, *(place_ + 1 for place_ in commas)] if inside else []
        ends = [*commas, close] if inside else []
        marks, pieces = _MARK.findall(template), _MARK.split(template)
        if marks and marks[-1] == "?...":
            more = len(starts) - len(marks) + 1
            marks, pieces = [*marks[:-1], *"?" * more], [*pieces[:-1], *[", "] * (more - 1), ")"]
            pieces = pieces if more > 0 else []
        if len(marks) != len(starts) or len(pieces) != len(marks) + 1:
            return False
        if any(
            self.upper(place_) in _FORMS or self.upper(place_) in ("=>", "->") for place_ in inside
        ):
            return False
        written = [
            self._argument(mark, start, end)
            for mark, start, end in zip(marks, starts, ends, strict=True)
        ]
        if None in written:
            return False
        self._write(at, close, starts, [text or "" for text in written], pieces)
        return True

    def _write(
        self, at: int, close: int, starts: list[int], written: list[str], pieces: list[str]
    ) -> None:
        unit = next((text for text in written if text), "").strip("'")
        pieces = [piece.replace("{unit}", unit) for piece in pieces]
        for start, text in zip(starts, written, strict=True):
            if text:
                self.tokens[start].out = text
                self.seen.add(start)
        head = pieces[0].removesuffix("()") if not starts else pieces[0].removesuffix("(")
        if head != self.upper(at):
            self.tokens[at].out = head
        for start, piece in zip(starts[1:], pieces[1:], strict=False):
            comma = self.tokens[start - 1]
            if piece != ", ":
                spaced = self.sql[comma.start + 1].isspace()
                comma.out = piece.rstrip() if spaced else piece
        if starts and pieces[-1] != ")":
            self.tokens[close].out = pieces[-1]
        if unit in DATES and head != "TIMESTAMPDIFF":
            self.note(at, f"of a DATE, {self.tokens[at].text} is a TIMESTAMP in Spark")

    def _argument(self, mark: str, start: int, end: int) -> str | None:
        """Return how an argument is written, "" if as it is, or None if it is of another kind."""
        if mark == "?" or start == end:
            return "" if start < end else None
        if mark == "±" and self.upper(start) == "-":
            start += 1
        if end != start + 1:
            return None
        token = self.tokens[start]
        text = value(token.text, self.system) if token.kind == "string" else token.text
        if mark in "#±":
            known = token.text.isdecimal() and (mark == "±" or int(text) > 0)
            return "" if known else None
        if mark in "@!%":
            unit = _UNIT.fullmatch(text.upper())
            known = bool(unit) and (mark != "!" or text.upper() not in _LONG)
            return (f"'{unit[1]}'" if mark == "%" else unit[1]) if unit and known else None
        return self._format(mark, text) if token.kind == "string" else None

    def _format(self, mark: str, text: str) -> str | None:
        """Return a format, if all of its elements are known, and those that a value needs."""
        elements = self.system.format
        given = text if self.system.title in ("Flink", "Trino") else text.upper()
        split = re.findall(rf"{'|'.join(elements)}|.", given, re.DOTALL)
        if not text or any(part not in elements and part not in _SEPARATORS for part in split):
            return None
        found = "".join(elements.get(part, part) for part in split)
        has_date = all(part in found for part in ("yyyy", "MM", "dd"))
        has_time = any(part in found for part in ("HH", "mm", "ss"))
        if (mark in "^&" and not has_date) or (mark == "^" and has_time):
            return None
        return literal(found)

    def _end_of_type(self, start: int) -> int:
        end = start + 1 + (self.upper(start) == "DOUBLE" and self.upper(start + 1) == "PRECISION")
        return self.closing[end] + 1 if self.upper(end) == "(" else end

    def _type(self, start: int, end: int) -> None:
        """Write a type, if it is known, and all of it."""
        if start >= min(end, len(self.tokens)):
            self.left(start - 1)
            return
        texts = [self.upper(at) or self.tokens[at].text for at in range(start, end)]
        self.seen.update(range(start, end))
        opened = texts.index("(") if "(" in texts else len(texts)
        digits = [text for text in texts[opened:] if text not in ("(", ")", ",")]
        name = " ".join(texts[:opened])
        form = {0: "", 1: "()", 2: "(,)"}.get(len(digits), "?")
        known = self.system.types.get(name + form)
        if not known or self._end_of_type(start) != end or not all(map(str.isdecimal, digits)):
            last = self.tokens[end - 1]
            self.left(start, self.sql[self.tokens[start].start : last.start + len(last.text)])
        elif name != known:
            self.tokens[start].out = known
