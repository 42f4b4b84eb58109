"""The same result under every plan: confs of Spark and the plugin, kinds of input, deployments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from conformance_cases import Case, all_cases, check
from loading import Run, answer
from plan_variants import LETTER_CASE, SAMPLE, SORT, SPILL, VARIANTS, Variant, bucketed_table
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from tidy import tidy

CASES = {case["id"]: case for case in all_cases()}
OTHERS = [name for name in CASES if name not in SAMPLE]
BY_NAME = {variant.name: variant for variant in VARIANTS}
BESIDE_ARRAY = [variant for variant in VARIANTS if not variant.is_in_array]


def parameters(variants: list[Variant], names: list[str]) -> Iterator[Any]:
    """Return each variant with each case that it does not change."""
    for variant in variants:
        for name in names:
            case = CASES[name]
            if variant.name == "case-sensitive" and name in LETTER_CASE:
                continue
            yield pytest.param(variant, case, id=f"{variant.name}-{name}")


def run(spark: SparkSession, variant: Variant, case: Case) -> None:
    session = variant.session(spark)
    try:
        check(session, case, variant.kind(case))
    finally:
        tidy(session)


def spread() -> Iterator[Any]:
    """Return the sample's pairs: a sixteenth, with each variant, has no mark."""
    marks_in_turn = [[pytest.mark.slow]] * 16
    marks_in_turn[::4] = [[], *[[pytest.mark.matrix]] * 3]
    for variant_number, variant in enumerate(BESIDE_ARRAY):
        for case_number, name in enumerate(SAMPLE):
            marks = marks_in_turn[(variant_number + case_number) % 16]
            for pair in parameters([variant], [name]):
                yield pytest.param(*pair.values, id=pair.id, marks=marks)


@pytest.mark.parametrize(("variant", "case"), list(spread()))
def test_sample(spark: SparkSession, variant: Variant, case: Case) -> None:
    run(spark, variant, case)


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "case"), list(parameters(BESIDE_ARRAY, OTHERS)))
def test_every_other_case(spark: SparkSession, variant: Variant, case: Case) -> None:
    run(spark, variant, case)


@pytest.mark.parametrize("name", sorted(LETTER_CASE))
def test_letter_case_counts_if_the_session_says_so(spark: SparkSession, name: str) -> None:
    with pytest.raises((AssertionError, PySparkException)):
        run(spark, BY_NAME["case-sensitive"], CASES[name])


# Deployments, each in a separate process.

PROGRAM = """
import json, sys
sys.path.insert(0, TESTS)
from conformance_cases import all_cases, check
from pyspark.sql import SparkSession
from spark_match_recognize import configure
builder = SparkSession.builder.config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
builder = builder.config("spark.sql.session.timeZone", "UTC")
builder = builder.config("spark.sql.shuffle.partitions", "2")
spark = configure(builder).getOrCreate()
names = set(NAMES)
failures = {}
count = 0
for case in all_cases():
    if case["id"] in names:
        try:
            # a session of Connect on Spark 4.0 has no other beside it
            session = spark.newSession() if hasattr(spark, "newSession") else spark
            check(session, case)
            count += 1
        except Exception as error:
            failures[case["id"]] = f"{type(error).__name__}: {error}"[:500]
        for key in case.get("conf", {}):
            session.conf.unset(key)
        del session  # released before its server stops; afterwards it would be tried for minutes
print("ANSWER " + json.dumps([count, failures]))
spark.stop()
"""


def program(names: list[str]) -> str:
    """Return a program that checks these cases in a session of its environment."""
    tests = str(__file__).rpartition("/")[0]
    return PROGRAM.replace("TESTS", repr(tests)).replace("NAMES", repr(names))


@pytest.mark.parametrize("distance", [6, pytest.param(3, marks=pytest.mark.matrix, id="matrix")])
def test_sample_connect(run_connected: Run, distance: int) -> None:
    names = list(SAMPLE)[::distance]
    assert answer(run_connected("-", stdin=program(names))) == [len(names), {}]


@pytest.mark.slow
def test_every_case_connect(run_connected: Run) -> None:
    assert answer(run_connected("-", stdin=program(list(CASES)))) == [len(CASES), {}]


@pytest.mark.slow
def test_every_case_local_cluster(run_python: Run) -> None:
    cluster = {"MASTER": "local-cluster[2,1,1024]"}
    assert answer(run_python(program(list(CASES)), env=cluster)) == [len(CASES), {}]


# The variants have the plans that they claim.

CLAUSE = """MATCH_RECOGNIZE (PARTITION BY g ORDER BY k MEASURES SUM(v) AS s
  PATTERN (A B+) DEFINE B AS v > PREV(v) AND v < SUM(A.v) + 50)"""
ROWS = "SELECT id % 4 AS g, id AS k, id * 7 % 50 AS v FROM range({})"
PROBE = {"id": "probe", "sql": f"SELECT * FROM probe {CLAUSE}"}


def plan_of(spark: SparkSession, variant: Variant, count: int = 100) -> tuple[str, Any]:
    """Run the probe under a variant; return its executed plan as text and as Spark's object."""
    session = variant.session(spark)
    variant.kind(PROBE)(session, "probe", ROWS.format(count))
    try:
        frame = session.sql(PROBE["sql"])
        assert frame.collect()
        executed = frame._jdf.queryExecution().executedPlan()
        return executed.toString(), executed
    finally:
        tidy(session)


