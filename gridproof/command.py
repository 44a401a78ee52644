"""What a command is."""

import argparse
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast


class CommandModule(Protocol):
    """What stands in the module of a command."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        ...

    def run(self, arguments: argparse.Namespace) -> int:
        """Do the work and return the exit status; a user's mistake is raised as a UserError."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand of `gridproof`, known by name; its module is imported when it is asked for."""

    name: str
    summary: str
    """One line for the help."""

    def load(self) -> CommandModule:
        """Import the module of the command, `gridproof/commands/<name>.py`."""
        return cast(CommandModule, import_module(f"gridproof.commands.{self.name}"))
