"""How many mutants of each specification are killed, by what.

`python -m gridproof_properties.explorer.mutation_report [SPEC ...] [--sample N] [--seed S]`
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from gridproof_model.language.specification import Specification
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.explorer.mutation import KilledBy, MutationScore, measure, mutants
from gridproof_properties.explorer.mutation_worlds import MUTATION_WORLDS

SAMPLE = 60
"""Mutants drawn of each specification, unless stated otherwise: less than ten minutes for the slowest."""
SEED = 2
"""Not the seed whose survivors the worlds were chosen by."""
_COLUMNS = ("mutants", "drawn", "claim", "undefined step", "count", "language", "killed", "share")
_WAYS = (KilledBy.CLAIM, KilledBy.FAILURE, KilledBy.COUNT, KilledBy.BUILD)


def score(specification: Specification, sample: int = SAMPLE, seed: int = SEED) -> MutationScore:
    """Return what became of a seeded sample of a specification's mutants, in its worlds."""
    return measure(specification, MUTATION_WORLDS[specification.name], Random(seed), sample)


def row(specification: Specification, of: MutationScore) -> str:
    """Return a specification's line of the table."""
    ways = [sum(killed is way for _, killed in of.killed) for way in _WAYS]
    drawn = len(of.killed) + len(of.survivors)
    numbers = [sum(1 for _ in mutants(specification)), drawn, *ways, len(of.killed)]
    return _line(specification.name, [*map(str, numbers), f"{of.share:.1%}"])


def survivors(of: MutationScore) -> Iterator[str]:
    """Yield a line for each mutant that nothing noticed, with its place."""
    for mutant in of.survivors:
        path, _, line = mutant.at.rpartition(":")
        yield f"  survived, {Path(path).parent.name}/{Path(path).name}:{line}: {mutant.sentence}"


def _line(name: str, cells: Sequence[str]) -> str:
    widths = map(len, _COLUMNS)
    return f"{name:<16}" + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def main(arguments: Sequence[str]) -> int:
    """Print the table and the survivors; 2 when a specification is not known."""
    by_name = {specification.name: specification for specification in SPECIFICATIONS}
    parser = argparse.ArgumentParser(prog="mutation_report", description="How many mutants are killed, and by what.")
    parser.add_argument("specifications", nargs="*", metavar="SPEC", help=f"of {', '.join(by_name)}; all when left out")
    parser.add_argument("--sample", type=int, default=SAMPLE, help=f"mutants drawn of each ({SAMPLE})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the drawing ({SEED})")
    chosen = parser.parse_args(arguments)
    if chosen.sample < 1:
        parser.error(f"--sample is {chosen.sample}; draw at least 1")
    unknown = [name for name in chosen.specifications if name not in by_name]
    if unknown:
        print(f"no specification is called {unknown[0]}; there are {', '.join(by_name)}", file=sys.stderr)
        return 2
    print(_line("specification", _COLUMNS))
    for name in chosen.specifications or by_name:
        found = score(by_name[name], chosen.sample, chosen.seed)
        print("\n".join([row(by_name[name], found), *survivors(found)]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
