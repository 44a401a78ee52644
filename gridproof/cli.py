"""The command line: one parser, one command a file.

Exit status of every command: 0 all promised properties hold, 1 one is broken, 2 wrong use, 3 one is unknown. A wrong
use is one line on standard error. `--json` prints one object on standard output and nothing else there.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from gridproof import __version__
from gridproof.commands import COMMANDS
from gridproof.errors import USER_ERRORS
from gridproof_properties.verdict import ExitStatus

INTERRUPTED = 130
"""What a shell expects of a program ended by Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    chosen = build_parser().parse_args(arguments)
    try:
        return int(chosen.run(chosen))
    except USER_ERRORS as error:
        print(f"gridproof: {error}", file=sys.stderr)
        return ExitStatus.WRONG_USE
    except KeyboardInterrupt:
        print("gridproof: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output (head, less) is gone: not a failure, and Python must not complain at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.HOLDS


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of every command."""
    parser = OneLineParser(prog="gridproof", description="Say what a data grid must do, and find out whether one does.")
    parser.add_argument("--version", action="version", version=f"gridproof {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(command.name, help=command.summary, description=command.summary)
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where the help is, then exit with 2."""
        self.exit(ExitStatus.WRONG_USE, f"{self.prog}: {message}; see {self.prog} --help\n")
