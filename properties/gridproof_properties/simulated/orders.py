"""Who may order and do what, step by step.

Nothing is changed while a partition moves; the lowest survivor is promoted and records how much was lost; tables come
from the master, and all have its member list. Needs every step in the records.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.harness import Settled
from gridproof_model.events.membership import ClaimGranted, MemberListInstalled
from gridproof_model.events.migration import MigrationFinished, MigrationOpened, MigrationReadied
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import PartitionLost, Promoted, PromotionOrdered, RowInstalled, TableReceived
from gridproof_model.partition_table import MAX_BACKUP_COUNT
from gridproof_model.trace import EventRecord, Slots
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.step_judge import StepJudge
from gridproof_properties.judging.words import row_words

Place = tuple[int | None, int]
"""A member and a partition."""
Moving = MigrationOpened | MigrationReadied | MigrationFinished | Executed
Promoting = RowInstalled | PromotionOrdered
Losing = RowInstalled | Promoted | PartitionLost
Following = MemberListInstalled | ClaimGranted | TableReceived
Agreeing = MemberListInstalled | Settled
WATCHED = kinds_of(Moving | Promoting | Losing | Following | Agreeing)


@dataclass(slots=True)
class _FenceJudge(StepJudge[Moving]):
    moving: set[Place] = field(default_factory=set)

    @staticmethod
    def watched() -> frozenset[type[Event]]:
        return kinds_of(Moving)

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
                    return f"member {record.member} executes {operation} while partition {event.partition} moves"
            case _:
                assert_never(event)
        return None


@dataclass(slots=True)
class _SurvivorJudge(StepJudge[Promoting]):
    rows: dict[Place, Slots] = field(default_factory=dict)

    @staticmethod
    def watched() -> frozenset[type[Event]]:
        return kinds_of(Promoting)

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
                    f"member {record.member} has member {destination} promoted from slot {index} of partition "
                    f"{event.partition}, whose row is {row_words(row)}"
                )
            case _:
                assert_never(event)


@dataclass(slots=True)
class _LossJudge(StepJudge[Losing]):
    rows: dict[Place, Slots] = field(default_factory=dict)
    promoted: dict[Place, int] = field(default_factory=dict)
    """Slots that replicas were promoted from and that no loss was recorded for yet."""

    @staticmethod
    def watched() -> frozenset[type[Event]]:
        return kinds_of(Losing)

    def look(self, record: EventRecord, event: Losing) -> str | None:
        place = (record.member, event.partition)
        match event:
            case RowInstalled(slots=slots):
                self.rows[place] = slots
                return None
            case Promoted(from_index=from_index):
                self.looked += 1
                unrecorded = place in self.promoted
                self.promoted[place] = from_index
                return f"member {record.member} is promoted once more and no loss is recorded" if unrecorded else None
            case PartitionLost(lost_backup_count=lost):
                self.looked += 1
                return self._lost(place, lost)
            case _:
                assert_never(event)

    def _lost(self, place: Place, lost: int) -> str | None:
        from_index = self.promoted.pop(place, None)
        if from_index is not None and lost == from_index - 1:
            return None
        if from_index is None and lost == MAX_BACKUP_COUNT and set(self.rows.get(place, ())) <= {None}:
            return None
        return (
            f"member {place[0]} reports {lost} backups lost of partition {place[1]}, "
            f"promoted from slot {'-' if from_index is None else from_index}"
        )

    def missing(self) -> str | None:
        for member, partition in self.promoted:
            return f"member {member} is promoted for partition {partition} and records no loss"
        return None


@dataclass(slots=True)
class _MasterJudge(StepJudge[Following]):
    masters: dict[int | None, int] = field(default_factory=dict)
    """Whom each member takes for its master."""

    @staticmethod
    def watched() -> frozenset[type[Event]]:
        return kinds_of(Following)

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
                    return f"member {record.member} takes a table from member {sender}; its master is {master}"
            case _:
                assert_never(event)
        return None


@dataclass(slots=True)
class _ListJudge(StepJudge[Agreeing]):
    lists: dict[int, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    """Version and members of the list of each member."""

    @staticmethod
    def watched() -> frozenset[type[Event]]:
        return kinds_of(Agreeing)

    def look(self, record: EventRecord, event: Agreeing) -> str | None:
        match event:
            case Settled():
                self.looked += len(self.lists) > 1
                if len(set(self.lists.values())) > 1:
                    lists = sorted(self.lists.items())
                    found = (f"member {who} has {row_words(what)} as {version}" for who, (version, what) in lists)
                    return f"the grid is at rest and lists differ: {', '.join(found)}"
            case MemberListInstalled(version=version, members=members) if record.member is not None:
                before = self.lists.get(record.member, (0, ()))[0]
                self.lists[record.member] = (version, members)
                if version <= before:
                    return f"member {record.member} has list {before} and installs list {version}"
                if record.member not in members:
                    return f"member {record.member} installs list {version} and is not in it"
            case MemberListInstalled():
                pass
            case _:
                assert_never(event)
        return None

    def gone(self, member: int) -> None:
        self.lists.pop(member, None)


FENCED = Property(
    name="nothing-changes-while-it-moves",
    sentence="No member that takes part in a migration executes a change of that partition until it has ended it.",
    source="migration.17, migration.9; invariant M3",
    start=_FenceJudge,
)
LOWEST_SURVIVOR = Property(
    name="lowest-survivor-promoted",
    sentence="Of a row without a primary the first backup that is left is promoted.",
    source="repair.3; invariant P1",
    start=_SurvivorJudge,
)
LOSS_RECORDED = Property(
    name="loss-recorded-exactly",
    sentence="A promotion records as many lost backups as stood before the one promoted; of an empty row all.",
    source="repair.10, repair.9; invariant P3",
    start=_LossJudge,
)
TABLES_FROM_THE_MASTER = Property(
    name="tables-from-the-master",
    sentence="A member takes a table from its master only.",
    source="table.14; invariant T1",
    start=_MasterJudge,
)
LISTS_AGREE = Property(
    name="member-lists-agree",
    sentence="A member's list becomes only newer and has the member in it; at rest all lists are the same.",
    source="members.2, members.14; invariant S4, S8",
    start=_ListJudge,
)
PROPERTIES: tuple[Property, ...] = (FENCED, LOWEST_SURVIVOR, LOSS_RECORDED, TABLES_FROM_THE_MASTER, LISTS_AGREE)
