"""What members record of tables is validated by the specification `tables`.

Each partition is a behaviour, which begins with the first row that somebody has. From then on every record of a member
about its rows, or about whom it lists, suspects and follows, is an action of the specification, until the end of the
run.
"""

from typing import ClassVar

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.membership import (
    ClaimBegun,
    ClaimGranted,
    MastershipClaimed,
    MemberListInstalled,
    MemberSuspected,
    SuspicionCleared,
)
from gridproof_model.events.migration import MigrationForgotten
from gridproof_model.events.partitioning import FetchBegun, RowInstalled, RowsFetched, TablePublished, TableReceived
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.judging.judge import Finding, Property
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.side_by_side import SideBySide
from gridproof_properties.refinement.step import Step
from gridproof_properties.refinement.tables.behaviour import Behaviour, OfPartition
from gridproof_properties.refinement.tables.knowledge import (
    KnownOfTables,
    OfMastership,
    OfOutcomes,
    claimed,
    list_learned,
    suspected,
)
from gridproof_properties.refinement.tables.observations import always
from gridproof_properties.validation.engine import Onlooker

Read = OfPartition | OfMastership | OfOutcomes | RowsFetched
EVENTS_READ = kinds_of(Read)
"""What is read of a run."""


class TablesJudge:
    """Gives each record to the partitions it concerns."""

    READS: ClassVar[frozenset[type[Record]]] = frozenset({MemberRecord})

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        self._onlooker = onlooker
        self._known = KnownOfTables()
        self._side_by_side = SideBySide[int, Behaviour](
            "tables", "more tables are under way than are kept", "partition {}".format
        )

    @property
    def followed(self) -> Followed:
        """What following the run came to so far."""
        return self._side_by_side.followed

    def observe(self, record: Record) -> None:
        """Go on with the next record."""
        if isinstance(record, MemberRecord):
            self._member_changed(Step.of_member(record), record)
        elif isinstance(record, EventRecord) and record.member is not None and isinstance(record.event, Read):
            self._take(Step.of(record), record.event)

    def watched(self) -> frozenset[type[Event]]:
        """Return the types of the events that are read."""
        return EVENTS_READ

    def conclude(self) -> Finding:
        """Say how far the run is a behaviour of the specification, or which event was refused."""
        return self._side_by_side.conclude()

    def _member_changed(self, step: Step, record: MemberRecord) -> None:
        member, text = record.member, step.describe()
        is_news = self._known.member_changed(record)
        if record.change is MemberChange.JOINED:
            self._side_by_side.let_all(lambda behaviour: behaviour.joined(member))
        elif is_news:
            self._side_by_side.let_all(lambda behaviour: behaviour.take_all(always(text, "member_ends", member)))

    def _take(self, step: Step, event: Read) -> None:
        text, member = step.describe(), step.member
        if isinstance(event, OfOutcomes):
            self._known.hear(member, event)
        match event:
            case TablePublished() | MigrationForgotten():
                pass
            case TableReceived():
                self._side_by_side.let_all(lambda behaviour: behaviour.table_received(text, event, member))
            case RowsFetched():
                self._known.fetching.pop(member, None)
                self._side_by_side.let_all(lambda behaviour: behaviour.rows_fetched(text, event, member))
            case MemberListInstalled(members=members):
                self._learn(text, member, event)
                self._side_by_side.let_all(lambda one: one.take_all(*list_learned(text, member, members, one.state)))
            case MemberSuspected() | SuspicionCleared():
                self._learn(text, member, event)
                self._side_by_side.let_all(lambda one: one.take_all(*suspected(text, member, event, one.state)))
            case ClaimBegun() | ClaimGranted() | MastershipClaimed() | FetchBegun():
                self._learn(text, member, event)
                self._side_by_side.let_all(lambda one: one.take_all(claimed(text, member, event)))
            case _:
                if isinstance(event, RowInstalled) and event.partition not in self._side_by_side.behaviours:
                    self._side_by_side.behaviours[event.partition] = Behaviour(self._known, self._onlooker)
                self._side_by_side.let(event.partition, lambda behaviour: behaviour.take(step, event))

    def _learn(self, text: str, member: int, event: OfMastership) -> None:
        """Take in what a member has recorded; with another master it keeps what it has heard from the one before."""
        known = self._known
        master = known.trust.follows.get(member)
        known.trusts(member, event)
        if master is not None and known.trust.follows[member] != master and (heard := known.heard.pop(member, None)):
            self._side_by_side.let_all(lambda behaviour: behaviour.ends_heard(text, member, master, heard))


PROPERTY = Property(
    "refines-tables",
    "How masters are followed, tables spread, rows are repaired, promoted, migrated and collected is a behaviour of "
    "the specification `tables`.",
    "reference partitioning 2, 4, 5; replication 7.3",
    TablesJudge,
)
