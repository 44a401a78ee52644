"""What a user options of simulated runs."""

import argparse
import difflib
import shlex
from collections.abc import Iterable
from dataclasses import replace

from gridproof.configuration import Given, add_configuration, chosen_map
from gridproof.errors import UsageError
from gridproof.followed import VARIED_BY_SEED
from gridproof.gate import least_runs
from gridproof_implementation.simulator.draw import draw_scenario, draw_scripts
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.durations import is_rate
from gridproof_implementation.simulator.faults import FAULTS
from gridproof_implementation.simulator.parameters import PARAMETERS, PARAMETERS_BY_NAME, RATES, set_parameters
from gridproof_implementation.simulator.prescribed import Prescribed
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.workloads import EVERY_WORKLOAD, TOGETHER, WORKLOADS, find_workload
from gridproof_model.grid_config import GridConfig
from gridproof_model.grid_properties import GRID_PROPERTIES
from gridproof_model.partition_table import MAX_BACKUP_COUNT

NO_FAULTS = "none"
SEED_MAX = 2**63 - 1
"""A trace holds seeds of 64 bits with a sign."""
OPTIONS = {"members": "members", "sync-backups": "backups", "faults": "faults", "workload": "workload"}
"""Parameters that options set, too."""
MINUTES_MAX = 10_000
"""A week of virtual time; it takes hours."""


def add_draw_options(parser: argparse.ArgumentParser, *, counted: bool = True, judged: bool = True) -> None:
    """Declare the options that narrow down what a seed draws; `simulate`, `replay` and `explain` have the same.

    Where runs are not `counted`, nobody asks how many have met a property; where they are not `judged`, nobody looks
    at their steps.
    """
    parser.add_argument("--members", type=int, metavar="M", help="members to start with (default: drawn, 1 to 6)")
    parser.add_argument("--backups", type=int, metavar="B", help="sync backups (default: drawn, 0 to 3)")
    faults = ", ".join(fault.name for fault in FAULTS)
    parser.add_argument("--faults", metavar="NAME,...", help=f"faults to choose from, or {NO_FAULTS}: {faults}")
    names = ", ".join(workload.name for workload in EVERY_WORKLOAD)
    parser.add_argument(
        "--workload",
        metavar="NAME",
        help=f"what clients do (default: drawn), several with {TOGETHER} between them: {names}",
    )
    if counted:
        parser.add_argument(
            "--at-least",
            type=least_runs,
            default=1,
            metavar="N",
            help="how many runs must have met each promised property, else the status is 3 (default 1)",
        )
    if judged:
        parser.add_argument(
            "--steps",
            action="store_true",
            help="record and judge every step of the protocol (default: for seeds that are multiples of eight)",
        )
    parser.add_argument(
        "--minutes", type=int, default=0, metavar="T", help="virtual minutes that clients are at work (default: a few)"
    )
    parser.add_argument(
        "--vary",
        action="store_true",
        help="let every second seed narrow what it draws in its own way: to a workload, to some faults, to a size",
    )
    parser.add_argument(
        "--rate",
        action="append",
        metavar="NAME=COUNT/TIME",
        help=f"set how often something happens, such as crash=1/30s: {', '.join(RATES)}",
    )
    names = ", ".join(f"{one.name} ({one.example})" for one in PARAMETERS).replace("%", "%%")
    add_configuration(
        parser,
        f"set a parameter of the runs, or a variable ${{NAME}} of the configuration; parameters, each with an "
        f"example: {names}, and every property by its name",
    )


def given_of_runs(arguments: argparse.Namespace) -> Given:
    """Return what is given of the configuration and set of the runs; UsageError for what is neither."""
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
    return replace(given, variables=tuple(variables), parameters=tuple(parameters))


