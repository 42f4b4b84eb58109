"""The report of a search as one HTML page."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

# Colours of variables: their text colour has enough contrast in light and dark.
PALETTE = (
    ("#1f6fb2", "#7cc0ff"),
    ("#b4540a", "#ffb070"),
    ("#23803a", "#7fdc95"),
    ("#a3308f", "#f09be0"),
    ("#8a6d00", "#e6cc55"),
    ("#b3261e", "#ff9d95"),
    ("#00766f", "#62d8cf"),
    ("#6a4fc0", "#c0aeff"),
)

_MOST_DRAWN = 200  # attempts in the timeline, one below the other
_MOST_LINES = 1_000  # failed attempts in the list

_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --text: #1b2430; --soft: #5b6675; --line: #d5dbe3;
  --panel: #f5f7fa; --mark: #fff3bf; }
@media (prefers-color-scheme: dark) { :root { --ground: #12171e; --text: #e6ebf2; --soft: #9aa7b8;
  --line: #303a47; --panel: #1a212b; --mark: #4a3f12; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; background: var(--ground);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .75rem;
  overflow: auto; font-size: 13px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
.scroll { overflow: auto; max-height: 34rem; border: 1px solid var(--line); border-radius: 6px; }
th { position: sticky; top: 0; background: var(--panel); text-align: left; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); white-space: pre; }
tbody tr:hover, tr.lit { background: var(--mark); }
.chip { display: inline-block; padding: 0 .5rem; border-radius: 999px; border: 1px solid; }
.controls { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0; align-items: center; }
input, button { font: inherit; color: inherit; background: var(--panel);
  border: 1px solid var(--line); border-radius: 6px; padding: .2rem .6rem; }
button[aria-pressed=true] { outline: 2px solid currentColor; }
.soft { color: var(--soft); } .detail { min-height: 6.5rem; max-height: 14rem; overflow: auto;
  border: 1px solid var(--line); border-radius: 6px; padding: .5rem .75rem; margin: .5rem 0;
  font-size: 13px; }
.detail div { white-space: pre-wrap; }
svg.timeline { width: 100%; height: auto; border: 1px solid var(--line); border-radius: 6px; }
svg.timeline .row { fill: var(--line); } svg.timeline .try { stroke: var(--soft); }
svg.timeline .failed { stroke-dasharray: 3 3; }
svg.timeline .lit { stroke: var(--text); stroke-width: 2; }
"""

_SCRIPT = """
'use strict';
document.querySelectorAll('section.partition').forEach(section => {
  const tests = JSON.parse(section.querySelector('script').textContent);
  const rows = [...section.querySelectorAll('tbody.rows tr')];
  const cells = new Map([...section.querySelectorAll('svg [data-row]')].map(
    cell => [cell.dataset.row, cell]));
  const detail = section.querySelector('.detail');
  const shown = section.querySelector('.shown');
  const filter = section.querySelector('input');
  const buttons = [...section.querySelectorAll('button')];
  const apply = () => {
    const text = filter.value.toLowerCase();
    const wanted = new Set(
      buttons.filter(b => b.getAttribute('aria-pressed') === 'true').map(b => b.dataset.variable));
    let count = 0;
    rows.forEach(row => {
      const names = JSON.parse(row.dataset.variables);
      const fits = (!wanted.size || names.some(name => wanted.has(name))) &&
        row.textContent.toLowerCase().includes(text);
      row.hidden = !fits;
      count += fits;
    });
    shown.textContent = count + ' of ' + rows.length + ' rows';
  };
  filter.addEventListener('input', apply);
  buttons.forEach(button => button.addEventListener('click', () => {
    button.setAttribute('aria-pressed', button.getAttribute('aria-pressed') !== 'true');
    apply();
  }));
  const show = row => {
    section.querySelectorAll('.lit').forEach(lit => lit.classList.remove('lit'));
    row.classList.add('lit');
    const cell = cells.get(row.dataset.row);
    if (cell) cell.classList.add('lit');
    const lines = tests[row.dataset.row] || ['no attempt tried this row'];
    detail.replaceChildren(...['row ' + row.dataset.row, ...lines].map(line => {
      const div = document.createElement('div');
      div.textContent = line;
      return div;
    }));
  };
  rows.forEach(row => {
    row.addEventListener('mouseenter', () => show(row));
    row.addEventListener('focus', () => show(row));
  });
  apply();
});
"""


class Attempt(NamedTuple):
    """One attempt: its first row and the last one that it read, numbered from 1, and its end."""

    number: int
    start: int
    last: int
    result: str
    told: str


