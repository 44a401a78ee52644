"""What an installation without any extra can do."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from gridproof.commands.check import EVERY_SYSTEM, systems_named

EXTRAS = ("hypothesis", "pandas", "pyspark", "py4j", "z3", "hazelcast", "vecgrid", "uhashring", "jump", "cassandra")
GRID = "tests.front_door.bad_grids:FEW_PROMISES"
WITHOUT_EXTRAS = f"""
import importlib.metadata, sys
for name in {EXTRAS}:
    sys.modules[name] = None
find = importlib.metadata.distribution
def distribution(name):
    if any(name.startswith(extra) for extra in {EXTRAS}):
        raise importlib.metadata.PackageNotFoundError(name)
    return find(name)
importlib.metadata.distribution = distribution
from gridproof.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `gridproof` where importing any extra fails as if it were not installed."""
    command = [sys.executable, "-c", WITHOUT_EXTRAS, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("words", ["systems", "specs", "show replication", "explore two_phase_commit"])
def test_the_command_works(words: str, tmp_path: Path) -> None:
    assert run(tmp_path, *words.split()).returncode == 0


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("check --system vecgrid", "systems"),
        ("check --system hazelcast-client", "systems"),
        ("prove two_phase_commit", "proofs"),
    ],
)
def test_what_needs_an_extra_says_which(words: str, extra: str, tmp_path: Path) -> None:
    done = run(tmp_path, *words.split())

    assert done.returncode == 2
    assert f"gridproof[{extra}" in done.stderr
    assert done.stderr.count("\n") == 1


def test_all_systems_are_those_whose_packages_are_here(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def not_installed(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", not_installed)

    audited = systems_named([EVERY_SYSTEM]).values()

    assert "reference" in {one.name for one in audited}
    assert [one.name for one in audited if one.requires] == []
    cure = "vecgrid is not installed; type: pip install 'gridproof[systems]'"
    assert f"gridproof: vecgrid is left out: {cure}; name it: --system vecgrid" in capsys.readouterr().err.splitlines()


def test_a_check_works_and_an_audit_on_spark_says_what_it_needs(tmp_path: Path) -> None:
    assert run(tmp_path, "check", "--system", GRID, "--out", "run").returncode == 0

    done = run(tmp_path, "audit", "run/trace.jsonl", "--engine", "spark")

    assert done.returncode == 2
    assert "gridproof[spark]" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_state_machine_says_that_it_needs_hypothesis(tmp_path: Path) -> None:
    words = "import sys; sys.modules['hypothesis'] = None; from gridproof import judged, state_machine_of"
    done = subprocess.run([sys.executable, "-c", words], cwd=tmp_path, capture_output=True, text=True, check=False)

    last = done.stderr.strip().split("\n")[-1]
    assert last == "ImportError: state_machine_of needs hypothesis: pip install 'gridproof[properties]'"
