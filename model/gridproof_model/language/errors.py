"""Wrong use of the language, reported with the author's line.

Operators that have no meaning in the language are refused, and the message names the author's file and line. Without
the refusal, Python would raise errors of its own, or continue: `x > 0 & x < 2` computes `0 & x`, and a loop over an
expression never ends. Static type checkers do not see the methods that refuse, so they report such uses, too.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import partial, wraps
from os import sep
from pathlib import Path
from typing import Any, NoReturn

_LANGUAGE = f"{Path(__file__).parent}{sep}"


class SpecificationError(Exception):
    """An error in a specification, such as a type error, a name used twice, or a Python `if` on a state expression.

    The message begins with the file and line of the author's code, and ends with what the author can do.
    """

    def __init__(self, problem: str, at: str | None = None) -> None:
        self.at = at or where()
        """The author's file and line."""
        self.problem = problem
        """What is wrong, in words for someone who did not write the specification and has no use for its line."""
        super().__init__(f"{self.at}: {problem}")


class StepError(Exception):
    """A step that is wrong when it is run, such as an update outside its domain, or the head of an empty sequence."""


def where() -> str:
    """Return `file:line` of the nearest caller that is outside the language."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_LANGUAGE, "<")):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


_BRACKETS = "& and | join conditions: put each comparison in brackets, as in (x > 0) & (x < 2)"
_ARITHMETIC = "only numbers are added; an element of an ordered index set has .ordinal, and element_at is its reverse"
_ORDER = "only numbers and elements of ordered index sets are compared with <"
_DIVISION = "numbers are whole: divide with //"
_COUNTING = "its size is known only in a world: write for_all, exists, count or array_of"
_PICKING = "only arrays and sets are read with [...]; a sequence has .at(position), a record its fields by name"

_CALLING = "it is no function: write length, head, tail, value, is_none and a sequence's is_empty without ()"
_CHANGING = "a step says what becomes of it: x.becomes(x + 1), lane.becomes(lane.append(one)), lane.becomes(lane.tail)"
_CHANGES = frozenset(("next", "prime", "set", "put", "push", "pop", "add", "extend", "insert", "remove", "clear"))
_OF_SETS = (
    "st[one] says whether one is in it; call .count(), .is_any(), .is_empty() and .is_within(other); "
    "st[one].becomes(True) puts one in, and st.becomes(array_of(members, lambda one: ...)) sets all"
)

CURES: Mapping[str, str] = {
    **dict.fromkeys(("__and__", "__or__", "__xor__", "__rand__", "__ror__", "__rxor__"), _BRACKETS),
    **dict.fromkeys(("__add__", "__sub__", "__mul__", "__floordiv__", "__mod__"), _ARITHMETIC),
    **dict.fromkeys(("__radd__", "__rsub__", "__rmul__", "__rfloordiv__", "__rmod__", "__neg__"), _ARITHMETIC),
    **dict.fromkeys(("__truediv__", "__rtruediv__"), _DIVISION),
    **dict.fromkeys(("__pow__", "__rpow__", "__abs__", "__pos__"), "the language has + - * // % on numbers, no more"),
    **dict.fromkeys(("__lt__", "__le__", "__gt__", "__ge__"), _ORDER),
    **dict.fromkeys(("__iter__", "__contains__", "__len__", "__index__", "__int__"), _COUNTING),
    **dict.fromkeys(("__lshift__", "__rshift__", "__rlshift__", "__rrshift__"), "a condition .implies another"),
    **dict.fromkeys(("__divmod__", "__rdivmod__", "__round__", "__matmul__"), "the language has + - * // % on numbers"),
    **dict.fromkeys(("__setitem__", "__delitem__"), _CHANGING),
    "__call__": _CALLING,
    "__invert__": "~ negates a condition",
    "__getitem__": _PICKING,
}
"""What an author can do instead, for each method that is refused in classes of expressions that do not define it."""


def shown(value: object) -> str:
    """Return the words by which an error message names a value that an author wrote in the wrong place."""
    owner, domain = getattr(value, "__self__", None), _domain_of(value)
    if owner is not None and _domain_of(owner) is not None:
        return f"the method {value.__name__} itself: call it, .{value.__name__}()"  # type: ignore[attr-defined]
    if domain is not None:
        return f"{domain}{_of_conditions(domain)}"
    if isinstance(value, bool):
        return f"{value}: Python computed that at once; of an option write .is_none or .is_some, never `is None`"
    describe = getattr(value, "describe", None)
    if describe is not None and not isinstance(value, type):
        return str(describe())
    text = getattr(value, "__qualname__", None) or repr(value)
    return (
        text
        if "object at 0x" not in text and "(" not in text
        else f"something else, of the kind {type(value).__name__}"
    )


def _of_conditions(domain: str) -> str:
    return " (write .is_none or .is_some of it)" if domain.endswith("or None") else ""


def _domain_of(value: object) -> str | None:
    """Return the domain of an expression in a few words; for a value that is no expression, return None."""
    node = None if isinstance(value, type) else getattr(value, "node", None)
    return None if node is None else str(node.domain.describe())


def refuse_what_means_nothing(expressions: type[Any]) -> None:
    """Give the base class of expressions, for each operator that it does not have, a method that refuses its use."""
    for name, cure in CURES.items():
        if name not in vars(expressions):
            setattr(expressions, name, _refusing(cure))
    expressions.__getattr__ = _refuse_missing


def in_words(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that refuses missing or unknown arguments with a sentence and the author's line."""
    signature = inspect.signature(function)
    parts = [
        f"{p.name}=..." if p.kind is p.KEYWORD_ONLY else str(p).partition(":")[0] for p in signature.parameters.values()
    ]
    name = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
    usage = f"{name}({', '.join(part for part in parts if part not in ('self', '/'))})"

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except TypeError:
            try:
                signature.bind(*given, **named)
            except TypeError as problem:
                raise SpecificationError(f"{problem}: write {usage}") from None
            raise

    return called


class Called:
    """A method without arguments, which authors have to call with `()`: any other use is refused."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __get__(self, expression: Any, _: object = None) -> Any:
        """Return the method, bound to an expression."""
        return self if expression is None else _Uncalled(expression, self._function)


class _Uncalled:
    def __init__(self, expression: Any, function: Callable[..., Any]) -> None:
        self.node, self._call = expression.node, partial(function, expression)
        self.__self__, self.__name__ = expression, function.__name__

    def __call__(self) -> Any:
        return self._call()


def _refuse_uncalled(self: Any, *_: object) -> NoReturn:
    raise SpecificationError(f"the specification needs a value, not {shown(self)}")


for _name in CURES:
    if _name not in vars(_Uncalled):
        setattr(_Uncalled, _name, _refuse_uncalled)


def _refuse_missing(self: Any, name: str) -> NoReturn:
    if name.startswith("_") or name in ("node", "describe"):
        raise AttributeError(name)
    domain = self.node.domain.describe()
    has = ", ".join(one for one in dir(type(self)) if not one.startswith("_") and one != "node")
    cure = _CHANGING if name in _CHANGES else f"it has {has}"
    raise SpecificationError(f"{domain} has no {name}: {_OF_SETS if domain.startswith('set of') else cure}")


def _refusing(cure: str) -> Callable[..., NoReturn]:
    def refuse(self: Any, *_: object) -> NoReturn:
        domain = self.node.domain.describe()
        said = _OF_SETS if domain.startswith("set of") else cure + _of_conditions(domain)
        raise SpecificationError(f"an expression of the domain {domain} is used in a wrong way: {said}")

    return refuse
