"""A query of the latency benchmark in Flink, in a process of .venv-flink: see latency.py.

It prints a line when it runs, and after a line on its input it stops and prints, as JSON, the size
of its largest checkpoint. Flink keeps state on the heap here, which is its fastest way, and writes
checkpoints as often as Real-Time Mode ends a batch.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from latency_rows import STREAMS
from pyflink.table import EnvironmentSettings, TableEnvironment
from stream_flink import checkpoint_size

CONNECTOR = Path("out/flink-kafka")
TUNED = {
    # a record leaves a half-full buffer after so long; 100 ms by default
    "execution.buffer-timeout.interval": "5 ms",
    # how often watermarks are sent; 200 ms by default
    "pipeline.auto-watermark-interval": "5 ms",
}


def environment(options: argparse.Namespace) -> TableEnvironment:
    """Return an environment with the tables `input` and `output`, both topics."""
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    (jar,) = CONNECTOR.resolve().glob("*.jar")
    settings = {
        "parallelism.default": "2",
        "pipeline.jars": f"file://{jar}",
        "execution.checkpointing.interval": options.batch,
        "execution.checkpointing.dir": f"file://{Path(options.folder).resolve()}",
        "execution.checkpointing.num-retained": "1000",
        "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
        **(TUNED if options.system.endswith("-5") else {}),
    }
    for key, value in settings.items():
        env.get_config().set(key, value)
    records = f"""'connector' = 'kafka', 'properties.bootstrap.servers' = '{options.servers}',
      'key.format' = 'raw', 'key.fields' = 'k', 'value.format' = 'csv',
      'value.fields-include' = 'EXCEPT_KEY'"""
    # rows of a partition are in order, and several may have the same time
    env.execute_sql(f"""
        CREATE TABLE input (k STRING, ms BIGINT, seq BIGINT, price DOUBLE,
          ts AS TO_TIMESTAMP_LTZ(ms, 3), pt AS PROCTIME(),
          WATERMARK FOR ts AS ts - INTERVAL '0.001' SECOND)
        WITH ({records}, 'topic' = '{options.input}', 'scan.startup.mode' = 'earliest-offset')
    """)
    # Spark's sink sends at once; the client in Flink's connector waits for 5 ms by default
    env.execute_sql(f"""
        CREATE TABLE output (k STRING, ms BIGINT, first_seq BIGINT, last_seq BIGINT)
        WITH ({records}, 'topic' = '{options.output}', 'properties.linger.ms' = '0')
    """)
    return env


def main() -> None:
    """Run one query until it is told to stop."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("system", "stream", "servers", "input", "output", "folder", "batch"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--rules", type=int, required=True)
    options = parser.parse_args()
    order = "ts, seq" if "event" in options.system else "pt"
    statements = environment(options).create_statement_set()
    for search in STREAMS[options.stream].searches(options.rules, order=order, flink=True):
        text = f"INSERT INTO output SELECT k, ms, first_seq, last_seq FROM input {search} AS m"
        statements.add_insert_sql(text)
    job = statements.execute().get_job_client()
    while str(job.get_job_status().result()) != "JobStatus.RUNNING":
        time.sleep(0.1)
    time.sleep(5)
    print("READY", flush=True)
    sys.stdin.readline()
    # the job runs to its end: else this is an error
    running = str(job.get_job_status().result())
    if running != "JobStatus.RUNNING":
        message = f"The job is {running}."
        raise SystemExit(message)
    largest = checkpoint_size(Path(options.folder))
    job.cancel().result()
    print(json.dumps({"batches": [], "state_bytes": largest}), flush=True)


if __name__ == "__main__":
    main()
