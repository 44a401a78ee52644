"""What a user wishes of simulated runs."""

import argparse
import difflib
import shlex
from collections.abc import Iterable

from gridproof.configuration import Told, add_configuration, chosen_map
from gridproof.errors import UsageError
from gridproof_implementation.simulator.draw import Wishes
from gridproof_implementation.simulator.faults import FAULTS
from gridproof_implementation.simulator.prescribed import Prescribed
from gridproof_implementation.simulator.workloads import EVERY_WORKLOAD, TOGETHER, WORKLOADS, find_workload
from gridproof_model.grid_config import GridConfig
from gridproof_model.partition_table import MAX_BACKUP_COUNT

NO_FAULTS = "none"

MINUTES_MAX = 10_000
"""A week of virtual time; it takes hours."""


def add_wishes(parser: argparse.ArgumentParser) -> None:
    """Declare the options that narrow down what a seed draws; `simulate` and `replay` have the same."""
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
    parser.add_argument(
        "--at-least",
        type=int,
        default=1,
        metavar="N",
        help="how many runs must have met each promised property, else the status is 3 (default 1)",
    )
    parser.add_argument(
        "--steps",
        action="store_true",
        help="record and judge every step of the protocol (default: for seeds that are multiples of eight)",
    )
    parser.add_argument(
        "--minutes", type=int, default=0, metavar="T", help="virtual minutes that clients are at work (default: a few)"
    )
    add_configuration(parser)


def chosen_wishes(arguments: argparse.Namespace, config: GridConfig | None) -> Wishes:
    """Return the wishes, and in them what a configuration prescribes; UsageError when one cannot be met."""
    members: int | None = arguments.members
    backups: int | None = arguments.backups
    if members is not None and not 1 <= members <= 50:
        raise UsageError(f"--members {members}: a simulated grid has 1 to 50 members")
    if backups is not None and not 0 <= backups <= MAX_BACKUP_COUNT:
        raise UsageError(f"--backups {backups}: a partition has 0 to {MAX_BACKUP_COUNT} backups")
    if arguments.at_least < 0:
        raise UsageError(f"--at-least {arguments.at_least}: write a whole number of at least 0")
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
    return Wishes(members, backups, faults, arguments.workload, minutes=arguments.minutes, prescribed=prescribed)


def line_to_replay(seed: int, wishes: Wishes, told: Told, *, steps: bool = False) -> str:
    """Return the command that repeats one run."""
    words = ["gridproof", "replay", str(seed)]
    words += [] if wishes.members is None else ["--members", str(wishes.members)]
    words += [] if wishes.sync_backups is None else ["--backups", str(wishes.sync_backups)]
    words += [] if wishes.faults is None else ["--faults", ",".join(wishes.faults) or NO_FAULTS]
    words += [] if wishes.workload is None else ["--workload", wishes.workload]
    words += ["--minutes", str(wishes.minutes)] if wishes.minutes else []
    words += ["--steps"] if steps else []
    return shlex.join([*words, *told.words])


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
