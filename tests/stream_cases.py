"""Conformance cases as streams: their rows in micro-batches, and the rows expected at the end.

**Input.** The rows of a clause's relation get an event time derived from the first item of its
ORDER BY: its rank in seconds, or with WITHIN the item itself, a number as seconds. The clause is
then ordered by the event time first, and by its own items after it, which changes neither the order
nor, except for one more column, the output. The rest of the statement is unchanged. The rows are
split by time into files, with disorder up to the watermark's delay, and each file is a micro-batch.
Each file contains a row that no clause reads, a clock for the common watermark. The last one is
centuries ahead: it advances the watermark beyond all rows and all WITHIN bounds, so that a match
that is still undecided then waits for rows, not for time.

**Expected rows.** A row is decided if no later row can change it, which the search shows: it tries
paths in the order of preferment, and stops at an accepting path or at one that could map a row that
has not arrived. The engine on tables does the same search. So the table gets rows after the last
one of each partition that *every* variable accepts, by `rest_ < 0 OR` before each condition, enough
of them to end any path:

- a path that waits on the stream continues into these rows on the table, and ends there, because no
  condition fails there. A path that does not wait cannot map one of them. So the first match that
  contains one of these rows is the first attempt that waits;
- all output of a partition before that match is decided, all output after it is not, because
  attempts are made in order and a stream waits at the first open one;
- these rows are beyond the WITHIN bound of the others, so attempts that the watermark closes stay
  closed.

A condition that looks k rows ahead by NEXT waits if fewer than k rows follow: the variable then
accepts (`rest_ < k OR`), and its match counts as one that waits. So does a match with a measure
that looks beyond the last row. A stream may know more (`FALSE AND NEXT(v) > 1`): it must return the
rows decided in this sense, and may return further rows of the table's result.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import re
from collections import Counter
from pathlib import Path

from conformance_cases import Case, source
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.functions import broadcast, col
from stream_text import Clause, next_steps

TIME = "event_time_"
DELAY_SECONDS = 2
EPOCH = 946684800  # 2000-01-01, the first second of rows without a time of their own
END = "2300-01-01 00:00:00"
BEHIND = "2400-01-01 00:00:00"
# enough to end the longest pattern of the cases
ROWS_BEHIND = 40
# instead of the number of a clause
CLOCK = -1
SOURCE_SCHEMA = f"clause_ INT, row_ BIGINT, {TIME} TIMESTAMP"
NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


def make_views(spark: SparkSession, case: Case) -> None:
    """Set the confs of a case and create its tables."""
    for key, value in case.get("conf", {}).items():
        spark.conf.set(key, value)
    views = case["inputs"] if "inputs" in case else {"t": case["input"]}
    for name, view in views.items():
        spark.sql(source(view["columns"], view["rows"])).createOrReplaceTempView(name)
    for statement in case.get("before", []):
        spark.sql(statement)


def ordered_by_time(clause: Clause) -> dict[str, str]:
    """Return the parts of a clause that change when the event time leads its ORDER BY."""
    if not clause.leading:
        return {}
    if clause.is_descending:
        return {"ORDER": f"ORDER BY {TIME} DESC"}
    changed = {"ORDER": ", ".join([f"ORDER BY {TIME}", *clause.list_of("ORDER")])}
    if "MEASURES" in clause.parts:
        # the clock of the micro-batch, which no table has
        now = r"(?i)MATCH_PROCTIME\s*\(\s*\)"
        measures = re.sub(now, r"(\g<0> > TIMESTAMP'2000-01-01')", clause.parts["MEASURES"])
        changed["MEASURES"] = measures
    bound = re.fullmatch(r"(?is)WITHIN\s+([\d.]+)", clause.parts.get("WITHIN", ""))
    if bound:
        changed["WITHIN"] = f"WITHIN INTERVAL '{bound.group(1)}' SECOND"
    return changed


@dataclasses.dataclass
class Trial:
    """A clause of a case with its rows.

    Attributes:
        number: its number in the streaming query.
        clause: the clause as the case has it.
        rows: the event time, the relation's columns, then `row_`, the row's number, `part_`, its
            partition's number, and `rest_`, how many rows of its partition follow it.
    """

    number: int
    clause: Clause
    rows: DataFrame

    @property
    def alias(self) -> str:
        """Return the relation's alias as SQL, to follow the name of the view."""
        return f" AS {self.clause.alias}" if self.clause.alias else ""

    @property
    def columns(self) -> list[str]:
        """Return the columns of the relation after the event time."""
        return self.rows.columns[:-3]