def compilations(spark: SparkSession) -> int:
    metrics = spark._jvm.org.apache.spark.metrics.source.CodegenMetrics
    return int(metrics.METRIC_COMPILATION_TIME().getCount())


def test_adaptive_or_not(spark: SparkSession) -> None:
    plan, _ = plan_of(spark, BY_NAME["adaptive-ansi-codegen-case-insensitive"])
    assert plan.startswith("AdaptiveSparkPlan")
    plan, _ = plan_of(spark, BY_NAME["not-adaptive"])
    assert "AdaptiveSparkPlan" not in plan


def test_whole_stages_or_none(spark: SparkSession) -> None:
    plan, _ = plan_of(spark, Variant("stages", {"adaptive.enabled": "false", SORT: "spark"}))
    assert "*(1) Sort" in plan or "*(2) Sort" in plan
    for name in ("no-codegen", "codegen-of-expressions-only"):
        variant = BY_NAME[name]
        flat = Variant(name, {**variant.confs, "adaptive.enabled": "false"})
        assert "*(" not in plan_of(spark, flat)[0], name


def test_rows_are_shuffled_in_blocks_or_not(spark: SparkSession) -> None:
    for name in ("not-adaptive", "blocks-not-adaptive-spill-2", "200-shuffle-partitions"):
        plan = plan_of(spark, BY_NAME[name])[0]
        assert re.search(r"BlockRead \[g#.*\n.*Exchange.*\n.*BlockWrite \[g#", plan), plan
    adaptive = plan_of(spark, BY_NAME["adaptive-ansi-codegen-case-insensitive"])[0]
    assert "BlockRead" in adaptive
    for name in ("shuffled-by-spark", "sorted-by-spark", "bucketed"):
        assert "Block" not in plan_of(spark, BY_NAME[name])[0], name


def test_stages_of_too_many_fields_are_not_generated(spark: SparkSession) -> None:
    confs = {**BY_NAME["codegen-few-fields"].confs, SORT: "spark"}
    plan, _ = plan_of(spark, Variant("few-fields", confs))
    assert re.search(r"\n\W*Sort \[", plan), plan


def test_no_code_is_generated_without_codegen(spark: SparkSession) -> None:
    before = compilations(spark)
    plan_of(spark, BY_NAME["no-codegen"])
    assert compilations(spark) == before


@pytest.mark.slow
def test_a_condition_that_does_not_compile_is_interpreted(spark: SparkSession) -> None:
    terms = " OR ".join(f"v = id * {i} + 7" for i in range(800))
    sql = f"""SELECT * FROM (SELECT id, id * 3 + 7 AS v FROM range(4)) MATCH_RECOGNIZE (
        ORDER BY id MEASURES COUNT(*) AS n PATTERN (A+) DEFINE A AS {terms})"""
    # a single method for the whole condition would be too long for the JVM
    whole = {"codegen.methodSplitThreshold": "100000000", "codegen.wholeStage": "false"}
    fallback = Variant("fallback", {**whole, "codegen.factoryMode": "FALLBACK"})
    assert [row.n for row in fallback.session(spark).sql(sql).collect()] == [4]
    generated = Variant("generated", {**whole, "codegen.factoryMode": "CODEGEN_ONLY"})
    with pytest.raises(Exception, match="64 KB"):
        generated.session(spark).sql(sql).collect()


def test_cached_input(spark: SparkSession) -> None:
    plan, _ = plan_of(spark, BY_NAME["cached"])
    assert "Scan In-memory table probe" in plan, plan


def test_bucketed_and_sorted_input_is_neither_exchanged_nor_sorted(spark: SparkSession) -> None:
    plan, _ = plan_of(spark, BY_NAME["bucketed"])
    assert "MatchRecognize" in plan
    assert "Exchange" not in plan
    assert "Sort " not in plan
    assert "own sort" not in plan
    unsorted, _ = plan_of(spark, Variant("bucketed-only", kind=bucketed_table))
    assert "Exchange" not in unsorted
    assert "Sort " not in unsorted
    assert "own sort" in unsorted
    by_spark, _ = plan_of(spark, Variant("by-spark", {SORT: "spark"}, kind=bucketed_table))
    assert "Exchange" not in by_spark
    assert "Sort " in by_spark
    assert "own sort" not in by_spark


@pytest.mark.parametrize(("name", "count"), [("spill-1000", 8000), ("spill-2", 20)])
def test_partitions_spill(spark: SparkSession, name: str, count: int) -> None:
    def spilled(variant: Variant) -> int:
        plan = plan_of(spark, variant, count)[1]
        while plan.nodeName() != "MatchRecognize":
            if plan.nodeName() == "AdaptiveSparkPlan":
                plan = plan.executedPlan()
            elif plan.nodeName() == "ResultQueryStage":
                plan = plan.plan()
            else:
                plan = plan.children().head()
        return int(plan.metrics().apply("spillSize").value())

    assert spilled(BY_NAME[name]) > 0
    assert spilled(Variant("unspilled", {SPILL: "100000"})) == 0


def test_variants_and_sample_name_what_exists() -> None:
    assert len(SAMPLE) == len(set(SAMPLE))
    assert set(SAMPLE) <= set(CASES)
    assert set(CASES) >= LETTER_CASE
