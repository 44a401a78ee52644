"""Whether there is one order of all operations that explains every answer.

Linearizability is measured rather than promised: no AP structure promises it (limits.1), though a grid at rest without
faults is linearizable (invariant I4). Each key is taken as an entry, a counter, a list, a queue or a lock, as its
operations show. A key is undecided, and the verdict unknown, if no model fits the key, if it has more operations than
are kept, or if the search for an order takes too long.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf

from gridproof_model.events import kinds_of
from gridproof_model.events.conditions import RemovedAlive
from gridproof_model.trace import (
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
)
from gridproof_properties.judging.guarantee import unseen
from gridproof_properties.judging.judge import Finding, Judge, Property, Reached, Severity
from gridproof_properties.judging.verdict import Reason, Result
from gridproof_properties.judging.words import count
from gridproof_properties.linearizability import structures
from gridproof_properties.linearizability.check import Linearization, check_readings, explain, why_unexplained

OPERATIONS_MAX = 1_000_000
"""How many operations of a run are kept at most; they take about 300 MB."""
OPERATIONS_A_KEY_MAX = 20_000
EFFORT_MAX = 500_000
"""How many configurations are searched for a key at most; they take about 250 MB, and half a minute."""
JUDGED = frozenset(OperationKind) - structures.NOT_JUDGED
MAKING = JUDGED - structures.ASKING - {OperationKind.DESTROY, OperationKind.POLL, OperationKind.REMOVE}


@dataclass(slots=True)
class _Key:
    asked: list[structures.Asked] = field(default_factory=list)
    kinds: set[OperationKind] = field(default_factory=set)
    """The kinds of all operations on the key, including refused ones."""
    beyond: int = 0
    """The number of the key's operations that were not kept."""

    @property
    def span_ms(self) -> tuple[float, float]:
        """Return when the key was first and last used."""
        ends_ms = [inf if one.end_ms is None else one.end_ms for one in self.asked]
        return min((one.start_ms for one in self.asked), default=inf), max(ends_ms, default=inf)

    def until(self, at_ms: float) -> "_Key":
        """Return what was known about the key before a moment."""
        return replace(self, asked=[one for one in (asked.until(at_ms) for asked in self.asked) if one is not None])


@dataclass(slots=True)
class _LinearizabilityJudge(Judge):
    READS = frozenset({OperationRecord, MemberRecord})
    WATCHED = kinds_of(RemovedAlive)
    OPERATIONS = JUDGED
    COUNTS = False
    keys: dict[str, _Key] = field(default_factory=lambda: defaultdict(_Key))
    endings: dict[int, int] = field(default_factory=dict)
    """For each member, from when on its locks may have been released: when it ended, or was taken for dead."""
    kept: int = 0
    made: bool = False
    """Whether any operation creates something that others may read: a log may leave all such operations out."""

    def observe(self, record: Record) -> None:
        match record:
            case OperationRecord() if record.kind in JUDGED:
                self._operation(record)
            case MemberRecord() if record.change is not MemberChange.JOINED:
                # A leaver is off the list before its process ends, so the record's time counts only for a crash.
                since_ms = record.at_ms if record.change is MemberChange.CRASHED else 0
                self._ends(record.member, since_ms)
            case EventRecord(event=RemovedAlive(member=member)):
                self._ends(member, record.at_ms)
            case _:
                pass

    def _operation(self, record: OperationRecord) -> None:
        key = self.keys[record.key]
        key.kinds.add(record.kind)
        self.made = self.made or record.kind in MAKING
        asked = None if record.outcome is Outcome.REFUSED else structures.Asked.of(record)
        if asked is None:
            return
        if self.kept >= OPERATIONS_MAX or len(key.asked) >= OPERATIONS_A_KEY_MAX:
            key.beyond += 1
            return
        self.kept += 1
        key.asked.append(asked)

    def _ends(self, member: int, since_ms: int) -> None:
        self.endings[member] = min(since_ms, self.endings.get(member, since_ms))

    def conclude(self) -> Finding:
        if not self.kept:
            return unseen("no operation ended")
        found = self._check(self.keys)
        compared = sum(len(self.keys[str(name)].asked) for name in found.decided)
        seen = f"{count(compared, 'operation')} on {count(len(found.decided), 'key')}"
        if found.result is Result.BROKEN:
            self._note_failures()
            broken = f"no order of the operations on {found.key} explains {why_unexplained(found)}; for each key one "
            broken += f"order of all operations has to explain every answer ({seen} were looked at)"
            return Finding(Result.BROKEN, broken, explain(found), compared)
        if found.result is Result.UNKNOWN:
            why = f"for {count(len(found.undecided), 'key')} it could not be decided whether one order of all "
            why += f"operations explains every answer, for example for {found.key}: {found.undecided[found.key]}"
            why += f"; for each other key one order does ({seen})" if found.decided else ""
            return Finding(Result.UNKNOWN, why, (), compared, Reason.UNDECIDED)
        return Finding(Result.HOLDS, f"for each key one order explains every answer ({seen})", (), compared)

    def _check(self, keys: Mapping[str, _Key]) -> Linearization:
        return check_readings(((name, self._read(key)) for name, key in keys.items()), EFFORT_MAX)

    def _note_failures(self) -> None:
        """Note which histories no order explains: those up to the first fault, and those of keys that were not used
        while an admitted weakness was in effect.

        If some order explains a history, some order also explains the history up to any moment, if the operations under
        way at that moment count as of unknown outcome.
        """
        first_ms, found = self.comparisons.conditions.fault_spans.first_ms, self.comparisons
        before = self._check({name: key.until(first_ms) for name, key in self.keys.items()})
        if before.result is Result.BROKEN:
            found.note_failures([(-1, -1)], lambda _: explain(before))
        if found.is_admitted(-inf, inf) and not found.unadmitted:
            apart = {name: key for name, key in self.keys.items() if not found.is_admitted(*key.span_ms)}
            after = self._check(apart)
            if after.result is Result.BROKEN:
                found.note_failures([apart[str(after.key)].span_ms], lambda _: explain(after))

    def _read(self, key: _Key) -> structures.Reading:
        if not self.made:
            return structures.NotModelled("the records show no operation that changes what a later read returns")
        if key.beyond:
            return structures.NotModelled(f"{count(key.beyond, 'more operation')} than the {len(key.asked):,} kept")
        return structures.read_history(key.asked, frozenset(key.kinds), self.endings)


LINEARIZABILITY = Property(
    name="linearizability",
    sentence="For every key, one order of all operations explains every answer and keeps each operation behind those "
    "that had ended before it began.",
    source="invariant I4; not promised: limits.1",
    severity=Severity.WRONG_ANSWER,
    start=_LinearizabilityJudge,
    needs=frozenset(f"operation {kind}" for kind in JUDGED),
    reached=Reached.NOT_ALWAYS,
)
PROPERTIES: tuple[Property, ...] = (LINEARIZABILITY,)
