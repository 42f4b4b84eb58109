"""What a public forge runs are targets that this checkout has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
HOOKS = ROOT / ".pre-commit-config.yaml"


def targets() -> set[str]:
    """Return the targets of the Makefile that have no file."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY:(.*)$", makefile, re.MULTILINE)
    assert phony is not None
    return set(phony[1].split())


def jobs() -> list[dict[str, Any]]:
    """Return the jobs of all workflows."""
    documents = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in WORKFLOWS]
    return [job for document in documents for job in document["jobs"].values()]


def test_workflows_call_what_a_developer_calls() -> None:
    commands = [str(step["run"]) for job in jobs() for step in job["steps"] if "run" in step]
    called = {name for command in commands for name in re.findall(r"make ([\w-]+)", command)}
    matrices = [job["strategy"]["matrix"]["target"] for job in jobs() if "strategy" in job]
    called.update(name for matrix in matrices for name in matrix)
    assert ".ci/run" in commands
    assert called == {"release", "test-all", "test-slow"}
    assert called <= targets()


def test_hooks_call_the_parts_of_check() -> None:
    (local,) = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))["repos"]
    entries = [hook["entry"].split() for hook in local["hooks"]]
    assert all(program == "make" for program, _ in entries)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (rule,) = re.findall(r"^check:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert {target for _, target in entries} == {*re.findall(r"\bcheck-\w+", rule)}


def test_the_bug_form_asks_for_what_the_doctor_prints() -> None:
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/bug.yml").read_text(encoding="utf-8"))
    fields = {field.get("id"): field for field in form["body"]}
    assert fields["doctor"]["validations"]["required"]
    assert "mr.doctor(spark)" in fields["doctor"]["attributes"]["description"]


def test_the_schemas_refuse_a_workflow_that_is_wrong(tmp_path: Path) -> None:
    text = WORKFLOWS[0].read_text(encoding="utf-8")
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(text.replace("runs-on:", "runs_on:"), encoding="utf-8")
    checker = Path(sys.executable).with_name("check-jsonschema")
    command = [checker, "--builtin-schema", "vendor.github-workflows", wrong]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "runs_on" in run.stdout
