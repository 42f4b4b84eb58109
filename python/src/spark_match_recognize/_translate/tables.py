"""The functions of each system that are written in another way, or are known to be the same.

What the entries mean is told in `rules`. Aggregates, casts and what has a syntax of its own are
not here: `calls` and `changes` have them. The values are those of tests/translations/functions.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from spark_match_recognize._translate import formats, oracle, times
from spark_match_recognize._translate.nodes import is_text
from spark_match_recognize._translate.rules import Refused, Rule, Table, has, same, written
from spark_match_recognize._translate.systems import (
    FLINK,
    ORACLE,
    SNOWFLAKE,
    TRINO,
    VERTICA,
    System,
)


def _extreme(function: str) -> Any:
    """Return how GREATEST is written where one NULL makes it NULL; Spark's leaves NULLs out."""

    def write(arguments: list[Any]) -> Any:
        asked = [
            f"{{{place}:o}} IS NULL"
            for place, node in enumerate(arguments)
            if not isinstance(node, exp.Literal)
        ]
        places = ", ".join(f"{{{place}}}" for place in range(len(arguments)))
        call = f"{function}({places})"
        text = f"IF({' OR '.join(asked)}, NULL, {call})" if asked else call
        return written(text, *arguments)

    return write


def _replaced(name: str, note: str = "") -> Any:
    """Return how REPLACE of Oracle is written: '' is NULL there, which finds and puts nothing."""

    def write(arguments: list[Any]) -> Any:
        if not has(arguments, 2) and not has(arguments, 3):
            return None
        text, searched, put = [*arguments, exp.Literal.string("")][:3]
        if is_text(searched) and not searched.name:
            return text
        last = "{2}" if is_text(put) else "COALESCE({2}, '')"
        used = arguments
        if is_text(put) and not put.name:
            last, used = "''", [text, searched]
        call = f"{name}({{0}}, {{1}}, {last})"
        if last != "{2}":  # nothing may be left
            call = f"NULLIF({call}, '')"
        if not is_text(searched):
            call = f"IF({{1:o}} IS NULL, {{0}}, {call})"
        return written(call, *used, note=note)

    return write


def _epoch(arguments: list[Any]) -> Any:
    """Return how TO_TIMESTAMP_LTZ(number, digits of a second) is written."""
    digits = arguments[1].name if has(arguments, 2) else ""
    function = {"0": "TIMESTAMP_SECONDS", "3": "TIMESTAMP_MILLIS"}.get(digits)
    return written(f"{function}({{0}})", arguments[0], kind="time") if function else None


_LOCATE = Rule(("LOCATE({1}, {0})",), kind="integer")
_EXTREMES = {name: _extreme(name) for name in ("GREATEST", "LEAST")}
_PARTS = same("HOUR", "MINUTE", "QUARTER", kind="integer")
_ELEMENT = "TRY_ELEMENT_AT({0}, {1})"
_SPLIT = "SPLIT({0}, CONCAT('\\\\Q', {1}, '\\\\E'))"
_MONTHS = Rule(("MONTHS_BETWEEN({0}, {1}, FALSE)",))
_ADD_MONTHS = Rule(
    (
        (
            "IF(CAST({0} AS DATE) = LAST_DAY({0}), LAST_DAY(ADD_MONTHS({0}, {1})), "
            "ADD_MONTHS({0}, {1}))"
        ),
    ),
    note="the time of day is left out.",
)
_JAVA = "regular expressions are those of Java."
_NO_TIME = "the time of day is left out."

_ORACLE: Table = {
    **same("DECODE", "NVL2", "LPAD", "ASCII", "CHR", "REGEXP_COUNT"),
    **_EXTREMES,
    "ADD_MONTHS": _ADD_MONTHS,
    "BITAND": "({0:o} & {1:o})",
    "INSTR": _LOCATE,
    "LAST_DAY": Rule(note=_NO_TIME, kind="time"),
    "LOG": "LOG({0}, {1})",
    "MONTHS_BETWEEN": _MONTHS,
    "NEXT_DAY": Rule(note=_NO_TIME, kind="time"),
    "NUMTODSINTERVAL": lambda given: _interval(given, "INTERVAL '1' {}"),
    "NUMTOYMINTERVAL": lambda given: _interval(given, "INTERVAL '1' {}"),
    "RATIO_TO_REPORT": Refused("write x / SUM(x) OVER (...)"),
    "REGEXP_REPLACE": _replaced("REGEXP_REPLACE", _JAVA),
    "REPLACE": _replaced("REPLACE"),
    "ROUND": oracle.rounded,
    "TO_CHAR": formats.format_text(),
    "TO_DATE": formats.read_date,
    "TO_TIMESTAMP": formats.read_as("TO_TIMESTAMP"),
    "TRUNC": oracle.cut,
}


