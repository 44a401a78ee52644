"""The types of commands and programs, and the error for wrong use that the command line notices."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Protocol, cast

from gridproof_model.user_error import UserError

WITHOUT_DOCSTRINGS = (
    "Python leaves out the docstrings that gridproof reads (-OO, or PYTHONOPTIMIZE above 1); "
    "use -O at most, or unset PYTHONOPTIMIZE"
)
"""Why gridproof does not run, and the cure, if `sys.flags.optimize` is above 1."""


class CommandModule(Protocol):
    """The functions that every command's module has to have."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        ...

    def run(self, arguments: argparse.Namespace) -> int:
        """Do the work and return the exit status; raise UserError if the user made a mistake."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand, given by its name; its module is imported only when the command is used."""

    name: str
    summary: str
    """The line about the command in the help."""
    package: str = "gridproof.commands"
    """The package that contains the command's module, which has the command's name."""
    has_json: bool = True
    """Whether the command has an option to print one JSON object instead of a table."""

    def load(self) -> CommandModule:
        """Import the module of the command."""
        return cast(CommandModule, import_module(f"{self.package}.{self.name}"))


@dataclass(frozen=True, slots=True)
class Program:
    """A program: several commands that are typed after the same words."""

    name: str
    """The words that are typed before a command."""
    summary: str
    commands: tuple[Command, ...]
    moved: Mapping[str, str] = field(default_factory=dict)
    """For each former command, or former option of a command, the words that are typed instead now."""

    def where_it_went(self, words: Sequence[str]) -> str:
        """Return one line about a command or option that was typed and has a new name; empty if there was none."""
        asked = next((word for word in words if not word.startswith("-")), None)
        typed = {word.partition("=")[0] for word in words}
        for old, new in self.moved.items():
            command, _, option = old.partition(" ")
            if command == asked and (not option or option in typed):
                return f"{old} is not installed any more; in a clone of the repository type {new}"
        return ""


class UsageError(UserError):
    """Raised for a wrong argument that the parser alone cannot notice."""


def reason_of(error: Exception) -> str:
    """Return why a file or folder cannot be used; the text does not repeat its name."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