def trial(spark: SparkSession, clause: Clause, number: int) -> Trial:
    """Give the rows of a clause's relation their event time."""
    keys = ", ".join(clause.list_of("PARTITION"))
    part = f"dense_rank() OVER (ORDER BY {keys})" if keys else "1"
    items = ", ".join([TIME, *clause.list_of("ORDER")])
    alias = f" AS {clause.alias}" if clause.alias else ""
    rows = spark.sql(
        f"{clause.prefix} SELECT *, monotonically_increasing_id() AS row_, {part} AS part_, "
        f"count(*) OVER (PARTITION BY {keys or 1}) - "
        f"row_number() OVER (PARTITION BY {keys or 1} ORDER BY {items}) AS rest_ "
        f"FROM (SELECT {_time(spark, clause)} AS {TIME}, * FROM {clause.relation}){alias} "
        f"WHERE {TIME} IS NOT NULL"
    )
    return Trial(number, clause, rows.localCheckpoint())


def _time(spark: SparkSession, clause: Clause) -> str:
    leading = clause.leading_expression
    if "WITHIN" not in clause.parts or not leading:
        order = f"dense_rank() OVER (ORDER BY {clause.leading})"
        return f"timestamp_seconds({EPOCH} + {order if leading else 1})"
    query = f"{clause.prefix} SELECT {leading} AS x FROM {clause.relation}"
    kind = spark.sql(query).schema["x"].dataType.simpleString()
    if kind.partition("(")[0] not in NUMBERS:
        return f"CAST({leading} AS TIMESTAMP)"
    micros = f"CAST(ROUND(({leading}) * 1000000) AS BIGINT)"
    return f"timestamp_micros({EPOCH}000000 + IF(isnan({leading}), NULL, {micros}))"


def decided(spark: SparkSession, one: Trial) -> tuple[Counter[str], Counter[str]]:
    """Return the rows that a stream must return for a clause, and those that it may return."""
    looks_ahead = any(map(next_steps, one.clause.parts.values()))
    columns = ", ".join(f"`{c}`" for c in one.columns if c != TIME)
    one.rows.drop("row_").createOrReplaceTempView("known_")
    spark.sql(
        f"SELECT * FROM known_ UNION ALL "
        f"SELECT timestampadd(SECOND, behind_, TIMESTAMP'{BEHIND}'), {columns}, part_, "
        f"-1 - behind_ "
        f"FROM known_ CROSS JOIN range({ROWS_BEHIND}) AS behind(behind_) WHERE rest_ = 0"
    ).createOrReplaceTempView("continued_")
    waiting = set()
    given: dict[int, list[str]] = {}
    is_told = True
    for row in _answer(spark, one, "continued_"):
        waiting.update({row.part_} if row.waits_ else ())
        if row.part_ not in waiting and (row.rest_ is None or row.rest_ >= 0):
            given.setdefault(row.part_, []).append(row.row)
            is_told &= row.waits_ is not None or row.rest_ is not None
    if is_told and not looks_ahead:
        must = Counter(row for rows in given.values() for row in rows)
        return must, must
    # an empty match of ONE ROW does not show whether its row was an added one
    answer = _answer(spark, one, "known_")
    known = Counter(row.part_ for row in answer)
    must = Counter(row for part, rows in given.items() for row in rows[: known[part]])
    return must, Counter(row.row for row in answer) if looks_ahead else must


def _answer(spark: SparkSession, one: Trial, view: str) -> list[Row]:
    clause = one.clause
    changed = _probes(clause)
    changed["PARTITION"] = ", ".join(["PARTITION BY part_", *clause.list_of("PARTITION")])
    has_rest = "ALL" in clause.parts
    query = (
        f"SELECT part_, waits_, {'rest_' if has_rest else 'NULL AS rest_'}, CAST(struct(* EXCEPT "
        f"(waits_, part_{', rest_' if has_rest else ''})) AS STRING) AS row "
        f"FROM {view}{one.alias} {clause.sql(**changed)}"
    )
    try:
        return spark.sql(query).collect()
    except PySparkException as error:
        if "MATCH_RECOGNIZE_SKIP" not in str(error):
            raise
    # the added rows formed a match that cannot skip; LIMIT stops before it
    rows: list[Row] = []
    with contextlib.suppress(PySparkException):
        while True:
            rows = spark.sql(f"{query} LIMIT {len(rows) + 1}").collect()
    return rows


