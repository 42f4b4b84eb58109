"""The conformance cases as streams; stream_cases.py describes input and expected rows."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conformance_cases import FOLDER, Case, all_cases, lacking
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession
from stream_cases import (
    TIME,
    Trial,
    decided,
    make_views,
    ordered_by_time,
    run_stream,
    stream_of,
    streaming_view,
    trial,
    write_batches,
)
from stream_text import CONDITIONS, Clause, clauses, refusal

# clauses per query; the cost of a task grows with their number
GROUP_SIZE = 12
# queries have few rows: code compilation would take most of the time
CONFS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
}
CASES = [case for case in all_cases() if clauses(case["sql"])]
RUN_TIME = [c for c in CASES if c.get("expected_error", "").startswith("runtime")]
ANSWERED = [c for c in CASES if "expected_error" not in c]
REFUSED = [c for c in CASES if c not in ANSWERED and c not in RUN_TIME]


def admitted(case: Case) -> list[Clause]:
    """Return the clauses of a case that a stream admits."""
    return [clause for clause in clauses(case["sql"]) if not refusal(clause)]


def has_own_time(clause: Clause) -> bool:
    """Tell whether the event time is taken from the rows, because of WITHIN."""
    within = clause.parts.get("WITHIN", "").upper()
    return "INTERVAL" in within or "HOUR" in within


def groups() -> Iterator[list[Case]]:
    """Return the cases by the streaming queries that run them."""
    together: dict[str, list[Case]] = {}
    for case in ANSWERED:
        if any(map(has_own_time, admitted(case))):
            yield [case]
        elif admitted(case):
            together.setdefault(json.dumps(case.get("conf", {})), []).append(case)
    for cases in together.values():
        for i in range(0, len(cases), GROUP_SIZE):
            yield cases[i : i + GROUP_SIZE]


GROUPS = list(groups())
# `make test` runs a sample, `make test-all` a larger one with all scenarios, `make test-slow` all
SCENARIOS = {case["id"] for case in json.loads((FOLDER / "scenarios.json").read_text("utf-8"))}


def every(distance: int) -> set[str]:
    """Return the cases of some groups, and of nine times as many of those with a scenario."""
    return {
        case["id"]
        for number, group in enumerate(GROUPS)
        if number % distance == 0
        or (number % (distance // 9) == 0 and any(case["id"] in SCENARIOS for case in group))
        for case in group
    }


LARGE_SAMPLE, SAMPLE = every(9), every(36)


class Runner:
    """Runs each group of cases once, when the first of them is needed."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.answers: dict[str, Any] = {}
        self.queries = 0

    def answer(self, case: Case) -> Any:
        """Return the required, allowed and actual rows of each clause, or the query's error."""
        if case["id"] not in self.answers:
            group = next(group for group in GROUPS if case in group)
            try:
                self.answers.update(self.run(group))
            except PySparkException:
                for one in group:
                    self.answers.update(self.alone(one))
        return self.answers[case["id"]]

    def alone(self, case: Case) -> dict[str, Any]:
        """Run a case of a group that failed."""
        try:
            return self.run([case])
        except PySparkException as error:
            return {case["id"]: error}

    def run(self, group: list[Case]) -> dict[str, Any]:
        """Run cases in one streaming query."""
        trials: dict[str, list[Trial]] = {}
        wanted: dict[int, tuple[Counter[str], Counter[str]]] = {}
        spark = self.spark.newSession()
        for key, value in CONFS.items():
            spark.conf.set(key, value)
        number = 0
        for case in group:
            make_views(spark, case)
            trials[case["id"]] = []
            for clause in admitted(case):
                one = trial(spark, clause, number)
                wanted[number] = decided(spark, one)
                trials[case["id"]].append(one)
                number += 1
        self.queries += 1
        every = [one for some in trials.values() for one in some]
        given = run_stream(spark, every, self.folder / f"query{self.queries}")
        return {
            name: [(*wanted[one.number], given[one.number]) for one in some]
            for name, some in trials.items()
        }


