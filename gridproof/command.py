"""The types of commands and programs, and the error for wrong use that the command line notices."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Protocol, cast

from gridproof_model.user_error import UserError


class CommandModule(Protocol):
    """The functions that the module of every command has to have."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        ...

    def run(self, arguments: argparse.Namespace) -> int:
        """Do the work and return the exit status; a user's mistake is raised as a UserError."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand, known by its name; its module is imported when the command is used."""

    name: str
    summary: str
    """One line for the help."""
    package: str = "gridproof.commands"
    """The package of its module, which has the name of the command."""
    has_json: bool = True
    """Whether it has the option to print one JSON object instead of a table."""

    def load(self) -> CommandModule:
        """Import the module of the command."""
        return cast(CommandModule, import_module(f"{self.package}.{self.name}"))


@dataclass(frozen=True, slots=True)
class Program:
    """A program: commands that are typed after one name."""

    name: str
    """The words that are typed before a command."""
    summary: str
    commands: tuple[Command, ...]
    moved: Mapping[str, str] = field(default_factory=dict)
    """For each former command, or option of one, the words that are typed in its place now."""

    def where_it_went(self, words: Sequence[str]) -> str:
        """Return one line about a typed command or option that has a new name; empty if none was typed."""
        asked = next((word for word in words if not word.startswith("-")), None)
        typed = {word.partition("=")[0] for word in words}
        for old, new in self.moved.items():
            command, _, option = old.partition(" ")
            if command == asked and (not option or option in typed):
                return f"{old} is not installed any more; in a clone of the repository type {new}"
        return ""


class UsageError(UserError):
    """A wrong argument that the parser alone cannot notice."""


def reason_of(error: Exception) -> str:
    """Return why a file or folder cannot be used, without its name."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
