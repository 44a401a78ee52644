"""Which member may give an order, and what members may do, step by step.

Nothing is changed while a partition moves; the surviving backup with the lowest index is promoted, and records how many
backups were lost; tables come from the master, and all members have the master's list. The judges need all steps in the
records.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.harness import Settled
from gridproof_model.events.membership import ClaimGranted, MemberListInstalled
from gridproof_model.events.migration import MigrationFinished, MigrationOpened, MigrationReadied
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import PartitionLost, Promoted, PromotionOrdered, RowInstalled, TableReceived
from gridproof_model.events.words import WhyRowChanged
from gridproof_model.partition_table import MAX_BACKUP_COUNT
from gridproof_model.trace import EventRecord, Slots
from gridproof_properties.judging.judge import Property, Severity, StepJudge
from gridproof_properties.judging.words import count, earlier, row_words

Place = tuple[int | None, int]
"""A member and a partition."""
Moving = MigrationOpened | MigrationReadied | MigrationFinished | Executed


@dataclass(slots=True)
class _FenceJudge(StepJudge):
    COUNTED = "in {compared:step} looked at, members executed {failed:change} of a moving partition"
    HELD = "members took part in migrations {compared:time}, and changed no moving partition meanwhile"
    UNSEEN = "no member took part in a migration"
    moving: set[Place] = field(default_factory=set)

    def look(self, record: EventRecord, event: Moving) -> str | None:
        place = (record.member, event.partition)
        match event:
            case MigrationFinished():
                self.moving.discard(place)
            case MigrationOpened() | MigrationReadied():
                self.looked += 1
                self.moving.add(place)
            case Executed(operation=operation):
                if event.changed and place in self.moving:
                    return (
                        f"member {record.member} executed {operation} in partition {event.partition} while this member "
                        "took part in a migration of this partition; a participant may not change a partition before "
                        "its migration has ended"
                    )
            case _:
                assert_never(event)
        return None


@dataclass(slots=True)
class _SurvivorJudge(StepJudge):
    COUNTED = "{failed} of {compared:promotion} did not take the first survivor of the row from its slot"
    HELD = "{all} {compared:promotion} went to the first survivor of the row"
    UNSEEN = "no promotion was ordered"
    rows: dict[Place, Slots] = field(default_factory=dict)

    def look(self, record: EventRecord, event: RowInstalled | PromotionOrdered) -> str | None:
        place = (record.member, event.partition)
        match event:
            case RowInstalled(slots=slots):
                self.rows[place] = slots
                return None
            case PromotionOrdered(destination=destination, from_index=index):
                self.looked += 1
                row = self.rows.get(place, ())
                survivors = [slot for slot, member in enumerate(row) if member is not None]
                if survivors[:1] == [index] and row[index] == destination:
                    return None
                first = f"is member {row[survivors[0]]} in slot {survivors[0]}" if survivors else "does not exist"
                whom = "itself" if destination == record.member else self.comparisons.scene.call(destination)
                return (
                    f"member {record.member} ordered the promotion of {whom} from slot {index} of partition "
                    f"{event.partition}, though the first survivor of the row {row_words(row)} {first}; only the first "
                    "survivor of a row may be promoted, from the slot that it is in"
                )
            case _:
                assert_never(event)


@dataclass(slots=True)
class _LossJudge(StepJudge):
    COUNTED = "{failed} of {compared:promotion, emptied row or report/promotions, emptied rows and reports} "
    COUNTED += "did not match"
    HELD = "{all} {compared:promotion, emptied row or report/promotions, emptied rows and reports} matched one another"
    UNSEEN = "no replica was promoted, and no partition lost"
    RULE = (
        "each promotion and each emptied row has to be followed by exactly one report with the right number of lost "
        "backups, and no report may come without one of them"
    )
    FORGETS = ("emptied",)
    promoted: dict[Place, tuple[int, int]] = field(default_factory=dict)
    """For each promotion whose loss is not reported yet, the slot from which the replica was promoted, and when."""
    emptied: dict[Place, int] = field(default_factory=dict)
    """Masters, each with a partition that it has not reported as lost although it removed the last replica from its
    row, and when it did so."""

    def look(self, record: EventRecord, event: RowInstalled | Promoted | PartitionLost) -> str | None:
        place = (record.member, event.partition)
        match event:
            case RowInstalled(slots=slots, why=why):
                if why is WhyRowChanged.REPAIRED and set(slots) <= {None}:
                    self.looked += 1
                    self.emptied[place] = record.at_ms
                return None
            case Promoted(from_index=from_index):
                self.looked += 1
                unreported = self.promoted.get(place)
                self.promoted[place] = from_index, record.at_ms
                if unreported is None:
                    return None
                return (
                    f"member {record.member} was promoted again in partition {event.partition}, though it had not "
                    "reported how many backups were lost by its previous promotion, "
                    f"{earlier(unreported[1], record.at_ms)}"
                )
            case PartitionLost(lost_backup_count=lost):
                self.looked += 1
                return self._lost(place, lost)
            case _:
                assert_never(event)

    def _lost(self, place: Place, lost: int) -> str | None:
        from_index, _ = self.promoted.pop(place, (None, 0))
        if from_index is not None and lost == from_index - 1:
            return None
        if from_index is None and lost == MAX_BACKUP_COUNT and place in self.emptied:
            del self.emptied[place]
            return None
        story = f"member {place[0]} reported that {count(lost, 'backup')} of partition {place[1]} had been lost"
        if from_index is not None:
            was = f"as many backups as stand between the primary and slot {from_index}, from which it was promoted"
            return f"{story}, though it had to report {from_index - 1:,}, {was}"
        if place in self.emptied:
            return f"{story}, though it had to report all {MAX_BACKUP_COUNT} backups, as it had emptied the row"
        return f"{story}, though since its last report it had neither been promoted nor emptied the row"

    def missing(self) -> str | None:
        for (member, partition), (slot, at_ms) in self.promoted.items():
            story = f"at {at_ms:,} ms member {member} was promoted from slot {slot} of partition {partition}, but"
            return f"{story} {self.at_the_end} it had not reported how many backups were lost by this promotion"
        for (member, partition), at_ms in self.emptied.items():
            story = f"at {at_ms:,} ms member {member} emptied the row of partition {partition}, but"
            return f"{story} {self.at_the_end} it had not reported how many backups were lost by this"
        return None


@dataclass(slots=True)
class _MasterJudge(StepJudge):
    COUNTED = "{failed} of {compared:table} came from a member that was not the receiver's master"
    HELD = "{all} {compared:table} came from the receiver's master"
    UNSEEN = "no member took a table from another"
    masters: dict[int | None, int] = field(default_factory=dict)
    """For each member, the member that it follows as its master."""

    def look(self, record: EventRecord, event: MemberListInstalled | ClaimGranted | TableReceived) -> str | None:
        match event:
            case MemberListInstalled(members=members):
                self.masters[record.member] = members[0]
            case ClaimGranted(candidate=candidate):
                self.masters[record.member] = candidate
            case TableReceived(sender=sender):
                self.looked += 1
                master = self.masters.get(record.member)
                if sender != master:
                    known = "it had no master" if master is None else f"its master was member {master}"
                    took = f"member {record.member} took a table from {self.comparisons.scene.call(sender)}"
                    return f"{took}, though {known}; a member may take tables only from its master"
            case _:
                assert_never(event)
        return None


@dataclass(slots=True)
class _ListJudge(StepJudge):
    COUNTED = "{failed} of {compared:comparison} of member lists found a wrong one"
    HELD = "{all} {compared:comparison} of member lists found the lists right"
    UNSEEN = "the grid was never at rest with the lists of two members known"
    FORGETS = ("lists", "removed")
    lists: dict[int, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    """For each member, the version and the members of its list."""
    removed: dict[int, dict[int, int]] = field(default_factory=dict)
    """For each member, the members that it removed from its list while it was the master, and when."""

    def look(self, record: EventRecord, event: MemberListInstalled | Settled) -> str | None:
        match event:
            case Settled():
                self.looked += len(self.lists) > 1
                if len(set(self.lists.values())) > 1:
                    lists = sorted(self.lists.items())
                    found = (f"member {who} had version {one} of {row_words(row)}" for who, (one, row) in lists)
                    rule = "at rest all members have to have the same list"
                    return f"the grid was at rest, but member lists differed: {', and '.join(found)}; {rule}"
            case MemberListInstalled(version=version, members=members) if record.member is not None:
                before, listed = self.lists.get(record.member, (0, ()))
                self.lists[record.member] = (version, members)
                if record.member in (members[0], *listed[:1]):
                    removed = self.removed.setdefault(record.member, {})
                    if back := removed.keys() & set(members):
                        return (
                            f"member {record.member} listed member {min(back)} again, though as the master it had "
                            f"removed member {min(back)} {earlier(removed[min(back)], record.at_ms)}; a master may not "
                            "list a member again that it has removed"
                        )
                    removed |= dict.fromkeys(set(listed) - set(members), record.at_ms)
                if version > before and record.member in members:
                    return None
                wrong = f", which does not name member {record.member}; the list that a member installs has to name it"
                if version <= before:
                    wrong = f" after version {before}; only a newer version may replace a list"
                    wrong = wrong if listed else " as its first list; versions begin at 1"
                return f"member {record.member} installed version {version} of the member list{wrong}"
            case MemberListInstalled():
                pass
            case _:
                assert_never(event)
        return None


FENCED = Property(
    name="nothing-changes-while-it-moves",
    sentence="No member executes a change of a partition while it takes part in a migration of that partition.",
    source="migration.17, migration.9; invariant M3",
    severity=Severity.PROTOCOL,
    start=_FenceJudge,
)
LOWEST_SURVIVOR = Property(
    name="lowest-survivor-promoted",
    sentence="If a row has no primary, the first backup that is left in it is promoted.",
    source="repair.3; invariant P1",
    severity=Severity.PROTOCOL,
    start=_SurvivorJudge,
)
LOSS_RECORDED = Property(
    name="loss-recorded-exactly",
    sentence="A promotion reports, once, as many lost backups as stood before the promoted one in the row; an "
    "emptied row reports all of them.",
    source="repair.10, repair.11; invariant P3",
    severity=Severity.WRONG_ANSWER,
    start=_LossJudge,
)
TABLES_FROM_THE_MASTER = Property(
    name="tables-from-the-master",
    sentence="A member takes a table only from its master.",
    source="table.9; invariant T1",
    severity=Severity.PROTOCOL,
    start=_MasterJudge,
)
LISTS_AGREE = Property(
    name="member-lists-agree",
    sentence="A member's list only becomes newer and names the member itself; a master's list never names a member "
    "again that it removed; at rest all lists are equal.",
    source="members.2, members.9, members.14; invariant S4, S8",
    severity=Severity.PROTOCOL,
    start=_ListJudge,
)
PROPERTIES: tuple[Property, ...] = (FENCED, LOWEST_SURVIVOR, LOSS_RECORDED, TABLES_FROM_THE_MASTER, LISTS_AGREE)
