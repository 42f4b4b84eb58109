"""Style and script of the page of `report`."""

from __future__ import annotations

from spark_match_recognize import _colours

_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --text: #1b2430; --soft: #5b6675; --line: #d5dbe3;
  --panel: #f5f7fa; --mark: #fff3bf; }
@media (prefers-color-scheme: dark) { :root { --ground: #12171e; --text: #e6ebf2; --soft: #9aa7b8;
  --line: #303a47; --panel: #1a212b; --mark: #4a3f12; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; background: var(--ground);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .75rem;
  overflow: auto; font-size: 13px; }
svg.railroad-diagram { max-width: 100%; height: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
.scroll { overflow: auto; max-height: 34rem; border: 1px solid var(--line); border-radius: 6px; }
th { position: sticky; top: 0; background: var(--panel); text-align: left; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); white-space: pre; }
td.wide { white-space: pre-wrap; min-width: 12rem; } td.number { text-align: right; }
tbody tr:hover, tr.lit { background: var(--mark); }
.chip { display: inline-block; padding: 0 .5rem; border-radius: 999px; border: 1px solid; }
.controls, .legend { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0;
  align-items: center; }
input, button, select { font: inherit; color: inherit; background: var(--panel);
  border: 1px solid var(--line); border-radius: 6px; padding: .2rem .6rem; max-width: 100%; }
button[aria-pressed=true] { outline: 2px solid currentColor; }
:focus-visible { outline: 2px solid #4a90d9; outline-offset: 1px; }
.soft { color: var(--soft); } .detail { min-height: 6.5rem; max-height: 14rem; overflow: auto;
  border: 1px solid var(--line); border-radius: 6px; padding: .5rem .75rem; margin: .5rem 0;
  font-size: 13px; }
.detail div { white-space: pre-wrap; }
details { margin: .75rem 0; } summary { cursor: pointer; }
.legend i { display: inline-block; width: .9rem; height: .9rem; border-radius: 3px; opacity: .6;
  vertical-align: -.1rem; margin-right: .3rem; }
.figure { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
svg.chart { display: block; width: 100%; min-width: 40rem; height: auto; font-size: 12px; }
svg.chart text { fill: var(--soft); } svg.chart .end { text-anchor: end; }
svg.chart .middle { text-anchor: middle; } svg.chart .grid { stroke: var(--line); }
svg.chart .axis { stroke: var(--soft); } svg.chart path { fill: none; }
svg.chart .line { stroke: var(--text); stroke-width: 1.2; stroke-linejoin: round; }
svg.chart rect:hover { fill-opacity: .75; }
"""

SCRIPT = """
'use strict';
document.querySelectorAll('section.partition').forEach(section => {
  const data = section.querySelector('script');
  if (!data) return;
  const tests = JSON.parse(data.textContent);
  const rows = [...section.querySelectorAll('tbody.rows tr')];
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
const choice = document.querySelector('select.partitions');
if (choice) {
  const sections = [...document.querySelectorAll('section.partition')];
  const choose = () => sections.forEach((section, place) => {
    section.hidden = choice.value !== 'all' && Number(choice.value) !== place;
  });
  choice.addEventListener('change', choose);
  choice.closest('p').hidden = false;
  choose();
}
"""


def style() -> str:
    """Return the style sheet: spans as fills, names of variables as text."""
    spans = "".join(
        f"svg.chart .s{n} {{ fill: {fill}; fill-opacity: .4; }} "
        f"svg.chart circle.c{n}, i.s{n} {{ fill: {fill}; background: {fill}; }}\n"
        for n, (fill, _, _) in enumerate(_colours.VARIABLES)
    )
    light = "".join(f".c{n} {{ color: {c}; }}\n" for n, (_, c, _) in enumerate(_colours.VARIABLES))
    dark = "".join(f".c{n} {{ color: {c}; }}\n" for n, (_, _, c) in enumerate(_colours.VARIABLES))
    return f"{_STYLE}{spans}{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"
