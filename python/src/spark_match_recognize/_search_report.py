"""What a search found and what it did not, as a page."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from typing import Any

from spark_match_recognize import _attempts as attempts
from spark_match_recognize import _kinds as kinds
from spark_match_recognize._described import described
from spark_match_recognize._diagram import diagram
from spark_match_recognize._errors import MissingExtraError
from spark_match_recognize._explain import explain
from spark_match_recognize._hints import DataFrame, SparkSession
from spark_match_recognize._matches import Found, Series, found, spark_error
from spark_match_recognize._page import Page, Partition, page
from spark_match_recognize._partition import condition_of
from spark_match_recognize._trace import session_of

_MOST_STEPPED = 5  # partitions whose rows are listed
_MOST_ROWS = 300  # of all of them


class Report:
    """A page about a search, which notebooks show.

    Attributes:
        html: The page, a complete HTML document that loads nothing.
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
            '<iframe style="width:100%;height:40rem;border:0" sandbox="allow-scripts" '
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
    max_rows: int = 50_000,
    spark: SparkSession | None = None,
) -> Report:
    """Show on a page what a search found: values in order with the matches, and what failed.

    Each partition is a picture of a column over the ORDER BY key, in which the variables of the
    matches are coloured. Spark sums the rows up for it, whatever their number. The attempts that
    failed are counted by variable and condition; the first rows of some partitions are listed with
    what was tried on them. The page is one file that loads nothing, in light or dark as the
    reader's system is, and says what it leaves out. The drawing of the pattern needs the extra
    `diagram`; without it the page says so.

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
        partition: The partition, as in `trace`. Of several the 20 with the most matches are drawn.
        title: The title of the page.
        value: The column that is drawn, a numeric one of the clause's input; the first that DEFINE
            or MEASURES reads if it is not given.
        max_rows: In how many rows attempts are looked at one by one. If there are more, that is
            done in those of the drawn partitions that fit.
        spark: The session of a statement; the active one if it is not given.

    Returns:
        The page. Notebooks show it; `html` is its text, `save(path)` writes it into a file.

    Raises:
        AnalysisException: As for `trace`.
        PluginNotLoadedError: If the session does not have the plugin.
        RuntimeError: If there is no session.
        TypeError: If an argument is of a wrong kind, or a value of `partition` has a type that is
            not written in SQL.
        ValueError: If `value` is not a column of numbers.
    """
    condition = condition_of(partition)
    most = kinds.count("max_rows", max_rows)
    session = session_of(query, spark)
    matches, notes = _matches(query, condition, value, session)
    clause = described(query, session)
    if clause.has_short_frames:
        notes.append("The frames of the window end before their partition; here they do not.")
    searched, stepped, place = _searched(matches, condition, most)
    failures, steps = [], []
    if stepped is not None:
        failures = attempts.failures_of(query, searched, most, session)
        first = max(30, _MOST_ROWS // max(1, min(_MOST_STEPPED, len(stepped))))
        listed = " OR ".join(f"({each.condition})" for each in stepped[:_MOST_STEPPED])
        wanted = listed if len(stepped) > 1 else searched
        steps = attempts.steps_of(query, wanted, most=most, first=first, spark=session)
    partitions = _partitions(matches.series if matches else [], steps)
    if matches and len(partitions) < matches.partitions:
        notes.append(
            f"{len(partitions)} of {matches.partitions:,} partitions are on this page: those with "
            "the most matches."
        )
    return Report(
        page(
            Page(
                title,
                explain(query, condition, spark=session),
                failures,
                place,
                query.strip() if isinstance(query, str) else clause.clause,
                _drawing(clause.pattern) if clause.pattern else "",
                clause.plan,
                matches.kind if matches else "row",
                matches.value if matches else None,
                clause.is_descending,
                partitions,
                notes,
            )
        )
    )


def _matches(
    query: DataFrame | str, condition: str | None, value: str | None, session: SparkSession
) -> tuple[Found | None, list[str]]:
    """Return what can be drawn, or nothing and why."""
    try:
        return found(query, condition, value, session), []
    except spark_error() as error:
        # a mistake in the text has nothing to show; the attempts show an error of a row
        if type(error).__name__ in {"AnalysisException", "ParseException"}:
            raise
        return None, ["There is no picture, because the query ends in an error."]


def _searched(
    matches: Found | None, condition: str | None, most: int
) -> tuple[str | None, list[Series] | None, str]:
    """Choose the partitions whose attempts are looked at.

    Returns:
        The condition of these partitions, those of them that are drawn, or None if there are none
        at all, and what is said of the choice.
    """
    if matches is None or matches.rows <= most:
        return condition, matches.series if matches else [], ""
    chosen: list[Series] = []
    room = most
    for series in matches.series:
        if series.rows <= room:
            chosen.append(series)
            room -= series.rows
    if not chosen:
        said = f"Attempts are not shown: each of these partitions has more than {most:,} rows"
        return None, None, f"{said} (max_rows)."
    said = (
        f"Attempts were looked at in {len(chosen):,} of {matches.partitions:,} partitions, "
        f"{most - room:,} of {matches.rows:,} rows (at most {most:,}: max_rows)."
    )
    return " OR ".join(f"({each.condition})" for each in chosen), chosen, said


def _partitions(
    series: list[Series], steps: list[tuple[str | None, attempts.Steps]]
) -> list[Partition]:
    """Put together what belongs to one partition."""
    if not series:
        shown = steps[:_MOST_STEPPED]
        return [Partition(_title(key), None, each) for key, each in shown]
    rest = list(steps)
    by_place: dict[int, attempts.Steps] = {}
    # NULL, which comes first there, and the text NULL look alike
    order = sorted(range(len(series)), key=lambda at: None not in series[at].keys.values())
    for place in order:
        title = series[place].title if series[place].keys else None
        mine = next((item for item in rest if item[0] == title), None)
        if mine is not None:
            rest.remove(mine)
            by_place[place] = mine[1]
    return [
        Partition(_title(each.title if each.keys else None), each, by_place.get(place))
        for place, each in enumerate(series)
    ]


def _title(key: str | None) -> str:
    return "Rows" if key is None else f"Partition {key}"


def _drawing(pattern: str) -> str:
    try:
        return diagram(pattern).svg
    except (MissingExtraError, ValueError) as error:
        return f'<p class="soft">The pattern is not drawn: {html.escape(str(error))}</p>'
