"""`python -m suite explain`: finds the moment of a run after which the failure by a planted bug is likely."""

import argparse
from functools import partial
from pathlib import Path

from gridproof.arguments.simulations import seed_of
from gridproof.command import UsageError
from gridproof.commands.explain import ChosenRun, add_curve, explain_run
from gridproof_implementation.simulator.scenario_file import read_scenario
from suite.zoo.named import chosen_mutants, plant


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `explain`."""
    parser.add_argument(
        "what", metavar="SEED|FILE", help="a seed of `python -m suite zoo NAME --seed SEED`, or a scenario"
    )
    parser.add_argument("--mutant", metavar="NAME", required=True, help="a bug of the zoo, by number or name")
    add_curve(parser)


def run(arguments: argparse.Namespace) -> int:
    """Explain the run, and return its exit status."""
    return explain_run(arguments, lambda: _chosen_run(arguments))


def _chosen_run(arguments: argparse.Namespace) -> ChosenRun:
    what: str = arguments.what
    mutant = chosen_mutants([arguments.mutant])[0]
    planting = partial(plant, mutant.number)
    if not what.isdecimal():
        return ChosenRun(f"{what} of {mutant.number}", read_scenario(Path(what)), planting=planting)
    with mutant.plant():
        found = mutant.search(seed_of(what)).scenario
    if found is None:
        raise UsageError(f"--mutant {mutant.number}: this mutant has no simulated run to explain; name another mutant")
    return ChosenRun(f"seed {what} of {mutant.number}", found, planting=planting)
