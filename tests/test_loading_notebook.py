"""A notebook whose kernel has run Spark before, executed by nbclient."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from loading import QUERY, SCRIPTS, Run

START = """
from pyspark.sql import SparkSession
def builder():
    return SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder().getOrCreate()
spark.range(3).count()
"""
CELLS = [
    START,
    "import spark_match_recognize as mr\nmr.configure(builder());",
    "spark.stop()\nspark = mr.configure(builder()).getOrCreate()",
    f"spark.sql({QUERY!r}).show()",
    "mr.doctor(spark)",
]


def outputs(cell: dict[str, Any]) -> str:
    """Return what a cell printed and returned."""
    parts = [output.get("text") or output["data"]["text/plain"] for output in cell["outputs"]]
    return "".join(text for part in parts for text in part)


@pytest.mark.slow
def test_notebook(run_program: Run, tmp_path: Path) -> None:
    cells = [
        {
            "cell_type": "code",
            "id": str(number),
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": source,
        }
        for number, source in enumerate(CELLS)
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    notebook = tmp_path / "notebook.ipynb"
    notebook.write_text(json.dumps(content))
    folders = ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR")
    environment = {folder: str(tmp_path / folder) for folder in folders}
    run = run_program(
        *(str(SCRIPTS / "jupyter-execute"), "--inplace", str(notebook)), env=environment
    )
    assert run.returncode == 0, run.stderr[-3000:]
    said = [outputs(cell) for cell in json.loads(notebook.read_text())["cells"]]
    assert said[0].endswith("3")
    assert "call spark.stop(), then mr.configure(...).getOrCreate()" in said[1]
    assert "UserWarning" not in said[2]
    assert "|      1|    20|" in said[3]
    assert "FAILED" not in said[4]
    assert said[4].endswith("True")
