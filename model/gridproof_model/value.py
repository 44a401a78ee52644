"""Base classes of values, which are frozen for the type checkers and quick to build at run time.

A frozen dataclass stores each of its fields through `object.__setattr__`, which takes five times as long as an
assignment, and took a third of the time of a simulated event. Messages, timers and effects are declared as frozen, so
that type checkers forbid changing them; at run time they are built by assignments. The records of a trace are frozen at
run time, too.

A `Word`, which is a choice from a closed list, is printed as its text, also within an object that contains it: an event
looks the same in a judge's sentence as in a trace.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Any

NOTHING: Mapping[str, object] = MappingProxyType({})


class Value:
    """The base of the frozen, slotted dataclasses; every simulated event creates some instances of these."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Give a dataclass a plain `__init__` once its fields are known; `slots=True` creates the class again."""
        super().__init_subclass__()
        if "__dataclass_fields__" in cls.__dict__:
            _thaw(cls)


def _thaw(cls: type[Any]) -> None:
    for name in ("__setattr__", "__delattr__"):
        if name in cls.__dict__:
            delattr(cls, name)
    declared = fields(cls)
    if "__post_init__" not in dir(cls) and all(f.init and f.default_factory is MISSING for f in declared):
        cls.__init__ = _plain_init(declared)


def _plain_init(
    declared: tuple[Field[Any], ...], known: Mapping[str, object] = NOTHING, first: str = "", last: str = ""
) -> Callable[..., None]:
    defaults = {f"default_{f.name}": f.default for f in declared if f.default is not MISSING}
    parameters = ["self", *(_parameter(f) for f in declared if not f.kw_only)]
    if any(f.kw_only for f in declared):
        parameters += ["*", *(_parameter(f) for f in declared if f.kw_only)]
    assigned = "".join(f"\n    self.{f.name} = {f.name}" for f in declared) or "\n    pass"
    body = f"{first}{assigned}{last}" if declared else assigned
    namespace: dict[str, Any] = {**defaults, **known}
    exec(f"def __init__({', '.join(parameters)}):{body}", namespace)
    init: Callable[..., None] = namespace["__init__"]
    return init


def _parameter(field: Field[Any]) -> str:
    return field.name if field.default is MISSING else f"{field.name}=default_{field.name}"


class Immutable:
    """The base of the frozen, slotted dataclasses that stay frozen at run time: the records and events of a trace.

    A frozen dataclass is filled field by field through `object.__setattr__`, which takes five times as long as plain
    assignments. Here, an object has a blank class, whose objects are not frozen, while its fields are filled, and then
    gets its own class; this takes two more assignments (`benchmarks/simulator_events.py` prints what they cost).
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Give the finished dataclass an `__init__` that fills it; `slots=True` creates the class a second time."""
        super().__init_subclass__()
        if "__dataclass_fields__" in cls.__dict__:
            _fill_quickly(cls)


def _fill_quickly(cls: type[Any]) -> None:
    declared = fields(cls)
    # Both methods are those of `object`, so that no assignment has to call a slow method written in Python.
    plain = {"__slots__": (), "__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    blank = type(f"_Blank{cls.__name__}", (cls,), plain)
    become = object.__dict__["__class__"].__set__
    first, last = "\n    become(self, blank)", "\n    self.__class__ = whole"
    cls.__init__ = _plain_init(declared, {"become": become, "blank": blank, "whole": cls}, first, last)


class Word(StrEnum):
    """A choice from a closed list, written as a text."""

    def __repr__(self) -> str:
        return repr(self.value)


def picked(value: object, names: str) -> dict[str, object]:
    """Return the fields of a value that `names` lists with blanks between them, in the same order."""
    return {name: getattr(value, name) for name in names.split()}