def _probes(clause: Clause) -> dict[str, str]:
    """Return the changed parts: DEFINE accepts added rows, and a measure reports them."""
    conditions, waits = [], [f"FINAL MIN(rest_) < {next_steps(clause.parts.get('MEASURES', ''))}"]
    for item in clause.list_of("DEFINE"):
        found = re.fullmatch(r"(?is)(`[^`]*`|\w+)\s+AS\b(.*)", item)
        assert found, item
        variable, condition = found.groups()
        steps = next_steps(condition)
        conditions.append(f"{variable} AS rest_ < {steps} OR ({condition})")
        if steps:
            waits.append(f"FINAL MIN({variable}.rest_) < {steps}")
    changed = ordered_by_time(clause)
    measures = changed.get("MEASURES", "MEASURES")
    comma = "," if "MEASURES" in clause.parts else ""
    changed["MEASURES"] = f"{measures}{comma} {' OR '.join(waits)} AS waits_"
    if conditions:
        changed["DEFINE"] = f"DEFINE {', '.join(conditions)}"
    return changed


def stream_of(spark: SparkSession, folder: Path) -> DataFrame:
    """Return the stream of the rows of all clauses, one file per micro-batch."""
    reader = spark.readStream.schema(SOURCE_SCHEMA).option("maxFilesPerTrigger", 1)
    return reader.json(str(folder)).withWatermark(TIME, f"{DELAY_SECONDS} seconds")


def streaming_view(stream: DataFrame, one: Trial, name: str) -> None:
    """Make a view of the stream of a clause's relation."""
    static = broadcast(one.rows.drop(TIME, "part_", "rest_"))
    # the clock affects only the watermark; the join has no row for it
    rows = stream.where(col("clause_").isin(one.number, CLOCK)).join(static, "row_")
    rows.drop("clause_", "row_").createOrReplaceTempView(name)


def write_batches(folder: Path, trials: list[Trial], batches: int = 3) -> None:
    """Write the rows of clauses as files, by time, some of them a file late."""
    rows = sorted(
        (row[TIME], one.number, row.row_)
        for one in trials
        for row in one.rows.select("row_", TIME).collect()
    )
    times = sorted({time for time, _, _ in rows})
    # most relations are short: short first batches split them too
    cuts = [times[2 + 3 * i] for i in range(batches - 1) if 3 + 3 * i < len(times)]
    files: list[list[str]] = [[] for _ in range(len(cuts) + 1)]
    for time, number, row in rows:
        batch = sum(time > cut for cut in cuts)
        is_late = batch < len(cuts) and (cuts[batch] - time).total_seconds() < DELAY_SECONDS
        if is_late and (number + row) % 3 == 0 and time != cuts[batch]:
            batch += 1
        line = {"clause_": number, "row_": row, TIME: f"{time}Z"}
        files[batch].append(json.dumps(line))
    folder.mkdir(parents=True)
    for i, (lines, clock) in enumerate(zip(files, [*cuts, END], strict=True)):
        lines.append(json.dumps({"clause_": CLOCK, "row_": -1, TIME: f"{clock}Z"}))
        path = folder / f"{i}.json"
        path.write_text("\n".join(lines), encoding="utf-8")
        # files are read in the order of their times
        os.utime(path, (EPOCH + i, EPOCH + i))


def run_stream(spark: SparkSession, trials: list[Trial], folder: Path) -> dict[int, Counter[str]]:
    """Run clauses in one streaming query to its end, and return the rows of each."""
    write_batches(folder / "in", trials)
    stream = stream_of(spark, folder / "in")
    outputs = []
    for one in trials:
        streaming_view(stream, one, f"stream_{one.number}")
        outputs.append(
            spark.sql(
                f"SELECT {one.number} AS clause_, CAST(struct(*) AS STRING) AS row "
                f"FROM stream_{one.number}{one.alias} "
                f"{one.clause.sql(**ordered_by_time(one.clause))}"
            )
        )
    name = f"out_{folder.name}"
    query = (
        functools.reduce(DataFrame.union, outputs)
        .writeStream.format("memory")
        .queryName(name)
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    given: dict[int, Counter[str]] = {one.number: Counter() for one in trials}
    for row in spark.table(name).collect():
        given[row.clause_][row.row] += 1
    return given
