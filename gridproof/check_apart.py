"""One of several systems, checked in its own process.

That process imports this module and what it needs, not the command with its tables.
"""

from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from gridproof.configuration import Told
from gridproof.progress import silent
from gridproof.run import CheckedRun, check_system, line_to_repeat
from gridproof_implementation.adapter import AdapterError, Options
from gridproof_implementation.adapters import get_adapter
from gridproof_properties.campaign.workers import open_workers


@dataclass(frozen=True, slots=True)
class Ended:
    """How the check of one of several systems ended: a run, or one line why there is none."""

    system: str
    checked: CheckedRun | None
    failure: str = ""


def check_apart(name: str, options: Options, folder: Path, told: Told) -> Ended:
    """Check one system in a process of its own: one that ends takes no other's verdicts along."""
    with open_workers(1) as pool:
        try:
            return pool.submit(_check_in_process, name, options, folder, told).result()
        except BrokenProcessPool:
            return Ended(name, None, f"{name}: its process ended without a word; check it alone to see why")


def _check_in_process(name: str, options: Options, folder: Path, told: Told) -> Ended:
    try:
        adapter = get_adapter(name)
        folder.mkdir(parents=True)
        return Ended(name, check_system(adapter, options, folder, silent, line_to_repeat(name, options, told)))
    except AdapterError as error:
        return Ended(name, None, str(error))
