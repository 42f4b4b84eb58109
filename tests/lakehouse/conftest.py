"""Sessions beside Delta Lake and Iceberg: both and each alone, before and after the plugin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lakehouse.lake import BOTH, FORMATS, MINOR, ORDERS, TICKS, WIDEST, Lake, session
from pyspark.sql import SparkSession

# Without an artifact for this Spark there is nothing to test, and where there is one, it is Delta
# Lake's. The demo needs both formats; plans and versions on the pages are those of one minor.
collect_ignore_glob = [] if FORMATS else ["test_*.py"]
if len(FORMATS) == 1:
    collect_ignore_glob.append("test_iceberg.py")
if MINOR != BOTH:
    collect_ignore_glob += ["test_demo.py", "test_pages.py"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test in the sessions that have its formats: those of all formats, or what it is marked.

    The marks are `every_order`, also with one format alone, and `one_order`, in one session only,
    as is every test of a sample.
    """
    if "lake" not in metafunc.fixturenames:
        return
    needed = {"delta", "iceberg"} & {*metafunc.fixturenames}
    marks = {mark.name for mark in metafunc.definition.iter_markers()}
    orders = ORDERS if "every_order" in marks else WIDEST
    if "one_order" in marks or metafunc.config.getoption("--sample"):
        orders = WIDEST[:1]
    chosen = [order for order in orders if needed <= {*order}]
    parameters = [pytest.param(order, id="-".join(order)) for order in chosen]
    metafunc.parametrize("lake", parameters, indirect=True, scope="session")


@pytest.fixture(scope="session")
def lake(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Lake]:
    """Return a session of each order of extensions in turn, with the view `rows`."""
    spark = session(tmp_path_factory.mktemp("lake"), request.param)
    spark.sql(f"CREATE TEMP VIEW rows AS SELECT * FROM {TICKS}")
    yield Lake(spark, tuple(name for name in request.param if name != "plugin"))
    spark.stop()


@pytest.fixture
def delta(lake: Lake) -> Iterator[SparkSession]:
    """Return the session with a Delta table `ticks` of the rows."""
    lake.spark.sql("CREATE TABLE ticks USING delta AS SELECT * FROM rows")
    yield lake.spark
    for table in lake.spark.sql("SHOW TABLES IN default").collect():
        if not table.isTemporary:
            lake.spark.sql(f"DROP TABLE IF EXISTS {table.tableName}")


@pytest.fixture
def iceberg(lake: Lake) -> Iterator[SparkSession]:
    """Return the session with an Iceberg table `ice.db.ticks` of the rows."""
    spark = lake.spark
    spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.db")
    spark.sql("CREATE TABLE ice.db.ticks USING iceberg AS SELECT * FROM rows")
    yield spark
    for table in spark.sql("SHOW TABLES IN ice.db").collect():
        if not table.isTemporary:
            spark.sql(f"DROP TABLE IF EXISTS ice.db.{table.tableName} PURGE")
