"""Formats of Oracle's TO_CHAR: as Spark writes them, or with a note."""

from __future__ import annotations

import pytest
from translating import CLAUSE, item, translated


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("DD-MON-YY", "UPPER(DATE_FORMAT(d, 'dd-MMM-yy'))"),
        ("dd-mon-yyyy", "LOWER(DATE_FORMAT(d, 'dd-MMM-yyyy'))"),
        ("DD Mon YYYY", "DATE_FORMAT(d, 'dd MMM yyyy')"),
        ("YYYY-MM-DD", "DATE_FORMAT(d, 'yyyy-MM-dd')"),
        ("YYYY-MM-DD HH24:MI:SS", "DATE_FORMAT(d, 'yyyy-MM-dd HH:mm:ss')"),
        ("HH24:MI:SS.FF3", "DATE_FORMAT(d, 'HH:mm:ss.SSS')"),
        ("YYYYMMDD", "DATE_FORMAT(d, 'yyyyMMdd')"),
        ('YYYY-MM-DD"T"HH24', "DATE_FORMAT(d, 'yyyy-MM-dd\\'T\\'HH')"),
        ("HH:MI AM", "DATE_FORMAT(d, 'hh:mm a')"),
        ("DY", "UPPER(DATE_FORMAT(d, 'EEE'))"),
        ("Day", "RPAD(DATE_FORMAT(d, 'EEEE'), 9)"),
        ("fmmonth", "LOWER(DATE_FORMAT(d, 'MMMM'))"),
    ],
)
def test_formats_that_spark_has(given: str, written: str) -> None:
    assert item(f"TO_CHAR(d, '{given}')", "oracle") == written
    _, notes = translated(CLAUSE.format(f"TO_CHAR(d, '{given}') AS x", "k > 1"), "oracle")
    told = [note for note in notes if "TO_CHAR" in note or "ToChar" in note or "`" in note]
    assert ["WITH TIME ZONE" in note for note in told] == [True]


@pytest.mark.parametrize(
    "given",
    [
        "FF",
        "Day DD",
        "Q",
        "J",
        "WW",
        "fmDD",
        'DD"x"MON',
        "999.99",
        "-",
        "DD-mOn-YY",
        "DDDD",
        "MMMON",
        "SSSS",
    ],
)
def test_other_formats_get_a_note(given: str) -> None:
    got, notes = translated(CLAUSE.format(f"TO_CHAR(d, '{given}') AS x", "k > 1"), "oracle")
    assert "DATE_FORMAT" not in got
    assert [note for note in notes if "'format' is not supported" in note]


def test_another_language_gets_a_note() -> None:
    given = "TO_CHAR(d, 'DD-MON-YY', 'NLS_DATE_LANGUAGE=French')"
    got, notes = translated(CLAUSE.format(f"{given} AS x", "k > 1"), "oracle")
    assert "DATE_FORMAT" not in got
    assert [note for note in notes if "not supported" in note or "not known to be" in note]


@pytest.mark.parametrize(
    ("read", "given", "written"),
    [
        ("oracle", "TO_DATE(s, 'YYYY-MM-DD')", "TO_DATE(s, 'yyyy-M-d')"),
        ("oracle", "TO_DATE(s, 'YYYYMMDD HH24MISS')", "TO_TIMESTAMP(s, 'yyyyMMdd HHmmss')"),
        ("oracle", "TO_DATE('01-JAN-24', 'DD-MON-RR')", "TO_DATE('01-JAN-24', 'd-MMM-yy')"),
        ("oracle", "TO_TIMESTAMP(s, 'HH24:MI:SS.FF')", "TO_TIMESTAMP(s, 'H:m:s.SSSSSSSSS')"),
        ("snowflake", "TO_VARCHAR(d, 'DD-MON-YYYY')", "DATE_FORMAT(d, 'dd-MMM-yyyy')"),
        ("snowflake", "TO_DATE(s, 'DD/MM/YYYY')", "TO_DATE(s, 'd/M/yyyy')"),
        ("trino", "date_format(d, '%Y-%m-%d %H:%i')", "DATE_FORMAT(d, 'yyyy-MM-dd HH:mm')"),
        ("trino", "date_parse(s, '%d.%m.%Y')", "TO_TIMESTAMP(s, 'dd.MM.yyyy')"),
        ("flink", "DATE_FORMAT(d, 'yyyy/MM')", "DATE_FORMAT(d, 'yyyy/MM')"),
        ("vertica", "TO_CHAR(d, 'YYYY-MM')", "DATE_FORMAT(d, 'yyyy-MM')"),
    ],
)
def test_formats_of_others(read: str, given: str, written: str) -> None:
    assert item(given, read) == written
    notes = translated(f"SELECT {given} FROM t", read)[1]
    assert not [note for note in notes if "WITH TIME ZONE" not in note]


def test_years_of_two_digits() -> None:
    for text, told in (("'01-JAN-24'", False), ("'01-JAN-87'", True), ("s", True)):
        notes = translated(f"SELECT TO_DATE({text}, 'DD-MON-RR') FROM t", "oracle")[1]
        assert bool([note for note in notes if "two digits" in note]) == told
