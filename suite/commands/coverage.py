"""`python -m suite coverage`: measures the share of a small world's states and steps that simulated runs have met."""

import argparse
import json

from gridproof.arguments.simulations import add_draw_options, check_seeds, chosen_draw_options, given_of_runs
from gridproof_properties.exit_status import ExitStatus
from suite.coverage import cover_seeds, denominator, report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `coverage`."""
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the first seed (default 0)")
    parser.add_argument("--runs", type=int, default=1, metavar="N", help="how many seeds, counted up (default 1)")
    add_draw_options(parser, counted=False, judged=False)


def run(arguments: argparse.Namespace) -> int:
    """Simulate the runs of the seeds, and print which states and steps they met; the runs are not judged."""
    check_seeds(arguments.seed, arguments.runs)
    given = given_of_runs(arguments)
    draw_options = chosen_draw_options(arguments, given.load(audited=False), given)
    seeds = range(arguments.seed, arguments.seed + arguments.runs)
    lines = list(report(cover_seeds(seeds, draw_options), denominator()))
    print(json.dumps({"runs": arguments.runs, "coverage": lines}) if arguments.json else "\n".join(lines))
    return ExitStatus.HOLDS
