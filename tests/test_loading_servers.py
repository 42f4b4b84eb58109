"""Servers that load the plugin for their clients: Spark Connect, and Thrift for JDBC."""

from __future__ import annotations

from pathlib import Path

import pyspark
import pytest
from loading import QUERY, SCRIPTS, Run, answer, free_port, server

CLIENT = """
import json
from pyspark.sql import SparkSession
import spark_match_recognize as mr
spark = mr.configure(SparkSession.builder.remote("sc://localhost:PORT")).getOrCreate()
well = mr.doctor(spark)
rows = [list(row) for row in spark.sql(QUERY).collect()]
frame = spark.createDataFrame([(1, 30), (2, 10), (3, 20)], ["k", "v"])
query = QUERY.replace("VALUES (1, 30), (2, 10), (3, 20) AS t(k, v)", "{frame}")
again = spark.sql(query, frame=frame)
print("ANSWER " + json.dumps([well, rows, [list(row) for row in again.collect()]]))
"""


def connect_server() -> list[str]:
    """Return the command that starts a Connect server: the script, where the pip package has it."""
    script = Path(pyspark.__file__).parent / "sbin/start-connect-server.sh"
    if script.exists():
        return ["bash", str(script), "--wait"]
    name = "org.apache.spark.sql.connect.service.SparkConnectServer"
    return [str(SCRIPTS / "spark-submit"), "--class", name]


def test_connect_server(run_python: Run, tmp_path: Path, jar: str) -> None:
    """The server of the pip package, and a client without a JVM."""
    port = free_port()
    options = ("--jars", jar, "--master", "local[1]", "--conf", "spark.ui.enabled=false")
    binding = ("--conf", f"spark.connect.grpc.binding.port={port}")
    with server(tmp_path, port, *connect_server(), *options, *binding):
        source = CLIENT.replace("PORT", str(port)).replace("QUERY", repr(QUERY))
        run = run_python(source, env={"JAVA_HOME": "/nowhere"})
    assert answer(run) == [True, [[1, 20]], [[1, 20]]]


@pytest.mark.slow
def test_connect_server_without_the_jar(run_python: Run, tmp_path: Path, jar: str) -> None:
    """The jar is on the client only; no setting of the client changes that."""
    port = free_port()
    options = ("--master", "local[1]", "--conf", "spark.ui.enabled=false")
    binding = ("--conf", f"spark.connect.grpc.binding.port={port}")
    source = f"""
from pyspark.sql import SparkSession
import spark_match_recognize as mr
spark = mr.configure(SparkSession.builder.remote("sc://localhost:{port}")).getOrCreate()
spark.addArtifacts({jar!r})
mr.doctor(spark)
"""
    with server(tmp_path, port, *connect_server(), *options, *binding):
        run = run_python(source)
    line = run.stdout.splitlines()[-1]
    assert "FAILED  plugin: [MATCH_RECOGNIZE_SETUP] The Connect server has not loaded" in line
    assert line.endswith(
        "A jar of the client (spark.jars, configure, addArtifacts) does not reach it."
    )


@pytest.mark.slow
def test_thrift_server_and_beeline(run_program: Run, tmp_path: Path, jar: str) -> None:
    port = free_port()
    thrift = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
    command = (str(SCRIPTS / "spark-submit"), "--class", thrift, "--master", "local[1]")
    confs = ("spark.ui.enabled=false", "spark.sql.catalogImplementation=in-memory")
    options = [part for conf in confs for part in ("--conf", conf)]
    binding = ("--hiveconf", f"hive.server2.thrift.port={port}")
    with server(tmp_path, port, *command, "--jars", jar, *options, *binding):
        beeline = (str(SCRIPTS / "beeline"), "-u", f"jdbc:hive2://localhost:{port}")
        form = ("--silent=true", "--outputformat=csv2")
        run = run_program(*beeline, *form, "-e", " ".join(QUERY.split()) + ";")
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.split() == ["first_k,last_v", "1,20"]