class Partition(NamedTuple):
    """What the page shows of one partition.

    Attributes:
        title: Its PARTITION BY values.
        columns: The names of the columns.
        rows: For each row its values.
        variables: For each row the variables that matches map it to, with their match numbers.
        attempts: All attempts in order.
        tests: For the number of a row, as text, what was tested on it.
        total: How many rows the partition has; `rows` may be the first ones.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | None]]
    variables: Sequence[Sequence[tuple[str, int]]]
    attempts: Sequence[Attempt]
    tests: dict[str, list[str]]
    total: int


def page(  # noqa: PLR0913 - the sections of the page
    *,
    title: str,
    clause: str,
    drawing: str,
    sentences: Sequence[str],
    plan: str,
    variables: Sequence[str],
    partitions: Sequence[Partition],
    note: str,
) -> str:
    """Return the page, complete: it loads nothing, and every value is escaped."""
    colours = {name: number % len(PALETTE) for number, name in enumerate(variables)}
    rules = "".join(
        f".c{n} {{ color: {light}; fill: {light}; }}\n" for n, (light, _) in enumerate(PALETTE)
    )
    dark = "".join(
        f".c{n} {{ color: {dark}; fill: {dark}; }}\n" for n, (_, dark) in enumerate(PALETTE)
    )
    style = f"{_STYLE}{rules}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"
    told = "".join(f"<li>{_text(sentence)}</li>" for sentence in sentences)
    parts = "".join(_partition(part, variables, colours) for part in partitions)
    more = f'<p class="soft">{_text(note)}</p>' if note else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{_text(title)}</title><style>{style}</style></head>\n<body><h1>{_text(title)}</h1>\n"
        f"<ul>{told}</ul>\n<h2>Clause</h2><pre>{_text(clause)}</pre>\n{drawing}\n{parts}{more}\n"
        f"<h2>Engine and plan</h2><pre>{_text(plan)}</pre>\n"
        f"<script>{_SCRIPT}</script></body></html>\n"
    )


def _partition(part: Partition, variables: Sequence[str], colours: dict[str, int]) -> str:
    used = [name for name in variables if any(name == v for row in part.variables for v, _ in row)]
    buttons = "".join(
        f'<button type="button" class="c{colours[name]}" aria-pressed="false" '
        f'data-variable="{_text(name)}">{_text(name)}</button>'
        for name in used
    )
    heads = "".join(f"<th>{_text(name)}</th>" for name in ["row", "match", *part.columns])
    rows = "".join(
        _row(number, values, labels, colours)
        for number, (values, labels) in enumerate(zip(part.rows, part.variables, strict=True), 1)
    )
    failed = [attempt for attempt in part.attempts if attempt.result != "match"]
    lines = "".join(
        f"<tr><td>{a.number}</td><td>{a.start}</td><td>{a.last}</td><td>{_text(a.result)}</td>"
        f"<td>{_text(a.told)}</td></tr>"
        for a in failed[:_MOST_LINES]
    )
    listed = f"; the first {_MOST_LINES:,} are listed" if len(failed) > _MOST_LINES else ""
    table = (
        '<div class="scroll"><table><thead><tr><th>attempt</th><th>from row</th><th>to row</th>'
        f"<th>end</th><th>because</th></tr></thead><tbody>{lines}</tbody></table></div>"
    )
    return (
        f'<section class="partition"><h2>{_text(part.title)}</h2>\n{_timeline(part, colours)}\n'
        '<div class="controls"><input type="search" placeholder="Filter rows" '
        f'aria-label="Filter rows">{buttons}<span class="soft shown"></span></div>\n'
        f'<div class="scroll"><table><thead><tr>{heads}</tr></thead>'
        f'<tbody class="rows">{rows}</tbody></table></div>\n'
        '<div class="detail soft">Point at a row to see what was tested on it.</div>\n'
        f"<h3>Attempts that failed: {len(failed)}{listed}</h3>{table if failed else ''}\n"
        f'<script type="application/json">{_json(part.tests)}</script></section>\n'
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
        f"<td>{_text(value)}</td>" if value is not None else '<td class="soft">NULL</td>'
        for value in values
    )
    names = _text(json.dumps([name for name, _ in labels]))
    return (
        f'<tr tabindex="0" data-row="{number}" data-variables="{names}"><td>{number}</td>'
        f"<td>{chips}</td>{cells}</tr>"
    )


def _timeline(part: Partition, colours: dict[str, int]) -> str:
    """Draw the rows from left to right, coloured by variable, and a line for each attempt."""
    count = max(1, len(part.rows))
    step = 1000 / count
    cells = []
    for number, labels in enumerate(part.variables):
        height = 24 / max(1, len(labels))
        place = f'x="{number * step:.2f}" width="{max(step * 0.9, 0.5):.2f}"'
        drawn = (
            "".join(
                f'<rect {place} y="{4 + level * height:.2f}" height="{height:.2f}" '
                f'class="c{colours[name]}"/>'
                for level, (name, _) in enumerate(labels)
            )
            or f'<rect {place} y="4" height="24" class="row"/>'
        )
        names = ", ".join(f"{name} of match {match}" for name, match in labels) or "in no match"
        cells.append(
            f'<g data-row="{number + 1}"><title>row {number + 1}: {_text(names)}</title>{drawn}</g>'
        )
    shown = [a for a in part.attempts if a.start <= count][:_MOST_DRAWN]
    lines = "".join(
        f'<line class="try{"" if a.result == "match" else " failed"}" stroke-width="2" '
        f'x1="{(a.start - 1) * step:.2f}" x2="{min(max(a.last, a.start), count) * step:.2f}" '
        f'y1="{36 + level * 4}" y2="{36 + level * 4}">'
        f"<title>attempt {a.number}: {_text(a.told or a.result)}</title></line>"
        for level, a in enumerate(shown)
    )
    height = 40 + 4 * len(shown)
    left_out = [
        f"{_first(len(part.rows), part.total, 'rows')} shown"
        if len(part.rows) < part.total
        else "",
        f"{_first(len(shown), len(part.attempts), 'attempts')} drawn, each as a line"
        if len(shown) < len(part.attempts)
        else "",
    ]
    more = "".join(f'<p class="soft">{text}.</p>' for text in left_out if text)
    return (
        f'<svg class="timeline" viewBox="0 0 1000 {height}" role="img" preserveAspectRatio="none" '
        f'aria-label="Rows by variable, and a line for each attempt">{"".join(cells)}{lines}</svg>'
        f"{more}"
    )


def _first(shown: int, total: int, what: str) -> str:
    return f"The first {shown:,} of {total:,} {what} are"


def _text(value: object) -> str:
    return html.escape(str(value))


def _json(value: Any) -> str:  # noqa: ANN401 - anything that JSON has
    """Return JSON that cannot end the script element that it is in."""
    text = json.dumps(value)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
