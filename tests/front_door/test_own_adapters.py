"""A grid of one's own, by name."""

import shutil
from pathlib import Path

import pytest

from tests.front_door.command_line import CommandLine

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's project folder, which Python does not search of itself."""
    for module in ("pocket_adapter", "pocket_grid"):
        shutil.copy(EXAMPLES / f"{module}.py", tmp_path)
    return tmp_path


def test_a_module_in_the_project_folder_is_found(gridproof: CommandLine, project: Path) -> None:
    done = gridproof("check", "--system", "pocket_adapter:ADAPTER", "--members", "1", "--json")

    assert done.status == 0
    assert done.json["system"] == "pocket"
    assert (project / "gridproof-out").is_dir()


def test_a_file_is_found_from_anywhere(
    gridproof: CommandLine, project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))

    done = gridproof("check", "--system", f"{project / 'pocket_adapter.py'}:ADAPTER", "--members", "1", "--json")

    assert done.status == 0


def test_a_module_that_is_nowhere_is_one_line(gridproof: CommandLine) -> None:
    done = gridproof("check", "--system", "nowhere:ADAPTER")

    assert done.status == 2
    assert "with an installed module or one in this folder" in done.err
