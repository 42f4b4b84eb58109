"""Formats of dates and times that Oracle's TO_CHAR writes as Spark's DATE_FORMAT does."""

from __future__ import annotations

import itertools
import re
from typing import Any

from sqlglot import exp

from spark_match_recognize._translate.nodes import Formatted

# FF without digits has as many as the column: it is not here
_PARTS = {
    "YYYY": "yyyy",
    "YY": "yy",
    "MM": "MM",
    "MON": "MMM",
    "DD": "dd",
    "HH24": "HH",
    "MI": "mm",
    "SS": "ss",
    "FF3": "SSS",
    "FF6": "SSSSSS",
}
# the longer first: YYYY is not two times YY
_FORMAT = re.compile(
    "(" + "|".join(sorted(_PARTS, key=len, reverse=True)) + r")|[-/,.;: ]", re.IGNORECASE
)
_CASES = {"MON": exp.Upper, "mon": exp.Lower, "Mon": None}


def write_formats(statement: Any) -> None:
    """Write TO_CHAR with a format that Spark has too; other formats stay, and get a note."""
    for call in list(statement.find_all(exp.ToChar)):
        given = call.args.get("format")
        # a language of its own is one more argument
        others = {name for name, value in call.args.items() if value} - {"this", "format"}
        if isinstance(given, exp.Literal) and given.is_string and not others:
            formatted = _formatted(call.this, given.name)
            if formatted is not None:
                call.replace(formatted)


def _formatted(time: Any, given: str) -> Any:
    """Return the call that writes a time in a format of Oracle, or None if there is none."""
    found = list(_FORMAT.finditer(given))
    if "".join(part[0] for part in found) != given or not any(part[1] for part in found):
        return None
    written = [_PARTS[part[1].upper()] if part[1] else part[0] for part in found]
    # two elements of the same letter would be one of Spark's
    if any(one[-1] == other[0] for one, other in itertools.pairwise(written) if one.isalpha()):
        return None
    pattern = "".join(written)
    call = Formatted(this=time, format=exp.Literal.string(pattern))
    # the name of the month has the letters of the format; all else are digits
    months = {part[1] for part in found if part[1] and part[1].upper() == "MON"}
    if not months:
        return call
    if len(months) > 1 or not months <= set(_CASES):
        return None
    case = _CASES[months.pop()]
    return case(this=call) if case else call
