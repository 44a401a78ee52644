"""What members record of replicas is validated by the specification `replicas`.

A behaviour begins with the first write to a namespace of a partition: nothing is held before that. From then on every
record of a member that concerns it is an action of the specification, until the end of the run.
"""

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.anti_entropy import (
    SummaryCompared,
    SummarySent,
    SyncAnswered,
    SyncEnded,
    SyncInstalled,
    SyncRequested,
    SyncTurnedDown,
)
from gridproof_model.events.conditions import MessageRepeated
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.replication import BackupApplied, BackupRefused, FragmentInstalled, StructureDestroyed
from gridproof_model.language import Plain, State
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.judging.judge import Finding, Property
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.known import Known, OfKnowledge, OfMigration, list_learned, rounded, row_learned
from gridproof_properties.refinement.replicas.observations import Observations, OfReplicas, always
from gridproof_properties.refinement.replicas.worlds import MAIL_CAPACITY, MAIL_MAX, MEMBERS, MEMBERS_MAX, runner_of
from gridproof_properties.refinement.side_by_side import SideBySide
from gridproof_properties.refinement.step import Slots, Step
from gridproof_properties.validation.engine import (
    Observation,
    Onlooker,
    Validation,
)
from gridproof_properties.validation.widening import widened

OfMembers = OfReplicas | OfKnowledge
Read = OfMembers | MessageRepeated
EVENTS_READ = kinds_of(Read)
"""What is read of a run."""
KINDS: Mapping[type[OfReplicas], tuple[str, ...]] = {
    Executed: ("Backup",),
    SummarySent: ("Summary",),
    SyncRequested: ("SyncRequest",),
    SyncAnswered: ("SyncAnswer",),
    SyncTurnedDown: ("SyncRetry",),
}
"""The messages that are sent with an event, as the network names them."""
UNRECORDED = ("unrecorded_write_is_sent", "destroyed_structure_is_forgotten")
MAIL_LEFT = 8
"""Room in the mail below which a behaviour goes on in a larger world: more than one event may send to one member."""
EARLY = 64
"""Checks of a partition that are remembered."""
Place = tuple[int, str]
"""A partition and a namespace."""


@dataclass(slots=True)
class KnownOfReplicas(Known):
    """What every member knows, and what is under way; mutable."""

    early: dict[int, deque[tuple[int, SummarySent]]] = field(default_factory=dict)
    """The newest checks by partition, each with its sender: one may be under way when a behaviour begins."""


