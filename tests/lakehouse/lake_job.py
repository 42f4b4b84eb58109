"""A streaming query from a table of one format into one of another, in a process to be killed.

Arguments: the folder of the tables, the formats of the session, that of the source and of the sink.
"""

from __future__ import annotations

import sys
from pathlib import Path

from lakehouse import lake
from lakehouse.lake import session

# the shapes of the prices, whose time is `at`
CLAUSE = lake.CLAUSE.replace("day", "at")

# A micro-batch reads one commit of the source.
SLOWLY = {"maxFilesPerTrigger": "1", "streaming-max-files-per-micro-batch": "1"}


def main(folder: str, formats: str, source: str, sink: str) -> None:
    """Write the shapes of the table `prices` to the table `shapes`, and end."""
    spark = session(Path(folder), [*formats.split(","), "plugin"])
    place = {"delta": f"{folder}/{{}}", "iceberg": "ice.db.{}"}
    prices = spark.readStream.format(source).options(**SLOWLY).load(place[source].format("prices"))
    prices.withWatermark("at", "5 seconds").createOrReplaceTempView("arriving")
    writer = spark.sql(f"SELECT * FROM arriving {CLAUSE}").writeStream.format(sink)
    writer = writer.option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True)
    target = place[sink].format("shapes")
    query = writer.start(target) if sink == "delta" else writer.toTable(target)
    query.awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
