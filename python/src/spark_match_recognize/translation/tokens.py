"""A statement as tokens of the text; written again, they are the text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from spark_match_recognize.translation.systems import System

_STRING = {
    "escapes": r"'(?:[^'\\]|\\.|'')*'|\$\$.*?\$\$",
    "plain": r"'(?:[^']|'')*'",
    "q": (
        r"[nN]?[qQ]'(?:\[.*?\]|\{.*?\}|<.*?>|\(.*?\)|(?P<q>[^\s\[{<(]).*?(?P=q))'"
        r"|[nN]?'(?:[^']|'')*'"
    ),
}
_NAME = {'"': r'"(?:[^"]|"")+"', "`": r"`(?:[^`]|``)+`"}
_KINDS = (
    ("space", r"\s+"),
    ("comment", r"/\*.*?\*/|{comment}[^\n]*"),
    ("open", r"/\*"),  # not closed
    ("string", "{string}"),
    ("name", "{name}"),
    ("open_too", "['{quote}]"),
    ("number", r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\w*"),
    ("word", r"[^\W\d][\w{more}]*"),
    ("operator", r"<=|>=|<>|!=|\|\||::|=>|->|."),
)
_ESCAPE = re.compile(r"\\(?:([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))|''", re.DOTALL)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "0": "\0"}


@dataclass(slots=True)
class Token:
    """A token: what it is, where it begins, and how it is written in Spark.

    Attributes:
        kind: space, comment, string, name (in quotes), number, word or operator.
        text: The token as it is in the statement.
        start: Its offset.
        out: The same token for Spark.
        after: What is added after it.
        upper: A word in capitals, an operator, or nothing.
    """

    kind: str
    text: str
    start: int
    out: str = ""
    after: str = ""
    upper: str = field(init=False)

    def __post_init__(self) -> None:
        """Write the token as it is, unless something else is said."""
        self.out = self.out or self.text
        self.upper = self.text.upper() if self.kind in ("word", "operator") else ""


def tokens_of(sql: str, system: System) -> list[Token]:
    """Split a statement into tokens, comments and spaces among them.

    Raises:
        ValueError: If a string, name or comment is not closed.
    """
    parts = {
        "comment": "(?:--|//)" if system.strings == "escapes" else "--",
        "string": _STRING[system.strings],
        "name": _NAME[system.quote],
        "quote": system.quote,
        "more": system.in_names,
    }
    kinds = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS)
    for name, part in parts.items():
        kinds = kinds.replace(f"{{{name}}}", part)
    found = []
    for match in re.finditer(kinds, sql, re.DOTALL):
        kind = match.lastgroup or ""
        if kind.startswith("open"):
            message = f"{place(sql, match.start())}: {match[0]} is not closed"
            raise ValueError(message)
        found.append(Token(kind, match[0], match.start()))
    return found


def place(sql: str, offset: int) -> str:
    """Return the place of an offset, both numbers from 1."""
    line = sql.count("\n", 0, offset) + 1
    return f"line {line}, column {offset - sql.rfind(chr(10), 0, offset)}"


def value(text: str, system: System) -> str:
    """Return the characters of a string token."""
    if text.startswith("$$"):
        return text[2:-2]
    prefix, _, rest = text.partition("'")
    if "q" in prefix.lower():
        return rest[1:-2]
    body = rest[:-1]
    return _ESCAPE.sub(_unescaped, body) if system.strings == "escapes" else body.replace("''", "'")


def _unescaped(found: re.Match[str]) -> str:
    octal, byte, unit, other = found.groups()
    if octal or byte or unit:
        return chr(int(octal, 8) if octal else int(byte or unit, 16))
    return _ESCAPED.get(other, other) if other else "'"


def literal(characters: str) -> str:
    """Return a string of Spark; `spark.sql` would replace a variable in it, `${name}`."""
    escaped = characters.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{")
    return f"'{escaped}'"
