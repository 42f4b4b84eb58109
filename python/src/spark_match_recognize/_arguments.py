"""Checks of what the public functions are given: its kind, and words that an argument implies."""

from __future__ import annotations

import json
import operator
import os
import re
from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from spark_match_recognize._columns import column_sql
from spark_match_recognize._text import outside

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
_PICTURES = {".bmp", ".eps", ".gif", ".jpeg", ".jpg", ".pdf", ".png", ".ps", ".tif", ".webp"}


def kind(value: object) -> str:
    """Say what a value of a wrong kind is, as the end of a sentence."""
    if value is None:
        return "None"
    return repr(value) if is_column(value) else f"a value of type {type(value).__name__}"


def is_column(value: object) -> bool:
    """Tell whether a value is a column of pyspark, classic or Connect."""
    return type(value).__name__ == "Column" and type(value).__module__.startswith("pyspark.")


def sql(name: str, value: object) -> str:
    """Return an argument that is SQL text.

    Raises:
        TypeError: If it is not a string.
    """
    if isinstance(value, str):
        return value
    more = '. Write the column as SQL, as in "ts DESC"' if is_column(value) else ""
    message = f"{name} must be a string of SQL, as in selectExpr, not {kind(value)}{more}"
    raise TypeError(message)


def keys(name: str, value: object) -> object:
    """Return PARTITION BY or ORDER BY, one item or a list, columns of pyspark as SQL.

    Raises:
        TypeError: If a column is computed, or items have no order.
    """
    items = several(name, value)
    if items is None:
        return _key(name, value)
    return [_key(f"{name}[{at}]", item) for at, item in enumerate(items)]


def _key(name: str, value: object) -> object:
    if not is_column(value):
        return value
    written = column_sql(value)
    if written is None:
        message = (
            f"{name} takes columns by their names, with desc() and the like, not {kind(value)}. "
            'Write the expression as SQL, as in "year(ts)"'
        )
        raise TypeError(message)
    return written


def limit(value: object) -> object:
    """Return what WITHIN takes, a timedelta as SQL.

    Raises:
        ValueError: If it is negative.
    """
    if not isinstance(value, timedelta):
        return value
    if value < timedelta(0):
        message = f"within must not be negative, as {value!r} is"
        raise ValueError(message)
    minutes, seconds = divmod(value.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    time = f"{hours:02}:{minutes:02}:{seconds:02}.{value.microseconds:06}"
    return f"INTERVAL '{value.days} {time}' DAY TO SECOND"


def several(name: str, value: object) -> list[object] | None:
    """Return the items of an argument that may be a list of texts, or None for a single one.

    The variables of a SUBSET need no order, so they may be a set; its text is the same each time.

    Raises:
        TypeError: If it has items without an order.
    """
    if isinstance(value, set | frozenset) and name.startswith("subset["):
        return sorted(value, key=str)
    if isinstance(value, Mapping | set | frozenset):
        message = f"{name} must be a string of SQL or a list of them, not {kind(value)}"
        raise TypeError(message)
    if isinstance(value, str) or is_column(value) or not isinstance(value, Iterable):
        return None
    return list(value)


def text(name: str, value: object) -> str:
    """Return an argument that is a string but not SQL of the clause.

    Raises:
        TypeError: If it is not a string.
    """
    if isinstance(value, str):
        return value
    message = f"{name} must be a string, not {kind(value)}"
    raise TypeError(message)


def frame(name: str, value: Any, what: str = "a DataFrame of Spark") -> Any:  # noqa: ANN401 - as above
    """Return an argument that is a DataFrame of Spark, classic or Connect.

    Raises:
        TypeError: If it is something else.
    """
    if hasattr(value, "sparkSession") or hasattr(value, "selectExpr"):
        return value
    cure = "spark.sql(...) or spark.table(...) returns one"
    if type(value).__module__.partition(".")[0] in ("pandas", "polars", "pyarrow"):
        cure = "spark.createDataFrame(...) makes one of it"
    message = f"{name} must be {what}, not {kind(value)}: {cure}"
    raise TypeError(message)


def query(value: Any) -> Any:  # noqa: ANN401 - as above
    """Return an argument that is a statement or a DataFrame of Spark.

    Raises:
        TypeError: If it is something else.
    """
    if isinstance(value, str):
        return value
    return frame("query", value, "a statement or a DataFrame of Spark")


def session(value: Any) -> Any:  # noqa: ANN401 - a session, classic or Connect
    """Return an argument that is a session, or None.

    Raises:
        TypeError: If it is something else.
    """
    if value is None or hasattr(value, "sql"):
        return value
    message = f"spark must be a session of Spark, not {kind(value)}"
    raise TypeError(message)


def target(path: str | os.PathLike[str], suffix: str) -> Path:
    """Return the path of a file to write.

    Raises:
        ValueError: If its name promises another format.
    """
    found = Path(path)
    if found.suffix.lower() not in _PICTURES:
        return found
    message = (
        f"save writes {suffix[1:].upper()}, and {found.name} ends in {found.suffix}: call the file "
        f"{found.stem}{suffix}. A browser can print it as another format."
    )
    raise ValueError(message)


def without_repeats(place: str, value: str, names: Collection[str] = ()) -> None:
    """Refuse a text that repeats words which its argument implies.

    Args:
        place: The argument, or an entry of one, as in `define["DOWN"]`.
        value: Its text.
        names: The variables that DEFINE and SUBSET name.

    Raises:
        ValueError: If it does; the message says what to write.
    """
    argument, _, _ = place.partition("[")
    found = _repeated(argument, value.strip(), {name.upper() for name in names})
    if found is not None:
        words, rest = found
        message = (
            f"{place} repeats {words}, which the clause already has: write "
            f"{place}={json.dumps(rest, ensure_ascii=False)}"
        )
        raise ValueError(message)


def _repeated(argument: str, value: str, names: Collection[str]) -> tuple[str, str] | None:
    """Return the words that are too much and the text without them."""
    named = {"measures": _with_name, "define": _with_name, "subset": _with_equals}.get(argument)
    if named is not None and (found_name := named(argument, value)) is not None:
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
        written = ", ".join(json.dumps(_unquoted(name), ensure_ascii=False) for name in names)
        message = f"{place} lists variables with commas between them: write {place}=[{written}]"
        raise ValueError(message)


def _unquoted(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def count(name: str, value: Any) -> int:  # noqa: ANN401 - an integer of any library
    """Return an argument that is a number of rows.

    Raises:
        TypeError: If it is not an integer.
    """
    try:
        return operator.index(value)
    except TypeError:
        message = f"{name} must be an integer, not {kind(value)}"
        raise TypeError(message) from None


def flag(name: str, value: object) -> bool:
    """Return an argument that is True or False.

    Raises:
        TypeError: If it is something else.
    """
    if isinstance(value, bool):
        return value
    message = f"{name} must be True or False, not {kind(value)}"
    raise TypeError(message)


def column(name: str, value: object) -> None:
    """Check an argument that is the name of a column.

    Raises:
        TypeError: If it is not a string.
    """
    if not isinstance(value, str):
        message = f"{name} must be the name of a column, not {kind(value)}"
        raise TypeError(message)
