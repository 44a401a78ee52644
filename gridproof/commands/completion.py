"""`gridproof completion`: what a shell needs to complete words."""

import argparse

from gridproof_properties.exit_status import ExitStatus

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `completion`."""
    parser.add_argument("shell", choices=SHELLS, metavar="|".join(SHELLS), help="the shell that reads the script")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    # Imported now: it looks at every command, and the help needs none.
    from gridproof.completion import script_for

    print(script_for(arguments.shell), end="")
    return ExitStatus.HOLDS
