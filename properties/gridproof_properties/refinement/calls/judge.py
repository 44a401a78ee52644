"""What members record of calls is validated by the specification `calls`.

A behaviour is one call, from its beginning until its caller has ended; of calls that have their answer the newest are
kept, as their targets and backups may not have heard of them yet.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Any, ClassVar

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.conditions import Configured
from gridproof_model.events.invocation import AttemptSent, CallBegun, CallEnded
from gridproof_model.events.membership import JoinTurnedDown, MemberListInstalled
from gridproof_model.events.merging import EntriesCollected
from gridproof_model.events.operation import Executed, MadeSync
from gridproof_model.events.partitioning import RowInstalled, ShutdownEnded
from gridproof_model.language import State
from gridproof_model.specifications.calls.state import Departure
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord
from gridproof_properties.judging.judge import Finding, Property
from gridproof_properties.refinement.calls.behaviour import Behaviour, Learning, Setup
from gridproof_properties.refinement.calls.observations import OfTargets, OfTheCaller, configured
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.known import Known, OfKnowledge, OfMigration
from gridproof_properties.refinement.side_by_side import SideBySide
from gridproof_properties.refinement.step import Step
from gridproof_properties.validation.engine import GivenUpError, Onlooker

OfDeparture = ShutdownEnded | JoinTurnedDown | EntriesCollected
Read = OfTheCaller | OfTargets | OfKnowledge | OfMigration | OfDeparture | CallBegun | MadeSync
EVENTS_READ = kinds_of(Read)
"""What is read of a run."""
ANSWERED_KEPT = 16
"""Calls with an answer that are kept, the newest ones."""
LOCKS = "lock:"
"""The namespaces of a structure whose backups nobody configures: it has one, and it is sync."""
OF_THE_GRID = "map:__"
"""The namespaces of maps that are the grid's own, as those of jobs: how many backups they have is not recorded."""
Handler = Callable[[Step, Any], None]
Place = tuple[int, int]
"""A caller and its number of the call, or of an attempt."""


