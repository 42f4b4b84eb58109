"""How the functions of a system are written in Spark: the forms of the tables of each system.

A table has the names of functions in capitals and, for each, one of:

- a text such as `"LOCATE({1}, {0})"`, or several for other numbers of arguments; `SAME` is the name
  itself
- a `Rule`, whose text may have a note, or the kind of the value
- a `Refused`, with what to write instead
- a function of the arguments, which returns a node, or None for a call that it does not know

A call that a table does not know is sqlglot's to write, with a note if that may differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from spark_match_recognize._translate.nodes import Written

SAME = "="
_PLACE = re.compile(r"\{(\d)")


class Refused(Exception):  # noqa: N818 - a word of the tables
    """A function that has no counterpart; the message says what to write instead."""


@dataclass(frozen=True)
class Rule:
    """How a function is written.

    Attributes:
        texts: Its text in Spark, for each number of arguments that it knows.
        note: What may still differ.
        kind: The kind of its value, `integer` or `time`, if that is known.
    """

    texts: tuple[str, ...] = (SAME,)
    note: str = ""
    kind: str = ""


Entry = str | tuple[str, ...] | Rule | Refused | Callable[[list[Any]], Any]
Table = Mapping[str, Entry]


def has(arguments: list[Any], count: int) -> bool:
    """Tell whether a call has so many arguments."""
    return len(arguments) == count


def written(text: str, *arguments: Any, note: str = "", kind: str = "") -> Written:
    """Return what Spark computes for a call."""
    return Written(this=text, expressions=list(arguments), note=note, kind=kind)


def same(*names: str, kind: str = "", note: str = "") -> dict[str, Entry]:
    """Return the entries of functions that are called the same in Spark."""
    return dict.fromkeys(names, Rule(kind=kind, note=note))


def readers(table: Table, own: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return what sqlglot's parser calls for the functions of a table.

    Args:
        table: The table of a system.
        own: What sqlglot's dialect calls.
    """
    return {name: _reader(name, entry, own.get(name)) for name, entry in table.items()}


def _reader(name: str, entry: Entry, own: Any) -> Callable[..., Any]:
    def read(arguments: list[Any], dialect: Any) -> Any:
        found = _built(name, entry, arguments)
        if found is not None:
            return found
        if own is None:
            return exp.Anonymous(this=name, expressions=arguments)
        try:
            return own(arguments)
        except TypeError:
            return own(arguments, dialect=dialect)

    return read


def _built(name: str, entry: Entry, arguments: list[Any]) -> Any:
    if isinstance(entry, Refused):
        msg = f"{name} has no counterpart in Spark: {entry}"
        raise Refused(msg)
    if callable(entry):
        return entry(arguments)
    rule = entry if isinstance(entry, Rule) else Rule((entry,) if isinstance(entry, str) else entry)
    for text in rule.texts:
        if text == SAME:
            places = ", ".join(f"{{{place}}}" for place in range(len(arguments)))
            return written(f"{name}({places})", *arguments, note=rule.note, kind=rule.kind)
        if len(set(_PLACE.findall(text))) == len(arguments):
            return written(text, *arguments, note=rule.note, kind=rule.kind)
    return None
