"""The plans under which a statement must have the same result: confs and kinds of input."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

from conformance_cases import Case, MakeView, temporary_view
from pyspark.sql import SparkSession
from settings_array import VALUES


def cached_view(spark: SparkSession, name: str, query: str) -> None:
    """Make a temporary view whose rows Spark holds in memory."""
    temporary_view(spark, name, query)
    spark.sql(f"CACHE TABLE {name}")


def words_after(keyword: str, sql: str) -> list[str]:
    """Return the plain column names of the first list after a keyword, up to anything else."""
    pattern = rf"(?is)MATCH_RECOGNIZE.*?\b{keyword}\s+([\w, ]+?)(?=[^\w, ]|$)"
    found = re.search(pattern, sql)
    names = [part.strip().lower() for part in found.group(1).split(",")] if found else []
    return [name.split()[0] for name in names if name]


def bucketed_table(case: Case) -> MakeView:
    """Return a maker of tables that are bucketed and sorted as the case's clause requires."""

    def make(spark: SparkSession, name: str, query: str) -> None:
        rows = spark.sql(query)
        known = {column.lower(): column for column in rows.columns}
        keys = [known[k] for k in words_after("PARTITION BY", case["sql"]) if k in known]
        order = [known[k] for k in words_after("ORDER BY", case["sql"]) if k in known]
        keys = keys or [rows.columns[0]]
        order = [*keys, *(k for k in order if k not in keys)]
        # one task writes one file per bucket, so that each file contains its bucket in order
        writer = rows.coalesce(1).write.format("parquet").bucketBy(2, *keys).sortBy(*order)
        writer.mode("overwrite").saveAsTable(name)

    return make


Kind = Callable[[Case], MakeView]


@dataclasses.dataclass(frozen=True)
class Variant:
    """A way to plan statements.

    Attributes:
        name: for the ids of tests.
        confs: of the session, without `spark.sql.` or, with a dot in front, without `spark.`.
        kind: how the relations of a case are created.
    """

    name: str
    confs: dict[str, Any] = dataclasses.field(default_factory=dict)
    kind: Kind = lambda _: temporary_view

    @property
    def settings(self) -> dict[str, Any]:
        """The confs by their full keys."""
        return {
            f"spark{key}" if key.startswith(".") else f"spark.sql.{key}": value
            for key, value in self.confs.items()
        }

    @property
    def is_in_array(self) -> bool:
        """Whether test_settings.py runs the cases under all of its confs, each with all others."""
        return bool(self.confs) and VALUES.keys() >= self.settings.keys()

    def session(self, spark: SparkSession) -> SparkSession:
        """Return a new session with the confs."""
        session = spark.newSession()
        for key, value in self.settings.items():
            session.conf.set(key, value)
        return session


SPILL = ".matchRecognize.buffer.spillThresholdRows"
SORT = ".matchRecognize.sort"
SHUFFLE = ".matchRecognize.shuffle"

ON = {
    "adaptive.enabled": "true",
    "adaptive.forceApply": "true",
    "ansi.enabled": "true",
    "caseSensitive": "false",
    "codegen.wholeStage": "true",
    "codegen.factoryMode": "CODEGEN_ONLY",
}

# A bucketed table's scan says in which order its rows are.
ORDERED = {"legacy.bucketedTableScan.outputOrdering": "true"}

VARIANTS = [
    Variant("adaptive-ansi-codegen-case-insensitive", ON),
    Variant("not-adaptive", {"adaptive.enabled": "false"}),
    Variant("case-sensitive", {"caseSensitive": "true"}),
    Variant(
        "codegen-of-expressions-only",
        {"codegen.wholeStage": "false", "codegen.factoryMode": "CODEGEN_ONLY"},
    ),
    Variant("no-codegen", {"codegen.wholeStage": "false", "codegen.factoryMode": "NO_CODEGEN"}),
    # whole-stage code is generated, found too long and discarded
    Variant(
        "codegen-fallback", {"codegen.hugeMethodLimit": "1", "codegen.factoryMode": "FALLBACK"}
    ),
    Variant("codegen-few-fields", {"codegen.maxFields": "1"}),
    Variant("200-shuffle-partitions", {"shuffle.partitions": "200"}),
    Variant("sorted-by-spark", {SORT: "spark"}),
    Variant("shuffled-by-spark", {SHUFFLE: "spark"}),
    Variant("blocks-not-adaptive-spill-2", {"adaptive.enabled": "false", SPILL: "2"}),
    Variant("spill-1000", {SPILL: "1000"}),
    Variant("spill-2", {SPILL: "2"}),
    Variant("cached", kind=lambda _: cached_view),
    Variant("bucketed", ORDERED, kind=bucketed_table),
]

# Cases whose statement spells a name in two letter cases, which caseSensitive distinguishes.
LETTER_CASE = frozenset(
    {"name-column-case-insensitive", "err-define-twice-case", "out-err-name-partition"}
)

# One case per feature. `make test` runs each under an eighth of the plans that are not in the array
# of settings, `make test-slow` under all of these.
SAMPLE = (
    "window-functions",
    "window-seek",
    "window-several",
    "basic-define-case-in-between-like",
    "pat-anchor-whole",
    "pat-permute-three",
    "pat-lexicographic-over-length",
    "quant-14",
    "excl-quantified-range",
    "ref-earlier-var-b",
    "cycle-728-body-mixed",
    "out-all-unmatched-star",
    "skip-union",
    "skip-absent-error",
    "empty-measures-one-row",
    "subset-in-define-max",
    "nav-prev-final-last",
    "nav-partition-bound",
    "nav-scalar-functions",
    "cls-iso-compound",
    "mno-alternating",
    "rf-matrix",
    "agg-partitioned-next-row",
    "agg-forking",
    "agg-types",
    "agg-distinct-ydb",
    "agg-filter-clause",
    "order-nulls-first-last",
    "name-struct-field",
    "q-two-in-from",
    "q-exists-inside",
    "q-union-rows",
    "err-unknown-label",
    "err-runtime-division",
    "within-day-autumn",
    "rowtime-all-rows",
    "timeout-permute",
    "part-struct-array",
    "type-array",
    "ansi-within",
    "ansi-backtracking",
    "use-v-shape-all-rows",
    "use-merge-intervals",
)
