"""Which member may order and do what, step by step.

Nothing is changed while a partition moves; the lowest survivor is promoted and records how much was lost; tables come
from the master, and all have its member list. Needs every step in the records.
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
from gridproof_properties.judging.words import count, row_words

Place = tuple[int | None, int]
"""A member and a partition."""
Moving = MigrationOpened | MigrationReadied | MigrationFinished | Executed
Promoting = RowInstalled | PromotionOrdered
Losing = RowInstalled | Promoted | PartitionLost
Following = MemberListInstalled | ClaimGranted | TableReceived
Agreeing = MemberListInstalled | Settled


@dataclass(slots=True)
class _FenceJudge(StepJudge[Moving]):
    COUNTED = "{failed} of {compared:change} hit a partition while it moved"
    UNSEEN = "no change was executed"
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
                        f"member {record.member} executed {operation} in partition {event.partition} during a "
                        f"migration of it"
                    )
            case _:
                assert_never(event)
        return None


@dataclass(slots=True)
class _SurvivorJudge(StepJudge[Promoting]):
    COUNTED = "{failed} of {compared:promotion} passed over an earlier survivor"
    UNSEEN = "no replica was promoted"
    rows: dict[Place, Slots] = field(default_factory=dict)

    def look(self, record: EventRecord, event: Promoting) -> str | None:
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
                return (
                    f"member {record.member} ordered member {destination} to be promoted from slot {index} of "
                    f"partition "
                    f"{event.partition}; its row was {row_words(row)}, and the first survivor has to be promoted"
                )
            case _:
                assert_never(event)


@dataclass(slots=True)
class _LossJudge(StepJudge[Losing]):
    COUNTED = "{failed} of {compared:promotion or report/promotions and reports} of a loss did not fit together"
    UNSEEN = "no replica was promoted, and no partition lost"
    FORGETS = ("emptied",)
    promoted: dict[Place, int] = field(default_factory=dict)
    """The slots from which replicas were promoted while the loss was not yet recorded."""
    emptied: set[Place] = field(default_factory=set)
    """Masters, each with a partition whose last replica it took out of the row, while the loss was not yet recorded."""

    def look(self, record: EventRecord, event: Losing) -> str | None:
        place = (record.member, event.partition)
        match event:
            case RowInstalled(slots=slots, why=why):
                if why is WhyRowChanged.REPAIRED and set(slots) <= {None}:
                    self.looked += 1
                    self.emptied.add(place)
                return None
            case Promoted(from_index=from_index):
                self.looked += 1
                unrecorded = place in self.promoted
                self.promoted[place] = from_index
                again = (
                    f"member {record.member} was promoted again in partition {event.partition} before it reported a "
                    f"loss"
                )
                return again if unrecorded else None
            case PartitionLost(lost_backup_count=lost):
                self.looked += 1
                return self._lost(place, lost)
            case _:
                assert_never(event)

    def _lost(self, place: Place, lost: int) -> str | None:
        from_index = self.promoted.pop(place, None)
        if from_index is not None and lost == from_index - 1:
            return None
        if from_index is None and lost == MAX_BACKUP_COUNT and place in self.emptied:
            self.emptied.discard(place)
            return None
        return f"member {place[0]} reported {count(lost, 'lost backup')} of partition {place[1]}, and " + (
            "had lost none since" if from_index is None else f"had been promoted from slot {from_index}"
        )

    def missing(self) -> str | None:
        for member, partition in self.promoted:
            return f"member {member} was promoted in partition {partition} and never reported what was lost"
        for member, partition in self.emptied:
            return f"member {member} took the last replica of partition {partition} for lost and never reported it"
        return None


@dataclass(slots=True)
class _MasterJudge(StepJudge[Following]):
    COUNTED = "{failed} of {compared:table} came from a member that was not the receiver's master"
    UNSEEN = "no member took a table from another"
    masters: dict[int | None, int] = field(default_factory=dict)
    """The member that each member follows as its master."""

    def look(self, record: EventRecord, event: Following) -> str | None:
        match event:
            case MemberListInstalled(members=members):
                self.masters[record.member] = members[0]
            case ClaimGranted(candidate=candidate):
                self.masters[record.member] = candidate
            case TableReceived(sender=sender):
                self.looked += 1
                master = self.masters.get(record.member)
                if sender != master:
                    return (
                        f"member {record.member} took a table from member {sender}, and its master was member {master}"
                    )
            case _:
                assert_never(event)
        return None


@dataclass(slots=True)
class _ListJudge(StepJudge[Agreeing]):
    COUNTED = "{failed} of {compared:comparison} of member lists found a wrong one"
    UNSEEN = "the lists of two members were never compared at rest"
    FORGETS = ("lists", "removed")
    lists: dict[int, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    """Version and members of the list of each member."""
    removed: dict[int, set[int]] = field(default_factory=dict)
    """The members that each member removed from its list while it was the master."""

    def look(self, record: EventRecord, event: Agreeing) -> str | None:
        match event:
            case Settled():
                self.looked += len(self.lists) > 1
                if len(set(self.lists.values())) > 1:
                    lists = sorted(self.lists.items())
                    found = (f"member {who} had list {version}, {row_words(what)}" for who, (version, what) in lists)
                    return f"the grid was at rest, and lists differed: {', '.join(found)}"
            case MemberListInstalled(version=version, members=members) if record.member is not None:
                before, listed = self.lists.get(record.member, (0, ()))
                self.lists[record.member] = (version, members)
                if record.member in (members[0], *listed[:1]):
                    removed = self.removed.setdefault(record.member, set())
                    if back := removed.intersection(members):
                        return (
                            f"member {record.member} lists member {min(back)} again, which it had removed as the master"
                        )
                    removed.update(set(listed) - set(members))
                if version <= before:
                    had = f"member {record.member} had list {before}"
                    return f"{had} and installed list {version} over it, which is no newer"
                if record.member not in members:
                    return f"member {record.member} installed list {version}, which does not name it"
            case MemberListInstalled():
                pass
            case _:
                assert_never(event)
        return None


FENCED = Property(
    name="nothing-changes-while-it-moves",
    sentence="No member that takes part in a migration executes a change of that partition until it has ended it.",
    source="migration.17, migration.9; invariant M3",
    severity=Severity.PROTOCOL,
    start=_FenceJudge,
)
LOWEST_SURVIVOR = Property(
    name="lowest-survivor-promoted",
    sentence="Of a row without a primary the first backup that is left is promoted.",
    source="repair.3; invariant P1",
    severity=Severity.PROTOCOL,
    start=_SurvivorJudge,
)
LOSS_RECORDED = Property(
    name="loss-recorded-exactly",
    sentence="A promotion records once as many lost backups as stood before the one promoted; of an emptied row all.",
    source="repair.10, repair.9; invariant P3",
    severity=Severity.WRONG_ANSWER,
    start=_LossJudge,
)
TABLES_FROM_THE_MASTER = Property(
    name="tables-from-the-master",
    sentence="A member takes a table from its master only.",
    source="table.14; invariant T1",
    severity=Severity.PROTOCOL,
    start=_MasterJudge,
)
LISTS_AGREE = Property(
    name="member-lists-agree",
    sentence="A member's list becomes only newer and has the member in it, a master's nobody it removed; at rest all "
    "lists are the same.",
    source="members.2, members.9, members.14; invariant S4, S8",
    severity=Severity.PROTOCOL,
    start=_ListJudge,
)
PROPERTIES: tuple[Property, ...] = (FENCED, LOWEST_SURVIVOR, LOSS_RECORDED, TABLES_FROM_THE_MASTER, LISTS_AGREE)