@pytest.fixture(scope="module")
def runner(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Return the runner of all cases."""
    return Runner(spark, tmp_path_factory.mktemp("streams"))


def ids(cases: list[Case]) -> list[Any]:
    """Return cases as parameters; `make test` runs one in four, and other files all as tables."""
    marks = ([], *([pytest.mark.matrix],) * 3)
    return [pytest.param(c, id=c["id"], marks=marks[n % 4]) for n, c in enumerate(cases)]


def streaming_tables(spark: SparkSession, case: Case, folder: Path) -> None:
    """Register the tables of a case as streams, each under its name, to analyse statements."""
    make_views(spark, case)
    views = case.get("inputs") or {"t": case["input"]}
    found = [trial(spark, Clause("", name, name, {}), i) for i, name in enumerate(views)]
    write_batches(folder, found)
    for one, name in zip(found, views, strict=True):
        streaming_view(stream_of(spark, folder), one, name)


def statement(case: Case) -> str:
    """Return the statement of a case, ordered by the event time."""
    sql = case["sql"]
    for clause in clauses(sql):
        # errors of WITHIN about its key's type refer to the original key
        if "WITHIN" not in clause.parts:
            for name, text in ordered_by_time(clause).items():
                sql = sql.replace(clause.parts[name], text, 1)
        if re.fullmatch(r"\w+ AS \w+\(.*\)", clause.relation):
            # the names of its columns
            named = clause.relation.replace("(", f"({TIME}, ")
            sql = sql.replace(clause.relation, named, 1)
    return sql


def sampled(cases: list[Case]) -> list[Any]:
    """Return cases as parameters, marked except for the sample."""

    def marks(case: Case) -> list[pytest.MarkDecorator]:
        if case["id"] in SAMPLE:
            return []
        return [pytest.mark.matrix if case["id"] in LARGE_SAMPLE else pytest.mark.slow]

    return [pytest.param(case, id=case["id"], marks=marks(case)) for case in cases]


@pytest.mark.parametrize("case", sampled([c for c in ANSWERED if admitted(c)]))
def test_rows(runner: Runner, case: Case) -> None:
    answer = runner.answer(case)
    if isinstance(answer, Exception):
        raise answer
    for must, may, given in answer:
        assert not must - given, f"missing {must - given}"
        assert not given - (must | may), f"too many {given - (must | may)}"


@pytest.mark.parametrize("case", ids([c for c in ANSWERED if len(admitted(c)) == 0]))
def test_refused_case(spark: SparkSession, case: Case, tmp_path: Path) -> None:
    session = spark.newSession()
    streaming_tables(session, case, tmp_path / "in")
    reason = next(filter(None, map(refusal, clauses(case["sql"]))))
    with pytest.raises(AnalysisException) as raised:
        session.sql(statement(case))
    assert raised.value.getCondition() == CONDITIONS[reason]


@pytest.mark.parametrize("case", ids(REFUSED))
def test_error(spark: SparkSession, case: Case, tmp_path: Path) -> None:
    if missing := lacking(case):
        pytest.skip(missing)
    session = spark.newSession()
    streaming_tables(session, case, tmp_path / "in")
    with pytest.raises(PySparkException) as raised:
        session.sql(statement(case))
    allowed = [*case.get("expected_condition", []), "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM."]
    assert raised.value.getCondition().startswith(tuple(allowed))


@pytest.mark.parametrize("case", ids(RUN_TIME))
def test_run_time_error(spark: SparkSession, case: Case, tmp_path: Path) -> None:
    session = spark.newSession()
    for key, value in CONFS.items():
        session.conf.set(key, value)
    make_views(session, case)
    one = trial(session, clauses(case["sql"])[0], 0)
    with pytest.raises(PySparkException) as raised:
        run_stream(session, [one], tmp_path / "run")
    assert any(condition in str(raised.value) for condition in case["expected_condition"])


def test_admitted_and_refused(capsys: pytest.CaptureFixture[str]) -> None:
    every = [clause for case in ANSWERED + RUN_TIME for clause in clauses(case["sql"])]
    reasons = Counter(refusal(clause) or "admitted" for clause in every)
    assert set(reasons) <= {"admitted", *CONDITIONS}
    assert reasons["admitted"] > 0.9 * len(every)
    with capsys.disabled():
        print(f"\nclauses on streams: {dict(reasons)}")
