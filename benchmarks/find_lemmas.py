"""Lemmas that nobody wrote, in processor time.

`managers_agree` of two-phase commit with three managers, whose lemmas are to be found and proved within a goal; then
the protocols of `docs/examples/protocols`, each from its text alone. What exploring, searching and proving take is
counted, at the size searched and at the next one; imports are not.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time

from gridproof_model.language import ClaimKind, Specification
from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.claims.ledger_row import world_in_words
from gridproof_properties.claims.named import find_named
from gridproof_properties.proofs.finding.find import End, Finder

GOAL = 5.0
"""Seconds for two-phase commit, at most."""
PROTOCOLS = Path(__file__).parent.parent / "docs" / "examples" / "protocols"


def main() -> None:
    """Print what was found for each, and what it took."""
    took_s = measure(two_phase_commit, ("managers_agree",))
    print(f"lemmas of two-phase commit: {took_s:.2f} s of processor time (goal: under {GOAL:g} s)")
    for path in sorted(PROTOCOLS.glob("*.py")):
        measure(find_named(str(path)).specification)


def measure(specification: Specification, claims: tuple[str, ...] = ()) -> float:
    """Find lemmas of some claims, or of all, print what came of it, and return the seconds it took."""
    always = tuple(claim.name for claim in specification.claims if claim.kind is ClaimKind.ALWAYS)
    finder = Finder(specification, claims or always)
    began = process_time()
    finder.run()
    took_s = process_time() - began
    proved = sum(finding.end is End.PROVED for finding in finder.findings)
    space = finder.explored
    assert space is not None
    constants = dict(space.world.constants)
    larger = ", ".join(world_in_words(world) for world in finder.proved_in[1:]) or "–"
    print(
        f"  {took_s:5.2f} s  {proved} of {len(finder.findings)} claims with {len(finder.lemmas)} lemmas  "
        f"{specification.name}, {world_in_words(constants) if constants else 'its one size'}: "
        f"{space.states.shape[1]:,} states; also {larger}",
        flush=True,
    )
    return took_s


if __name__ == "__main__":
    main()
