"""What a command is."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand of `gridproof`."""

    name: str
    summary: str
    """One line for the help."""
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    """Does the work and returns the exit status; a user's mistake is raised as one of the user errors."""
