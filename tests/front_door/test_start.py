"""What a command imports before it does anything.

Modules are counted, not seconds: most of a start is imports, and their number does not depend on the machine.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from gridproof.command import Command
from gridproof.commands import COMMANDS
from tests.front_door.command_line import CommandLine

TELL = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=open("modules.txt", "w")))
from gridproof.cli import main
sys.exit(main(sys.argv[1:]))
"""


def imported_by(words: str, folder: Path) -> set[str]:
    """Run `gridproof` with these words in a folder and return the modules that were imported."""
    done = subprocess.run([sys.executable, "-c", TELL, *words.split()], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return set((folder / "modules.txt").read_text().split())


@pytest.mark.parametrize("words", ["--version", "--help"])
def test_the_parser_alone_needs_no_part_of_gridproof(words: str, tmp_path: Path) -> None:
    modules = imported_by(words, tmp_path)

    ours = {name for name in modules if name.startswith("gridproof_") and "." in name}
    assert ours == {"gridproof_model.user_error", "gridproof_properties.exit_status"}
    assert len(modules) <= 200


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: str(command.name))
def test_a_command_imports_no_other_command(command: Command, tmp_path: Path) -> None:
    modules = imported_by(f"{command.name} --help", tmp_path)

    assert {name for name in modules if name.startswith("gridproof.commands.")} == {
        f"gridproof.commands.{command.name}"
    }


def test_without_a_command_the_help_is_printed_and_nothing_counts_as_checked(gridproof: CommandLine) -> None:
    alone = gridproof()

    assert alone.status == 2
    assert alone.out == ""
    assert all(command.summary in alone.err for command in COMMANDS)


def test_an_unknown_command_is_one_line(gridproof: CommandLine) -> None:
    wrong = gridproof("chekc")

    assert wrong.status == 2
    assert wrong.err.count("\n") == 1
