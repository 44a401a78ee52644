"""Induction over several steps at once.

A claim that one step can leave may still be safe when every state with a long enough past in which it held is (Sheeran,
Singh and Stålmarck 2000). It holds in all states up to a depth, and wherever it held for that many states in a row it
holds in the next: so it holds everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable

import z3

from gridproof_properties.proofs.bounded import Unrolling
from gridproof_properties.proofs.translation import EFFORT, Formula, SymbolicWorld


def holds_by_k_induction(
    world: SymbolicWorld, claim: Formula, k: int, *, known: Iterable[Formula] = (), effort: int = EFFORT
) -> bool:
    """Return whether Z3 proves a claim by induction over k steps, given what is known of every reachable state.

    k = 1 is ordinary induction. False says that it did not, not that the claim is false.
    """
    invariants = tuple(known)
    base, step = Unrolling(world, effort), Unrolling(world, effort, is_rooted=False)
    for unrolling in (base, step):
        unrolling.assume(*invariants)
    for length in range(k):
        if base.ask(z3.Not(claim)) is not False:
            return False
        step.assume(claim)
        step.grow()
        step.assume(*invariants)
        if length + 1 < k:
            base.grow()
            base.assume(*invariants)
    return step.ask(z3.Not(claim)) is False
