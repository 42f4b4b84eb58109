"""Formats of dates and times of other systems, as Spark's formats."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import exp

from spark_match_recognize._translate.nodes import Written, is_text
from spark_match_recognize._translate.rules import has, written

# FF without digits has as many as the column: it is not here
_PARTS = {
    "YYYY": "yyyy",
    "YY": "yy",
    "MM": "MM",
    "MON": "MMM",
    "DD": "dd",
    "DY": "EEE",
    "HH24": "HH",
    "HH12": "hh",
    "HH": "hh",
    "MI": "mm",
    "SS": "ss",
    "AM": "a",
    "PM": "a",
    "FF3": "SSS",
    "FF6": "SSSSSS",
}
_READ = {**_PARTS, "FF": "S" * 9, "FF9": "S" * 9, "RR": "yy", "RRRR": "yyyy"}
_TIMES = "Hhmsa"
_NAMES = ("MMM", "EEE", "a")
_WHOLE = {
    "DAY": "RPAD({}, 9)",
    "MONTH": "RPAD({}, 9)",
    "FMDAY": "{}",
    "FMMONTH": "{}",
}
_LONG = {"DAY": "EEEE", "MONTH": "MMMM"}
_CASES: dict[str, tuple[Callable[[str], str], str]] = {
    "upper": (str.upper, "UPPER({})"),
    "lower": (str.lower, "LOWER({})"),
    "title": (str.capitalize, "{}"),
}
# Those of MySQL, which Trino has.
_PERCENT = {
    "%Y": "yyyy",
    "%y": "yy",
    "%m": "MM",
    "%c": "M",
    "%d": "dd",
    "%e": "d",
    "%j": "DDD",
    "%H": "HH",
    "%k": "H",
    "%h": "hh",
    "%I": "hh",
    "%l": "h",
    "%i": "mm",
    "%s": "ss",
    "%S": "ss",
    "%f": "SSSSSS",
    "%p": "a",
    "%T": "HH:mm:ss",
    "%M": "MMMM",
    "%b": "MMM",
    "%W": "EEEE",
    "%a": "EEE",
}
_OF_JAVA = re.compile(r"(?:y{4}|yy|MM?|dd?|HH?|mm?|ss?|S{1,6}|[-/,.;: ]|'[^']*')*")
ZONES = "of a TIMESTAMP WITH TIME ZONE it shows date and time in the time zone of the session."
_CENTURY = "a year of two digits from 50 on is one of 19.. there, and of 20.. here."


def format_text(titles: bool = False) -> Callable[[list[Any]], Any]:  # noqa: FBT001, FBT002
    """Return how TO_CHAR(time, format) is written.

    Args:
        titles: Whether a name such as Jan is always written so, as in Snowflake.
    """

    def write(arguments: list[Any]) -> Any:
        time, given = arguments if has(arguments, 2) else (None, exp.Null())
        if not is_text(given):
            return None
        text = _whole(given.name) if not titles else None
        if not text:
            parts = _split(given.name, _PARTS)
            case = _case(parts, titles) if parts else None
            if not case:
                return None
            text = case.format("DATE_FORMAT({0}, " + _quoted(_joined(parts or [])) + ")")
        return written(text, time, note=ZONES)

    return write


def _whole(given: str) -> str | None:
    """Return how the name of a day or a month alone is written, filled up with blanks."""
    name = given.upper().removeprefix("FM")
    if given.upper() not in _WHOLE:
        return None
    letters = given[-len(name) :]
    for change, text in _CASES.values():
        if change(name) == letters:
            full = text.format("DATE_FORMAT({0}, '" + _LONG[name] + "')")
            return _WHOLE[given.upper()].format(full)
    return None


def read_date(arguments: list[Any]) -> Any:
    """Return how TO_DATE(text, format) of Oracle is written, whose DATE has a time of day."""
    parts = _parts_to_read(arguments)
    if not parts:
        return None
    timed = any(part[0] in _TIMES for _, part in parts)
    return _read("TO_TIMESTAMP" if timed else "TO_DATE", arguments[0], parts)


def read_as(function: str) -> Callable[[list[Any]], Any]:
    """Return how a text is read as a time in a format, by a function of Spark."""

    def read(arguments: list[Any]) -> Any:
        parts = _parts_to_read(arguments)
        return _read(function, arguments[0], parts) if parts else None

    return read


def _parts_to_read(arguments: list[Any]) -> list[tuple[str, str]] | None:
    known = has(arguments, 2) and is_text(arguments[1])
    return _split(arguments[1].name.removeprefix("FX"), _READ) if known else None


def _read(function: str, text: Any, parts: list[tuple[str, str]]) -> Written:
    separate = not any(
        one[1].isalpha() and other[1].isalpha() for one, other in itertools.pairwise(parts)
    )
    # leading zeros may be missing if something else tells where a number ends
    lenient = {"MM": "M", "dd": "d", "HH": "H", "hh": "h", "mm": "m", "ss": "s"} if separate else {}
    found = _joined([(given, lenient.get(part, part)) for given, part in parts])
    short = "RR" in (given.upper() for given, _ in parts)
    note = _CENTURY if short and not (is_text(text) and _is_of_this_century(text.name)) else ""
    return written(f"{function}({{0}}, {_quoted(found)})", text, note=note, kind="time")


def _is_of_this_century(text: str) -> bool:
    return not re.search(r"(?:^|\D)[5-9]\d(?:\D|$)", text)


def percent(function: str) -> Callable[[list[Any]], Any]:
    """Return how a format of MySQL is written, for a function of Spark."""

    def write(arguments: list[Any]) -> Any:
        if not has(arguments, 2) or not is_text(arguments[1]):
            return None
        pieces = re.findall(r"%.|[^%A-Za-z]+|[A-Za-z]+", arguments[1].name)
        if any(piece[0] == "%" and piece not in _PERCENT for piece in pieces):
            return None
        parts = [
            (piece, _PERCENT.get(piece, f"'{piece}'" if piece.isalpha() else piece))
            for piece in pieces
        ]
        kind = "" if function == "DATE_FORMAT" else "time"
        text = f"{function}({{0}}, {_quoted(_joined(parts))})"
        return written(text, arguments[0], kind=kind)

    return write


def of_java(name: str, kind: str = "") -> Callable[[list[Any]], Any]:
    """Return how a call with a format of Java is written: the same, if Spark has its letters."""

    def write(arguments: list[Any]) -> Any:
        given = arguments[-1]
        if has(arguments, 2) and is_text(given) and _OF_JAVA.fullmatch(given.name):
            return written(f"{name}({{0}}, {{1}})", *arguments, kind=kind)
        return None

    return write


def _split(given: str, known: Mapping[str, str]) -> list[tuple[str, str]] | None:
    """Return the elements of a format, given and written, or None if one is not known."""
    names = "|".join(sorted(known, key=len, reverse=True))
    # the longer first: YYYY is not two times YY
    found = list(re.finditer(rf'({names})|"([^"]*)"|[-/,.;: ]', given, re.IGNORECASE))
    if "".join(part[0] for part in found) != given or not any(part[1] for part in found):
        return None
    parts = [
        (part[0], known[part[1].upper()] if part[1] else f"'{part[2]}'" if part[2] else part[0])
        for part in found
    ]
    # two elements of the same letter would be one of Spark's
    alike = any(
        one[-1] == other[0] and one.isalpha() for (_, one), (_, other) in itertools.pairwise(parts)
    )
    return None if alike else parts


def _case(parts: list[tuple[str, str]], titles: bool) -> str | None:  # noqa: FBT001
    """Return a text around the call that gives names the letters of the format."""
    names = {given for given, part in parts if part in _NAMES and part != "a"}
    quoted = any(part.startswith("'") for _, part in parts)
    if any(part == "a" and given != given.upper() for given, part in parts):
        return None
    if not names or titles:
        return "{}"
    for change, text in _CASES.values():
        if all(change(name) == name for name in names):
            return None if quoted and text != "{}" else text
    return None


def _joined(parts: list[tuple[str, str]]) -> str:
    return "".join(part for _, part in parts)


def _quoted(text: str) -> str:
    return exp.Literal.string(text).sql("spark").replace("{", "{{").replace("}", "}}")
