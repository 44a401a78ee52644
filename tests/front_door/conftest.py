"""What tests of the front door share."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.front_door.command_line import CommandLine
from tests.front_door.few_keys import ask_for_few_keys


@pytest.fixture
def whole_audits() -> None:
    """Ask for as many keys as a user's audits have."""


@pytest.fixture
def gridproof(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Iterator[CommandLine]:
    """The command, run in an empty folder; a user's modules are forgotten behind it, as a process forgets them.

    Its audits are of few keys, but for a test that asks for `whole_audits`.
    """
    if "whole_audits" not in request.fixturenames:
        ask_for_few_keys(monkeypatch)
    folders, modules = list(sys.path), set(sys.modules)
    monkeypatch.chdir(tmp_path)
    yield CommandLine(capsys)
    own = set(sys.path) - set(folders)
    sys.path[:] = folders
    for name in set(sys.modules) - modules:
        if str(Path(getattr(sys.modules[name], "__file__", None) or "").parent) in own:
            del sys.modules[name]
