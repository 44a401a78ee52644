"""What became of acknowledged writes.

Here a write is a change of an entry, an addition to a counter or an append to a list; offers, locks and sets are not
measured. What became of a write is decided by the contents at rest, when the grid has come to rest, anti-entropy has
run, and no member has been crashed for the final reveal yet.

The history keeps, by key, what clients asked for and what they saw. Only operations count that clients made while they
were at work, and of the reads at rest only the first of each key: after it, members are crashed for the final reveal. A
structure that was destroyed is left out.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from gridproof_implementation.simulator.run import AT_REST, is_of_clients
from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.acknowledged import effect_of, precedes
from gridproof_properties.measures.quantity import Measured, count

READS = frozenset({OperationKind.READ, OperationKind.READ_BACKUP})


@dataclass(slots=True)
class KeyHistory:
    """One key: that of an entry, a counter or a list."""

    entries: list[OperationRecord] = field(default_factory=list)
    """Writes and removals, also those that compare first, all taken as plain writes; refused ones are left out."""
    adds: list[OperationRecord] = field(default_factory=list)
    appends: list[OperationRecord] = field(default_factory=list)
    reads: list[OperationRecord] = field(default_factory=list)
    """The answered reads."""
    final: OperationRecord | None = None
    """The first read of the key at rest."""


@dataclass(slots=True)
class History:
    """All keys of a run."""

    keys: dict[str, KeyHistory] = field(default_factory=lambda: defaultdict(KeyHistory))
    asked: list[OperationRecord] = field(default_factory=list)
    """All operations that clients made while they were at work."""
    _destroyed: set[str] = field(default_factory=set)

    def observe(self, record: Record) -> None:
        """Read the next record."""
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
        """Yield the keys that were read at rest."""
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
    """Return how many operations were acknowledged, and of how many the outcome is unknown."""
    return (
        sum(one.outcome is Outcome.OK for one in operations),
        sum(one.outcome is Outcome.UNKNOWN for one in operations),
    )


QUANTITIES = (
    count("operations", "Operations that clients asked for while they were at work."),
    count("refused", "Of these, certainly not executed."),
    count("indeterminate", "Of these, perhaps executed: a timeout, an indeterminate answer, a member that ended."),
    count("writes", "Operations that change an entry, a counter or a list, unless they were refused."),
    count("acknowledged", "Writes that were acknowledged, of keys that were read at rest."),
    count(
        "lost",
        "Of the acknowledged: nothing of it is there at rest, and nothing that may have followed it can have replaced "
        "it. Of an entry only what was written last can be missed; of a list every append; of a counter how much the "
        "sum is below the acknowledged additions.",
    ),
    count(
        "doubled",
        "Appends that are in their list more than once at rest, and by how much counters are above all additions that "
        "were acknowledged or of unknown outcome. A value that is written twice does not show.",
    ),
    count("reverted", "Of the lost: some client had read it already, and at rest it is gone."),
    count(
        "needless",
        "Writes of unknown outcome whose effect is there at rest, once: their caller might have been answered. A later "
        "write of the same entry hides it, so that this counts too few.",
    ),
)


def measure(history: History) -> Measured:
    """Return the quantities that say what became of the writes of a run."""
    found: Counter[str] = Counter()
    found["operations"] = len(history.asked)
    found["refused"] = sum(one.outcome is Outcome.REFUSED for one in history.asked)
    found["indeterminate"] = sum(one.outcome is Outcome.UNKNOWN for one in history.asked)
    for key in history.keys.values():
        found["writes"] += len(key.entries) + len(key.adds) + len(key.appends)
    for key in history.looked_at():
        for kind in (_of_entry, _of_counter, _of_list):
            if counts := kind(key):  # for most keys two of the three are empty
                found.update(counts)
    return {quantity.name: found[quantity.name] for quantity in QUANTITIES}


def lost_writes(key: KeyHistory) -> list[OperationRecord]:
    """Return the acknowledged writes of an entry that are lost at rest."""
    final = key.final
    if final is None:
        return []
    origins = [one for one in key.entries if one.value == final.value]
    if final.value is not None and not origins:
        return []  # the value is from elsewhere: another half of a cluster, or a refused write
    return [
        one
        for one in key.entries
        if one.outcome is Outcome.OK
        and one.value != final.value
        and all(precedes(origin, one) and origin.outcome is Outcome.OK for origin in origins)
    ]


def _of_entry(key: KeyHistory) -> Measured:
    if not key.entries or key.final is None:
        return {}
    seen = {read.value for read in key.reads if read.value is not None}
    lost = lost_writes(key)
    return {
        "acknowledged": outcomes(key.entries)[0],
        "lost": len(lost),
        "reverted": sum(one.value in seen for one in lost if one.kind is not OperationKind.REMOVE),
        "needless": sum(
            one.outcome is Outcome.UNKNOWN and one.value is not None and one.value == key.final.value
            for one in key.entries
        ),
    }


def _of_counter(key: KeyHistory) -> Measured:
    if not key.adds or key.final is None:
        return {}
    acknowledged, unknown = outcomes(key.adds)
    total = _number(key.final.value)
    seen = max((_number(read.value) for read in key.reads), default=0)
    lost = max(0, acknowledged - total)
    return {
        "acknowledged": acknowledged,
        "lost": lost,
        "doubled": max(0, total - acknowledged - unknown),
        "reverted": min(lost, max(0, seen - total)),
        "needless": min(unknown, max(0, total - acknowledged)),
    }


def _of_list(key: KeyHistory) -> Measured:
    if not key.appends or key.final is None:
        return {}
    copies = Counter((key.final.value or "").split())
    seen = {value for read in key.reads for value in (read.value or "").split()}
    lost = [one for one in key.appends if one.outcome is Outcome.OK and one.value not in copies]
    return {
        "acknowledged": outcomes(key.appends)[0],
        "lost": len(lost),
        "doubled": sum(copies[one.value or ""] > 1 for one in key.appends),
        "reverted": sum(one.value in seen for one in lost),
        "needless": sum(one.outcome is Outcome.UNKNOWN and copies[one.value or ""] == 1 for one in key.appends),
    }


def _number(value: str | None) -> int:
    return int(value) if value is not None and value.lstrip("-").isdecimal() else 0
