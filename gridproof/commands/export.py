"""`gridproof export`: a specification for TLC."""

import argparse
from pathlib import Path

from gridproof.errors import UsageError
from gridproof.folders import make_folder
from gridproof.specifications import add_constants, add_specification, chosen_specification, chosen_world
from gridproof_model.spec.tla import files
from gridproof_properties.exit_status import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `export`."""
    add_specification(parser)
    add_constants(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder for the module")


def run(arguments: argparse.Namespace) -> int:
    """Write a specification as a TLA+ module with a configuration for TLC."""
    named = chosen_specification(arguments)
    texts = {
        arguments.out / name: text for name, text in files(named.specification, chosen_world(named, arguments)).items()
    }
    taken = next((path for path in texts if path.exists()), None)
    if taken is not None:
        raise UsageError(f"{taken} exists already and is not overwritten; name another folder with --out")
    make_folder(arguments.out)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
        print(path)
    return ExitStatus.HOLDS