class CallsJudge:
    """Gives each record to the calls it concerns."""

    READS: ClassVar[frozenset[type[Record]]] = frozenset({RunRecord, MemberRecord})

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        self._onlooker = onlooker
        self._known = Known()
        self._setup = Setup()
        self._sync = self._total = 1
        """Backups that are configured."""
        self._side_by_side = SideBySide[Place, Behaviour](
            "calls", "", lambda place: f"call {place[1]} of member {place[0]}"
        )
        self._by_call_id: dict[Place, Place] = {}
        self._answered: dict[Place, None] = {}
        self._removing: dict[int, tuple[int, frozenset[int]]] = {}
        """Whom each member has struck off last, and when."""
        self._made_sync: set[Place] = set()
        self._handlers = {kind: handler for kinds, handler in self._handlers_of_kinds() for kind in kinds}
        self._before_calls: dict[int, tuple[int, State]] = {}
        """By partition, what members knew when a call began last, and how often that had changed."""

    def _handlers_of_kinds(self) -> Iterator[tuple[frozenset[type[Event]], Handler]]:
        yield kinds_of(OfKnowledge), self._learned
        yield kinds_of(OfMigration), self._migrates
        yield kinds_of(OfDeparture), self._departs
        yield kinds_of(OfTheCaller), self._of_caller
        yield kinds_of(OfTargets), self._of_target
        yield kinds_of(CallBegun), self._begin
        yield kinds_of(MadeSync), self._make_sync

    @property
    def followed(self) -> Followed:
        """What following the run came to so far."""
        return self._side_by_side.followed

    def observe(self, record: Record) -> None:
        """Go on with the next record."""
        if isinstance(record, RunRecord):
            self._setup = Setup(max(record.backup_count, 1))
        elif isinstance(record, MemberRecord):
            self._member_changed(Step.of_member(record), record)
        elif isinstance(record, EventRecord) and isinstance(record.event, Configured):
            setup, event = self._setup, record.event
            self._setup = Setup(setup.backups, event.retries, serves_stale_reads=event.stale_reads)
            self._sync, self._total = event.sync_backups, event.sync_backups + event.async_backups
        elif isinstance(record, EventRecord) and record.member is not None:
            handler = self._handlers.get(type(record.event))
            if handler is not None:
                handler(Step.of(record), record.event)

    def watched(self) -> frozenset[type[Event]]:
        """Return the types of the events that are read."""
        return EVENTS_READ | kinds_of(Configured)

    def conclude(self) -> Finding:
        """Say how far the run is a behaviour of the specification, or which event was refused."""
        return self._side_by_side.conclude()

    def _member_changed(self, step: Step, record: MemberRecord) -> None:
        member, text = record.member, step.describe()
        is_news = self._known.member_changed(record)
        if record.change is MemberChange.JOINED:
            formers = self._known.formers(member)
            self._learn(None, lambda call: call.joined(text, member, formers))
        elif is_news:
            self._learn(None, lambda call: call.happens(text, "member_ends", member))
            for place in list(self._side_by_side.behaviours):
                if place[0] == member and place in self._side_by_side.behaviours:
                    self._is_over(place)

    def _learn(self, partition: int | None, learning: Learning) -> None:
        """Let the calls of a partition, or all, go on with what somebody has learned."""
        for place, call in self._side_by_side.behaviours.items():
            if partition in (None, call.partition):
                self._side_by_side.let(place, lambda one: one.learn(learning))

    def _make_sync(self, step: Step, event: MadeSync) -> None:
        self._made_sync.add((event.caller, event.call_id))

    def _learned(self, step: Step, event: OfKnowledge) -> None:
        known, member, text = self._known, step.member, step.describe()
        if isinstance(event, MemberListInstalled):
            gone = frozenset(known.lists.get(member, ())).difference(event.members)
            self._removing[member] = step.at_ms, gone
        known.learned(member, event)
        if isinstance(event, RowInstalled):
            self._learn(event.partition, lambda call: call.row_learned(text, member, event.slots))
        else:
            members, reach = known.lists.get(member, ()), known.reach(member)
            self._learn(None, lambda call: call.list_learned(text, member, members, reach))

    def _migrates(self, step: Step, event: OfMigration) -> None:
        member, text = step.member, step.describe()
        self._known.migrates(member, event)
        is_migrating = (member, event.partition) in self._known.migrating
        self._learn(event.partition, lambda call: call.migrates(text, member, is_migrating=is_migrating))

    def _departs(self, step: Step, event: OfDeparture) -> None:
        if isinstance(event, JoinTurnedDown) and event.joiner != step.member:
            return  # The master says whom it has turned down.
        action, text = "caller_merges" if isinstance(event, EntriesCollected) else "caller_shuts_down", step.describe()
        for place, call in self._side_by_side.behaviours.items():
            if place[0] == step.member and call.state["departure"] is Departure.NONE:
                self._side_by_side.let(place, lambda call: call.happens(text, action))

    def _begin(self, step: Step, event: CallBegun) -> None:
        place = step.member, event.invocation
        at_ms, gone = self._removing.get(step.member, (-1, frozenset()))
        notified_now = gone if at_ms == step.at_ms else frozenset()
        try:
            before = self._before(event.partition)
        except GivenUpError as too_many:
            self._side_by_side.give_up(place, str(too_many))
            return
        struck_off = tuple(member in notified_now for member in range(len(before["row"])))
        before = before.replaced({"caller": step.member, "struck_off": struck_off})
        call = Behaviour(self._setup, event.partition, before, self._onlooker)
        self._side_by_side.behaviours[place] = call
        self._side_by_side.let(place, lambda call: call.begins(step, event))

    def _before(self, partition: int) -> State:
        """Return the state of a partition with no call; most calls begin where nothing has changed since the last."""
        changes, before = self._before_calls.get(partition, (-1, None))
        if before is None or changes != self._known.changes:
            before = self._setup.before_calls(self._known, partition)
            self._before_calls[partition] = self._known.changes, before
        return before

    def _of_caller(self, step: Step, event: OfTheCaller) -> None:
        place = step.member, event.invocation
        if place not in self._side_by_side.behaviours:
            return
        self._side_by_side.let(place, lambda call: call.of_caller(step, event))
        if isinstance(event, AttemptSent):
            self._by_call_id[step.member, event.call_id] = place
        elif isinstance(event, CallEnded):
            self._is_over(place)

    def _of_target(self, step: Step, event: OfTargets) -> None:
        attempt = event.caller, event.call_id
        place = self._by_call_id.get(attempt)
        if place is not None:
            sync = self._sync_of(event) if isinstance(event, Executed) else ()
            self._side_by_side.let(place, lambda call: call.of_target(step, event, sync))
        self._made_sync.discard(attempt)

    def _sync_of(self, event: Executed) -> Collection[int]:
        """Return how many of the backups of a write may be sync: as configured, where that is known."""
        total = configured(event.versions)
        if (event.caller, event.call_id) in self._made_sync:
            return (total,)
        if event.namespace.startswith(LOCKS):
            return (min(1, total),)
        is_configured = total == self._total and not event.namespace.startswith(OF_THE_GRID)
        return (self._sync,) if is_configured else range(total + 1)

    def _is_over(self, place: Place) -> None:
        """Keep a call whose caller waits for nothing any more, and forget the oldest of those."""
        self._answered.setdefault(place)
        self._side_by_side.behaviours[place].is_answered = True
        if len(self._answered) > ANSWERED_KEPT:
            oldest = next(iter(self._answered))
            del self._answered[oldest]
            for call_id in self._side_by_side.behaviours[oldest].attempts:
                self._by_call_id.pop((oldest[0], call_id), None)
            self._side_by_side.forget(oldest)


PROPERTY = Property(
    "refines-calls",
    "What caller, targets and backups do with a call is a behaviour of the specification `calls`.",
    "reference replication 1, 2",
    CallsJudge,
)
