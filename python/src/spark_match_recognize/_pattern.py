"""PATTERN as a tree, read as far as a drawing needs it.

The parser in the jar decides what is a pattern; this reader accepts all that it accepts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from spark_match_recognize._text import caret

_TOKEN = re.compile(
    r"""
      (?P<blank>\s+|--[^\n]*|/\*.*?\*/)
    | (?P<name>\w+)
    | `(?P<quoted>(?:[^`]|``)+)`
    | (?P<symbol>\{-|-\}|[(){},*+?|^$:.])
    """,
    re.VERBOSE | re.DOTALL,
)
_SHORT = {"*": (0, None), "+": (1, None), "?": (0, 1)}


@dataclass(frozen=True)
class Variable:
    """One row that is mapped to a variable."""

    name: str


@dataclass(frozen=True)
class Anchor:
    """`^` or `$`."""

    symbol: str


@dataclass(frozen=True)
class Sequence:
    """Items one after the other; without any it is the empty pattern."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Alternation:
    """One of several, the first one preferred."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Permutation:
    """All items in any order."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Exclusion:
    """Rows that are not in the output."""

    item: Node


@dataclass(frozen=True)
class Repetition:
    """An item with a quantifier; without an upper bound `most` is None.

    A bound that is a parameter or a session variable is its text.
    """

    item: Node
    least: int | str
    most: int | str | None
    reluctant: bool


Node: TypeAlias = (
    "Variable | Anchor | Sequence | Alternation | Permutation | Exclusion | Repetition"
)


def can_be_empty(node: Node) -> bool:
    """Tell whether a pattern matches no row; a bound that is not a number may be 0."""
    match node:
        case Variable():
            return False
        case Anchor():
            return True
        case Sequence(items) | Permutation(items):
            return all(map(can_be_empty, items))
        case Alternation(items):
            return any(map(can_be_empty, items))
        case Exclusion(item):
            return can_be_empty(item)
        case Repetition(item, least):
            return not isinstance(least, int) or least == 0 or can_be_empty(item)


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


def read(pattern: str) -> Node:
    """Read what is in the parentheses of PATTERN.

    Args:
        pattern: SQL text, as in `STRT DOWN+ UP+`.

    Raises:
        ValueError: If it is not a pattern; the message has a caret under the place.
    """
    reader = _Reader(pattern)
    try:
        node = reader.alternation()
    except RecursionError:
        message = "PATTERN is nested too deeply to be read here"
        raise ValueError(message) from None
    reader.expect("end")
    return node


class _Reader:
    """A recursive descent, one method for each level of the grammar."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_tokens(text))
        self._next = 0

    def alternation(self) -> Node:
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Alternation(tuple(options))

    def expect(self, kind: str) -> None:
        if not self._take(kind):
            raise self._error()

    def _sequence(self) -> Node:
        items: list[Node] = []
        while self._kind not in ("|", ")", "-}", ",", "end"):
            items.append(self._factor())
        # only the whole pattern, or a group, may be without any
        before = self._tokens[self._next - 1].kind if self._next else "("
        if not items and not (before == "(" and self._kind in (")", "end")):
            raise self._error()
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _factor(self) -> Node:
        item = self._primary()
        least: int | str
        most: int | str | None
        if self._kind in _SHORT:
            least, most = _SHORT[self._advance().kind]
        elif self._take("{"):
            least, most = self._bounds()
        else:
            return item
        return Repetition(item, least, most, reluctant=self._take("?"))

    def _bounds(self) -> tuple[int | str, int | str | None]:
        """Read the rest of `{n}`, `{n,}`, `{,m}` or `{n,m}`."""
        opened = self._tokens[self._next - 1].start
        least = self._bound()
        if self._take("}"):
            if least is None:
                raise self._error(-1)
            most: int | str | None = least
        else:
            self.expect(",")
            most = self._bound()
            if least == most == "?":  # two parameters
                most = "the next ?"
            self.expect("}")
        lowest = least if isinstance(least, int) else 0
        if isinstance(most, int) and most < max(lowest, 1):
            closed = self._tokens[self._next - 1].start + 1
            drawn = caret(self._text, opened, closed - opened)[2]
            message = (
                "The upper bound of a quantifier is at least 1 and not less than the lower one:\n"
                f"{drawn}"
            )
            raise ValueError(message)
        return least or 0, most

    def _bound(self) -> int | str | None:
        """Read a number, `?`, `:name` or the name of a variable."""
        if self._take("?"):
            return "?"
        if self._take(":"):
            return ":" + self._name()
        if self._kind not in ("name", "quoted"):
            return None
        name = self._name()
        if name.isdecimal():
            return int(name)
        while self._take("."):
            name += "." + self._name()
        return name

    def _name(self) -> str:
        if self._kind not in ("name", "quoted"):
            raise self._error()
        return self._advance().text

    def _primary(self) -> Node:
        token = self._advance()
        if token.kind == "name" and token.text.upper() == "PERMUTE" and self._take("("):
            return self._permutation()
        if token.kind in ("name", "quoted"):
            return Variable(token.text)
        if token.kind in ("^", "$"):
            return Anchor(token.kind)
        if token.kind in ("(", "{-"):
            item = self.alternation()
            self.expect(")" if token.kind == "(" else "-}")
            return item if token.kind == "(" else Exclusion(item)
        raise self._error(-1)

    def _permutation(self) -> Node:
        items = [self.alternation()]
        while self._take(","):
            items.append(self.alternation())
        self.expect(")")
        return Permutation(tuple(items))

    @property
    def _kind(self) -> str:
        return self._tokens[self._next].kind

    def _advance(self) -> _Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _take(self, kind: str) -> bool:
        found = self._kind == kind
        self._next += found and kind != "end"
        return found

    def _error(self, offset: int = 0) -> ValueError:
        token = self._tokens[self._next + offset]
        drawn = caret(self._text, token.start, len(token.text))[2]
        what = "ends too early" if token.kind == "end" else f"cannot have {token.text} here"
        return ValueError(f"PATTERN {what}:\n{drawn}")


def _tokens(text: str) -> list[_Token]:
    found = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            drawn = caret(text, position, 1)[2]
            message = f"PATTERN cannot have {text[position]} here:\n{drawn}"
            raise ValueError(message)
        kind = str(match.lastgroup)
        value = match[kind].replace("``", "`") if kind == "quoted" else match[0]
        if kind != "blank":
            found.append(_Token(value if kind == "symbol" else kind, value, position))
        position = match.end()
    return [*found, _Token("end", "", len(text.rstrip()))]
