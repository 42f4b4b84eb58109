"""A partition as a picture: its values in order, and the variables of its matches as colours."""

from __future__ import annotations

import sys
from html import escape

from spark_match_recognize._matches import Run, Series
from spark_match_recognize._scale import Scale, label

WIDTH, HEIGHT = 1000, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 990, 10, 262
_MOST_RUNS = 1_500
_LEAST = 2.5  # the width of the span of a single row
_GREATEST = sys.float_info.max
_DOTS = 300  # rows; with more of them a dot would hide its neighbours


def chart(series: Series, kind: str, colours: dict[str, int], *, is_descending: bool) -> str:
    """Draw a partition as an SVG element.

    Args:
        series: What is drawn.
        kind: The kind of the axis, as in `Scale`.
        colours: The class of each variable.
        is_descending: Whether the greatest place is at the left, as it comes first.
    """
    ends = (_RIGHT, _LEFT) if is_descending else (_LEFT, _RIGHT)
    across = Scale(*series.x, *ends, kind)
    if has_spans(series):
        spans = _spans(series, across, colours, is_descending=is_descending)
    else:
        spans = _shares(series, colours, ends)
    name = f"{series.title}: " if series.title else ""
    told = f"{name}{matches(series)} in {series.rows:,} rows"
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(told)}">'
        f"{_axes(series, across)}{spans}{_line(series, across, colours)}</svg>"
    )


def matches(series: Series) -> str:
    """Return how many matches there are, in words."""
    return "1 match" if series.matches == 1 else f"{series.matches:,} matches"


def has_spans(series: Series) -> bool:
    """Tell whether each match is drawn; else each place shows the shares of variables."""
    return series.is_complete and len(series.runs) <= _MOST_RUNS


def _upward(series: Series) -> Scale | None:
    if series.y is None:
        return None
    low, high = series.y
    margin = high * 0.05 - low * 0.05 or abs(high) * 0.05 or 1.0
    # beyond the greatest double is infinity
    low, high = max(low - margin, -_GREATEST), min(high + margin, _GREATEST)
    return Scale(low, high, _BOTTOM, _TOP)


def _axes(series: Series, across: Scale) -> str:
    parts = []
    upward = _upward(series)
    for value, text in upward.ticks(5) if upward else []:
        y = upward.place(value) if upward else 0
        parts.append(
            f'<path class="grid" d="M{_LEFT} {y:.1f}H{_RIGHT}"/>'
            f'<text class="end" x="{_LEFT - 8}" y="{y + 4:.1f}">{text}</text>'
        )
    parts.append(f'<path class="axis" d="M{_LEFT} {_BOTTOM}H{_RIGHT}"/>')
    for value, text in across.ticks(7):
        x = across.place(value)
        side = "end" if x > _RIGHT - 40 else "start" if x < _LEFT + 20 else "middle"
        parts.append(
            f'<path class="axis" d="M{x:.1f} {_BOTTOM}v5"/>'
            f'<text class="{side}" x="{x:.1f}" y="{_BOTTOM + 20}">{escape(text)}</text>'
        )
    return "".join(parts)


def _line(series: Series, across: Scale, colours: dict[str, int]) -> str:
    upward = _upward(series)
    if upward is None:
        return ""
    points = [point for each in series.bins for point in each.points]
    places = [f"{across.place(x):.1f} {upward.place(y):.1f}" for x, y in points]
    parts = [f'<path class="line" d="M{"L".join(dict.fromkeys(places))}"/>'] if places else []
    if series.rows <= _DOTS:
        parts += [
            f'<circle class="c{colours[name]}" cx="{across.place(x):.1f}" '
            f'cy="{upward.place(y):.1f}" r="3.5"/>'
            for each in series.bins
            for name, marked in each.marked.items()
            for x, y in marked
        ]
    return "".join(parts)


def _spans(series: Series, across: Scale, colours: dict[str, int], *, is_descending: bool) -> str:
    """Draw the runs of each match; two that meet share the way between their rows."""
    parts = []
    for place, run in enumerate(series.runs):
        before = series.runs[place - 1] if place else None
        after = series.runs[place + 1] if place + 1 < len(series.runs) else None
        low, high = run.low, run.high
        first = None if before is None or before.match != run.match else before
        last = None if after is None or after.match != run.match else after
        if is_descending:  # the run before has the greater places
            first, last = last, first
        if first is not None:
            low = first.high / 2 + low / 2
        if last is not None:
            high = high / 2 + last.low / 2
        left, right = sorted((across.place(low), across.place(high)))
        if right - left < _LEAST:
            middle = (left + right) / 2
            left, right = middle - _LEAST / 2, middle + _LEAST / 2
        parts.append(
            f'<rect class="s{colours[run.variable]}" x="{left:.1f}" y="{_TOP}" '
            f'width="{right - left:.1f}" height="{_BOTTOM - _TOP}">'
            f"<title>{escape(told(run, across.kind))}</title></rect>"
        )
    return "".join(parts)


def told(run: Run, kind: str) -> str:
    """Return a run as text: `match 1, DOWN: 2 rows, 2026-01-05 to 2026-01-06`."""
    low, high = label(run.low, kind), label(run.high, kind)
    place = low if low == high else f"{low} to {high}"
    rows = "1 row" if run.rows == 1 else f"{run.rows:,} rows"
    return f"match {run.match}, {run.variable}: {rows}, {place}"


def _shares(series: Series, colours: dict[str, int], ends: tuple[float, float]) -> str:
    """Draw for each place the shares of the variables among its rows, one on the other."""
    step = (ends[1] - ends[0]) / series.width
    paths: dict[str, list[str]] = {name: [] for name in colours}
    for each in series.bins:
        total = sum(each.rows.values())
        left = min(ends[0] + each.number * step, ends[0] + (each.number + 1) * step)
        y = float(_BOTTOM)
        for name in colours:
            if count := each.rows.get(name):
                height = (_BOTTOM - _TOP) * count / total
                y -= height
                paths[name].append(f"M{left:.1f} {y:.0f}h{abs(step):.1f}v{height:.0f}H{left:.1f}z")
    return "".join(
        f'<path class="s{colours[name]}" d="{"".join(parts)}"/>' for name, parts in paths.items()
    )
