"""What a public forge runs are targets that this checkout has."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
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


REQUIREMENTS = sorted(
    file
    for folder in (".", "examples/dbt", "benchmarks")
    for file in (ROOT / folder).glob("req*.txt")
)


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_packages_have_hashes(file: Path) -> None:
    text = file.read_text(encoding="utf-8").replace("\\\n", "")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert lines
    pinned = re.compile(r"[\w.-]+==[\w.]+(?:; [\w ='\"]+)?(?:\s+--hash=sha256:[0-9a-f]{64})+")
    assert [line for line in lines if not pinned.fullmatch(line)] == []


def test_packages_are_installed_by_their_hashes() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^PIP := .* --require-hashes$", makefile, re.MULTILINE)
    assert not re.search(
        r"pip install (?!.*(?:--require-hashes|--no-deps)).*$", makefile, re.MULTILINE
    )


def test_another_launcher_of_sbt_is_not_run(tmp_path: Path) -> None:
    for name in ("build/sbt", "project/build.properties"):
        (tmp_path / name).parent.mkdir()
        shutil.copy(ROOT / name, tmp_path / name)
    version = re.search(
        "^sbt.version=(.*)$", (ROOT / "project/build.properties").read_text(), re.MULTILINE
    )
    assert version is not None
    launcher = tmp_path / f"build/launcher/sbt-launch-{version[1]}.jar"
    launcher.parent.mkdir()
    launcher.write_text("another")
    ran = subprocess.run([tmp_path / "build/sbt"], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "not that of project/build.properties" in ran.stderr


def test_only_a_job_that_runs_nothing_downloaded_may_write() -> None:
    writing = [job for job in jobs() if "write" in job["permissions"].values()]
    (draft,) = writing
    assert [step.get("uses", "").partition("@")[0] for step in draft["steps"]] == [
        "actions/download-artifact",
        "",
    ]
    assert draft["steps"][1]["run"].startswith("gh release create")
