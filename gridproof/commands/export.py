"""`gridproof export`: writes a specification for TLC, or a world for PRISM."""

import argparse
from dataclasses import replace
from pathlib import Path

from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.arguments.specifications import (
    add_constants,
    add_specification,
    chosen_specification,
    chosen_world,
    only_worlds_that_exist,
)
from gridproof.command import UsageError
from gridproof.output.folders import make_folder
from gridproof_model.language import World
from gridproof_model.language.lower_world import lower
from gridproof_model.language.prism import prism_files
from gridproof_model.language.rates import read_rates
from gridproof_model.language.tla import files
from gridproof_model.whole_file import write_whole
from gridproof_properties.claims.named import Named
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.measuring.predicates import predicates_of

TLA, PRISM = "tla", "prism"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `export`."""
    add = parser.add_argument
    add_specification(parser)
    add_constants(parser)
    add("--language", choices=(TLA, PRISM), default=TLA, help=f"TLA+ for TLC, or a model for PRISM (default {TLA})")
    add("--rate", action="append", default=[], metavar="ACTION=RATE", help="for PRISM: rates, as `measure` takes them")
    add("--of", action="append", default=[], metavar="NAME", help="for PRISM: labels (default: every sometimes-claim)")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the module")


def run(arguments: argparse.Namespace) -> int:
    """Write a specification as a TLA+ module with a configuration for TLC, or a world as a model for PRISM."""
    named = chosen_specification(arguments)
    with only_worlds_that_exist(named):
        written = _texts(arguments, named, chosen_world(named, arguments))
    texts = {arguments.out / name: text for name, text in written.items()}
    taken = next((path for path in texts if path.exists()), None)
    if taken is not None:
        raise UsageError(f"{taken} exists already and is not overwritten; name another folder with --out")
    make_folder(arguments.out)
    for path, text in texts.items():
        print(write_whole(path, text))
    return ExitStatus.HOLDS


def _texts(arguments: argparse.Namespace, named: Named, world: World) -> dict[str, str]:
    if arguments.language == TLA:
        refuse_ignored(arguments.typed, Subject.EXPORTED_TO_TLA)
        return files(named.specification, world)
    rates = read_rates([action.name for action in world.actions], arguments.rate)
    labels = predicates_of(named.specification, world, arguments.of)
    return prism_files(lower(replace(world, claims=tuple(one.claim for one in labels))), rates)