def _interval(arguments: list[Any], text: str) -> Any:
    unit = times.unit_of(arguments[1]) if has(arguments, 2) else None
    return written(f"({{0:o}} * {text.format(unit)})", arguments[0]) if unit else None


_SNOWFLAKE: Table = {
    **same("DECODE", "NVL2", "LPAD", "RPAD", "CONTAINS", "STARTSWITH", "ENDSWITH", "EQUAL_NULL"),
    **same("CONCAT", "LEFT", "RIGHT", "REPLACE", "REVERSE", "DAYNAME", "MONTHNAME", "COUNT_IF"),
    **same("MAX_BY", "MIN_BY", "MEDIAN"),
    **_EXTREMES,
    **_PARTS,
    **same("SECOND", kind="integer"),
    **same("LAST_DAY", kind="time"),
    "ADD_MONTHS": _ADD_MONTHS,
    "APPROX_COUNT_DISTINCT": Rule(note="an estimate, here and there."),
    "ARRAY_SIZE": Rule(("ARRAY_SIZE({0})",), kind="integer"),
    "BOOLAND_AGG": "BOOL_AND({0})",
    "BOOLOR_AGG": "BOOL_OR({0})",
    "CHARINDEX": Rule(("LOCATE({0}, {1})",), kind="integer"),
    "DATEADD": times.add_rounded,
    "DATEDIFF": times.boundaries(),
    "DATEFROMPARTS": Rule(("MAKE_DATE({0}, {1}, {2})",), kind="time"),
    "DATE_FROM_PARTS": Rule(("MAKE_DATE({0}, {1}, {2})",), kind="time"),
    "DATE_TRUNC": times.begun,
    "DAYOFWEEK": Rule(("(DAYOFWEEK({0}) - 1)",), kind="integer"),
    "FLATTEN": Refused("write LATERAL VIEW EXPLODE(x) or LATERAL EXPLODE(x)"),
    "HASH": Refused("the values differ; XXHASH64(x) is a hash of Spark's own"),
    "MONTHS_BETWEEN": _MONTHS,
    "RATIO_TO_REPORT": Refused("write x / SUM(x) OVER (...)"),
    "TIMEADD": times.add_rounded,
    "TIMEDIFF": times.boundaries(),
    "TIMESTAMPADD": times.add_rounded,
    "TIMESTAMPDIFF": times.boundaries(),
    "TIME_SLICE": times.sliced,
    "TO_CHAR": formats.format_text(titles=True),
    "TO_DATE": formats.read_as("TO_DATE"),
    "TO_TIMESTAMP": formats.read_as("TO_TIMESTAMP"),
    "TO_TIMESTAMP_NTZ": formats.read_as("TO_TIMESTAMP_NTZ"),
    "TO_VARCHAR": formats.format_text(titles=True),
    "TRUNC": oracle.cut_decimals,
}

_TRINO: Table = {
    **same("TRANSFORM", "FILTER", "CONCAT", "LPAD", "RPAD", "REVERSE", "COUNT_IF", "BOOL_AND"),
    **same("BOOL_OR", "EVERY", "ARRAY_DISTINCT", "ARRAY_MAX", "ARRAY_MIN", "REPLACE", "SEQUENCE"),
    **same("MAX_BY", "MIN_BY", "LOG10", "LOG2"),
    **_EXTREMES,
    **_PARTS,
    **same("SECOND", kind="integer"),
    "ALL_MATCH": "FORALL({0}, {1})",
    "ANY_MATCH": "EXISTS({0}, {1})",
    "APPROX_DISTINCT": Rule(("APPROX_COUNT_DISTINCT({0})",), note="an estimate, here and there."),
    "APPROX_PERCENTILE": Rule(
        ("APPROX_PERCENTILE({0}, {1})",), note="an estimate, here and there."
    ),
    "ARRAY_JOIN": ("ARRAY_JOIN({0}, {1})", "ARRAY_JOIN({0}, {1}, {2})"),
    "CARDINALITY": Rule(("CARDINALITY({0})",), kind="integer"),
    "CONTAINS": "ARRAY_CONTAINS({0}, {1})",
    "DATE": Rule(("CAST({0} AS DATE)",), kind="time"),
    "DATE_ADD": times.add,
    "DATE_DIFF": times.whole,
    "DATE_FORMAT": formats.percent("DATE_FORMAT"),
    "DATE_PARSE": formats.percent("TO_TIMESTAMP"),
    "DATE_TRUNC": times.begun,
    "DAY_OF_YEAR": Rule(("DAYOFYEAR({0})",), kind="integer"),
    "DOY": Rule(("DAYOFYEAR({0})",), kind="integer"),
    "ELEMENT_AT": _ELEMENT,
    "FORMAT_DATETIME": formats.of_java("DATE_FORMAT"),
    "FROM_ISO8601_DATE": Rule(("CAST({0} AS DATE)",), kind="time"),
    "FROM_ISO8601_TIMESTAMP": Rule(("CAST({0} AS TIMESTAMP)",), kind="time"),
    "FROM_UNIXTIME": Rule(("TIMESTAMP_SECONDS({0})",), kind="time"),
    "HISTOGRAM": Refused("count in a subquery with GROUP BY"),
    "LAST_DAY_OF_MONTH": Rule(("LAST_DAY({0})",), kind="time"),
    "MAP_AGG": "MAP_FROM_ENTRIES(COLLECT_LIST(STRUCT({0}, {1})))",
    "NONE_MATCH": "(NOT EXISTS({0}, {1}))",
    "REDUCE": "AGGREGATE({0}, {1}, {2}, {3})",
    "SPLIT": _SPLIT,
    "STARTS_WITH": "STARTSWITH({0}, {1})",
    "STRPOS": _LOCATE,
    "TRUNCATE": oracle.cut_decimals,
    "TO_UNIXTIME": "(UNIX_MICROS({0}) / 1e6)",
    "WEEK": Rule(("WEEKOFYEAR({0})",), kind="integer"),
    "WEEK_OF_YEAR": Rule(("WEEKOFYEAR({0})",), kind="integer"),
}

