"""The condition that chooses a partition; the end-to-end tests in tests/ run some of them."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import math
import time
from types import SimpleNamespace
from typing import Any

import pytest

from spark_match_recognize._partition import condition_of

DAY = dt.datetime(2024, 2, 29, 1, 2, 3, 456000)  # noqa: DTZ001 - of the session


class Level(int, enum.Enum):
    """A number whose text is its name."""

    HIGH = 3


class Name(str, enum.Enum):
    """As above."""

    A = "a"


class Share(float, enum.Enum):
    """As above."""

    HALF = 0.5


@pytest.mark.parametrize(
    ("partition", "condition"),
    [
        (None, None),
        ({}, None),
        ("k > 1", "k > 1"),
        ({"a b": None, "c": True}, "`a b` <=> NULL AND c <=> TRUE"),
        ({"k": -7}, "k <=> -7"),
        ({"k": 0.1}, "IF(typeof(k) = 'float', k <=> FLOAT('0.1'), k <=> DOUBLE('0.1'))"),
        ({"k": math.nan}, "IF(typeof(k) = 'float', k <=> FLOAT('nan'), k <=> DOUBLE('nan'))"),
        ({"k": decimal.Decimal("-1E+2")}, "k <=> -100BD"),
        ({"k": "it's"}, "k <=> decode(X'69742773', 'UTF-8')"),
        ({"k": "\\é"}, "k <=> decode(X'5cc3a9', 'UTF-8')"),
        ({"k": "${env:HOME}"}, "k <=> decode(X'247b656e763a484f4d457d', 'UTF-8')"),
        ({"k": 'é "x"'}, "k <=> decode(X'c3a920227822', 'UTF-8')"),
        ({"k": "{x}\n`\0"}, "k <=> decode(X'7b787d0a6000', 'UTF-8')"),
        ({"k": "Ab 9_.:-"}, "k <=> 'Ab 9_.:-'"),
        ({"k": Level.HIGH}, "k <=> 3"),
        ({"k": Name.A}, "k <=> 'a'"),
        ({"k": Share.HALF}, "IF(typeof(k) = 'float', k <=> FLOAT('0.5'), k <=> DOUBLE('0.5'))"),
        ({"k": b"\x01\xff"}, "k <=> X'01ff'"),
        ({"k": DAY}, "k <=> TIMESTAMP '2024-02-29 01:02:03.456000'"),
        ({"k": DAY.date()}, "k <=> DATE '2024-02-29'"),
    ],
)
def test_condition(partition: Any, condition: str | None) -> None:
    assert condition_of(partition) == condition


def numpy_values() -> list[tuple[Any, Any]]:
    numpy = pytest.importorskip("numpy")
    return [
        (numpy.float64(1.5), 1.5),
        (numpy.float32(0.25), 0.25),
        (numpy.float64("nan"), float("nan")),
        (numpy.int64(-7), -7),
        (numpy.uint8(7), 7),
        (numpy.bool_(True), True),  # noqa: FBT003 - numpy's
        (numpy.str_("x"), "x"),
        (numpy.bytes_(b"x"), b"x"),
        (numpy.array(3), 3),
        (numpy.datetime64("2024-02-29"), DAY.date()),
        (numpy.datetime64("2024-02-29T01:02:03.456"), DAY),
        (numpy.datetime64("2024-02-29T01:02:03.456000000"), DAY),
        (numpy.datetime64("2024-02-29T01", "h"), DAY.replace(minute=0, second=0, microsecond=0)),
        (numpy.datetime64("NaT"), None),
    ]


def test_values_of_numpy() -> None:
    for value, plain in numpy_values():
        assert condition_of({"k": value}) == condition_of({"k": plain}), repr(value)


def test_values_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    utc = DAY.replace(tzinfo=dt.timezone.utc)
    for value, plain in [
        (pandas.Timestamp(DAY), DAY),
        (pandas.Timestamp(utc), utc),
        (pandas.NaT, None),
        (pandas.NA, None),
    ]:
        assert condition_of({"k": value}) == condition_of({"k": plain}), repr(value)
    with pytest.raises(ValueError, match="Spark's timestamps have microseconds"):
        condition_of({"k": pandas.Timestamp("2024-02-29 01:02:03.000000001")})
    with pytest.raises(TypeError, match=r"partition must be a dict .* not a value of type Series"):
        condition_of(pandas.Series({"k": 1}))


def test_times_that_spark_does_not_have() -> None:
    numpy = pytest.importorskip("numpy")
    with pytest.raises(ValueError, match="Spark's timestamps have microseconds"):
        condition_of({"k": numpy.datetime64("2024-02-29T01:02:03.000000001")})
    with pytest.raises(TypeError, match="a value of type timedelta64 cannot choose a partition"):
        condition_of({"k": numpy.timedelta64(1, "ns")})


def test_row() -> None:
    row = pytest.importorskip("pyspark.sql").Row(symbol="A", day=None)
    assert condition_of(row) == "symbol <=> 'A' AND day <=> NULL"


def test_times_of_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """A time without a time zone may be of TIMESTAMP, in that of the process, or TIMESTAMP_NTZ."""
    kind = pytest.importorskip("pyspark.sql").Row
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        for fold, moment in (0, "00:30:00+00:00"), (1, "01:30:00+00:00"):
            found = dt.datetime(2024, 10, 27, 2, 30, fold=fold)  # noqa: DTZ001 - as collected
            assert condition_of(kind(k=found)) == (
                f"IF(typeof(k) = 'timestamp', k <=> TIMESTAMP_LTZ '2024-10-27 {moment}', "
                "k <=> TIMESTAMP_NTZ '2024-10-27 02:30:00')"
            )
        known = DAY.replace(tzinfo=dt.timezone.utc)
        assert condition_of(kind(k=known)) == condition_of({"k": known})
        with pytest.raises(ValueError, match="a partition: Python has no such time in UTC"):
            condition_of(kind(k=dt.datetime.min))  # noqa: DTZ901 - as above
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("partition", "kind", "message"),
    [
        (["k"], TypeError, "partition must be a dict .* or SQL text, not a value of type list"),
        (("A", 1), TypeError, "not a value of type tuple"),
        ({1: 2}, TypeError, "not a value of type dict"),
        (SimpleNamespace(sql=None), TypeError, "; pass a session as spark=spark"),
        ({"k": [1]}, TypeError, "a value of type list cannot choose a partition; write the cond"),
        ({"k": dt.timedelta(1)}, TypeError, "a value of type timedelta cannot choose"),
        ({"k": decimal.Decimal("NaN")}, ValueError, "NaN cannot choose a partition: Spark's dec"),
    ],
)
def test_refused(partition: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        condition_of(partition)
