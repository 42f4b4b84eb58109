"""What a search found and what it did not, as a page."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spark_match_recognize import _arguments as arguments
from spark_match_recognize._diagram import diagram
from spark_match_recognize._errors import MissingExtraError
from spark_match_recognize._explain import explain
from spark_match_recognize._page import Attempt, Partition, page
from spark_match_recognize._steps import begins_partition, variables_of
from spark_match_recognize._trace import session_of, trace

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MOST_PARTITIONS = 20
_MOST_ROWS = 5_000  # of all partitions; a browser takes seconds for more
_MOST_TESTS = 40
# the ids of columns
_ID = re.compile(r"#\d+L?\b")
_NODE = re.compile(
    r"^\(\d+\) (?:MatchRecognize|RowPatternWindow)\n(?P<lines>.*?)(?:\n\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_SUBQUERIES = "\n===== Subqueries ====="
_PATTERN = re.compile(r"^Pattern: \((?P<text>.*)\)$", re.MULTILINE)


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
        arguments.target(path, ".html").write_text(self.html, encoding="utf-8")

    def __repr__(self) -> str:
        """Show the size where no page can be shown."""
        return f"Report({len(self.html)} characters)"

    def _repr_html_(self) -> str:
        # in a frame of its own, because its styles are for a whole page
        return (
            '<iframe style="width:100%;height:40rem;border:0" sandbox="allow-scripts" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )


def report(
    query: DataFrame | str,
    partition: Mapping[str, Any] | str | None = None,
    *,
    title: str = "MATCH_RECOGNIZE",
    max_rows: int = 2_000,
    spark: SparkSession | None = None,
) -> Report:
    """Show on a page what a search found: rows by variable, failed attempts, pattern, plan.

    The page is one file that loads nothing, in light or dark as the reader's system is. The drawing
    of the pattern needs the extra `diagram`; without it the page says so.

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
        partition: The partition, as in `trace`; the first 20 are shown, and of all of them the
            first 5,000 rows.
        title: The title of the page.
        max_rows: How many rows the partitions may have.
        spark: The session of a statement; the active one if it is not given.

    Returns:
        The page. Notebooks show it; `html` is its text, `save(path)` writes it into a file.

    Raises:
        AnalysisException: As for `trace`.
        PluginNotLoadedError: If the session does not have the plugin.
        RuntimeError: If there is no session.
        TypeError: If an argument is of a wrong kind, or a value of `partition` has a type that is
            not written in SQL.
    """
    found = trace(query, partition, max_rows=max_rows, spark=spark)
    # the map of a Python row is not in the order of the columns
    steps = [row.asDict() for row in found.selectExpr("*", "map_keys(reads) AS columns").collect()]
    plan = _plan(query, spark)
    nodes = [node["lines"] for node in _NODE.finditer(plan.partition(_SUBQUERIES)[0])]
    described = str(nodes[-1]) if nodes else ""  # the outermost one
    pattern = _PATTERN.search(described)
    parts: list[list[dict[str, Any]]] = []
    for step in steps:
        if begins_partition(step):
            parts.append([])
        parts[-1].append(step)
    partitions: list[Partition] = []
    room = _MOST_ROWS
    for part in parts:
        if room and len(partitions) < _MOST_PARTITIONS:
            partitions.append(_partition(part[0]["partition_key"], part, room))
            room -= len(partitions[-1].rows)
    left_out = len(parts) - len(partitions)
    labels = (name for part in partitions for row in part.variables for name, _ in row)
    return Report(
        page(
            title=title,
            clause=query.strip() if isinstance(query, str) else _ID.sub("", described),
            drawing=_drawing(pattern["text"]) if pattern else "",
            sentences=explain(query, partition, spark=spark),
            plan=plan.strip(),
            variables=list(dict.fromkeys(labels)),
            partitions=partitions,
            note=f"{left_out} more partitions are not shown." if left_out else "",
        )
    )


def _plan(query: DataFrame | str, spark: SparkSession | None) -> str:
    session = session_of(query, spark)
    if isinstance(query, str):
        rows = session.sql(f"EXPLAIN FORMATTED {query}").collect()
    else:
        frame = query.where("true")
        rows = session.sql("EXPLAIN FORMATTED SELECT * FROM {df}", df=frame).collect()
    return str(rows[0][0])


def _drawing(pattern: str) -> str:
    try:
        return diagram(pattern).svg
    except (MissingExtraError, ValueError) as error:
        return f'<p class="soft">The pattern is not drawn: {html.escape(str(error))}</p>'


def _partition(key: str | None, steps: Sequence[Mapping[str, Any]], most: int) -> Partition:
    """Return what is shown of a partition: at most its first rows."""
    all_rows = [step for step in steps if step["event"] == "row"]
    shown = all_rows[:most]
    columns = list(shown[0]["columns"])
    rows = [step["reads"] for step in shown]
    last: dict[int, int] = {}
    tests: dict[str, list[str]] = {}
    for step in steps:
        if step["event"] == "test":
            last[step["attempt"]] = max(step["row_number"], last.get(step["attempt"], 0))
            if step["row_number"] > most:
                continue
            lines = tests.setdefault(str(step["row_number"]), [])
            if len(lines) < _MOST_TESTS:
                lines.append(_test(step))
    ends = [step for step in steps if step["event"] == "end"]
    variables: list[list[tuple[str, int]]] = [[] for _ in rows]
    for end in ends:
        if end["result"] == "match":
            path = variables_of(end["path"])
            for row, name in zip(variables[end["start_row"] - 1 :], path, strict=False):
                row.append((name, end["match_number"]))
    return Partition(
        f"Partition {key}" if key else "Rows",
        columns,
        [[row[column] for column in columns] for row in rows],
        variables,
        list(_attempts(ends, last)),
        tests,
        len(all_rows),
    )


def _test(step: Mapping[str, Any]) -> str:
    """Return a line about a test of a row."""
    what = f"attempt {step['attempt']}: {step['variable']}"
    if step["truth"] is None:
        return f"{what}: {step['result']}, not tested"
    text = step["evaluated"] or step["condition"]
    if text is not None:
        return f"{what} is {step['truth']}: {text}"
    read = ", ".join(f"{name} = {step['reads'][name]}" for name in step["columns"] or ())
    return f"{what} is {step['truth']}{f' ({read})' if read else ''}: {step['result']}"


def _attempts(ends: Iterable[Mapping[str, Any]], last: Mapping[int, int]) -> Iterable[Attempt]:
    for end in ends:
        told = ""
        if end["condition"] is not None:
            text = end["evaluated"] or end["condition"]
            told = f"{end['variable']} in row {end['row_number']}: {text} is {end['truth']}"
        stop = last.get(end["attempt"], end["start_row"])
        yield Attempt(end["attempt"], end["start_row"], stop, end["result"], told)
