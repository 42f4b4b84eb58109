"""The report of a search as one HTML page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from spark_match_recognize import _colours
from spark_match_recognize._attempts import Failure, Steps, cut
from spark_match_recognize._chart import chart, has_spans, matches
from spark_match_recognize._matches import Series
from spark_match_recognize._page_parts import SCRIPT, style
from spark_match_recognize._scale import label

_MOST_LISTED = 100  # matches of a partition


class Partition(NamedTuple):
    """What the page shows of one partition.

    Attributes:
        title: Its PARTITION BY values.
        series: What is drawn, None if nothing can be.
        steps: Its first rows and what was tried on them, None if they are left out.
    """

    title: str
    series: Series | None
    steps: Steps | None


class Page(NamedTuple):
    """The contents of the page.

    Attributes:
        title: The title.
        sentences: What was found.
        failures: The attempts that failed.
        failures_of: In which partitions they were counted.
        clause: The text of the query or of the clause.
        drawing: The diagram of the pattern, as HTML.
        plan: The plan.
        kind: The kind of the horizontal axis, as in `Scale`.
        value: The column of the vertical axis.
        is_descending: Whether the horizontal axis goes from right to left.
        partitions: The partitions.
        notes: What is left out.
    """

    title: str
    sentences: Sequence[str]
    failures: Sequence[Failure]
    failures_of: str
    clause: str
    drawing: str
    plan: str
    kind: str
    value: str | None
    is_descending: bool
    partitions: Sequence[Partition]
    notes: Sequence[str]


def page(contents: Page) -> str:
    """Return the page, complete: it loads nothing, and every value is escaped."""
    names = dict.fromkeys(name for part in contents.partitions for name in _variables_of(part))
    colours = _colours.numbers(list(names))
    told = "".join(f"<li>{_text(sentence)}</li>" for sentence in contents.sentences)
    notes = "".join(f'<p class="soft">{_text(note)}</p>' for note in contents.notes)
    parts = "".join(_partition(contents, part, colours) for part in contents.partitions)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{_text(contents.title)}</title><style>{style()}</style></head>\n"
        f"<body><h1>{_text(contents.title)}</h1>\n<ul>{told}</ul>\n"
        f"{_chooser(contents.partitions)}{notes}{parts}\n{_failures(contents)}"
        f"<h2>Clause</h2><pre>{_text(contents.clause)}</pre>\n{contents.drawing}\n"
        f"<details><summary>Engine and plan</summary><pre>{_text(contents.plan)}</pre></details>\n"
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _variables_of(part: Partition) -> list[str]:
    found = [] if part.series is None else [run.variable for run in part.series.runs]
    bins = [] if part.series is None else part.series.bins
    found += [name for each in bins for name in each.rows if name is not None]
    rows = [] if part.steps is None else part.steps.variables
    return found + [name for row in rows for name, _ in row]


def _chooser(parts: Sequence[Partition]) -> str:
    if len(parts) < 2:  # noqa: PLR2004 - nothing to choose
        return ""
    options = "".join(
        f'<option value="{place}">{_text(part.title)}</option>' for place, part in enumerate(parts)
    )
    return (
        '<p hidden><label>Partition <select class="partitions">'
        f'{options}<option value="all">all {len(parts)} of this page</option></select></label></p>'
    )


def _partition(contents: Page, part: Partition, colours: dict[str, int]) -> str:
    series = part.series
    drawn = "" if series is None else _drawn(contents, series, colours)
    return (
        f'<section class="partition"><h2>{_text(part.title)}</h2>\n{drawn}'
        f"{'' if part.steps is None else _steps(part.steps, series, colours)}</section>\n"
    )


def _drawn(contents: Page, series: Series, colours: dict[str, int]) -> str:
    used = {name for each in series.bins for name in each.rows}
    legend = "".join(
        f'<span><i class="s{number}"></i><span class="c{number}">{_text(name)}</span></span>'
        for name, number in colours.items()
        if name in used
    )
    value = f"Line: {contents.value}" if contents.value else "No column is a number"
    picture = chart(series, contents.kind, colours, is_descending=contents.is_descending)
    said = f"{matches(series)} with {series.matched:,} of {series.rows:,} rows."
    if not has_spans(series):
        said += (
            f" Too many to draw each: every {1 / series.width:.2%} of the width shows how many of "
            "its rows have which variable."
        )
    if series.placed > series.width:
        said += (
            f" The line has the first, last, lowest and highest value in each of {series.width} "
            "places."
        )
    if series.placed < series.rows:
        left = series.rows - series.placed
        said += f" {'1 row has' if left == 1 else f'{left:,} rows have'} no place on the axis."
    if series.odd:
        rows = "1 row has" if series.odd == 1 else f"{series.odd:,} rows have"
        said += f" {rows} an infinite value or NaN, which the line leaves out."
    return (
        f'<div class="legend"><span class="soft">{_text(value)}</span>{legend}</div>'
        f'<div class="figure" tabindex="0" role="group" aria-label="Picture">{picture}</div>'
        f'<p class="soft">{_text(said)}</p>{_matches(series, contents.kind)}'
    )


def _matches(series: Series, kind: str) -> str:
    """List the first matches with the lengths of their variables."""
    runs: dict[int, list[Any]] = {}
    for run in series.runs:
        runs.setdefault(run.match, []).append(run)
    listed = list(runs.items())[:_MOST_LISTED]
    if not listed:
        return ""
    lines = "".join(
        f'<tr><td class="number">{number}</td>'
        f"<td>{_text(label(min(run.low for run in mine), kind))}</td>"
        f"<td>{_text(label(max(run.high for run in mine), kind))}</td>"
        f'<td class="wide">{_text(" ".join(map(_times, mine[:20])))}'
        f"{' …' if len(mine) > 20 else ''}</td></tr>"  # noqa: PLR2004 - what fits
        for number, mine in listed
    )
    first = f"the first {len(listed)} of " if len(listed) < series.matches else ""
    return (
        f"<details><summary>Matches ({first}{series.matches:,})</summary>"
        '<div class="scroll"><table><thead><tr><th>match</th><th>from</th><th>to</th>'
        f"<th>rows by variable</th></tr></thead><tbody>{lines}</tbody></table></div></details>"
    )


def _times(run: Any) -> str:  # noqa: ANN401 - a Run
    return str(run.variable) if run.rows == 1 else f"{run.variable}{{{run.rows}}}"


def _failures(contents: Page) -> str:
    if not contents.failures:
        return f'<p class="soft">{_text(contents.failures_of)}</p>' if contents.failures_of else ""
    lines = "".join(
        f'<tr><td class="number">{each.attempts:,}</td><td>{_text(each.variable)}</td>'
        f'<td class="wide">{_text(each.condition)}</td><td class="wide">{_text(each.example)}</td>'
        "</tr>"
        for each in contents.failures
    )
    return (
        f'<h2>Attempts that failed</h2><p class="soft">{_text(contents.failures_of)}</p>'
        '<div class="scroll"><table class="failures"><thead><tr><th>attempts</th><th>variable</th>'
        "<th>what it ended with</th><th>such as</th></tr></thead>"
        f"<tbody>{lines}</tbody></table></div>\n"
    )


def _steps(steps: Steps, series: Series | None, colours: dict[str, int]) -> str:
    used = dict.fromkeys(name for row in steps.variables for name, _ in row)
    buttons = "".join(
        f'<button type="button" class="c{colours[name]}" aria-pressed="false" '
        f'data-variable="{_text(name)}">{_text(name)}</button>'
        for name in used
    )
    heads = "".join(f"<th>{_text(name)}</th>" for name in ["row", "match", *steps.columns])
    rows = "".join(
        _row(number, values, labels, colours)
        for number, (values, labels) in enumerate(zip(steps.rows, steps.variables, strict=True), 1)
    )
    lines = "".join(
        f"<tr><td>{a.number}</td><td>{a.start}</td><td>{a.last}</td><td>{_text(a.result)}</td>"
        f"<td>{_text(a.told)}</td></tr>"
        for a in steps.attempts
    )
    table = (
        '<div class="scroll"><table><thead><tr><th>attempt</th><th>from row</th><th>to row</th>'
        f"<th>end</th><th>because</th></tr></thead><tbody>{lines}</tbody></table></div>"
    )
    is_part = series is not None and len(steps.rows) < series.rows
    of_all = f"the first {len(steps.rows)} of {series.rows:,}" if series and is_part else "all"
    failed = f"Attempts that began at these rows and failed: {len(steps.attempts)}"
    return (
        f'<details class="steps"><summary>Rows and single attempts ({of_all})</summary>'
        '<div class="controls"><input type="search" placeholder="Filter rows" '
        f'aria-label="Filter rows">{buttons}<span class="soft shown"></span></div>\n'
        f'<div class="scroll"><table><thead><tr>{heads}</tr></thead>'
        f'<tbody class="rows">{rows}</tbody></table></div>\n'
        '<div class="detail soft" aria-live="polite">Point at a row, or go to it with Tab, to see '
        f"what was tested on it.</div>\n<p>{failed}</p>{table if steps.attempts else ''}\n"
        f'<script type="application/json">{_json(steps.tests)}</script></details>\n'
    )


def _row(
    number: int,
    values: Sequence[str | None],
    labels: Sequence[tuple[str, int]],
    colours: dict[str, int],
) -> str:
    chips = " ".join(
        f'<span class="chip c{colours[name]}">{_text(name)} {match}</span>'
        for name, match in labels
    )
    cells = "".join(
        f"<td>{_text(cut(value))}</td>" if value is not None else '<td class="soft">NULL</td>'
        for value in values
    )
    names = _text(json.dumps([name for name, _ in labels]))
    return (
        f'<tr tabindex="0" data-row="{number}" data-variables="{names}"><td>{number}</td>'
        f"<td>{chips}</td>{cells}</tr>"
    )


def _text(value: object) -> str:
    return escape(str(value))


def _json(value: Any) -> str:  # noqa: ANN401 - anything that JSON has
    """Return JSON that cannot end the script element that it is in."""
    text = json.dumps(value)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
