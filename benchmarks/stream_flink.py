"""The streams of the benchmarks in Flink: a process of .venv-flink that streaming.py asks.

Each line of its input is a request, and each line of its output that begins with `{` the answer,
both as JSON. A run has parallelism 2, the heap state backend, blackhole sinks and no checkpoints,
which is the cheapest setup in Flink. A run that counts the matches writes them to files, and a
checkpoint each second, for the size of the state.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import Any

from pyflink.java_gateway import get_gateway
from pyflink.table import EnvironmentSettings, TableDescriptor, TableEnvironment
from stream_workloads import DELAY_SECONDS, WORKLOADS, Workload, fed

COUNTING = {
    "execution.checkpointing.interval": "1s",
    "execution.checkpointing.num-retained": "1000",
}
# each file is found alone: two at once would be read in any order, and rows lost as late
WATCH = "200ms"
# from the start of a job until its tasks run, and from the last file until it is read
START_SECONDS, END_SECONDS = 3, 3


def environment(work: Workload, request: dict[str, Any], folder: Path) -> TableEnvironment:
    """Return an environment with the table `input`.

    Args:
        work: What the rows are of.
        request: See `run`.
        folder: For checkpoints.
    """
    batch, settings = request["how"] == "batch", EnvironmentSettings.new_instance()
    settings = settings.in_batch_mode() if batch else settings.in_streaming_mode()
    env = TableEnvironment.create(settings.build())
    env.get_config().set("parallelism.default", "2")
    if request["count"] and not batch:
        for key, value in COUNTING.items():
            env.get_config().set(key, value)
        env.get_config().set("execution.checkpointing.dir", f"file://{folder}")
    columns = ", ".join(f"{name} {kind}" for name, kind in work.types.items())
    watched = f", 'source.monitor-interval' = '{WATCH}'" if request["how"] == "fed" else ""
    env.execute_sql(f"""
        CREATE TABLE input ({columns}, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3),
          WATERMARK FOR ts AS ts - INTERVAL '{DELAY_SECONDS}' SECOND)
        WITH ('connector' = 'filesystem', 'format' = 'csv',
          'path' = '{Path(request["files"]).resolve()}'{watched})
    """)
    return env


def run(request: dict[str, Any], feeder: Thread | None = None) -> dict[str, float]:
    """Run the bare source, or the rules as statements of a set, planning included.

    Args:
        request: `work`, the name of the workload; `files`, the folder of its rows; `how`, as in
            `play` of streaming.py; `clause`, whether the rules are searched; `count`, whether
            matches and state are counted.
        feeder: Adds the files while the job runs.

    Returns:
        Seconds, `cpu` of all threads of the JVM and `wall`, and `matches` and `state_bytes`, the
        size of the largest checkpoint, if they are counted.
    """
    work = next(each for each in WORKLOADS if each.name == request["work"])
    folder = Path(tempfile.mkdtemp(dir="out/bench", prefix="flink-")).resolve()
    env = environment(work, request, folder)
    queries = [f"SELECT {', '.join(work.types)}, ts FROM input"]
    if request["clause"]:
        queries = [f"SELECT * FROM input {clause} AS m" for clause in work.flink_clauses()]
    jvm = get_gateway().jvm
    system = jvm.java.lang.management.ManagementFactory.getOperatingSystemMXBean()
    jvm.java.lang.System.gc()
    cpu, wall = system.getProcessCpuTime(), time.perf_counter()
    statements = env.create_statement_set()
    for number, query in enumerate(queries):
        sink = TableDescriptor.for_connector("blackhole")
        if request["count"]:
            sink = TableDescriptor.for_connector("filesystem").format("csv")
            sink = sink.option("path", str(folder / f"matches-{number}"))
        statements.add_insert(sink.build(), env.sql_query(query))
    job = statements.execute().get_job_client()
    done, largest = job.get_job_execution_result(), 0
    if feeder:
        while str(job.get_job_status().result()) != "JobStatus.RUNNING":
            time.sleep(0.1)
        time.sleep(START_SECONDS)
        feeder.start()
    while not done.done() and (request["count"] or feeder):
        # checkpoints are dropped when the job ends
        largest = max(largest, checkpoint_size(folder))
        if feeder and not feeder.is_alive():
            time.sleep(END_SECONDS)
            break
        time.sleep(0.1)
    else:
        done.result()
    found = {"cpu": (system.getProcessCpuTime() - cpu) / 1e9, "wall": time.perf_counter() - wall}
    if not done.done() and request["count"]:
        # as pyflink's own method does not; what waits for the watermark is decided
        kind, drain = jvm.org.apache.flink.core.execution.SavepointFormatType.NATIVE, True
        job._j_job_client.stopWithSavepoint(drain, str(folder / "end"), kind).get()  # noqa: SLF001
        done.result()
    elif not done.done():
        job.cancel().result()
    files = [file for file in folder.glob("matches-*/*") if file.is_file()]
    matches = sum(len(file.read_bytes().splitlines()) for file in files)
    shutil.rmtree(folder, ignore_errors=True)
    return {**found, "matches": matches, "state_bytes": largest}


def checkpoint_size(folder: Path) -> int:
    """Return the bytes of the largest checkpoint of the jobs whose folders are in a folder."""
    return max((size(each) for each in folder.glob("*/chk-*")), default=0)


def size(folder: Path) -> int:
    """Return the bytes of the files in a folder that may have been deleted."""
    with contextlib.suppress(FileNotFoundError):
        return sum(file.stat().st_size for file in folder.iterdir())
    return 0


def main() -> None:
    """Answer requests until there are no more."""
    # py4j may only call the methods of the bean that knows the CPU time if its package is open
    opened = "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED"
    os.environ["JDK_JAVA_OPTIONS"] = opened
    for line in sys.stdin:
        request = json.loads(line)
        if request["how"] == "fed":
            with fed(Path(request["files"])) as (folder, feeder):
                answer = run({**request, "files": str(folder)}, feeder)
        else:
            answer = run(request)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
