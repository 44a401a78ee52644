"""Command-line options of simulated runs."""

import argparse
import shlex
from collections.abc import Iterable
from dataclasses import replace

from gridproof.arguments.configuration import Given, add_configuration, chosen_map
from gridproof.arguments.followed import VARIED_BY_SEED
from gridproof.ci.gate import least_runs
from gridproof.command import UsageError
from gridproof_implementation.simulator.draw import draw_scenario, draw_scripts
from gridproof_implementation.simulator.draw_options import DrawOptions, Prescribed
from gridproof_implementation.simulator.durations import is_rate
from gridproof_implementation.simulator.parameters import (
    PARAMETERS,
    PARAMETERS_BY_NAME,
    RATES,
    put_parameter,
    set_parameters,
)
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_model.grid_config import GridConfig
from gridproof_model.grid_properties import GRID_PROPERTIES
from gridproof_model.user_error import nearest

SEED_MAX = 2**63 - 1
"""The highest seed: a trace stores seeds as signed numbers of 64 bits."""
MINUTES_MAX = 10_000
"""The longest run: a week of virtual time, which takes hours to simulate."""


def add_draw_options(parser: argparse.ArgumentParser, *, counted: bool = True, judged: bool = True) -> None:
    """Declare the options that restrict what a seed draws; `simulate`, `replay` and `explain` have the same options.

    Without `counted`, there is no option for the number of runs that have to meet a property; without `judged`, there
    is none for judging the steps of runs.
    """
    add = parser.add_argument
    for one in PARAMETERS:
        if one.option:
            words = f": {', '.join(one.words)}" if one.words else ""
            add(f"--{one.option}", metavar=one.metavar, help=f"{one.sentence} in a plain grid, else drawn{words}")
    if counted:
        add(
            "--at-least", type=least_runs, default=1, metavar="N",
            help="in how many runs each promised property must have held, else the status is 3 (default 1)",
        )  # fmt: skip
    if judged:
        add(
            "--steps",
            action="store_true",
            help="record and judge every step of the protocol (default: in runs whose seed is a multiple of eight)",
        )
    add("--minutes", type=int, default=0, metavar="T", help="virtual minutes that clients are at work (default: a few)")
    add(
        "--vary",
        action="store_true",
        help="let every second seed limit what it draws, each in its own way: to a workload, to some faults, to a size",
    )
    add(
        "--rate", action="append", metavar="NAME=COUNT/TIME",
        help=f"set how often something happens, such as crash=1/30s: {', '.join(RATES)}",
    )  # fmt: skip
    names = ", ".join(f"{one.name} ({one.example})" for one in PARAMETERS).replace("%", "%%")
    add_configuration(
        parser,
        f"set a parameter of the runs, or a variable ${{NAME}} of the configuration; parameters, each with an "
        f"example: {names}, and every property by its name",
    )


def given_of_runs(arguments: argparse.Namespace) -> Given:
    """Return the given parts of the configuration, and the parameters of the runs; UsageError if a setting is wrong."""
    given = Given.of(arguments)
    parameters: list[str] = []
    variables: list[str] = []
    for text in given.variables:
        name, sign, _ = text.partition("=")
        is_parameter = name in PARAMETERS_BY_NAME or name in GRID_PROPERTIES or given.file is None
        if is_parameter and not sign:
            raise UsageError(f"--set {text}: write NAME=VALUE")
        (parameters if is_parameter else variables).append(text)
    for text in arguments.rate or ():
        name, sign, rate = text.partition("=")
        if not sign or not is_rate(rate):
            raise UsageError(f"--rate {text}: write NAME=COUNT/TIME, such as crash=1/30s")
        _check("rate", name, RATES)
        parameters.append(text)
    typed = {one.option: getattr(arguments, one.option) for one in PARAMETERS if one.option}
    options = {option: text for option, text in typed.items() if text is not None}
    return replace(given, variables=tuple(variables), parameters=tuple(parameters), options=options)


def chosen_draw_options(arguments: argparse.Namespace, config: GridConfig | None, given: Given) -> DrawOptions:
    """Return the draw options, with those that a configuration prescribes; raise UsageError if one cannot be met."""
    if arguments.vary:
        beside = next((option for option in arguments.typed if option in VARIED_BY_SEED), None)
        if beside is not None:
            raise UsageError(f"with --vary each seed decides the options; leave out either {beside} or --vary")
        return DrawOptions(is_varied=True)
    if not 0 <= arguments.minutes <= MINUTES_MAX:
        raise UsageError(f"--minutes {arguments.minutes}: write a whole number from 0 to {MINUTES_MAX:,}")
    prescribed = None if config is None else Prescribed.by(config, chosen_map(config, arguments.map))
    draw_options = DrawOptions(minutes=arguments.minutes, prescribed=prescribed)
    for one in PARAMETERS:
        if one.option in given.options:
            draw_options = put_parameter(draw_options, one.name, given.options[one.option], option=one.option)
    return set_parameters(draw_options, _given_once(given))


def check_seeds(first: int, runs: int) -> None:
    """Check the seeds of runs, counted up from the first; UsageError if there are none, or no trace can hold one."""
    if runs < 1 or first < 0:
        raise UsageError(f"--runs {runs} --seed {first}: --runs must be at least 1, and --seed at least 0")
    if first + runs - 1 > SEED_MAX:
        raise UsageError(f"--seed {first} is too large for --runs {runs}; write at most {SEED_MAX - runs + 1}")


def seed_of(text: str) -> int:
    """Return the seed that was typed; raise UsageError if no trace can hold it."""
    seed = int(text) if len(text) <= len(str(SEED_MAX)) else SEED_MAX + 1
    if seed > SEED_MAX:
        shown = text if len(text) <= 30 else f"{text[:30]}..."
        raise UsageError(f"seed {shown} is too large; write a seed of at most {SEED_MAX}")
    return seed


def drawn_run(seed: int, draw_options: DrawOptions) -> Scenario:
    """Return the scenario of a seed, with all its client operations, however many there are."""
    scenario = draw_scenario(seed, draw_options)
    return scenario.with_scripts(tuple(draw_scripts(scenario, draw_options))) if draw_options.minutes else scenario


def _given_once(given: Given) -> list[tuple[str, str]]:
    """Return the parameters; raise UsageError if a parameter is set twice, or also by its own option."""
    pairs = [(name, text) for name, _, text in (one.partition("=") for one in given.parameters)]
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--set {name}: the parameter is set twice; set it once")
        option = PARAMETERS_BY_NAME[name].option if name in PARAMETERS_BY_NAME else ""
        if option in given.options:
            raise UsageError(f"--{option} and --set {name} set the same parameter; leave one of the two out")
    return pairs


def line_to_replay(seed: int, draw_options: DrawOptions, given: Given, *, steps: bool = False) -> str:
    """Return the command that repeats one run."""
    words = ["gridproof", "replay", str(seed)]
    words += [word for option, text in given.options.items() for word in (f"--{option}", text)]
    words += ["--minutes", str(draw_options.minutes)] if draw_options.minutes else []
    words += ["--vary"] if draw_options.is_varied else []
    words += ["--steps"] if steps else []
    return shlex.join([*words, *given.words])


def _check(what: str, name: str, known: Iterable[str]) -> None:
    names = list(known)
    if name not in names:
        raise UsageError(f"no {what} is called {name!r}: {nearest(name, names)}")
