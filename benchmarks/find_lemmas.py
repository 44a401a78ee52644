"""Lemmas that nobody wrote, in processor time.

`managers_agree` of two-phase commit with three managers, whose lemmas are to be found and proved within a goal: at the
size searched, and for any. Imports are not counted. What others' protocols take stands in `docs/protocols.md`.
"""

from __future__ import annotations

from time import process_time

from gridproof_model.specifications.two_phase_commit import specification
from gridproof_properties.proofs.finding.find import End, Finder

GOAL = 5.0
"""Seconds, at most."""


def main() -> None:
    """Print what was found, and what it took."""
    finder = Finder(specification, ("managers_agree",))
    began = process_time()
    finder.run()
    took_s = process_time() - began
    proved = sum(finding.end is End.PROVED for finding in finder.findings)
    print(
        f"lemmas of two-phase commit: {took_s:.2f} s of processor time (goal: under {GOAL:g} s), "
        f"{proved} of {len(finder.findings)} claims with {len(finder.lemmas)} lemmas"
    )


if __name__ == "__main__":
    main()
