"""What a command is.

A user's mistake that the command line notices.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Protocol, cast

from gridproof_model.user_error import UserError


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
    """One subcommand, known by name; its module is imported when it is asked for."""

    name: str
    summary: str
    """One line for the help."""
    package: str = "gridproof.commands"
    """Where its module stands, under the name of the command."""

    def load(self) -> CommandModule:
        """Import the module of the command."""
        return cast(CommandModule, import_module(f"{self.package}.{self.name}"))


@dataclass(frozen=True, slots=True)
class Program:
    """Commands that one name starts."""

    name: str
    """What is typed before a command."""
    summary: str
    commands: tuple[Command, ...]
    moved: Mapping[str, str] = field(default_factory=dict)
    """By a command that was here, alone or with one of its options: what is typed in its place."""

    def where_it_went(self, words: Sequence[str]) -> str:
        """Return one line for what was here and is no longer; empty where nothing of the kind is typed."""
        asked = next((word for word in words if not word.startswith("-")), None)
        typed = {word.partition("=")[0] for word in words}
        for old, new in self.moved.items():
            command, _, option = old.partition(" ")
            if command == asked and (not option or option in typed):
                return f"{old} is not installed any more; in a clone of the repository type {new}"
        return ""


class UsageError(UserError):
    """A wrong argument that the parser alone cannot see."""


def reason_of(error: Exception) -> str:
    """Return why a file or folder cannot be used, without its name."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
