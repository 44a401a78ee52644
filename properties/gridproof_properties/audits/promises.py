"""What each system promises, looked up by the system's name.

A trace names its system; when a trace is judged, the promises of this system are combined with what was found.

The trace of a live run also says on which machine the run took place, as its measurements depend on the machine.
"""

import os
import platform
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from gridproof_implementation.adapter import Adapter, FaultCondition, Promise, PromiseWord, Weakness
from gridproof_implementation.adapters import find_adapter
from gridproof_model.events import Event
from gridproof_model.events.conditions import Admitted, HeldTo, StatedTable, StatedTimes
from gridproof_model.events.harness import MACHINE, TIMER, Remark
from gridproof_model.events.words import Admission
from gridproof_model.renamed import present_name
from gridproof_model.trace import SIMULATED, EventRecord, Record, RunRecord
from gridproof_model.user_error import nearest
from gridproof_properties.audits.recorder import Sink
from gridproof_properties.catalogue import CATALOGUE, PROPERTY_NAMES
from gridproof_properties.judging.incidents import FaultSpans
from gridproof_properties.judging.judge import Property, Reached
from gridproof_properties.judging.verdict import PromiseLevel, Verdict

if TYPE_CHECKING:  # a campaign reads no file of promises
    from gridproof_implementation.live.said import Said

MEMBERS = "members"
"""The kind of harm that is done by a fault that ends members."""
LEVELS = {
    PromiseWord.PROMISED: PromiseLevel.PROMISED,
    PromiseWord.WEAKNESS: PromiseLevel.WEAKNESS,
    PromiseWord.WITHDRAWN: PromiseLevel.NONE,
}


@cache
def promised_by_the_reference(*, grouped: bool) -> Mapping[str, PromiseLevel]:
    """Return what simulated members promise; they promise less if several members share a partition group."""
    return {prop.name: _promised(prop, grouped=grouped) for prop in CATALOGUE}


def _promised(prop: Property, *, grouped: bool) -> PromiseLevel:
    if prop.asked_by.is_of_systems:
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


TIMELESS = frozenset(prop.name for prop in CATALOGUE if prop.is_timeless)
"""The properties that no fault suspends."""


def promises_of(system: str, *, grouped: bool = False) -> Mapping[str, PromiseLevel]:
    """Return what a system promises, by property; empty if the system is unknown."""
    if system == SIMULATED:
        return promised_by_the_reference(grouped=grouped)
    adapter = find_adapter(system)
    return {} if adapter is None else levels_of(adapter)


def levels_of(adapter: Adapter) -> Mapping[str, PromiseLevel]:
    """Return what a system promises if it is asked for every operation, by property."""
    return {present_name(name, PROPERTY_NAMES): LEVELS[promise.word] for name, promise in adapter.promises.items()}


