"""The reusable step, and the workflows of the documentation."""

import re
import shutil
import subprocess
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


def test_the_workflows_on_the_page_give_the_step_what_it_takes() -> None:
    steps = [step for workflow in WORKFLOWS for job in workflow["jobs"].values() for step in job["steps"]]
    ours = [step for step in steps if "gridproof@" in step.get("uses", "")]

    assert len(WORKFLOWS) == 2
    assert [step["with"].keys() - ACTION["inputs"].keys() for step in ours] == [set()]


def test_the_page_lists_every_input() -> None:
    assert [name for name in ACTION["inputs"] if f"`{name}`" not in PAGE] == []