def chosen_draw_options(arguments: argparse.Namespace, config: GridConfig | None, given: Given) -> DrawOptions:
    """Return the options, and in them what a configuration prescribes; UsageError when one cannot be met."""
    members: int | None = arguments.members
    backups: int | None = arguments.backups
    if arguments.vary:
        beside = next((option for option in arguments.typed if option in VARIED_BY_SEED), None)
        if beside is not None:
            raise UsageError(f"--vary lets each seed set its own options; leave out {beside}, or --vary")
        return DrawOptions(is_varied=True)
    if members is not None and not 1 <= members <= 50:
        raise UsageError(f"--members {members}: a simulated grid has 1 to 50 members")
    if backups is not None and not 0 <= backups <= MAX_BACKUP_COUNT:
        raise UsageError(f"--backups {backups}: a partition has 0 to {MAX_BACKUP_COUNT} backups")
    if not 0 <= arguments.minutes <= MINUTES_MAX:
        raise UsageError(f"--minutes {arguments.minutes}: write a whole number from 0 to {MINUTES_MAX:,}")
    if arguments.workload is not None:
        _check_workload(arguments.workload)
    faults: tuple[str, ...] | None = None
    if arguments.faults is not None:
        named = dict.fromkeys(name.strip() for name in arguments.faults.split(","))
        faults = () if list(named) == [NO_FAULTS] else tuple(named)
        for name in faults:
            _check("fault", name, (fault.name for fault in FAULTS))
    prescribed = None if config is None else Prescribed.by(config, chosen_map(config, arguments.map))
    draw_options = DrawOptions(
        members, backups, faults, arguments.workload, minutes=arguments.minutes, prescribed=prescribed
    )
    return set_parameters(draw_options, _given_once(given, arguments))


def seed_of(text: str) -> int:
    """Return a seed as typed; UsageError for one that no trace can hold."""
    seed = int(text) if len(text) <= len(str(SEED_MAX)) else SEED_MAX + 1
    if seed > SEED_MAX:
        shown = text if len(text) <= 30 else f"{text[:30]}..."
        raise UsageError(f"seed {shown}: seeds go up to {SEED_MAX}")
    return seed


def drawn_run(seed: int, draw_options: DrawOptions) -> Scenario:
    """Return the whole run of a seed, however long it is."""
    scenario = draw_scenario(seed, draw_options)
    return scenario.with_scripts(tuple(draw_scripts(scenario, draw_options))) if draw_options.minutes else scenario


def _given_once(given: Given, arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the parameters; UsageError where one is set twice, or stands for an option that is given, too."""
    pairs = [(name, text) for name, _, text in (one.partition("=") for one in given.parameters)]
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} is set twice; set it once")
        if getattr(arguments, OPTIONS.get(name, ""), None) is not None:
            raise UsageError(f"--{OPTIONS[name]} and --set {name} say the same thing; give one of them")
    return pairs


def line_to_replay(seed: int, draw_options: DrawOptions, given: Given, *, steps: bool = False) -> str:
    """Return the command that repeats one run."""
    words = ["gridproof", "replay", str(seed)]
    options = {
        "members": None if draw_options.members is None else str(draw_options.members),
        "sync-backups": None if draw_options.sync_backups is None else str(draw_options.sync_backups),
        "faults": None if draw_options.faults is None else ",".join(draw_options.faults) or NO_FAULTS,
        "workload": draw_options.workload,
    }
    names = {text.partition("=")[0] for text in given.parameters}
    for name, value in options.items():
        words += [] if value is None or name in names else [f"--{OPTIONS[name]}", value]
    words += ["--minutes", str(draw_options.minutes)] if draw_options.minutes else []
    words += ["--vary"] if draw_options.is_varied else []
    words += ["--steps"] if steps else []
    return shlex.join([*words, *given.words])


def _check_workload(name: str) -> None:
    if find_workload(name) is None:
        single = [workload.name for workload in (WORKLOADS if TOGETHER in name else EVERY_WORKLOAD)]
        for part in name.split(TOGETHER):
            _check("workload", part, single)
        raise UsageError(f"--workload {name}: name each workload once")


def _check(what: str, name: str, known: Iterable[str]) -> None:
    names = list(known)
    if name not in names:
        near = difflib.get_close_matches(name, names)
        cure = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        raise UsageError(f"no {what} is called {name!r}: {cure}")
