"""The query of stream_job.py in each order, on a cluster, in a driver that a test can kill.

Arguments: the URL of the master, the folder of the cluster, a name of this driver, and the folder
of the queries.
"""

from __future__ import annotations

import sys
from pathlib import Path

import stream_job
from cluster.application import builder
from pyspark.sql import SparkSession

from spark_match_recognize import configure

# The orders in which rows are searched, and by how many seconds rows may be late.
ORDERS = {"watermark": 20, "arrival": 0}
HALF = {"spark.cores.max": "2"}
"""Settings of an application that leaves half of the cluster to another one."""


def run(spark: SparkSession, folder: Path) -> None:
    """Process the input of all queries of a folder, each one file per micro-batch."""
    queries = []
    for order in ORDERS:
        places = [str(folder / order / place) for place in ("in", "out", "checkpoint")]
        session = spark.newSession()
        session.conf.set("spark.sql.shuffle.partitions", "3")
        queries.append(stream_job.start(session, *places, order))
    for query in queries:
        query.awaitTermination()


def main(url: str, cluster: str, name: str, folder: str) -> None:
    """Run the queries in a session on the cluster."""
    made = builder(url, Path(cluster), name).config(map=HALF)
    run(configure(made).getOrCreate(), Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
