"""What each system promises, by its name.

A trace names its system; whoever judges a trace puts what that system promises beside what was found.
"""

from collections.abc import Iterable, Mapping
from typing import assert_never

from gridproof_implementation.adapter import Adapter, PromiseWord
from gridproof_implementation.adapters import find_adapter
from gridproof_model.trace import SIMULATED
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.judge import Asking, Property, Reached
from gridproof_properties.judging.verdict import PromiseLevel, Verdict

LEVELS = {PromiseWord.PROMISED: PromiseLevel.PROMISED, PromiseWord.WEAKNESS: PromiseLevel.WEAKNESS}


def promised_by_the_reference(*, grouped: bool) -> Mapping[str, PromiseLevel]:
    """Return what simulated members are held to; less where several of them share a partition group."""
    return _OF_GROUPED if grouped else PROMISED_BY_THE_REFERENCE


def _promised(prop: Property, *, grouped: bool) -> PromiseLevel:
    if prop.asked_by is Asking.AUDITS:
        return PromiseLevel.NONE
    match prop.reached:
        case Reached.ALWAYS:
            return PromiseLevel.PROMISED
        case Reached.WITHOUT_GROUPS:
            return PromiseLevel.WEAKNESS if grouped else PromiseLevel.PROMISED
        case Reached.NOT_ALWAYS:
            return PromiseLevel.WEAKNESS
        case _:
            assert_never(prop.reached)


PROMISED_BY_THE_REFERENCE = {prop.name: _promised(prop, grouped=False) for prop in CATALOGUE}
"""What simulated members are held to where each is a group of its own."""
_OF_GROUPED = {prop.name: _promised(prop, grouped=True) for prop in CATALOGUE}


def promises_of(system: str, *, grouped: bool = False) -> Mapping[str, PromiseLevel]:
    """Return what a system promises, by property; empty for a system that nobody here knows."""
    if system == SIMULATED:
        return promised_by_the_reference(grouped=grouped)
    adapter = find_adapter(system)
    return {} if adapter is None else levels_of(adapter)


def levels_of(adapter: Adapter) -> Mapping[str, PromiseLevel]:
    """Return what a system promises where it is asked for everything, by property."""
    return {name: LEVELS[promise.word] for name, promise in adapter.promises.items()}


def promised_in(system: str, verdicts: Iterable[Verdict]) -> Mapping[str, PromiseLevel]:
    """Return what a system promises, or some verdicts on a run of it say that it does."""
    said = {one.property: one.promise for one in verdicts if one.promise is PromiseLevel.PROMISED}
    return {**promises_of(system), **said}
