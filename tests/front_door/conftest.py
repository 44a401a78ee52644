"""What tests of the front door share."""

from pathlib import Path

import pytest

from tests.front_door.command_line import CommandLine


@pytest.fixture
def gridproof(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CommandLine:
    """The command, run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return CommandLine(capsys)
