"""Operators that mean nothing, refused with the author's line.

Python would end them in errors of its own, or go on: `x > 0 & x < 2` asks for `0 & x`, a loop over an expression never
ends. Static type checkers do not see these methods, so they find such uses, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from gridproof_model.language.errors import SpecificationError

_BRACKETS = "& and | join conditions: put each comparison in brackets, as in (x > 0) & (x < 2)"
_ARITHMETIC = "only numbers are added; of an element of an ordered index set .ordinal is one, and element_at leads back"
_ORDER = "only numbers and elements of ordered index sets are compared with <"
_DIVISION = "numbers are whole: divide with //"
_COUNTING = "how many there are is known only in a world: write for_all, exists, count or array_of"
_PICKING = "only arrays and sets are read with [...]; a sequence has .at(position), a record its fields by name"

CURES: Mapping[str, str] = {
    **dict.fromkeys(("__and__", "__or__", "__xor__", "__rand__", "__ror__", "__rxor__"), _BRACKETS),
    **dict.fromkeys(("__add__", "__sub__", "__mul__", "__floordiv__", "__mod__"), _ARITHMETIC),
    **dict.fromkeys(("__radd__", "__rsub__", "__rmul__", "__rfloordiv__", "__rmod__", "__neg__"), _ARITHMETIC),
    **dict.fromkeys(("__truediv__", "__rtruediv__"), _DIVISION),
    **dict.fromkeys(("__pow__", "__rpow__", "__abs__", "__pos__"), "the language has + - * // % on numbers, no more"),
    **dict.fromkeys(("__lt__", "__le__", "__gt__", "__ge__"), _ORDER),
    **dict.fromkeys(("__iter__", "__contains__", "__len__", "__index__", "__int__"), _COUNTING),
    "__invert__": "~ negates a condition",
    "__getitem__": _PICKING,
}
"""By method; what a class of expressions defines itself is meant."""


def refuse_what_means_nothing(expressions: type[Any]) -> None:
    """Give the class of all expressions every operator that it lacks, to be refused."""
    for name, cure in CURES.items():
        if name not in vars(expressions):
            setattr(expressions, name, _refusing(cure))


def _refusing(cure: str) -> Callable[..., NoReturn]:
    def refuse(self: Any, *_: object) -> NoReturn:
        raise SpecificationError(f"{self.node.domain.describe()} cannot be used so: {cure}")

    return refuse
