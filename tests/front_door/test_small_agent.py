"""The agent of Hazelcast that the documents show, in a hundred lines of Java."""

import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from gridproof_implementation.adapters.hazelcast import ADAPTER
from gridproof_implementation.live.fetching import cache_folder
from gridproof_implementation.live.java import BASE
from tests.front_door.command_line import CommandLine
from tests.house.source_tree import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "hazelcast"
LINES_MAX = 100

pytestmark = [
    pytest.mark.live,
    pytest.mark.xdist_group("live"),
    pytest.mark.skipif(ADAPTER.missing() is not None, reason=f"{ADAPTER.missing()}: make live"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example as its user has it: beside it what `adapter new` writes, and the jar."""
    shutil.copytree(EXAMPLE, tmp_path / "small")
    for name in BASE:
        source = files("gridproof_implementation.live") / "java" / name
        (tmp_path / "small" / name).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    jar = next((cache_folder() / "jars").glob("*hazelcast-5.7.0/*.jar"))
    (tmp_path / "small" / "hazelcast.jar").symlink_to(jar)
    return tmp_path / "small"


def test_it_is_as_short_as_it_is_said_to_be() -> None:
    assert len((EXAMPLE / "SmallAgent.java").read_text(encoding="utf-8").splitlines()) < LINES_MAX


@pytest.mark.nightly
def test_there_is_nothing_to_complain_of(folder: Path, gridproof: CommandLine) -> None:
    tried = gridproof("adapter", "test", str(folder))

    assert (tried.status, "no complaints" in tried.out) == (0, True)