def attributed(promises: Mapping[str, Promise], verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Return the verdicts, each with the source of the promise that it is about."""
    by = {present_name(name, PROPERTY_NAMES): str(promise.by) for name, promise in promises.items()}
    return tuple(replace(one, promised_by=by[one.property]) if one.property in by else one for one in verdicts)


def unknown_names(
    promises: Iterable[str], weaknesses: Iterable[Weakness], declines: Iterable[str], known: Collection[str]
) -> Iterator[str]:
    """Yield a clause for each promised, admitted or declined name that no property has, with the names most similar to
    it, and for each weakness that is stated for a property that no fault suspends."""
    said = {name: f"promises {name!r}" for name in promises}
    said |= {name: f"admits a weakness of {name!r}" for one in weaknesses for name in one.takes}
    said |= {name: f"declines weaknesses of {name!r}" for name in declines}
    for name, clause in said.items():
        if present_name(name, known) not in known:
            yield f"{clause}, which is no property: {nearest(name, known)}"
    for name in sorted({present_name(name, known) for one in weaknesses for name in one.takes} & TIMELESS):
        yield f"admits a weakness of {name!r}, which is about no moment: no fault takes it away, so leave it out"


def admission_of(system: str) -> Admission:
    """Return the named set of weaknesses that limits a system with this name; NOTHING if the system is unknown."""
    if system == SIMULATED:
        return Admission.HAZELCAST
    adapter = find_adapter(system)
    return Admission.NOTHING if adapter is None else adapter.admits


def with_own_word(adapter: Adapter, sink: Sink) -> Sink:
    """Return a sink that adds the system's own statements: on its table, after the head of the run; on limits, after
    the stated times.

    A trace names its system; what does not follow from the name is written into the trace. The trace also gets the
    machine, for a run that no seed repeats, and those of the system's own times that the audit has changed.
    """

    def take(record: Record) -> None:
        sink(record)
        if isinstance(record, RunRecord) and adapter.table is not None:
            sink(EventRecord(record.run, 0, None, adapter.table))
        if isinstance(record, EventRecord) and isinstance(record.event, StatedTimes):
            for event in _own_word(adapter):
                sink(EventRecord(record.run, record.at_ms, None, event))

    return take


def _own_word(adapter: Adapter) -> Iterator[Event]:
    if adapter.declines or adapter.admits is not admission_of(adapter.name):
        yield HeldTo(adapter.admits, tuple(sorted(adapter.declines)))
    if not adapter.repeatable:
        # A run that can be repeated from its seed does not depend on the machine; only other runs record the machine.

        yield Remark(MACHINE, describe_machine())
        yield from (Remark(TIMER, words) for words in adapter.timers)
    yield from map(_admitted, adapter.weaknesses)


def _admitted(weakness: Weakness) -> Admitted:
    """Return an admitted weakness as an event of a trace."""
    # Imported here: the imported module loads the simulator, too, and a reader of records does not need it.
    from gridproof_implementation.live.faults import LIVE_FAULTS

    faults = dict.fromkeys(
        fault.name for fault in LIVE_FAULTS if set(weakness.when) & _brought_by(fault.brings, fault.harms)
    )
    return Admitted(weakness.takes, tuple(faults), weakness.begins, weakness.ends, weakness.source, weakness.by)


def with_stated_word(said: "Said", head: RunRecord, records: Iterable[Record]) -> Iterator[Record]:
    """Yield the records of a run as if the system itself had stated what a file states about it."""
    for record in records:
        match record:
            case RunRecord():
                yield record
                yield from (EventRecord(head.run, 0, None, event) for event in _stated(said, head.system))
            case EventRecord(event=StatedTimes()) if said.times is not None:
                pass
            case EventRecord(event=StatedTable()) if said.table is not None:
                pass
            case EventRecord(event=HeldTo(declines=declines) as held) if said.declines:
                yield replace(record, event=replace(held, declines=tuple({*declines, *said.declines})))
            case _:
                yield record


def _stated(said: "Said", system: str) -> Iterator[Event]:
    yield from (one for one in (said.table, said.times) if one is not None)
    yield from (HeldTo(admission_of(system), said.declines),) if said.declines else ()
    yield from map(_admitted, said.weaknesses)


def struck_in(spans: FaultSpans, backups: int) -> frozenset[FaultCondition]:
    """Return the fault conditions that the recorded faults brought about; all conditions if some fault is unknown.

    Without faults the only condition is `calm`. If more members end than there are backups, each within the time in
    which all copies have to be restored after an earlier end, all copies may be gone; if a run does not state that
    time, copies count as never restored.
    """
    # Imported here: the imported module loads the simulator, too, and most readers of records do not need it.
    from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME

    struck = [span for span in spans.seen if span.words and span.struck]
    faults = [LIVE_FAULTS_BY_NAME[span.fault] for span in struck if span.fault in LIVE_FAULTS_BY_NAME]
    if len(faults) < len(struck):
        return frozenset(FaultCondition)
    both, restored_ms = list(zip(faults, struck, strict=True)), spans.restored_within_ms or inf
    brought = {fault.condition_of(span.words) for fault, span in both}
    ends = [(span.begin_ms, span.heal_ms + restored_ms) for fault, span in both if MEMBERS in fault.harms]
    is_more = any(sum(begin <= at <= until for at, _ in ends) > backups for begin, until in ends)
    return frozenset(brought | ({FaultCondition.CRASHES} if is_more else set()) or {FaultCondition.CALM})


def _brought_by(brings: FaultCondition, harms: Collection[str]) -> set[FaultCondition]:
    """Return the fault conditions that a fault can bring about; a fault that ends one member may end many members."""
    ends = {FaultCondition.CRASHES} if MEMBERS in harms else set[FaultCondition]()
    hosts = {FaultCondition.HOST_CRASH} if brings is FaultCondition.CRASH else set[FaultCondition]()
    return {brings} | ends | hosts


def promised_in(system: str, verdicts: Iterable[Verdict]) -> Mapping[str, PromiseLevel]:
    """Return what a system promises, by its name or by the verdicts on a run of it."""
    said = {one.property: one.promise for one in verdicts if one.promise is PromiseLevel.PROMISED}
    return {**promises_of(system), **said}


@cache
def describe_machine() -> str:
    """Return processors, memory, kernel, architecture and version of Python, as far as they can be read."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parts = [f"{cores} processor{'' if cores == 1 else 's'}"]
    if (memory := _memory_mib()) is not None:
        parts.append(f"{memory:,} MiB")
    kernel = f"{platform.system()} {platform.release()} {platform.machine()}"
    return ", ".join([*parts, kernel, f"Python {platform.python_version()}"])


def _memory_mib() -> int | None:
    try:
        words = Path("/proc/meminfo").read_text(encoding="ascii").split()
        return int(words[words.index("MemTotal:") + 1]) // 1024
    except (OSError, ValueError, IndexError):
        return None
