"""`gridproof show`: prints a specification to be read."""

import argparse

from gridproof.arguments.specifications import add_specification, chosen_specification
from gridproof_model.language.page import page
from gridproof_properties.exit_status import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `show`."""
    add_specification(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print a specification as a page of text."""
    print(page(chosen_specification(arguments).specification), end="")
    return ExitStatus.HOLDS
