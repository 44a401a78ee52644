"""What members record of replicas is validated by the specification `replicas`.

A behaviour begins with the first write to a namespace of a partition: nothing is held before that. From then on every
record of a member that concerns it is an action of the specification, until the end of the run.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.anti_entropy import SummarySent, SyncAnswered, SyncRequested, SyncTurnedDown
from gridproof_model.events.conditions import MessageRepeated
from gridproof_model.events.operation import Executed
from gridproof_model.events.replication import BackupApplied, StructureDestroyed
from gridproof_model.language import Plain
from gridproof_properties.judging.judge import Property
from gridproof_properties.refinement.behaviour import Behaviour, runner_of
from gridproof_properties.refinement.judge import SpecificationJudge
from gridproof_properties.refinement.known import Known, OfKnowledge, OfLists
from gridproof_properties.refinement.observing import always
from gridproof_properties.refinement.replicas.observations import Observations, OfNamespace, OfReplicas
from gridproof_properties.refinement.replicas.worlds import MAIL_MAX, SizeOfReplicas
from gridproof_properties.refinement.step import Step
from gridproof_properties.validation.engine import Onlooker, Text

Sending = Executed | SummarySent | SyncRequested | SyncAnswered | SyncTurnedDown
KINDS: Mapping[type[Sending], str] = {
    Executed: "Backup",
    SummarySent: "Summary",
    SyncRequested: "SyncRequest",
    SyncAnswered: "SyncAnswer",
    SyncTurnedDown: "SyncRetry",
}
"""The messages that are sent with an event, as the network names them."""
UNRECORDED = ("unrecorded_write_is_sent", "destroyed_structure_is_forgotten")
MAIL_LEFT = 8
"""Room in the mail below which a behaviour goes on in a larger world: more than one event may send to one member."""
EARLY = 64
"""Checks of a partition that are remembered."""
Place = tuple[int, str]
"""A partition and a namespace."""


class KnownOfReplicas(Known):
    """What every member knows, and what is under way; mutable."""

    LEARNED_FROM = Known.LEARNED_FROM | kinds_of(OfReplicas | MessageRepeated)

    def __init__(self) -> None:
        super().__init__()
        self.early: defaultdict[int, deque[tuple[int, SummarySent]]] = defaultdict(lambda: deque(maxlen=EARLY))
        """The newest checks by partition, each with its sender: one may be under way when a behaviour begins."""
        self.sent_twice: Collection[int] = ()
        """To whom the network repeats what is sent with the latest event."""
        self._repeated: list[MessageRepeated] = []
        """Messages that come twice, and are not recorded as sent yet."""

    def take(self, step: Step, event: Event) -> None:
        """Take in what somebody knows or sends, or that something comes twice."""
        super().take(step, event)
        if isinstance(event, MessageRepeated):
            self._repeated.append(event)
        elif not (isinstance(event, Executed) and not event.changed):  # then nothing is sent
            self.sent_twice = self._find_repeated(step, event) if self._repeated else ()
        if isinstance(event, SummarySent):
            self.early[event.partition].extend([(step.member, event)] * (1 + len(self.sent_twice)))

    def _find_repeated(self, step: Step, event: Event) -> Collection[int]:
        if not isinstance(event, Sending):
            return ()
        is_sent = KINDS[type(event)], step.member, event.partition
        to = None if isinstance(event, Executed) else event.to  # a backup goes to several
        alike = [one for one in self._repeated if (one.kind, one.sender, one.partition) == is_sent]
        found = [one for one in alike if to in (None, one.receiver)]
        for one in found:
            self._repeated.remove(one)
        return [one.receiver for one in found]


class BehaviourOfReplicas(Behaviour[SizeOfReplicas]):
    """The replicas of one namespace of a partition, from the first write on."""

    def __init__(self, place: Place, backups: int, known: KnownOfReplicas, onlooker: Onlooker | None) -> None:
        partition, namespace = place
        self._known = known
        self._observations = Observations(namespace, backups)
        size = SizeOfReplicas(backups=backups).among(known.count)
        start = runner_of(size).start.replaced(
            known.of_partition(partition, size.members, backups + 1) | {"mail": self._mail(partition, size)}
        )
        super().__init__(size, start, onlooker, UNRECORDED)
        self.has_passed_over = len(known.early[partition]) == EARLY

    def _mail(self, partition: int, size: SizeOfReplicas) -> Plain:
        """Return the checks that may be under way at the first write."""
        mail: list[list[Plain]] = [[] for _ in range(size.members)]
        for sender, sent in self._known.early[partition]:
            if sent.index <= size.backups and sent.to < size.members:  # a log may name members that there are not
                mail[sent.to].append(self._observations.early(sender, sent))
        return tuple(map(tuple, mail))

    def take(self, step: Step, event: OfReplicas | OfKnowledge) -> None:
        """Go on with an event of a member."""
        text, member = step, step.member
        if isinstance(event, OfKnowledge):
            self.take_all(*self._known.learned(self.state))
            return
        self._make_room()
        self._take_over_mail(text, member)
        for observation in self._observations.of(step, event):
            self.validation.take(observation)
        for receiver in self._known.sent_twice:
            self._comes_twice(text, member, receiver)

    def _take_over_mail(self, text: Text, member: int) -> None:
        """Whoever sits on an address has what was sent to those before it."""
        for former in self._known.formers(member):
            for _ in self.state["mail"][former]:
                self._make_room()
                self.take_all(always(text, "message_reaches_successor", former, member))

    def _comes_twice(self, text: Text, sender: int, receiver: int) -> None:
        """What somebody has just sent comes twice."""
        for addressed in (receiver, *self._known.formers(receiver)):
            mail = self.state["mail"][addressed]
            if mail and mail[-1].sender == sender:
                self.take_all(always(text, "message_comes_twice", addressed, len(mail) - 1))
                break

    def _make_room(self) -> None:
        """Go on in a world with more room for mail, where one event might not find enough of it."""
        wanted = max(map(len, self.state["mail"])) + MAIL_LEFT
        room = self.size.mail_capacity
        if wanted <= room:
            return
        while wanted > room < MAIL_MAX:
            room *= 2
        self.widen(replace(self.size, mail_capacity=room))
        for member, mail in enumerate(self.state["mail"]):
            for _ in range(len(mail) + MAIL_LEFT - MAIL_MAX):
                self.has_passed_over = True
                self.take_all(always("what waits too long", "message_is_lost", member, 0))


class ReplicasJudge(SpecificationJudge[Place, BehaviourOfReplicas, KnownOfReplicas]):
    """Gives each record to the namespaces of partitions that it concerns."""

    NAME = "replicas"
    EVENTS_READ = kinds_of(OfReplicas | OfKnowledge | MessageRepeated)
    TOO_MUCH = "more messages wait for a member than are kept"

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        super().__init__(KnownOfReplicas(), onlooker)
        self._unrecorded: set[Place] = set()
        """Where a backup came before the first write: who wrote it died in that step, and nobody recorded it."""

    def concerned(self, step: Step, event: OfReplicas | OfKnowledge | MessageRepeated) -> Iterable[Place]:
        """Return the places that an event is about; the first write to one begins a behaviour."""
        match event:
            case MessageRepeated() | Executed(changed=False):
                return ()
            case Executed():
                self._write((event.partition, event.namespace), sum(version > 0 for version in event.versions))
            case BackupApplied():
                if (event.partition, event.namespace) not in self.behaviours:
                    self._unrecorded.add((event.partition, event.namespace))
            case _:
                pass
        return _named(event, self.behaviours)

    def called(self, place: Place) -> object:
        """Return what a refusal calls a namespace of a partition."""
        return f"{place[1]} of partition {place[0]}"

    def _write(self, place: Place, backups: int) -> None:
        """Begin a behaviour with the first write that backups are configured for."""
        if backups and place not in self.behaviours:
            self.begin(place, lambda: BehaviourOfReplicas(place, backups, self.known, self.onlooker))
            if place in self._unrecorded:
                self.give_up(place, f"nobody has recorded the first write to {self.called(place)}")


def _named(event: OfReplicas | OfKnowledge, places: Iterable[Place]) -> Iterable[Place]:
    """Return the places that an event is about: what it does not name is any."""
    if isinstance(event, StructureDestroyed | OfLists):
        return places
    places = [place for place in places if place[0] == event.partition]
    if isinstance(event, OfNamespace):
        return [place for place in places if place[1] == event.namespace]
    if isinstance(event, SyncRequested | SyncTurnedDown):
        return [place for place in places if place[1] in event.namespaces]
    return places


PROPERTY = Property(
    "refines-replicas",
    "What members do with writes, backups, syncs and copies of a partition is a behaviour of the specification "
    "`replicas`.",
    "reference replication 2, 3",
    ReplicasJudge,
)
