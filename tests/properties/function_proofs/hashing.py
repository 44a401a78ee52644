"""Proofs about the hash and the index.

Z3 is asked for a counterexample among all 32-bit hashes and all partition counts; that it finds none is the proof. The
functions proved are those of the model and of the inversion, run on symbols (`symbols`), not copies of them.

Remainders by an unknown divisor are out of reach for bit-vectors of 32 bits, so the index is proved over whole numbers
with the 32-bit range as an assumption, which also covers counts beyond 32 bits. The steps of the hash are proved as
bit-vectors, where a product with a constant is an unknown function that has an inverse; that it does is a proof of its
own.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import z3

from gridproof_model import hashing
from gridproof_model.hashing import INT_MAX, INT_MIN
from gridproof_properties.audits import boundary_keys
from tests.properties.function_proofs.symbols import Product, Word, each_path, inverse_of

_PATIENCE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Proof:
    """A claim about all values, and what Z3 says of it."""

    claim: str
    proved: bool
    counterexample: dict[str, int] = field(default_factory=dict)
    """Values that refute the claim, by name; empty when it is proved, or when Z3 could not decide."""


def prove_index(rule: Callable[[Any, Any], Any] = hashing.hash_to_index) -> tuple[Proof, ...]:
    """Prove a rule from hash to partition: it answers, in range, and as documented (keys.5).

    For every hash from -2^31 to 2^31-1 and every partition count from 1 up.
    """
    value, count = z3.Ints("hash count")
    distance = z3.If(value < 0, -value, value)
    answers, in_range, as_documented = [], [], []
    for path in each_path(rule, value, count):
        reached = z3.And(*path.assumed, True)
        if path.error is not None:
            answers.append(z3.Not(reached))
            continue
        exists = z3.And(path.result >= 0, path.result < count)
        remainder = z3.And(exists, distance == count * (distance / count) + path.result)
        in_range.append(z3.Implies(reached, exists))
        as_documented.append(z3.Implies(reached, z3.If(value == INT_MIN, path.result == 0, remainder)))
    domain = (value >= INT_MIN, value <= INT_MAX, count >= 1)

    def prove(claim: str, statements: list[Any]) -> Proof:
        return _prove(claim, z3.And(statements), domain, (value, count))

    return (
        prove("every hash and every count from 1 up have an index", answers),
        prove("every index is at least 0 and below the count", in_range),
        prove("every index is 0 for -2^31, else the remainder of |hash|", as_documented),
    )


def prove_inversion() -> tuple[Proof, ...]:
    """Prove for all 32-bit words that each step of Murmur3 is undone by its inverse: each is a bijection."""
    products: list[Product] = []
    word: Any = Word(z3.BitVec("word", 32), products)
    block: Any = Word(z3.BitVec("block", 32), products)
    undone: dict[str, Any] = {
        "unscramble undoes scramble": boundary_keys.unscramble(hashing.scramble(word)),
        "unabsorb undoes absorb": boundary_keys.unabsorb(hashing.absorb(word, block), block),
        "unfinalise undoes finalise": boundary_keys.unfinalise(hashing.finalise(word)),
    }
    known = [product.undoing() for product in products]
    steps = [_prove(claim, found.expression == word.expression, known) for claim, found in undone.items()]
    return (*steps, *(_prove_factor(factor) for factor in sorted({product.factor for product in products})))


def _prove_factor(factor: int) -> Proof:
    """Prove what `Product.undoing` assumes of a factor, with the multiplication written out."""
    word = z3.BitVec("word", 32)
    return _prove(f"multiplying by {factor:#x} can be undone", word * factor * inverse_of(factor) == word)


def _prove(claim: str, statement: Any, assumptions: Iterable[Any] = (), unknowns: Iterable[Any] = ()) -> Proof:
    """Look for a counterexample that meets the assumptions; where there is one, return these unknowns' values."""
    solver = z3.Solver()
    solver.set("timeout", _PATIENCE_MS)
    solver.add(*assumptions, z3.Not(statement))
    answer = solver.check()
    if answer != z3.sat:
        return Proof(claim, proved=answer == z3.unsat)
    model: Any = solver.model()
    values = {str(unknown): model.eval(unknown, model_completion=True).as_long() for unknown in unknowns}
    return Proof(claim, proved=False, counterexample=values)
