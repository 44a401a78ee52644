"""What clients asked for and what they saw, by key.

Only what clients asked for while they were at work counts, and of what was read at rest the first look at each key:
after it members are crashed on purpose. A structure that was destroyed is left out.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from gridproof_implementation.simulator.run import AT_REST, is_of_clients
from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.acknowledged import effect_of

READS = frozenset({OperationKind.READ, OperationKind.READ_BACKUP})


@dataclass(slots=True)
class KeyHistory:
    """One key: an entry, a counter, a list."""

    entries: list[OperationRecord] = field(default_factory=list)
    """Writes and removals, and what compares before it writes as the write it is; none that was refused."""
    adds: list[OperationRecord] = field(default_factory=list)
    appends: list[OperationRecord] = field(default_factory=list)
    reads: list[OperationRecord] = field(default_factory=list)
    """Answered ones."""
    final: OperationRecord | None = None
    """The first look at rest."""


@dataclass(slots=True)
class History:
    """Every key of a run."""

    keys: dict[str, KeyHistory] = field(default_factory=lambda: defaultdict(KeyHistory))
    asked: list[OperationRecord] = field(default_factory=list)
    """Everything that clients asked for while they were at work."""
    _destroyed: set[str] = field(default_factory=set)

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        if not isinstance(record, OperationRecord):
            return
        if record.kind is OperationKind.DESTROY:
            self._destroyed.add(record.key)
        elif is_of_clients(record.stage):
            self.asked.append(record)
            self._keep(record)
        elif record.stage == AT_REST and record.kind is OperationKind.READ and record.outcome is Outcome.OK:
            key = self.keys.get(record.key)
            if key is not None and key.final is None:
                key.final = record

    def looked_at(self) -> Iterator[KeyHistory]:
        """Yield the keys that were looked at when all was at rest."""
        for name, key in self.keys.items():
            if key.final is not None and name not in self._destroyed:
                yield key

    def _keep(self, record: OperationRecord) -> None:
        if record.outcome is Outcome.REFUSED:
            return
        key = self.keys[record.key]
        if record.kind in READS:
            if record.outcome is Outcome.OK:
                key.reads.append(record)
        elif record.kind is OperationKind.ADD:
            key.adds.append(record)
        elif record.kind is OperationKind.APPEND:
            key.appends.append(record)
        elif (effect := effect_of(record)) is not None:
            key.entries.append(effect)


def outcomes(operations: list[OperationRecord]) -> tuple[int, int]:
    """Return how many operations were acknowledged, and how many have no known outcome."""
    return (
        sum(one.outcome is Outcome.OK for one in operations),
        sum(one.outcome is Outcome.UNKNOWN for one in operations),
    )
