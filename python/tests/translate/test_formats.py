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
        "Day",
        "Q",
        "J",
        "WW",
        "fmDD",
        'YYYY"T"MM',
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
