"""The text of MATCH_RECOGNIZE clauses, parsed as far as needed to run them on a stream.

And which of them a stream refuses.
"""

from __future__ import annotations

import dataclasses
import re

TOKEN = re.compile(
    r"""--[^\n]* | /\*.*?\*/ | '(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*" | `[^`]*`
    | [A-Za-z_]\w* | \d[\w.]* | \s+ | .""",
    re.VERBOSE | re.DOTALL,
)
# the parts of the clause in order: a word begins a part only if no later part has begun
PARTS = {
    "PARTITION": 0,
    "ORDER": 1,
    "MEASURES": 2,
    "ONE": 3,
    "ALL": 3,
    "AFTER": 4,
    "PATTERN": 5,
    "WITHIN": 6,
    "SUBSET": 7,
    "DEFINE": 8,
}
SECOND_WORDS = {"PARTITION": "BY", "ORDER": "BY", "ONE": "ROW", "ALL": "ROWS", "PATTERN": "("}
BEFORE_RELATIONS = ("FROM", "JOIN", ",")


@dataclasses.dataclass(frozen=True)
class Token:
    """A word, literal or symbol and its place in the text."""

    text: str
    start: int
    end: int

    @property
    def upper(self) -> str:
        """Return the text in upper case, to compare keywords."""
        return self.text.upper()


def tokens(sql: str) -> list[Token]:
    """Return the tokens of a text, without space and comments."""
    found = (Token(m.group(), m.start(), m.end()) for m in TOKEN.finditer(sql))
    return [t for t in found if not t.text.isspace() and not t.text.startswith(("--", "/*"))]


def closing(items: list[Token], opening: int) -> int:
    """Return the index of the parenthesis that closes the one at an index."""
    depth = 0
    for i in range(opening, len(items)):
        depth += (items[i].text == "(") - (items[i].text == ")")
        if depth == 0:
            return i
    raise ValueError("a parenthesis is not closed")


def opening(items: list[Token], end: int) -> int:
    """Return the index of the parenthesis that the one at an index closes."""
    return next(i for i in range(end, -1, -1) if items[i].text == "(" and closing(items, i) == end)


def split(text: str) -> list[str]:
    """Return the items of a comma-separated list."""
    items, depth, start = [], 0, 0
    for token in tokens(text):
        depth += (token.text in "([{") - (token.text in ")]}")
        if token.text == "," and depth == 0:
            items.append(text[start : token.start].strip())
            start = token.end
    return [*items, text[start:].strip()] if text.strip() else []


def next_steps(text: str) -> int:
    """Return how many rows ahead an expression looks by NEXT."""
    items = tokens(text)
    steps = 0
    for i, token in enumerate(items[:-1]):
        if token.upper == "NEXT" and items[i + 1].text == "(":
            inside = text[items[i + 1].end : items[closing(items, i + 1)].start]
            arguments = split(inside)
            steps = max(steps, int(arguments[1]) if len(arguments) > 1 else 1)
    return steps


@dataclasses.dataclass(frozen=True)
class Clause:
    """One clause of a statement.

    Attributes:
        prefix: the WITH of the statement, or empty.
        relation: the table primary before the clause, with its alias.
        alias: the name by which the clause may qualify columns of the relation.
        parts: the parts by their first word, each with the whole of its text.
    """

    prefix: str
    relation: str
    alias: str
    parts: dict[str, str]

    def list_of(self, part: str) -> list[str]:
        """Return the items of PARTITION BY, ORDER BY, MEASURES or DEFINE."""
        text = self.parts.get(part, "")
        head = re.match(rf"(?is){part}(\s+BY\b)?", text)
        return split(text[head.end() :]) if head else []

    @property
    def has_end_anchor(self) -> bool:
        """Tell whether PATTERN has `$`."""
        return any(t.text == "$" for t in tokens(self.parts["PATTERN"]))

    @property
    def leading(self) -> str:
        """Return the first item of ORDER BY, or an empty string."""
        return (self.list_of("ORDER") or [""])[0]

    @property
    def is_descending(self) -> bool:
        """Tell whether the first item of ORDER BY is DESC."""
        return any(t.upper == "DESC" for t in tokens(self.leading))

    @property
    def leading_expression(self) -> str:
        """Return the first item of ORDER BY without direction and NULLS FIRST or LAST."""
        return re.sub(r"(?i)\s+(ASC|DESC)\b|\s+NULLS\s+\w+", "", self.leading)

    def sql(self, **changed: str) -> str:
        """Return the clause with some parts changed or, if missing, added."""
        parts = {**self.parts, **changed}
        ordered = sorted(parts, key=PARTS.__getitem__)
        return "MATCH_RECOGNIZE (\n  " + "\n  ".join(parts[name] for name in ordered) + ")"