class Behaviour:
    """The replicas of one namespace of a partition, from the first write on."""

    def __init__(self, place: Place, backups: int, known: KnownOfReplicas, onlooker: Onlooker | None) -> None:
        partition, namespace = place
        self.observations = Observations(namespace, backups)
        self.members = rounded(known.members, MEMBERS, MEMBERS_MAX)
        self.mail_capacity = MAIL_CAPACITY
        self.has_passed_over = len(known.early.get(partition, ())) == EARLY
        """Whether more was under way than is kept: what is missing then is missing here."""
        self._known = known
        runner = runner_of(backups, self.members)
        start = self._start(partition, runner.start)
        self.validation = Validation(runner, (start,), postponed=UNRECORDED, onlooker=onlooker)

    def _start(self, partition: int, start: State) -> State:
        """Return the state at the first write: what members know then, and the checks that may be under way."""
        known, everybody, slots = self._known, range(self.members), self.observations.backups + 1
        rows = known.rows.get(partition, {})
        nothing = (None,) * slots
        mail: list[list[Plain]] = [[] for _ in everybody]
        for sender, sent in known.early.get(partition, ()):
            if sent.index < slots:
                mail[sent.to].append(self.observations.early(sender, sent))
        return start.replaced(
            {
                "row": tuple((*rows.get(member, nothing), *nothing)[:slots] for member in everybody),
                "listed": tuple(
                    tuple(other in known.lists.get(member, ()) for other in everybody) for member in everybody
                ),
                "reach": tuple(min(known.reach(member), slots - 1) for member in everybody),
                "ended": tuple(member in known.ended for member in everybody),
                "migrating": tuple((member, partition) in known.migrating for member in everybody),
                "mail": tuple(map(tuple, mail)),
            }
        )

    @property
    def state(self) -> State:
        """One of the states that the replicas may be in; of what members know, all say the same."""
        return self.validation.states[0]

    def take(self, step: Step, event: OfReplicas) -> None:
        """Go on with an event of a member."""
        self._make_room()
        for former in self._known.formers(step.member):
            for _ in self.state["mail"][former]:
                self._make_room()
                self.validation.take(
                    Observation(step.describe(), always("message_reaches_successor", former, step.member))
                )
        for observation in self.observations.of(step, event):
            self.validation.take(observation)

    def row_learned(self, text: str, member: int, row: Slots) -> None:
        """A member has a new row."""
        slots = self.observations.backups + 1
        after = (*row, *(None,) * slots)[:slots]
        for observation in row_learned(text, member, self.state["row"][member], after):
            self.validation.take(observation)

    def list_learned(self, text: str, member: int, members: Collection[int]) -> None:
        """A member has a new list."""
        reach = min(self._known.reach(member), self.observations.backups)
        for observation in list_learned(text, member, self.state, members, reach):
            self.validation.take(observation)

    def repeated(self, text: str, sender: int, receivers: Collection[int]) -> None:
        """What somebody has just sent comes twice."""
        for receiver in receivers:
            for addressed in (receiver, *self._known.formers(receiver)):
                mail = self.state["mail"][addressed]
                if mail and mail[-1].sender == sender:
                    last = len(mail) - 1
                    self.validation.take(Observation(text, always("message_comes_twice", addressed, last)))
                    break

    def joined(self, member: int) -> None:
        """Somebody starts."""
        if member >= self.members:
            self._widen(rounded(member + 1, MEMBERS, MEMBERS_MAX))

    def ended(self, text: str, member: int) -> None:
        """Somebody does nothing more."""
        self.validation.take(Observation(text, always("member_ends", member)))

    def _make_room(self) -> None:
        """Go on in a world with more room for mail, where one event might not find enough of it."""
        wanted = max(len(mail) for mail in self.state["mail"]) + MAIL_LEFT
        if wanted <= self.mail_capacity:
            return
        while wanted > self.mail_capacity < MAIL_MAX:
            self.mail_capacity *= 2
        self.validation.runner = runner_of(self.observations.backups, self.members, self.mail_capacity)
        for member, mail in enumerate(self.state["mail"]):
            for _ in range(len(mail) + MAIL_LEFT - MAIL_MAX):
                self.has_passed_over = True
                self.validation.take(Observation("what waits too long", always("message_is_lost", member, 0)))

    def _widen(self, members: int) -> None:
        """Go on in a world with more members."""
        before = self.validation.runner.world
        runner = runner_of(self.observations.backups, members, self.mail_capacity)
        self.validation.states = tuple(widened(state, before, runner.world) for state in self.validation.states)
        self.validation.runner, self.members = runner, members


