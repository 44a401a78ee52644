"""Counts the acknowledged changes that a live run lost, for each kind of structure.

A change has to be found once it is acknowledged, until another change is acknowledged that began after the first had
ended. At rest an entry should hold the value that has to be found, or a value that a change of unknown outcome may have
put there: if it holds an older value, or none, the change is lost. If a compare-and-set is answered that it changed
nothing, an earlier attempt of it may have changed the entry: its outcome is unknown. In this way the best-known loss in
a split is counted, too: one side changed an entry that is older than the split, and the merge brings the old value
back. In a list, each append that no read shows is lost; in a queue, each offer that no poll took; in a counter, what
its sum lacks. A poll of unknown outcome may have taken one item.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gridproof_implementation.simulator.workload import use_of
from gridproof_model.events.conditions import FaultBegun
from gridproof_model.trace import EventRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.acknowledged import effect_of
from gridproof_properties.judging.work import ADDED, AT_REST, BUSY, LATER

WORDS: Mapping[str, str] = {
    "register": "writes", "cells": "changes", "counter": "additions", "appends": "appends", "queue": "offers"
}  # fmt: skip
"""For each workload, the noun for the acknowledged changes that it makes."""


@dataclass(frozen=True, slots=True)
class Loss:
    """An acknowledged change that is missing when the grid is at rest."""

    key: str
    after_fault_ms: int | None
    """The time from the beginning of the first fault to the acknowledgement; negative if the acknowledgement came
    first. None if it is not known which of several additions was lost."""
    confirmed: int | None
    """The number of copies that the acknowledgement claimed; None if it claimed no number."""
    read: str | None = None
    """The value that the entry holds instead; None if the entry is gone."""


@dataclass(slots=True)
class Losses:
    """Counts the losses of a run from its records."""

    _fault_ms: int | None = None
    _changes: dict[str, list[OperationRecord]] = field(default_factory=dict)
    """For each key of an entry, the operations that may have changed it."""
    _added: dict[str, list[OperationRecord]] = field(default_factory=dict)
    """For each key, the acknowledged additions, appends and offers."""
    _read: dict[str, OperationRecord] = field(default_factory=dict)
    """For each key, the first answered read at rest."""
    _polled: dict[str, set[str]] = field(default_factory=dict)
    _unknown_polls: Counter[str] = field(default_factory=Counter)
    _drained: set[str] = field(default_factory=set)

    def observe(self, record: Record) -> None:
        """Read the next record."""
        match record:
            case EventRecord(event=FaultBegun()) if self._fault_ms is None:
                self._fault_ms = record.at_ms
            case OperationRecord(kind=OperationKind.POLL):
                self._take_out(record)
            case OperationRecord(kind=OperationKind.READ, outcome=Outcome.OK) if record.stage == AT_REST:
                self._read.setdefault(record.key, record)
            case OperationRecord(kind=kind, key=key) if record.stage == BUSY:
                if kind in ADDED and record.outcome is Outcome.OK:
                    self._added.setdefault(key, []).append(record)
                elif (change := effect_of(record)) is not None and change.outcome is not Outcome.REFUSED:
                    self._changes.setdefault(key, []).append(change)
            case _:
                pass

    def _take_out(self, poll: OperationRecord) -> None:
        if poll.outcome is Outcome.UNKNOWN:
            self._unknown_polls[poll.key] += 1
        elif poll.outcome is Outcome.OK and poll.value is not None:
            self._polled.setdefault(poll.key, set()).add(poll.value)
        elif poll.outcome is Outcome.OK and poll.stage == LATER:
            self._drained.add(poll.key)

    def acknowledged(self) -> Counter[str]:
        """Return, by workload, how many changes have to be found at rest."""
        owed = Counter(use_of(key) for key in self._changes if self._owed(key))
        for key, added in self._added.items():
            owed[use_of(key)] += len(added)
        return owed

    def lost(self) -> list[Loss]:
        """Return the lost changes; empty if the run did not come to rest."""
        return [*self._of_entries(), *self._of_structures()]

    def _owed(self, key: str) -> list[OperationRecord]:
        """Return the acknowledged changes of an entry that no later change has replaced."""
        done = [one for one in self._changes[key] if one.outcome is Outcome.OK]
        latest_ms = max((one.start_ms for one in done), default=0)
        return [one for one in done if one.end_ms >= latest_ms]

    def _of_entries(self) -> Iterator[Loss]:
        for key, changes in self._changes.items():
            read, owed = self._read.get(key), self._owed(key)
            if read is None or not owed:
                continue
            unknown = [one for one in changes if one.outcome is Outcome.UNKNOWN]
            possible = {one.value for one in (*owed, *unknown)}
            if read.value not in possible:
                yield self._loss(max(owed, key=lambda one: one.end_ms), read.value)

    def _of_structures(self) -> Iterator[Loss]:
        for key, added in self._added.items():
            match added[0].kind:
                case OperationKind.OFFER:
                    gone = [one for one in added if one.value not in self._polled.get(key, ())]
                    taken = self._unknown_polls[key]
                    yield from map(self._loss, gone[taken:] if key in self._drained else ())
                case OperationKind.APPEND:
                    held = self._held(key).split()
                    yield from (self._loss(one) for one in added if key in self._read and one.value not in held)
                case _:
                    short = len(added) - int(self._held(key) or 0) if key in self._read else 0
                    yield from (Loss(key, None, None) for _ in range(short))

    def _held(self, key: str) -> str:
        return (self._read[key].value or "") if key in self._read else ""

    def _loss(self, operation: OperationRecord, read: str | None = None) -> Loss:
        began_ms = operation.end_ms if self._fault_ms is None else self._fault_ms
        return Loss(operation.key, operation.end_ms - began_ms, operation.confirmed_copies, read)

    def describe(self) -> str:
        """Return in a few words how many acknowledged changes are lost, when they were made, and how many copies were
        claimed for them."""
        lost, owed = self.lost(), self.acknowledged()
        by_use = Counter(use_of(loss.key) for loss in lost)
        counts = ", ".join(f"{by_use[use]} of {owed[use]} {WORDS.get(use, use)}" for use in sorted(owed))
        said = [counts or "0 of 0"]
        if old := sum(loss.read is not None for loss in lost):
            said.append(f"{old} read an older value")
        times = sorted(loss.after_fault_ms for loss in lost if loss.after_fault_ms is not None)
        if times:
            said.append(f"acknowledged {describe_times(times[0] / 1_000, times[-1] / 1_000)}")
        claimed = Counter(loss.confirmed for loss in lost if loss.after_fault_ms is not None)
        if any(copies is not None for copies in claimed):
            copies = ", ".join(f"{n} with {'?' if c is None else c}" for c, n in sorted(claimed.items(), key=str))
            said.append(f"confirmed copies: {copies}")
        return "; ".join(said)


def describe_times(first_s: float, last_s: float) -> str:
    """Return the words for a span of times that are counted from the beginning of a fault."""
    if first_s >= 0:
        return f"{first_s:.1f} to {last_s:.1f} s after the fault"
    if last_s <= 0:
        return f"{-first_s:.1f} to {abs(last_s):.1f} s before the fault"
    return f"from {-first_s:.1f} s before the fault to {last_s:.1f} s after it"
