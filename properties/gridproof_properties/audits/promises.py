"""What each system promises, by its name.

A trace names its system; whoever judges a trace puts what that system promises beside what was found.
"""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import assert_never

from gridproof_implementation.adapter import Adapter, FaultCondition, PromiseWord, Weakness
from gridproof_implementation.adapters import find_adapter
from gridproof_implementation.live.machine import describe_machine
from gridproof_model.events import Event
from gridproof_model.events.conditions import Admitted, HeldTo, StatedTimes
from gridproof_model.events.harness import MACHINE, TIMER, Remark
from gridproof_model.events.words import Admission
from gridproof_model.renamed import present_name
from gridproof_model.trace import SIMULATED, EventRecord, Record
from gridproof_properties.audits.recorder import Sink
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


def unknown_names(
    promises: Iterable[str], weaknesses: Iterable[Weakness], declines: Iterable[str], known: Collection[str]
) -> Iterator[str]:
    """Yield a clause for each name that promises or weaknesses have and no property, with those most like it."""
    said = {name: f"promises {name!r}" for name in promises}
    said |= {name: f"admits a weakness of {name!r}" for one in weaknesses for name in one.takes}
    said |= {name: f"declines weaknesses of {name!r}" for name in declines}
    for name, clause in said.items():
        if present_name(name, known) not in known:
            near = difflib.get_close_matches(name, list(known))
            cure = f"did you mean {' or '.join(near)}?" if near else f"known properties: {', '.join(known)}"
            yield f"{clause}, which is no property: {cure}"


def admission_of(system: str) -> Admission:
    """Return which named set of weaknesses limits a system of this name; nothing one that nobody here knows."""
    if system == SIMULATED:
        return Admission.HAZELCAST
    adapter = find_adapter(system)
    return Admission.NOTHING if adapter is None else adapter.admits


def with_own_word(adapter: Adapter, sink: Sink) -> Sink:
    """Return where records go, with what limits the system behind the times that it states.

    A trace names its system; what that name does not say stands in it. So does the machine of a run that no seed
    repeats, and what of the system's own times the audit has changed.
    """

    def take(record: Record) -> None:
        sink(record)
        if isinstance(record, EventRecord) and isinstance(record.event, StatedTimes):
            for event in _own_word(adapter):
                sink(EventRecord(record.run, record.at_ms, None, event))

    return take


def _own_word(adapter: Adapter) -> Iterator[Event]:
    if adapter.declines or adapter.admits is not admission_of(adapter.name):
        yield HeldTo(adapter.admits, tuple(sorted(adapter.declines)))
    if not adapter.repeatable:
        yield Remark(MACHINE, describe_machine())
        yield from (Remark(TIMER, words) for words in adapter.timers)
    known = [prop.name for prop in CATALOGUE]
    # Imported now, with the simulator: whoever reads records needs none of it.
    from gridproof_implementation.live.faults import LIVE_FAULTS

    for weakness in adapter.weaknesses:
        takes = tuple(present_name(name, known) for name in weakness.takes)
        faults = dict.fromkeys(
            fault.name for fault in LIVE_FAULTS if set(weakness.when) & _brought_by(fault.brings, fault.harms)
        )
        yield Admitted(takes, tuple(faults), weakness.begins, weakness.ends, weakness.source, weakness.by.value)


def _brought_by(brings: FaultCondition, harms: Collection[str]) -> set[FaultCondition]:
    """Return the fault conditions that a fault can bring about; many members may end by one that ends a member."""
    ends = {FaultCondition.CRASHES} if "members" in harms else set[FaultCondition]()
    hosts = {FaultCondition.HOST_CRASH} if brings is FaultCondition.CRASH else set[FaultCondition]()
    return {brings} | ends | hosts


def promised_in(system: str, verdicts: Iterable[Verdict]) -> Mapping[str, PromiseLevel]:
    """Return what a system promises, or some verdicts on a run of it say that it does."""
    said = {one.property: one.promise for one in verdicts if one.promise is PromiseLevel.PROMISED}
    return {**promises_of(system), **said}