def clauses(sql: str) -> list[Clause]:
    """Return the clauses of a statement, in the order of their text."""
    items = tokens(sql)
    found = []
    for i, token in enumerate(items[:-1]):
        if token.upper == "MATCH_RECOGNIZE" and items[i + 1].text == "(" and i > 0:
            end = closing(items, i + 1)
            parts = _parts(sql, items[i + 2 : end], items[end].start)
            if "PATTERN" in parts:
                start, alias = _relation(items, i - 1)
                relation = sql[items[start].start : token.start].strip()
                found.append(Clause(_prefix(sql, items), relation, alias, parts))
    return found


def _parts(sql: str, body: list[Token], end: int) -> dict[str, str]:
    starts: list[tuple[str, int]] = []
    depth, latest = 0, -1
    for i, token in enumerate(body):
        if token.text in "()":
            depth += 1 if token.text == "(" else -1
        rank = PARTS.get(token.upper, -1)
        if depth == 0 and rank > latest and _begins_part(body, i):
            starts.append((token.upper, token.start))
            latest = rank
    ends = [start for _, start in starts[1:]] + [end][: len(starts)]
    return {name: sql[start:stop].strip() for (name, start), stop in zip(starts, ends, strict=True)}


def _begins_part(body: list[Token], i: int) -> bool:
    word = body[i].upper
    after = body[i + 1].upper if i + 1 < len(body) else ""
    if word in SECOND_WORDS:
        return after == SECOND_WORDS[word]
    # the same words as names of columns, measures and variables
    is_name = after in (",", ".", "AS") or (i > 0 and body[i - 1].upper in (",", ".", "AS"))
    return not is_name and after != "GROUP"


def _relation(items: list[Token], last: int) -> tuple[int, str]:
    """Return where the table primary begins that ends at `last`, and its name."""
    i, alias = last, ""
    if items[i].text == ")" and _is_word(items, (first := opening(items, i)) - 1):
        i = first - 1
    if _is_word(items, i) and items[i - 1].upper not in BEFORE_RELATIONS:
        alias = items[i].text
        i -= 2 if items[i - 1].upper == "AS" else 1
        while items[i].text == ".":
            i -= 2
    if items[i].text == ")":
        i = opening(items, i)
    while i > 1 and items[i - 1].text == ".":
        i -= 2
    return i, alias or items[i].text.strip("(")


def _is_word(items: list[Token], i: int) -> bool:
    is_name = items[i].text.startswith("`") or items[i].text[0].isalpha()
    return is_name and items[i].upper not in BEFORE_RELATIONS


def _prefix(sql: str, items: list[Token]) -> str:
    if items[0].upper != "WITH":
        return ""
    depth = 0
    for token in items:
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.upper in ("SELECT", "FROM"):
            return sql[: token.start]
    raise ValueError("nothing follows WITH")


# Why a stream does not admit a clause.
END_ANCHOR = "$ in PATTERN"
NO_ORDER = "no ORDER BY"
NOT_ASCENDING = "the leading key is not the ascending event-time column"
CONDITIONS = {
    END_ANCHOR: "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.END_ANCHOR",
    NO_ORDER: "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.LEADING_KEY",
    NOT_ASCENDING: "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.LEADING_KEY",
}


def refusal(clause: Clause) -> str | None:
    """Return the reason why a stream does not admit a clause, if there is one."""
    if clause.has_end_anchor:
        return END_ANCHOR
    if not clause.leading:
        return NO_ORDER
    if clause.is_descending:
        return NOT_ASCENDING
    return None
