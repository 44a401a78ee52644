"""Where keys go: each key to its partition, every partition id in range, and no key refused.

The judges of this file read RouteRecords. The payload in a record is written by the documented rule, so only hash and
index are judged; if the system serialized a key in another way, the key shows a wrong partition. The hash function is
that of the model, or an equal one that the caller trusts and that takes payloads in batches.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from gridproof_model.events import kinds_of
from gridproof_model.events.harness import KeyRefused
from gridproof_model.hashing import hash_to_index, murmur3
from gridproof_model.trace import EventRecord, Record, RouteRecord
from gridproof_properties.judging.guarantee import broken, unseen
from gridproof_properties.judging.judge import Asking, Finding, Judge, Property, Severity, met
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count

HashBatch = Callable[[Sequence[bytes]], Iterable[int]]
"""A function that takes payloads and returns their signed hashes, in the same order."""
_NEEDS = frozenset({"route"}) | met(KeyRefused)
_BATCH = 8192
_WITNESSES_MAX = 12


def key_to_partition(hash_batch: HashBatch) -> Property:
    """Return the property that every key is on its documented partition, judged with this hash function."""
    return Property(
        name="key-to-partition",
        sentence="Every key belongs to the partition that the documented hash of its bytes gives.",
        source="seed: How Data is Partitioned; keys.2",
        severity=Severity.WRONG_ANSWER,
        start=lambda: KeyToPartitionJudge(hash_batch),
        needs=_NEEDS,
        is_timeless=True,
        asked_by=Asking.AUDITS,
    )


def _hash_each(payloads: Sequence[bytes]) -> list[int]:
    return [murmur3(payload) for payload in payloads]


@dataclass(slots=True)
class Tally:
    """The wrong keys of one type: their number, and the smallest key."""

    count: int = 0
    smallest: RouteRecord | None = None
    smallest_hash: int | None = None
    """The hash of the smallest wrong key; None if the system has its own rule instead of a hash."""

    def add(self, record: RouteRecord, hashed: int | None) -> None:
        """Count one more wrong key."""
        self.count += 1
        if self.smallest is None or _size(record) < _size(self.smallest):
            self.smallest, self.smallest_hash = record, hashed


@dataclass(slots=True)
class KeyToPartitionJudge(Judge):
    """Compares the partitions of keys with the documented partitions, a batch at a time."""

    READS = frozenset({RouteRecord})
    COUNTS = False
    hash_batch: HashBatch
    _waiting: list[RouteRecord] = field(default_factory=list)
    keys: int = 0
    boundary_keys: int = 0
    by_own_rule: int = 0
    wrong: dict[str, Tally] = field(default_factory=dict)
    wrong_hashes: set[int] = field(default_factory=set)

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if isinstance(record, RouteRecord):
            self._waiting.append(record)
            if len(self._waiting) >= _BATCH:
                self._judge_waiting()

    def conclude(self) -> Finding:
        """Return what was found."""
        self._judge_waiting()
        if not self.keys:
            return unseen("no key was routed")
        seen = count(self.keys, "key")
        if not self.wrong:
            by = "the partition of the system's own rule" if self.by_own_rule else "their documented partition"
            all_of = f"all {seen}, {self.boundary_keys:,} of them boundary keys,"
            return Finding(Result.HOLDS, f"{all_of} are on {by}", compared=self.keys)
        wrong = sum(tally.count for tally in self.wrong.values())
        has_one = len(self.wrong_hashes) == 1 < wrong
        cause = f"; all of these have the hash {min(self.wrong_hashes)}" if has_one else ""
        counted = f"{wrong:,} of {seen} {'is' if wrong == 1 else 'are'} on another partition than documented{cause}; "
        counted += f"{self.boundary_keys:,} of the {seen} are boundary keys"
        witness = tuple(self._witness())
        return replace(broken(witness[:1], counted, self.keys), witness=witness)

    def _judge_waiting(self) -> None:
        hashes = self.hash_batch([record.payload for record in self._waiting])
        for record, hashed in zip(self._waiting, hashes, strict=True):
            self.boundary_keys += record.boundary
            own = record.documented
            self.by_own_rule += own is not None
            documented = hash_to_index(hashed, record.partition_count) if own is None else own
            if documented != record.partition:
                self.wrong.setdefault(record.key_type, Tally()).add(record, hashed if own is None else None)
                if own is None and len(self.wrong_hashes) < 2:  # one common cause, or several
                    self.wrong_hashes.add(hashed)
        self.keys += len(self._waiting)
        self._waiting.clear()

    def _witness(self) -> Iterable[str]:
        smallest = [(tally.smallest, tally) for tally in self.wrong.values() if tally.smallest is not None]
        for record, tally in sorted(smallest, key=lambda pair: _size(pair[0]))[:_WITNESSES_MAX]:
            hashed = tally.smallest_hash
            index = record.documented if hashed is None else hash_to_index(hashed, record.partition_count)
            by = "its own rule" if hashed is None else f"the documented hash of its bytes, {hashed},"
            shown = f"0x{record.payload.hex()}"
            key = record.key if record.key == shown else f"{record.key}, with the bytes {shown},"
            yield (
                f"the system puts the {record.key_type} key {key} on partition {record.partition}, but has to put it "
                f"on partition {index} of {record.partition_count:,}, as {by} says; in all it puts "
                f"{count(tally.count, 'key')} of this type on a wrong partition"
            )


@dataclass(slots=True)
class RangeJudge(Judge):
    """Looks for partition ids that do not exist."""

    READS = frozenset({RouteRecord})
    COUNTS = False
    keys: int = 0
    outside: int = 0
    smallest: RouteRecord | None = None

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if not isinstance(record, RouteRecord):
            return
        self.keys += 1
        if not 0 <= record.partition < record.partition_count:
            self.outside += 1
            if self.smallest is None or _size(record) < _size(self.smallest):
                self.smallest = record

    def conclude(self) -> Finding:
        """Return what was found."""
        if not self.keys:
            return unseen("no key was routed")
        if self.smallest is None:
            return Finding(Result.HOLDS, f"all {self.keys:,} partition ids exist", compared=self.keys)
        worst = self.smallest
        story = (
            f"the system puts the {worst.key_type} key {worst.key} on partition {worst.partition:,}, though partitions "
            f"are numbered from 0 to {worst.partition_count - 1:,}"
        )
        missed = f"{self.outside:,} of {count(self.keys, 'key')} got a partition that does not exist"
        return broken((story,), missed, self.keys)


def refusal_words(key_type: str, key: str, reason: str) -> str:
    """Return the sentence that says that a key was refused."""
    return f"the system refused the {key_type} key {key} ({reason})"


@dataclass(slots=True)
class RefusalJudge(Judge):
    """Counts the keys that a system refuses to route."""

    READS = frozenset({RouteRecord})
    WATCHED = kinds_of(KeyRefused)
    COUNTS = False
    routed: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if isinstance(record, RouteRecord):
            self.routed += 1
        elif isinstance(record, EventRecord) and isinstance(record.event, KeyRefused):
            refused = record.event
            self.refused[refused.key_type] += 1
            self.first.setdefault(refused.key_type, refusal_words(refused.key_type, refused.key, refused.reason))

    def conclude(self) -> Finding:
        """Return what was found."""
        refused = self.refused.total()
        if not self.routed and not refused:
            return unseen("no key was routed")
        if not refused:
            return Finding(Result.HOLDS, f"all {self.routed:,} keys were given a partition", compared=self.routed)
        witness = tuple(
            f"{self.first[key_type]}; every key has to get a partition; {count(number, f'{key_type} key')} got none"
            for key_type, number in sorted(self.refused.items())[:_WITNESSES_MAX]
        )
        asked = self.routed + refused
        return replace(
            broken(witness[:1], f"{refused:,} of {asked:,} keys {'was' if refused == 1 else 'were'} refused", asked),
            witness=witness,
        )


def _size(record: RouteRecord) -> tuple[int, int, bytes, int, str]:
    return len(record.payload), len(record.key), record.payload, record.partition_count, record.key_type


KEY_TO_PARTITION = key_to_partition(_hash_each)
PARTITION_IN_RANGE = Property(
    name="partition-in-range",
    sentence="Every partition id is at least 0 and below the partition count.",
    source="keys.2",
    severity=Severity.WRONG_ANSWER,
    start=RangeJudge,
    needs=_NEEDS,
    is_timeless=True,
    asked_by=Asking.AUDITS,
)
EVERY_KEY_ROUTED = Property(
    name="every-key-routed",
    sentence="Every key of a type the system offers is given a partition.",
    source="seed: How Data is Partitioned; keys.6",
    severity=Severity.AVAILABILITY,
    start=RefusalJudge,
    needs=_NEEDS,
    is_timeless=True,
    asked_by=Asking.AUDITS,
)
PROPERTIES: tuple[Property, ...] = (KEY_TO_PARTITION, PARTITION_IN_RANGE, EVERY_KEY_ROUTED)
