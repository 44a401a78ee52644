"""Every proof of the ledger, in processor time.

All claims and lemmas of every specification, by induction, in every world that its argument names; what is only
explored is left out. Processor time, since Z3 uses one core and other processes may use the rest.
"""

from __future__ import annotations

from time import process_time

from gridproof_properties.claims.ledger_row import world_in_words
from gridproof_properties.proofs.argument import Argument, Constants
from gridproof_properties.proofs.arguments import ARGUMENTS
from gridproof_properties.proofs.prove import prove

GOAL = 120.0
"""Seconds for all of them together, at most."""


def main() -> None:
    """Print the time of every world, and of all together."""
    total = sum(measure(argument, constants) for argument in ARGUMENTS for constants in argument.proved_in)
    print(f"all proofs of the ledger: {total:.0f} s of processor time (goal: under {GOAL:g} s)")


def measure(argument: Argument, constants: Constants) -> float:
    """Prove what can be in one world, print what that took, and return it in seconds."""
    began = process_time()
    proof = prove(argument, constants)
    took_s = process_time() - began
    asked = len(proof.candidates)
    proved = sum(map(proof.is_proved, proof.candidates))
    where = f"{argument.specification.name}, {world_in_words(constants)}"
    print(f"  {took_s:5.1f} s  {proved} of {asked} claims and lemmas proved  {where}", flush=True)
    return took_s


if __name__ == "__main__":
    main()
