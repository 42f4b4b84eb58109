"""The query of stream_job.py on a cluster, in a driver that a test can kill.

Arguments: the URL of the master, the folder of the cluster, a name of this driver, the folder of
the input, of the output, and of the checkpoint.
"""

from __future__ import annotations

import sys
from pathlib import Path

import stream_job
from cluster.application import builder

from spark_match_recognize import configure


def main(url: str, folder: str, name: str, *places: str) -> None:
    """Process the input, one file per micro-batch."""
    made = builder(url, Path(folder), name).config("spark.sql.shuffle.partitions", "3")
    configure(made).getOrCreate()
    stream_job.main(*places)


if __name__ == "__main__":
    main(*sys.argv[1:])
