"""What a search found, as one HTML page over `plot`."""

from __future__ import annotations

import base64
import html
import io
import os
from collections.abc import Iterable, Mapping
from typing import Any

from spark_match_recognize import _kinds as kinds
from spark_match_recognize._explain import explain
from spark_match_recognize._hints import DataFrame, SparkSession
from spark_match_recognize._partition import condition_of
from spark_match_recognize._plot import drawing
from spark_match_recognize._report.matches import Found, Partition, found
from spark_match_recognize._trace import session_of

_MOST_LISTED = 100  # matches and rows of a partition
_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; font: 15px/1.5 system-ui, sans-serif; }
img { max-width: 100%; }
pre, .scroll { overflow: auto; max-height: 34rem; border: 1px solid #8884; border-radius: 6px; }
pre { padding: .75rem; font-size: 13px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th { text-align: left; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #8884; white-space: pre-wrap; }
summary { cursor: pointer; }
"""


class Report:
    """A page about a search, which notebooks show.

    Attributes:
        html: The page, a complete HTML document that loads nothing and runs nothing.
    """

    def __init__(self, text: str) -> None:
        """Keep a page.

        Args:
            text: The page.
        """
        self.html = text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page into a file.

        Args:
            path: The path of the file; an HTML file is usually called `.html`.

        Raises:
            ValueError: If the name is that of another format, as `.pdf`.
        """
        kinds.target(path, ".html").write_text(self.html, encoding="utf-8")

    def __repr__(self) -> str:
        """Show the size where no page can be shown."""
        return f"Report({len(self.html)} characters)"

    def _repr_html_(self) -> str:
        # in a frame of its own, because its styles are for a whole page
        return (
            '<iframe style="width:100%;height:40rem;border:0" sandbox '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )


@kinds.checked(
    query=kinds.query,
    title=kinds.text,
    value=kinds.optional(kinds.column),
    spark=kinds.optional(kinds.session),
)
def report(  # noqa: PLR0913 - each but the first two by its name
    query: DataFrame | str,
    partition: Mapping[str, Any] | str | None = None,
    *,
    title: str = "MATCH_RECOGNIZE",
    value: str | None = None,
    max_rows: int = 10_000,
    spark: SparkSession | None = None,
) -> Report:
    """Show on a page what a search found: the sentences of `explain`, pictures, matches and rows.

    Each partition is a picture of a column over the ORDER BY key, as `plot` draws it, with its
    matches and first rows below. The page is one file that loads nothing, in light or dark as the
    reader's system is, and says what it leaves out. Needs the extra `plot`.

    Examples:
        >>> import spark_match_recognize as mr
        >>> page = mr.report('''
        ...     SELECT * FROM VALUES (1, 50), (2, 40), (3, 45) AS ticks(ts, price) MATCH_RECOGNIZE (
        ...       ORDER BY ts MEASURES COUNT(*) AS n PATTERN (STRT DOWN UP)
        ...       DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price))
        ... ''', spark=spark)
        >>> page.save("/dev/null")
        >>> "1 attempt in 3 rows found 1 match." in page.html
        True

    Args:
        query: A statement, or a DataFrame, such as `match_recognize` returns.
        partition: The partition, as in `trace`. Of several those with the most matches are shown.
        title: The title of the page.
        value: The column that is drawn, a numeric one of the clause's input; the first that DEFINE
            or MEASURES reads if it is not given.
        max_rows: How many rows the shown partitions may have together; they are fetched.
        spark: The session of a statement; the active one if it is not given.

    Returns:
        The page. Notebooks show it; `html` is its text, `save(path)` writes it into a file.

    Raises:
        AnalysisException: As for `trace`.
        MissingExtraError: If matplotlib is not installed.
        PluginNotLoadedError: If the session does not have the plugin.
        RuntimeError: If there is no session.
        TypeError: If an argument is of a wrong kind, or a value of `partition` has a type that is
            not written in SQL.
        ValueError: If `value` is not a column of numbers.
    """
    condition = condition_of(partition)
    most = kinds.count("max_rows", max_rows)
    session = session_of(query, spark)
    matches = found(query, condition, value, most, session)
    told = "".join(f"<li>{_text(each)}</li>" for each in explain(query, condition, spark=session))
    parts = "".join(_partition(matches, part) for part in matches.shown)
    clause = f"<h2>Query</h2><pre>{_text(query.strip())}</pre>" if isinstance(query, str) else ""
    return Report(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; img-src data:\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="icon" href="data:,"><title>{_text(title)}</title><style>{_STYLE}</style>'
        f"</head>\n<body><h1>{_text(title)}</h1>\n<ul>{told}</ul>\n"
        f"{_left_out(matches, most)}{parts}{clause}</body></html>\n"
    )


def _left_out(matches: Found, most: int) -> str:
    count = len(matches.shown)
    if count == matches.partitions:
        return ""
    said = (
        f"{count:,} of {matches.partitions:,} partitions are on this page: of those with the most "
        f"matches the ones that have at most {most:,} rows together (max_rows)."
    )
    return f"<p>{_text(said)}</p>"


def _partition(matches: Found, part: Partition) -> str:
    return (
        f"<section><h2>{_text(part.title or 'Rows')}</h2>\n{_picture(matches, part)}"
        f"{_matches(part)}{_rows(part)}</section>\n"
    )


def _picture(matches: Found, part: Partition) -> str:
    if matches.value is None:
        return "<p>There is no picture: no column of the input is a number.</p>"
    figure = drawing({(): part.points}, matches.order, matches.value)
    out = io.StringIO()
    figure.savefig(out, format="svg")
    # as an image: nothing in it runs, and its ids are not those of another picture
    data = base64.b64encode(out.getvalue().encode()).decode()
    name = f"{matches.value} by {matches.order}"
    name = _text(name if part.title is None else f"{name} {part.title}")
    return f'<img alt="{name}" src="data:image/svg+xml;base64,{data}">'


def _matches(part: Partition) -> str:
    count = len(part.matches)
    rows = (
        [number, first, last, path]
        for number, (first, last, path) in list(part.matches.items())[:_MOST_LISTED]
    )
    heads = ["match", "from row", "to row", "rows by variable"]
    return _table(f"Matches ({_of(count)})", heads, rows) if count else "<p>No match.</p>"


def _rows(part: Partition) -> str:
    rows = (
        [number, *row.values, ", ".join(f"{name} of match {match}" for name, match in row.matched)]
        for number, row in enumerate(part.rows[:_MOST_LISTED], 1)
    )
    return _table(f"Rows ({_of(len(part.rows))})", ["row", *part.columns, "matched as"], rows)


def _of(count: int) -> str:
    return f"{count:,}" if count <= _MOST_LISTED else f"the first {_MOST_LISTED} of {count:,}"


def _table(summary: str, heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    head = "".join(f"<th>{_text(name)}</th>" for name in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{_text(_cut(cell))}</td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f'<details><summary>{_text(summary)}</summary><div class="scroll"><table><thead><tr>{head}'
        f"</tr></thead><tbody>{body}</tbody></table></div></details>"
    )


def _cut(cell: object) -> str:
    text = "NULL" if cell is None else str(cell)
    return text if len(text) <= 300 else f"{text[:300]}…"  # noqa: PLR2004 - what one reads


def _text(value: object) -> str:
    return html.escape(str(value))
