"""Whether a call of several entries wrote each of them.

Such a call is judged entry by entry: each entry of one that was acknowledged must be there when it is next read at
rest. Keeps a few words a key that such a call wrote.
"""

from dataclasses import dataclass, field
from itertools import chain

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.acknowledged import WRITING, effect_of, precedes
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.judge import Asking, Judge, Limit, Property
from gridproof_properties.judging.resting import describe_operation
from gridproof_properties.judging.severity import Severity

NOBODY_WAITED = Limit(~Cause.MOVED, "calls.28, limits.8: no caller waits for the backups of a call of several entries")


@dataclass(slots=True)
class _Entry:
    """An entry of an acknowledged call, and the first read of it at rest."""

    write: OperationRecord
    begin_ms: float
    read: OperationRecord | None = None


@dataclass(slots=True)
class _EntriesJudge(Judge):
    READS = frozenset({OperationRecord})
    OPERATIONS = WRITING | {OperationKind.READ}
    COUNTED = "{failed} of {compared:entry/entries} of acknowledged calls of several got lost"
    UNSEEN = "no call of several entries was acknowledged, and read at rest"
    entries: dict[str, _Entry] = field(default_factory=dict)
    """By key, as long as no other write of the key may have come."""
    last: dict[str, OperationRecord] = field(default_factory=dict)
    """The write of a key that ended last."""
    open_ended: set[str] = field(default_factory=set)
    """Keys with a write without an answer: it may be executed at any time."""
    missing: dict[str, list[_Entry]] = field(default_factory=dict)
    """By key, the entries that a read did not find, as long as a write recorded later may explain it."""

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord):
            return
        write = effect_of(record)
        if write is not None:
            if write.outcome is not Outcome.REFUSED:
                self._write(write)
        elif record.kind is OperationKind.READ and record.outcome is Outcome.OK and self.rest.is_at_rest(record):
            entry = self.entries.get(record.key)
            if entry is not None and entry.read is None and precedes(entry.write, record):
                entry.read = record

    def finish(self) -> None:
        for entry in self.entries.values():
            self._close(entry)
        for entry in chain.from_iterable(self.missing.values()):
            self._compare(entry)
        self.entries.clear()
        self.missing.clear()

    def _write(self, write: OperationRecord) -> None:
        key, before = write.key, self.last.get(write.key)
        if key in self.missing:
            self.missing[key] = [entry for entry in self.missing[key] if not _explains(write, entry)]
        entry = self.entries.pop(key, None)
        if entry is not None and entry.read is not None and precedes(entry.read, write):
            self._close(entry)
        is_alone = before is None or precedes(before, write)
        if write.outcome is Outcome.UNKNOWN:
            self.open_ended.add(key)
        elif write.call is not None and is_alone and key not in self.open_ended:
            self.entries[key] = _Entry(write, self.rest.after_rest(write.start_ms))
        if before is None or before.end_ms <= write.end_ms:
            self.last[key] = write

    def _close(self, entry: _Entry) -> None:
        """Compare an entry with what was read; what was not found is kept until the end."""
        if entry.read is not None and entry.read.value == entry.write.value:
            self._compare(entry)
        elif entry.read is not None:
            self.missing.setdefault(entry.write.key, []).append(entry)

    def _compare(self, entry: _Entry) -> None:
        write, read = entry.write, entry.read
        assert read is not None, "an entry is compared with a read"
        story = None
        if read.value != write.value:
            found = "nothing" if read.value is None else repr(read.value)
            written = f"{describe_operation(write)}, as an entry of call {write.call}"
            story = written, f"{describe_operation(read)}, and found {found}"
        self.comparisons.add(write.partition, entry.begin_ms, read.end_ms, story)


def _explains(write: OperationRecord, entry: _Entry) -> bool:
    """Whether a read saw this write, which was under way at the same time and ended later."""
    return entry.read is not None and entry.read.value == write.value and not precedes(entry.read, write)


PROPERTIES: tuple[Property, ...] = (
    Property(
        "every-entry-of-a-call",
        "Each entry of an acknowledged call of several entries is there when it is read at rest.",
        "invariant I7; calls.28",
        Severity.DATA_LOSS,
        _EntriesJudge,
        frozenset({"operation write"}),
        (NOBODY_WAITED,),
        asked_by=Asking.NOT_LIVE_RUNS,
    ),
)