class ReplicasJudge:
    """Gives each record to the behaviours it concerns."""

    READS: ClassVar[frozenset[type[Record]]] = frozenset({MemberRecord})

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        self._onlooker = onlooker
        self._known = KnownOfReplicas()
        self._side_by_side = SideBySide[Place, Behaviour]("replicas", "more messages wait for a member than are kept")
        self._repeated: list[MessageRepeated] = []
        """Messages that come twice, and are not recorded as sent yet."""
        self._unrecorded: set[Place] = set()
        """Where a backup came before the first write: who wrote it died in that step, and nobody recorded it."""

    @property
    def followed(self) -> Followed:
        """What following the run came to so far."""
        return self._side_by_side.followed

    def observe(self, record: Record) -> None:
        """Go on with the next record."""
        if isinstance(record, MemberRecord):
            self._member_changed(Step.of_member(record), record)
        elif isinstance(record, EventRecord) and isinstance(record.event, MessageRepeated):
            self._repeated.append(record.event)
        elif isinstance(record, EventRecord) and record.member is not None and isinstance(record.event, OfMembers):
            step, event = Step.of(record), record.event
            if isinstance(event, OfKnowledge):
                self._learned(step, event)
            else:
                self._take(step, event)

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
            self._side_by_side.let_all(lambda behaviour: behaviour.ended(text, member))

    def _learned(self, step: Step, event: OfKnowledge) -> None:
        known, member, text = self._known, step.member, step.describe()
        known.learned(member, event)
        if isinstance(event, RowInstalled):
            for place in self._places(event.partition, None):
                self._side_by_side.let(place, lambda behaviour: behaviour.row_learned(text, member, event.slots))
        else:
            members = known.lists.get(member, ())
            self._side_by_side.let_all(lambda behaviour: behaviour.list_learned(text, member, members))

    def _take(self, step: Step, event: OfReplicas) -> None:
        if isinstance(event, Executed):
            if not event.changed:
                return
            self._begin((event.partition, event.namespace), event)
        elif isinstance(event, BackupApplied):
            if (event.partition, event.namespace) not in self._side_by_side.behaviours:
                self._unrecorded.add((event.partition, event.namespace))
        elif isinstance(event, OfMigration):
            self._known.migrates(step.member, event)
        partition = None if isinstance(event, StructureDestroyed) else event.partition
        twice = self._sent_twice(step, event) if self._repeated else ()
        if isinstance(event, SummarySent):
            early = self._known.early.setdefault(event.partition, deque(maxlen=EARLY))
            early.extend([(step.member, event)] * (1 + len(twice)))
        for place in self._places(partition, _namespaces_of(event)):
            self._side_by_side.let(place, lambda behaviour: behaviour.take(step, event))
            self._side_by_side.let(place, lambda behaviour: behaviour.repeated(step.describe(), step.member, twice))

    def _sent_twice(self, step: Step, event: OfReplicas) -> list[int]:
        """Return to whom the network repeats what an event sends."""
        kinds = KINDS.get(type(event), ())
        found = [
            one
            for one in self._repeated
            if one.kind in kinds
            and (one.sender, one.partition) == (step.member, getattr(event, "partition", None))
            and getattr(event, "to", one.receiver) == one.receiver
        ]
        for one in found:
            self._repeated.remove(one)
        return [one.receiver for one in found]

    def _begin(self, place: Place, event: Executed) -> None:
        """Begin a behaviour with the first write that backups are configured for."""
        backups = sum(version > 0 for version in event.versions)
        if place not in self._side_by_side.behaviours and backups:
            self._side_by_side.behaviours[place] = Behaviour(place, backups, self._known, self._onlooker)
            if place in self._unrecorded:
                why = f"nobody has recorded the first write to {place[1]} of partition {place[0]}"
                self._side_by_side.give_up(place, why)

    def _places(self, partition: int | None, namespaces: Collection[str] | None) -> Iterator[Place]:
        for place in self._side_by_side.behaviours:
            if partition in (None, place[0]) and (namespaces is None or place[1] in namespaces):
                yield place


def _namespaces_of(event: OfReplicas) -> Collection[str] | None:
    """Return the namespaces an event names, None where it is about the whole partition."""
    match event:
        case SyncRequested() | SyncTurnedDown():
            return event.namespaces
        case Executed() | BackupApplied() | BackupRefused() | SyncAnswered() | SyncInstalled() | SyncEnded():
            return (event.namespace,)
        case FragmentInstalled():
            return (event.namespace,)
        case SummarySent() | SummaryCompared() | _:
            return None


PROPERTY = Property(
    "refines-replicas",
    "What members do with writes, backups, syncs and copies of a partition is a behaviour of the specification "
    "`replicas`.",
    "reference replication 2, 3",
    ReplicasJudge,
)
