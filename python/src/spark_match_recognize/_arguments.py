"""Words that an argument implies, or lacks."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from spark_match_recognize._text import outside, unquoted

# What begins an expression; after the name of a column it would be a syntax error.
_BEGINS = (
    r"""(?=[\w`'"])(?!(?:IS|IN|NOT|BETWEEN|LIKE|ILIKE|RLIKE|REGEXP|AND|OR|DIV|AS|COLLATE)\b)"""
)
# What the clause writes before an argument; only AFTER MATCH SKIP is often left incomplete.
_IMPLIED = {
    "partition_by": re.compile(r"(PARTITION\s+BY)\s+(?=[^\s,])", re.IGNORECASE),
    "order_by": re.compile(r"(ORDER\s+BY)\s+(?=[^\s,])", re.IGNORECASE),
    "after_match_skip": re.compile(r"((?:AFTER\s+MATCH\s+)?SKIP)\s+(?=\S)", re.IGNORECASE),
    "within": re.compile(r"(WITHIN)\s+(?=\S)", re.IGNORECASE),
    "pattern": re.compile(r"(PATTERN)\s*(?=\()", re.IGNORECASE),
    "measures": re.compile(rf"(MEASURES)\s+{_BEGINS}", re.IGNORECASE),
    "define": re.compile(rf"(DEFINE)\s+{_BEGINS}", re.IGNORECASE),
    "subset": re.compile(rf"(SUBSET)\s+{_BEGINS}", re.IGNORECASE),
}
_NAME = re.compile(r"\s*(`(?:[^`]|``)+`|\w+)\s*")
_AS = re.compile(r"\bAS\b", re.IGNORECASE)
_ROWS = {"ONE": "ONE ROW PER MATCH", "ALL": "ALL ROWS PER MATCH"}


def without_repeats(place: str, value: str, names: Collection[str] = ()) -> None:
    """Refuse a text that repeats words which its argument implies.

    Args:
        place: The argument, or an entry of one, as in `define["DOWN"]`.
        value: Its text.
        names: The variables that DEFINE and SUBSET name.

    Raises:
        ValueError: If it does; the message says what to write.
    """
    argument, _, entry = place.partition("[")
    is_named = entry.startswith('"')
    found = _repeated(argument, value.strip(), {name.upper() for name in names}, is_named=is_named)
    if found is not None:
        words, rest = found
        message = (
            f"{place} repeats {words}, which the clause already has: write "
            f"{place}={json.dumps(rest, ensure_ascii=False)}"
        )
        raise ValueError(message)


def _repeated(
    argument: str, value: str, names: Collection[str], *, is_named: bool
) -> tuple[str, str] | None:
    """Return the words that are too much and the text without them."""
    named = {"measures": _with_name, "define": _with_name, "subset": _with_equals}.get(argument)
    if is_named and named is not None and (found_name := named(argument, value)) is not None:
        return found_name
    implied = _IMPLIED.get(argument)
    found = implied.match(value) if implied else None
    if found is None or (argument == "pattern" and "PATTERN" in names):
        return None
    rest = value[found.end() :].strip()
    return " ".join(found[1].upper().split()), _bare(rest) if argument == "pattern" else rest


def _with_name(argument: str, value: str) -> tuple[str, str] | None:
    """Find the name that is the key of the entry, before or after AS."""
    names = [found for found in _AS.finditer(value) if outside(value, found.start())]
    if len(names) != 1:
        return None
    before, after = value[: names[0].start()].strip(), value[names[0].end() :].strip()
    before = _IMPLIED[argument].sub("", before, count=1)
    if argument == "define" and _NAME.fullmatch(before):
        return f"{before} AS", after
    return (f"AS {after}", before) if _NAME.fullmatch(after) else None


def _with_equals(argument: str, value: str) -> tuple[str, str] | None:
    """Find the name of a SUBSET, or its parentheses."""
    inner = _IMPLIED[argument].sub("", value, count=1)
    name, equals, rest = inner.partition("=")
    if equals and _NAME.fullmatch(name):
        return f"{name.strip()} =", _bare(rest.strip())
    return ("the parentheses", _bare(value)) if _bare(value) != value else None


def _bare(value: str) -> str:
    """Return a text without the parentheses around all of it."""
    closing = [at for at in range(1, len(value)) if value[at] == ")" and outside(value, at + 1)]
    whole = value.startswith("(") and closing == [len(value) - 1]
    return value[1:-1].strip() if whole else value


def rows_per_match(value: str) -> None:
    """Refuse an incomplete ONE ROW or ALL ROWS PER MATCH.

    Raises:
        ValueError: If the words PER MATCH are missing.
    """
    if re.search(r"\bPER\s+MATCH\b", value, re.IGNORECASE):
        return
    meant = _ROWS.get(value.strip().upper().partition(" ")[0])
    written = [meant] if meant else list(_ROWS.values())
    message = (
        f"rows_per_match has all words of its part: write rows_per_match="
        f"{' or '.join(json.dumps(words) for words in written)}"
    )
    raise ValueError(message)


def subset(place: str, value: str) -> None:
    """Refuse names of variables without commas between them.

    Raises:
        ValueError: If there are several.
    """
    names = [found[1] for found in _NAME.finditer(value)]
    if len(names) > 1 and not _NAME.sub("", value).strip():
        written = ", ".join(json.dumps(unquoted(name), ensure_ascii=False) for name in names)
        message = f"{place} lists variables with commas between them: write {place}=[{written}]"
        raise ValueError(message)
