"""Axes of pictures on pages: places and labels of numbers and times."""

from __future__ import annotations

import datetime as dt
import math
from typing import NamedTuple

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
# steps of an axis of times in microseconds, below those of months
_STEPS = [
    *(step * 10**power for power in range(6) for step in (1, 2, 5)),
    *(n * _SECOND for n in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200)),
    *(n * 3_600 * _SECOND for n in (3, 6, 12)),
    *(n * _DAY for n in (1, 2, 7, 14)),
]
_MONTHS = (1, 2, 3, 6, *(12 * n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000)))
_LONG, _SHORT = 1e15, -9  # from where on, and a power of ten below which, digits are counted
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - wall clock of the session
# where Python's calendar ends
_FIRST, _LAST = -62_135_596_800 * _SECOND, 253_402_300_799 * _SECOND


class Scale(NamedTuple):
    """Places from `start` to `end` in a picture for values from `low` to `high`.

    Attributes:
        kind: `time` for microseconds since 1970, by the clock of the session, `row` for numbers of
            rows, else `number`.
    """

    low: float
    high: float
    start: float
    end: float
    kind: str = "number"

    def place(self, value: float) -> float:
        """Return where a value is."""
        # halves: the difference of two doubles may be infinity
        low, high = self.low / 2, self.high / 2
        if low == high:
            return (self.start + self.end) / 2
        return self.start + (value / 2 - low) / (high - low) * (self.end - self.start)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Return values with their labels, about `most` of them."""
        if not self.high / 2 > self.low / 2:
            return [(self.low, label(self.low, self.kind))]
        if self.kind == "time":
            return self._times(most)
        step = _step((self.high / 2 - self.low / 2) / most * 2)
        if self.kind == "row":
            step = max(1.0, step)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        places = [n * step + 0.0 for n in range(first, last + 1)]
        greatest, least = max(map(abs, places)), math.floor(math.log10(step) + 1e-9)
        form = f",.{max(0, -least)}f"
        if greatest >= _LONG or least < _SHORT:  # as many digits as tell two labels apart
            form = f".{math.floor(math.log10(greatest)) - least + 1}g"
        return [(place, format(place, form)) for place in places]

    def _times(self, most: int) -> list[tuple[float, str]]:
        low, high = max(self.low, _FIRST), min(self.high, _LAST)
        step = next((step for step in _STEPS if (high - low) / step <= most), None)
        if step is not None:
            first = math.ceil(low / step) * step
            places = [float(at) for at in range(int(first), int(high) + 1, step)]
        else:
            count = (high - low) / (30.44 * _DAY)
            months = next((n for n in _MONTHS if count / n <= most), _MONTHS[-1])
            start, end = (_moment(at) for at in (low, high))
            numbers = range(start.year * 12 + start.month - 1, end.year * 12 + end.month)
            wholes = [n for n in numbers if n % months == 0]
            dates = [dt.datetime(n // 12, n % 12 + 1, 1) for n in wholes]  # noqa: DTZ001
            places = [(date - _EPOCH) / dt.timedelta(microseconds=1) for date in dates]
            places = [at for at in places if at >= low]
        return [(at, text) for at, text in zip(places, _short(places), strict=True)]


def label(value: float, kind: str) -> str:
    """Return a value as text: `2026-01-05 14:30`, `row 7`, `12.5`."""
    if kind == "time":
        if not _FIRST <= value <= _LAST:
            return f"{value / _SECOND:.0f} s"
        moment = _moment(value)
        if moment == moment.replace(hour=0, minute=0, second=0, microsecond=0):
            return moment.date().isoformat()
        return moment.isoformat(" ", "auto" if moment.second or moment.microsecond else "minutes")
    if kind == "row":
        return f"row {value:,.0f}"
    is_whole = abs(value) < _LONG and value == round(value)
    return f"{value:,.0f}" if is_whole else f"{value:,.6g}"


def _moment(value: float) -> dt.datetime:
    return _EPOCH + dt.timedelta(microseconds=round(value))


def _short(places: list[float]) -> list[str]:
    """Label times without what all of them share at the end."""
    moments = [_moment(at) for at in places]
    if all(m.hour == m.minute == m.second == m.microsecond == 0 for m in moments):
        if all(m.day == 1 for m in moments) and len(moments) > 1:
            form = "%Y" if all(m.month == 1 for m in moments) else "%Y-%m"
            return [m.strftime(form) for m in moments]
        return [m.date().isoformat() for m in moments]
    texts = []
    form = "%H:%M" if all(m.second == m.microsecond == 0 for m in moments) else "%H:%M:%S"
    cut = None
    if any(m.microsecond for m in moments):
        form, cut = "%H:%M:%S.%f", None if any(m.microsecond % 1_000 for m in moments) else -3
    before = None
    for m in moments:
        texts.append(
            (f"{m.date().isoformat()} " if m.date() != before else "") + m.strftime(form)[:cut]
        )
        before = m.date()
    return texts


def _step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= least * (1 - 1e-9))
