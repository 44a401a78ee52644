"""Each input of the catalogue is one line that says what is wrong, and leaves nothing behind."""

from pathlib import Path

import pytest

from gridproof_properties.exit_status import ExitStatus
from tests.front_door.command_line import CommandLine
from tests.front_door.hostile import try_one
from tests.front_door.hostile_inputs import INPUTS, HostileInput, write_hostile_files


@pytest.mark.parametrize("hostile", INPUTS, ids=lambda hostile: hostile.line[:60])
def test_a_hostile_input_is_reported_in_one_line(gridproof: CommandLine, hostile: HostileInput) -> None:
    write_hostile_files(Path())

    refused = try_one(gridproof, Path(), hostile.line.split())

    assert refused.status == ExitStatus.WRONG_USE
    assert hostile.said in refused.err
