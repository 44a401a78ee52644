"""How many copies are left of what was acknowledged, while a run goes on.

A copy counts if its member lives, stands in the row by its own table, and holds all that was acknowledged: every
append, and of each entry no value that an acknowledged write has replaced. Writes under way count for nothing. Of
counters, queues, locks and sets it is not known what a copy lacks: there each living member of the row counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.looking import entries_of
from gridproof_implementation.simulator.run import is_of_clients
from gridproof_implementation.simulator.world import World
from gridproof_model.trace import OperationKind, OperationRecord, Outcome
from gridproof_properties.judging.acknowledged import effect_of


@dataclass(slots=True)
class _Entry:
    """What was acknowledged of one entry."""

    newest: str | None
    older: set[str | None] = field(default_factory=set)

    def is_held(self, value: str | None) -> bool:
        """Whether a copy with this value lacks nothing: what it has may be a newer write that is under way."""
        return value == self.newest or not (value is None or value in self.older)


@dataclass(slots=True)
class _Partition:
    """What was acknowledged of one partition."""

    appended: set[str] = field(default_factory=set)
    entries: dict[str, _Entry] = field(default_factory=dict)

    def is_held(self, contents: Mapping[str, str]) -> bool:
        """Whether a copy with these contents, by structure and key, holds all of it."""
        values = {place.partition("/")[2]: value for place, value in contents.items()}
        return self.appended <= set(contents.values()) and all(
            entry.is_held(values.get(key)) for key, entry in self.entries.items()
        )


@dataclass(slots=True)
class CopiesLeft:
    """Follows what clients are answered, and counts copies when asked."""

    copies: int
    """Of each partition, as configured."""
    _partitions: dict[int, _Partition] = field(default_factory=dict)

    def observe(self, record: OperationRecord) -> None:
        """Take in what a client was answered."""
        if record.outcome is not Outcome.OK or record.partition is None or not is_of_clients(record.stage):
            return
        effect = effect_of(record)
        if record.kind is OperationKind.APPEND:
            self._of(record.partition).appended.add(record.value or "")
        elif effect is not None:
            entries = self._of(record.partition).entries
            known = entries.setdefault(record.key, _Entry(effect.value))
            known.older.add(known.newest)
            known.newest = effect.value
            known.older.discard(effect.value)
        elif record.kind not in (OperationKind.READ, OperationKind.READ_BACKUP):
            self._of(record.partition)

    def fewest(self, world: World) -> int:
        """Return the least number of copies that a partition with acknowledged writes has; all where there is none."""
        counts = [
            sum(self._is_copy(host, number, partition) for host in world.latest_hosts)
            for number, partition in self._partitions.items()
        ]
        return min(counts, default=self.copies)

    def _of(self, partition: int) -> _Partition:
        return self._partitions.setdefault(partition, _Partition())

    def _is_copy(self, host: Host, number: int, partition: _Partition) -> bool:
        if not host.alive:
            return False
        row = host.member.node.partitions.rows[number]
        return host.description.id in row.slots[: self.copies] and partition.is_held(
            entries_of(host, number, self.copies)
        )
