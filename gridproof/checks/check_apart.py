"""Checks one of several systems in a process of its own.

The process imports only this module and what the module needs, not the command with its tables.
"""

from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import monotonic

from gridproof.arguments.configuration import Given
from gridproof.checks.run import CheckedRun, check_system, line_to_repeat
from gridproof.ci.gate import JudgedRun
from gridproof.output.progress import silent
from gridproof_implementation.adapter import Kind, Options
from gridproof_implementation.adapters import get_adapter
from gridproof_model.user_error import UserError
from gridproof_properties.campaign.workers import open_workers


@dataclass(frozen=True, slots=True)
class Ended:
    """How the check of one of several systems ended: with a run, or with one line that says why there is no run."""

    system: str
    checked: CheckedRun | None
    failure: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The name that was typed, and the system's own name if the system was opened."""
        return (self.system,) if self.checked is None else (self.system, self.checked.system)


def as_judged(names: tuple[str, ...], run: CheckedRun | None, failure: str = "") -> JudgedRun:
    """Return a run in the form in which a build judges it, under the typed name and the system's own name."""
    if run is None:
        return JudgedRun(names, (), failure=failure)
    return JudgedRun(names, run.verdicts, run.version, run.seconds, run.trace, unknown=run.work.unknown)


def check_apart(name: str, options: Options, folder: Path, given: Given, end_s: float) -> Ended:
    """Check one system in a separate process: a process that dies must not take the verdicts on other systems along.

    `end_s` is the end of the time for all systems, on the monotonic clock; infinite if there is no limit.
    """
    rest_s = None if end_s == inf else end_s - monotonic()
    if rest_s is not None and rest_s <= 0:
        return Ended(name, None, f"{name}: the time limit was reached before its turn")
    with open_workers(1) as pool:
        try:
            return pool.submit(_check_in_process, name, options, folder, given, rest_s).result()
        except BrokenProcessPool:
            return Ended(name, None, f"{name}: its process ended without a result; check it alone to see why")


def _check_in_process(name: str, options: Options, folder: Path, given: Given, time_limit_s: float | None) -> Ended:
    try:
        adapter = get_adapter(name)
        folder.mkdir(parents=True)
        line = line_to_repeat(name, options, given, is_grid=adapter.kind is Kind.GRID)
        return Ended(name, check_system(adapter, options, folder, silent, line, time_limit_s))
    except UserError as error:  # an adapter that cannot be opened, a disk that is full
        return Ended(name, None, str(error))
