"""What a test leaves in the catalog that the sessions of a process share."""

from __future__ import annotations

from pyspark.sql import SparkSession


def tidy(session: SparkSession) -> None:
    """Drop the tables and views of a test, and what it cached: the names of some are the same."""
    session.catalog.clearCache()
    for table in session.catalog.listTables():
        if table.isTemporary:
            session.catalog.dropTempView(table.name)
        else:
            kind = "VIEW" if table.tableType == "VIEW" else "TABLE"
            session.sql(f"DROP {kind} `{table.name}`")