_FLINK: Table = {
    **same("CONCAT", "CONCAT_WS", "LPAD", "RPAD", "REPLACE", "REVERSE", "LEFT", "RIGHT", "REPEAT"),
    **same("LOG10", "LOG2", "MD5", "PI", "E", "ARRAY_CONTAINS", "INITCAP"),
    **_EXTREMES,
    **_PARTS,
    **same("SECOND", "DAYOFWEEK", "DAYOFMONTH", "DAYOFYEAR", kind="integer"),
    "CARDINALITY": Rule(("CARDINALITY({0})",), kind="integer"),
    "COLLECT": Refused("Spark has no multisets; write COLLECT_LIST(x)"),
    "CURRENT_WATERMARK": Refused("a query cannot read the watermark; compare with a column"),
    "CUMULATE": Refused("group by the smallest windows, and sum them with a window function"),
    "DATE_FORMAT": formats.of_java("DATE_FORMAT"),
    "INSTR": _LOCATE,
    "LOCATE": Rule(("LOCATE({0}, {1})",), kind="integer"),
    "PROCTIME": Rule(
        ("CURRENT_TIMESTAMP()",), note="the same for all rows of a batch.", kind="time"
    ),
    "SPLIT_INDEX": f"GET({_SPLIT}, {{2}})",
    "TIMESTAMPADD": times.add,
    "TIMESTAMPDIFF": times.whole,
    "TO_DATE": formats.of_java("TO_DATE", kind="time"),
    "TO_TIMESTAMP": formats.of_java("TO_TIMESTAMP", kind="time"),
    "TO_TIMESTAMP_LTZ": _epoch,
    "TRUNCATE": oracle.cut_decimals,
}

_BEGUN = "the units that begin are counted, as by DATEDIFF of other systems."
_VERTICA: Table = {
    **same("NVL2", "DECODE", "LPAD", "RPAD", "CONCAT", "LEFT", "RIGHT", "REPLACE", "INITCAP"),
    **_EXTREMES,
    **_PARTS,
    "DATEDIFF": times.boundaries(_BEGUN),
    "DATE_TRUNC": times.begun,
    "DAYOFWEEK": Rule(kind="integer"),
    "INSTR": _LOCATE,
    "ISNULL": "COALESCE({0}, {1})",
    "LAST_DAY": Rule(kind="time"),
    "NULLIFZERO": "NULLIF({0}, 0)",
    "STRPOS": _LOCATE,
    "TIMESTAMPADD": times.add,
    "TIMESTAMPDIFF": times.boundaries(_BEGUN),
    "TIME_SLICE": times.sliced,
    "TO_CHAR": formats.format_text(),
    "TO_DATE": formats.read_as("TO_DATE"),
    "TO_TIMESTAMP": formats.read_as("TO_TIMESTAMP"),
    "TRUNC": oracle.cut_decimals,
    "ZEROIFNULL": "COALESCE({0}, 0)",
}

TABLES: dict[System, Table] = {
    FLINK: _FLINK,
    ORACLE: _ORACLE,
    SNOWFLAKE: _SNOWFLAKE,
    TRINO: _TRINO,
    VERTICA: _VERTICA,
}
