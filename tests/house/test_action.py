"""The reusable step, and the workflows of the documentation."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from gridproof.cli import build_parser
from tests.house.source_tree import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
PAGE = (ROOT / "docs" / "in-your-ci.md").read_text(encoding="utf-8")
WORKFLOWS: list[dict[str, Any]] = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SCRIPTS: list[str] = [step["run"] for step in STEPS if "run" in step]


def test_it_is_a_composite_step_whose_scripts_name_their_shell() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert [step["name"] for step in STEPS if "run" in step and step.get("shell") != "bash"] == []


def test_every_input_is_used_and_every_one_used_is_declared() -> None:
    used = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text()))

    assert used == ACTION["inputs"].keys()


def test_nothing_a_caller_wrote_becomes_part_of_a_script() -> None:
    assert [script for script in SCRIPTS if "${{" in script] == []


def test_the_options_it_gives_are_those_of_check() -> None:
    check = next(script for script in SCRIPTS if "gridproof check" in script)
    given = set(re.findall(r"(--[a-z-]+) \"", check))

    known = build_parser(["check"]).parse_args(["check", *(word for name in sorted(given) for word in sample(name))])

    assert len(given) == 10
    assert known.sarif is not None


def sample(option: str) -> list[str]:
    """Return an option with a value that its type takes."""
    return [option, {"--fail-on": "balance"}.get(option, "1")]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_is_well_formed(script: str) -> None:
    bash = shutil.which("bash") or "bash"
    assert subprocess.run([bash, "-n"], input=script, text=True, capture_output=True, check=True).stderr == ""


def needs_of(folder: Path, system: str, out: str = "") -> dict[str, str]:
    """Run the script that sees what a system needs, in a folder, and return its outputs."""
    script = next(step["run"] for step in STEPS if step.get("id") == "needs")
    written = folder / "outputs.txt"
    written.unlink(missing_ok=True)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    surroundings = os.environ | {"SYSTEM": system, "OUT": out, "GITHUB_OUTPUT": str(written), "PATH": path}
    subprocess.run([shutil.which("bash") or "bash", "-e", "-c", script], cwd=folder, env=surroundings, check=True)
    return dict(line.split("=", 1) for line in written.read_text().splitlines())


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_a_folder_of_two_lines_sets_no_output(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError, match="exit status 2"):
        needs_of(tmp_path, "reference", "kept\njava=true")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_two_uses_in_one_job_have_folders_and_names_of_their_own(tmp_path: Path) -> None:
    first = needs_of(tmp_path, "vecgrid")
    (tmp_path / first["out"]).mkdir()
    second, third = needs_of(tmp_path, "vecgrid"), needs_of(tmp_path, "my_tests.grid:ADAPTER", "kept/here")

    assert (first["out"], second["out"], third["out"]) == ("gridproof-results", "gridproof-results-2", "kept/here")
    assert len({one["name"] for one in (first, second, third)}) == 3
    assert third["name"] == "my_tests.grid-ADAPTER-kept-here"
    assert {one["java"] for one in (first, second, third)} == {"false"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_java_is_set_up_where_members_run_on_it(tmp_path: Path) -> None:
    (step,) = (step for step in STEPS if step.get("uses", "").startswith("actions/setup-java@"))

    assert needs_of(tmp_path, "hazelcast")["java"] == "true"
    assert step["if"] == "steps.needs.outputs.java == 'true'"


def test_the_workflows_on_the_page_give_the_step_what_it_takes() -> None:
    steps = [step for workflow in WORKFLOWS for job in workflow["jobs"].values() for step in job["steps"]]
    ours = [step for step in steps if "gridproof@" in step.get("uses", "")]

    assert len(WORKFLOWS) == 2
    assert [step["with"].keys() - ACTION["inputs"].keys() for step in ours] == [set()]


def test_the_page_lists_every_input() -> None:
    assert [name for name in ACTION["inputs"] if f"`{name}`" not in PAGE] == []
