"""What an installed gridproof puts on a user's machine."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.house.source_tree import ROOT

PACKAGES = {
    "gridproof",
    "gridproof_model",
    "gridproof_implementation",
    "gridproof_properties",
    "gridproof_reports",
}
PACKAGES_HERE = ("gridproof", "model", "implementation", "properties", "reports")
EXTRAS = re.compile(r"gridproof\[([\w,]+)\]")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The files inside a freshly built wheel."""
    target = tmp_path_factory.mktemp("wheel")
    hatchling = Path(sys.executable).parent / "hatchling"
    subprocess.run([hatchling, "build", "-t", "wheel", "-d", target], cwd=ROOT, check=True, capture_output=True)
    with ZipFile(next(target.glob("*.whl"))) as wheel:
        return wheel.namelist()


def test_the_wheel_holds_five_packages_and_no_generic_name(wheel_names: list[str]) -> None:
    top = {name.split("/")[0] for name in wheel_names if ".dist-info/" not in name}

    assert top == PACKAGES


def test_every_package_says_it_is_typed(wheel_names: list[str]) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(wheel_names)


def test_every_tool_is_given_the_same_roots() -> None:
    tool = SETTINGS["tool"]

    roots = tool["pytest"]["ini_options"]["pythonpath"]

    assert roots == tool["mypy"]["mypy_path"] == tool["pyright"]["extraPaths"] == tool["ruff"]["src"]


def test_every_dependency_is_pinned() -> None:
    project = SETTINGS["project"]
    wanted = [
        *project["dependencies"],
        *(line for lines in project["optional-dependencies"].values() for line in lines),
    ]
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in constraint_lines()}

    missing = {bare_name(line) for line in wanted} - pinned - {"gridproof"}

    assert missing == set()


def test_every_extra_that_a_text_names_can_be_installed() -> None:
    texts = [file.read_text() for root in (*PACKAGES_HERE, "docs") for file in (ROOT / root).rglob("*.[pm][yd]")]

    named = {extra for text in texts for some in EXTRAS.findall(text) for extra in some.split(",")}

    assert {"spark", "proofs"} <= named <= set(SETTINGS["project"]["optional-dependencies"])


def test_constraints_name_no_host() -> None:
    assert [line for line in constraint_lines() if "/" in line or "@" in line] == []


def constraint_lines() -> list[str]:
    """The lines of constraints.txt that pin something."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def bare_name(requirement: str) -> str:
    """Return a requirement's project name, in the normal form of PyPI."""
    for separator in "[<>=!~; ":
        requirement = requirement.split(separator)[0]
    return requirement.lower().replace("_", "-")
