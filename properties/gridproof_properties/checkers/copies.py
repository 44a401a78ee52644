"""What copies contain and answer at rest, and that members without a copy contain nothing.

First, the contents of copies while nothing moves.

Digests taken at rest are compared with the latest settled table: the members that the table names have equal contents,
and no other member has any. Comparing empty copies does not count. Memory: one table, and the digests of one stage.

Second, the values and roles of the copies that the table names.

At rest, the judges compare with the latest settled table: the last acknowledged value of a key is on every copy that
the table names, each copy states the role that its slot implies, and slot 0 names the member that answers. Memory: one
table, and a few words per key.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from gridproof_model.events import kinds_of
from gridproof_model.events.operation import Executed
from gridproof_model.trace import ABSENT, DigestRecord, EventRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.acknowledged import WRITING, effect_of, precedes
from gridproof_properties.judging.causes import ANY_CAUSE, Cause
from gridproof_properties.judging.judge import Asking, Finding, Judge, Limit, Property, Severity, met
from gridproof_properties.judging.resting import describe_holders, describe_operation, holders_in
from gridproof_properties.judging.samples import ACKNOWLEDGEMENT
from gridproof_properties.judging.scene import Scene, SettledTable
from gridproof_properties.judging.survival import TOO_MANY_ENDED, vouched_copies
from gridproof_properties.judging.verdict import Reason, Result
from gridproof_properties.judging.words import count


@dataclass(frozen=True, slots=True)
class _Look:
    """What was seen of one partition in one stage."""

    begin_ms: float
    digests: list[DigestRecord] = field(default_factory=list)


@dataclass(slots=True)
class _ContentJudge(Judge):
    """Gathers the digests of a stage, by partition, and judges them when the stage is over."""

    READS = frozenset({DigestRecord})
    WRONG = ""  # what is wrong with a partition, with a place for its number
    table: SettledTable | None = None
    """The first table at rest in the latest stage."""
    looks: dict[int, _Look] = field(default_factory=dict)
    stage: str = ""

    def observe(self, record: Record) -> None:
        rest = self.comparisons.conditions.rest
        if isinstance(record, DigestRecord) and record.settled and rest.current is not None:
            if record.stage != self.stage:
                self._close()
            self.stage = record.stage
            look = self.looks.get(record.partition)
            if look is None:
                look = self.looks[record.partition] = _Look(rest.after_rest(record.at_ms))
            look.digests.append(record)

    def look_at(self, table: SettledTable, scene: Scene) -> None:
        """Process a whole table at rest: only the first table of a stage counts."""
        if self.table is None or self.table.view.stage != table.view.stage:
            self._close()
            self.table = table

    def _close(self) -> None:
        """Judge what was seen in a stage, by the table of the same stage."""
        if self.table is not None:
            for partition in sorted(self.looks):
                look = self.looks[partition]
                holders = holders_in(self.table, partition, self.comparisons.scene.copies)
                wrong = self._judge(self.table, holders, look.digests)
                if wrong is not None:
                    story = self._describe(self.table, holders, partition, wrong) if wrong else None
                    self.comparisons.add(partition, look.begin_ms, look.begin_ms, story)
        self.looks.clear()

    def _describe(
        self, table: SettledTable, holders: tuple[int, ...], partition: int, digests: Sequence[DigestRecord]
    ) -> tuple[str, ...]:
        scene, first, found = self.comparisons.scene, digests[0], list[str]()
        for one in digests:  # all of one stage
            when = "" if one.at_ms == first.at_ms else f"at {one.at_ms:,} ms "
            other = "digest" if one.digest == first.digest else "another digest,"
            held = f"held {count(one.entries, 'entry', 'entries')} with {other} {one.digest}"
            found.append(f"{when}{scene.call(one.member)}, in the role {one.role!r}, {held}")
        wrong = f"at {first.at_ms:,} ms ({first.stage!r}) {self.WRONG.format(partition)}: {', and '.join(found)}"
        return f"{wrong}; {self.RULE}", describe_holders(scene, table, partition)

    def _judge(
        self, table: SettledTable, holders: tuple[int, ...], digests: Sequence[DigestRecord]
    ) -> Sequence[DigestRecord] | None:
        """Return the digests that show what is wrong, empty if nothing is wrong; None if nothing could be compared."""
        raise NotImplementedError


@dataclass(slots=True)
class ConvergenceJudge(_ContentJudge):
    """Compares the copies of each partition that the table names; a comparison of empty copies does not count."""

    COUNTED = "{failed} of {compared:look} at the copies of a partition at rest showed different contents"
    WRONG = "the copies of partition {} had different contents"
    UNSEEN = "at rest no two copies of a partition that has entries were looked at together"
    HELD = "{all} {compared:look} at the copies of a partition at rest showed equal contents"
    RULE = "at rest all copies of a partition have to be equal"

    def finish(self) -> None:
        """Compare the digests that have not been compared yet."""
        self._close()

    def _judge(
        self, table: SettledTable, holders: tuple[int, ...], digests: Sequence[DigestRecord]
    ) -> Sequence[DigestRecord] | None:
        named = sorted((one for one in digests if one.member in holders), key=lambda one: holders.index(one.member))
        if len({digest.member for digest in named}) < 2 or not any(digest.entries for digest in named):
            return None
        return named if len({digest.digest for digest in named}) > 1 else ()


@dataclass(slots=True)
class _OrphanJudge(_ContentJudge):
    WRONG = "a member had data of partition {}, though the table does not name it there"
    COUNTED = "{failed} of {compared:look} at a partition at rest showed data on a member that its row does not name"
    UNSEEN = "at rest no member was asked for entries of a partition whose row does not name this member"
    HELD = "{all} {compared:look} at a partition at rest showed data only on members that its row names"
    RULE = "at rest a member that the table does not name for a partition has to hold none of its entries"

    def finish(self) -> None:
        self._close()

    def _judge(
        self, table: SettledTable, holders: tuple[int, ...], digests: Sequence[DigestRecord]
    ) -> Sequence[DigestRecord] | None:
        orphans = [digest for digest in digests if digest.member not in holders and digest.entries > 0]
        has_others = not set(table.view.members) <= set(holders)
        if not orphans and not (has_others and any(digest.entries for digest in digests)):
            return None
        return orphans


DIVERGED = Limit(
    Cause.PRIMARY_ENDED | Cause.REMOVED_ALIVE | Cause.MESSAGE_REPEATED | Cause.MESSAGE_FOR_ANOTHER | Cause.DESTROYED,
    "limits.10: equal versions, different contents",
    for_good=True,
)

BACKUPS_CONVERGE = Property(
    name="backups-converge",
    sentence="At rest all copies of a partition that the table names have equal contents.",
    source="seed: Best-Effort Consistency; invariant R3, M7",
    severity=Severity.REDUNDANCY,
    start=ConvergenceJudge,
    needs=frozenset({"digest"}),
    limits=(DIVERGED,),
)
NO_ORPHAN = Property(
    name="no-orphan",
    sentence="At rest a member that the table does not name for a partition holds none of its data.",
    source="invariant M5; migration.20",
    severity=Severity.PROTOCOL,
    start=_OrphanJudge,
    needs=frozenset({"digest"}),
)


PRIMARY_WORDS = frozenset({"primary", "owner", "leader", "master"})
BACKUP_WORDS = frozenset({"backup", "replica", "follower", "secondary", "slave"})
LAGGING = Limit(ANY_CAUSE, "limits.3: until the next rest a backup may lag behind a success")
UNDER_WAY = ("async backups are under way", "seed: Replication Algorithm for AP Data Structures, async backups")


@dataclass(slots=True)
class _Key:
    """What the copies of one key must hold, if this is a single value."""

    write: OperationRecord
    """The acknowledged write that ended last."""
    is_alone: bool
    """Whether no other write was under way at the same time as this write."""


@dataclass(slots=True)
class _ValueJudge(Judge):
    READS = frozenset({OperationRecord})
    OPERATIONS = WRITING | {OperationKind.READ_REPLICA}
    COUNTED = "{failed} of {compared:copy/copies} at rest that were looked at lacked the key's last acknowledged write"
    HELD = "{all} {compared:copy/copies} at rest that were looked at had the key's last acknowledged write"
    UNSEEN = "at rest no copy that the table names was asked for an acknowledged write"
    keys: dict[str, _Key] = field(default_factory=dict)
    open_ended: set[str] = field(default_factory=set)
    """Keys with a write that was not answered, and may be executed at any time."""

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord):
            return
        if record.kind is not OperationKind.READ_REPLICA:
            write = effect_of(record)
            if write is not None:
                self._write(write)
        elif record.outcome is Outcome.OK:
            self._look(record)

    def _write(self, write: OperationRecord) -> None:
        if write.outcome is Outcome.UNKNOWN:
            self.open_ended.add(write.key)
        elif write.outcome is Outcome.OK:
            known = self.keys.get(write.key)
            is_alone = known is None or precedes(known.write, write)
            self.keys[write.key] = _Key(write, is_alone)

    def _look(self, look: OperationRecord) -> None:
        known = self.keys.get(look.key)
        if known is None or not known.is_alone or look.key in self.open_ended or not self.rest.is_at_rest(look):
            return
        write = known.write
        if write.partition is None or look.member not in self.rest.holders(write.partition):
            return
        story = None
        if look.value != write.value:
            who, held = self.rest.scene.call(look.member), "no value" if look.value is None else repr(look.value)
            done = "its removal" if write.value is None else f"the write of {write.value!r} to it"
            found = f"at {look.end_ms:,} ms ({look.stage!r}) {who} held {held} for key {look.key!r} (partition "
            found += f"{write.partition}), though {done} had been acknowledged at {write.end_ms:,} ms; at rest each "
            found += "member that the table names for a partition has to hold the last acknowledged value of each key"
            asked = write.end_ms, describe_operation(write)
            story = found, *self.rest.history(write.partition, look.end_ms, asked)
        begin_ms = self.rest.after_rest(write.start_ms)
        self.comparisons.add(write.partition, begin_ms, look.end_ms, story, self._why_not_owed(write, look))

    def _why_not_owed(self, write: OperationRecord, look: OperationRecord) -> tuple[str, str] | None:
        """Return why the copies need not hold a write; None if they must hold it."""
        conditions = self.comparisons.conditions
        if look.stage == ACKNOWLEDGEMENT and conditions.async_backups:
            return UNDER_WAY
        copies = vouched_copies(conditions, write)
        is_lost = conditions.ended.are_lost(copies, write.partition, write.start_ms, look.end_ms)
        return TOO_MANY_ENDED if is_lost else None


@dataclass(slots=True)
class _RoleJudge(Judge):
    READS = frozenset({DigestRecord})
    COUNTED = "{failed} of {compared:copy/copies} at rest reported another role than the table gives it"
    HELD = "{all} {compared:copy/copies} at rest reported the role that the table gives"
    UNSEEN = "no copy reported its role at rest"
    strange: int = 0
    """The number of looks at a copy with a role that does not say in which slot the copy is."""

    def observe(self, record: Record) -> None:
        if not isinstance(record, DigestRecord):
            return
        if record.settled and self.rest.is_resting and record.role != ABSENT and self.rest.current is not None:
            self._look(record)

    def conclude(self) -> Finding:
        finding = self.comparisons.conclude(self.COUNTED, self.UNSEEN, self.HELD)
        if finding.result is Result.UNKNOWN and finding.compared == 0 and self.strange:
            sentence = (
                f"{count(self.strange, 'copy', 'copies')} reported roles that name no slot, so nothing was compared"
            )
            return Finding(Result.UNKNOWN, sentence, reason=Reason.UNDECIDED, out_of_scope=finding.out_of_scope)
        return finding

    def _look(self, digest: DigestRecord) -> None:
        holders = self.rest.holders(digest.partition)
        slot = holders.index(digest.member) if digest.member in holders else None
        fits = fits_slot(digest.role, slot)
        if fits is None:
            self.strange += 1
            return
        story = None
        if not fits:
            due = f"the table gives it slot {slot}, and so the role of {f'backup {slot}' if slot else 'the primary'}"
            due = "the table does not name it for this partition" if slot is None else due
            reported = f"at {digest.at_ms:,} ms ({digest.stage!r}) {self.rest.scene.call(digest.member)} reported the "
            reported += f"role {digest.role!r} for partition {digest.partition}, though {due}; at rest every copy has "
            reported += "to report the role of its slot"
            story = reported, *self.rest.history(digest.partition, digest.at_ms)
        at_ms = self.rest.after_rest(digest.at_ms)
        self.comparisons.add(digest.partition, at_ms, at_ms, story)


def fits_slot(role: str, slot: int | None) -> bool | None:
    """Return whether the role that a member states fits its slot; None if the role does not say anything about slots.

    Slot 0 is the primary's; a backup's role may include its number. Slot None means that the table does not name the
    member.
    """
    found = re.fullmatch(r"([a-z]+)(?:[ -]?([0-9]+))?", role.lower())
    if found is None or found[1] not in PRIMARY_WORDS | BACKUP_WORDS:
        return None
    if slot is None:
        return False
    if found[1] in PRIMARY_WORDS:
        return slot == 0
    return slot > 0 and found[2] in (None, str(slot))


@dataclass(slots=True)
class _OwnerJudge(Judge):
    READS = frozenset({OperationRecord})
    WATCHED = kinds_of(Executed)
    COUNTED = "{failed} of {compared:operation} at rest had been executed by another member than the owner"
    HELD = "{all} {compared:operation} at rest went to the owner"
    UNSEEN = "no operation at rest names the member that executed it"

    def observe(self, record: Record) -> None:
        match record:
            case OperationRecord():
                if record.executed_by is not None and self.rest.is_at_rest(record):
                    self._compare(record, record.partition, record.executed_by, record.start_ms, record.end_ms)
            case EventRecord(event=Executed(partition=partition)):
                if self.rest.is_resting:
                    self._compare(record, partition, record.member, record.at_ms, record.at_ms)
            case _:
                pass

    def _compare(
        self, seen: OperationRecord | EventRecord, partition: int | None, member: int | None, start_ms: int, end_ms: int
    ) -> None:
        owner = self.rest.owner(partition)
        if owner is None or partition is None or member is None:
            return
        story = None
        if member != owner:
            sentence = (
                describe_operation(seen)
                if isinstance(seen, OperationRecord)
                else f"at {end_ms:,} ms there was an operation of partition {partition}"
            )
            executed = f"{self.rest.scene.call(member)} executed it, though the owner was {self.rest.scene.call(owner)}"
            executed += "; at rest only the owner, the member in slot 0, may execute operations"
            story = f"{sentence}; {executed}", *self.rest.history(partition, end_ms)
        self.comparisons.add(partition, self.rest.after_rest(start_ms), end_ms, story)


_ROUTED = "table.12, table.21: a table is under way, and who has the older one still answers reads"


PROPERTIES: tuple[Property, ...] = (
    BACKUPS_CONVERGE,
    NO_ORPHAN,
    Property(
        "acknowledged-write-on-every-copy",
        "At rest every copy that the table names holds the last acknowledged write of a key.",
        "seed: Replication Algorithm for AP Data Structures; invariant M7, R3",
        Severity.REDUNDANCY,
        _ValueJudge,
        frozenset({"operation read-replica"}),
        (LAGGING,),
        asked_by=Asking.AUDITS,
    ),
    Property(
        "roles-match-slots",
        "At rest every copy reports the role that its slot in the table gives it: primary in slot 0, backup in the "
        "slots behind.",
        "seed: Data Partitioning and Replication; systems.2",
        Severity.PROTOCOL,
        _RoleJudge,
        frozenset({"digest"}),
    ),
    Property(
        "owner-answers",
        "At rest an operation is executed by the member that the table names in slot 0.",
        "seed: Partition Table; calls.9",
        Severity.PROTOCOL,
        _OwnerJudge,
        frozenset({"operation read", "operation write"}) | met(Executed),
        (Limit(Cause.MOVED | Cause.REMOVED_ALIVE, _ROUTED),),
    ),
)
