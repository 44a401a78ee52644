"""The records of members about replicas, validated by the specification `replication`.

A behaviour is about one namespace in one partition. A behaviour begins with the first write to the namespace, since no
copy has anything before, and lasts until the end of the run; each record of a member about the namespace is an action
of the specification.

Steps without a record are inferred: which checks are under way at the first write; which member receives the messages
sent to earlier members at its address; and, only if nothing else explains an event, that a member that has ended wrote
in its last step, or that a primary without backups forgets a destroyed structure.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, ClassVar, assert_never

from gridproof_model.events import anti_entropy, conditions, kinds_of, migration, operation, replication
from gridproof_model.events.words import WhyBackupRefused, WhySyncEnded
from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event
from gridproof_model.language.values import class_of
from gridproof_model.specifications.replication.state import ANY_TABLES, Kind, messages, specification
from gridproof_properties.refinement.known import RowsJudge, addressed_of
from gridproof_properties.refinement.read import (
    OfBackups,
    OfCopies,
    OfKnowledge,
    OfLists,
    OfReplication,
    OfSyncRequests,
    OfSyncs,
    OfUpdates,
)
from gridproof_properties.validation.engine import Agrees, GivenUpError, Observation, always, says
from gridproof_properties.validation.judge import Behaviour, Worlds

OfNamespace = OfUpdates | replication.FragmentInstalled | OfSyncs
SENT_AS: Mapping[type[OfReplication], str] = {
    operation.Executed: "Backup",
    anti_entropy.SummarySent: "Summary",
    anti_entropy.SyncRequested: "SyncRequest",
    anti_entropy.SyncAnswered: "SyncAnswer",
    anti_entropy.SyncTurnedDown: "SyncRetry",
}
"""For each event with which a message is sent, the name of this message in the network."""
KNOWN, NAMED, REQUESTED, OF_SLOTS = map(kinds_of, (OfKnowledge, OfNamespace, OfSyncRequests, OfBackups))
OF_ALL = kinds_of(replication.StructureDestroyed | OfLists)
Place = tuple[int, str]
"""A partition and a namespace."""

MAIL_MAX = 512
"""The most messages that may wait for a member; if there are more, the oldest count as lost."""
MAIL_LEFT = 8
"""The least room for further messages, since an event may send several; if there is less, the world is made larger."""
TOO_MUCH = "more messages wait for a member than are kept"
EARLY = 64
"""How many of the latest checks of a partition are kept."""


class BehaviourOfReplication(Behaviour):
    """The behaviour of the replicas of one namespace in a partition, from its first write on."""

    WORLDS = Worlds(
        specification,
        ("writes", "changes", "moves", "checks", "endings", "losses", "repeats", "refusals"),
        {"backups": 1, "mail_capacity": 16},
        **ANY_TABLES,
        watched_write=1,
        sync_backups=0,
    )
    OTHERWISE: ClassVar[Mapping[str, Plain]] = {"was_disturbed": True}
    """The initial history of a behaviour if a table may have changed before the first write without all members
    knowing."""

    def __init__(self, place: Place, backups: int, known: "ReplicationJudge") -> None:
        partition, self._namespace = place
        self._known, runner = known, self.WORLDS.runner(members=known.count, backups=backups)
        start = known.at_first_write(place, runner.start)
        super().__init__(runner, start, ("unrecorded_write_is_sent", "destroyed_structure_is_forgotten"))
        self.passed_over = TOO_MUCH if len(known.early[partition]) == EARLY else ""

    def take(self, member: int, event: Any) -> None:
        """Continue the behaviour with an event of a member."""
        if type(event) in KNOWN:
            self.take_all(*self._known.learned(self.state))
            return
        if type(event) in SENT_AS:
            self._make_room()
        # A member also receives the messages that were sent to earlier incarnations at its address.
        for former in self._known.formers.get(member, ()):
            for _ in self.state["mail"][former]:
                self._make_room()
                self.take_all(always("message_reaches_successor", former, member))
        before, backups = self.state["mail"], self.size["backups"]
        if type(event) in OF_SLOTS and event.index > backups:
            return  # The slot is beyond the backups: its holder keeps nothing of the namespace.
        if (observation := observed(member, event, self._namespace, backups)) is not None:
            self.validation.take(observation)
        # The trace says that the message just sent will arrive twice at the member that the sender addressed.
        for receiver in self._known.sent_twice:
            for addressed in (receiver, *self._known.formers[receiver]):
                mail = self.state["mail"][addressed]
                if len(mail) > len(before[addressed]):
                    self.take_all(always("message_comes_twice", addressed, len(mail) - 1))
                    break

    def _make_room(self) -> None:
        """Continue in a world with more room for messages, if one event might need more room than there is."""
        wanted, room = max(map(len, self.state["mail"])) + MAIL_LEFT, self.size["mail_capacity"]
        if wanted <= room:
            return
        while wanted > room < MAIL_MAX:
            room *= 2
        self.widen(mail_capacity=room)
        for member, mail in enumerate(self.state["mail"]):
            for _ in range(len(mail) + MAIL_LEFT - MAIL_MAX):
                self.passed_over = TOO_MUCH
                self.take_all(always("message_is_lost", member, 0))


class ReplicationJudge(RowsJudge[Place, BehaviourOfReplication]):
    """Gives each record to the namespaces in partitions that it concerns."""

    SPECIFICATION = specification
    WATCHED = kinds_of(OfReplication)
    CALLED = "{0[1]} of partition {0[0]}"

    def __init__(self) -> None:
        super().__init__()
        self.early: dict[int, deque[tuple[int, anti_entropy.SummarySent]]] = defaultdict(lambda: deque(maxlen=EARLY))
        """For each partition, the newest checks with their senders: they may be under way when a behaviour begins."""
        self.sent_twice: Collection[int] = ()
        """The receivers for which the network repeats the message of the latest event."""
        self._repeated: list[conditions.MessageRepeated] = []
        """Messages that come twice, and whose sending is not recorded yet."""
        self._unrecorded: set[Place] = set()
        """Namespaces in which a backup applied an update before any recorded write: the primary ended during its first
        write."""

    def _find_repeated(self, sender: int, event: Any) -> Collection[int]:
        if (kind := SENT_AS.get(type(event))) is None or (kind == "Backup" and not event.changed):
            return ()  # then no message is sent
        is_sent = kind, sender, event.partition
        to = None if kind == "Backup" else event.to  # backup messages go to several members
        alike = [one for one in self._repeated if (one.kind, one.sender, one.partition) == is_sent]
        found = [one for one in alike if to in (None, one.receiver)]
        self._repeated = [one for one in self._repeated if one not in found]
        return [one.receiver for one in found]

    def at_first_write(self, place: Place, start: State) -> State:
        """Return the initial state with what members know at a namespace's first write, and with checks under way."""
        partition, namespace = place
        mail: list[list[Plain]] = [[] for _ in start["mail"]]
        backups = len(start["row"][0]) - 1
        for sender, sent in self.early[partition]:
            if 0 < sent.index <= backups and 0 <= sent.to < len(mail):  # a log may name any number
                version, backup = dict(sent.versions).get(namespace), sent.index - 1
                versions = tuple((version or 0) if entry == backup else 0 for entry in range(backups))
                names = version is not None
                mail[sent.to].append(class_of(messages)(Kind.CHECK, sender, backup, versions, names, 0, False))
        return start.replaced(self.of_partition(partition, start) | {"mail": tuple(map(tuple, mail))})

    def concerned(self, member: int, event: Any) -> Iterable[Place]:
        """Return the namespaces that an event concerns (a first write begins a behaviour); keep checks and repeats."""
        kind = type(event)
        if kind is conditions.MessageRepeated:
            self._repeated.append(event)
            return ()
        self.sent_twice = self._find_repeated(member, event) if self._repeated else ()
        if kind is anti_entropy.SummarySent:
            self.early[event.partition].extend([(member, event)] * (1 + len(self.sent_twice)))
        if kind is operation.Executed and not event.changed:
            return ()
        if kind in NAMED:
            place = event.partition, event.namespace
            if place not in self.behaviours:  # a behaviour begins with the first write for which backups are configured
                backups = event.backups if isinstance(event, operation.Executed) else 0
                if backups:
                    self.begin(place, lambda: BehaviourOfReplication(place, backups, self))
                    if place in self._unrecorded:
                        self.give_up(place, f"nobody has recorded the first write to {self.CALLED.format(place)}")
                elif isinstance(event, replication.BackupApplied):
                    self._unrecorded.add(place)
            return (place,) if place in self.behaviours else ()
        if kind in OF_ALL:
            return self.behaviours
        places = [place for place in self.behaviours if place[0] == event.partition]
        return [place for place in places if place[1] in event.namespaces] if kind in REQUESTED else places


REFUSED = {WhyBackupRefused.STALE: "stale_update_is_dropped", WhyBackupRefused.THROWN: "message_is_lost"}
"""For each reason not to apply an update that no check refuses: the action of the specification."""
BY_MESSAGE = {
    WhySyncEnded.TURNED_DOWN: ("retry_is_received", Kind.RETRY),
    WhySyncEnded.ANOTHER_SLOT: ("answer_is_for_another_slot", Kind.ANSWER),
    WhySyncEnded.MIGRATING: ("answer_comes_amid_migration", Kind.ANSWER),
    WhySyncEnded.THROWN: ("answer_is_not_taken", Kind.ANSWER),
}
"""For each reason for which a sync ends without installing anything: the action, and the message that ends the sync."""
MAIL: Mapping[Kind, tuple[str, Callable[[Plain], object]]] = {
    Kind.UPDATE: ("no update of version {} waits for it", lambda one: one.versions[one.backup]),
    Kind.CHECK: ("no such check waits for it", lambda one: one.versions[one.backup] if one.has_content else None),
    Kind.REQUEST: ("nobody has asked for it", lambda one: one.sender),
    Kind.ANSWER: ("no answer waits for it", lambda _: None),
    Kind.RETRY: ("nobody has turned it down", lambda _: None),
}
"""For each kind of message: the reason given if none waits, and what an event names of it (a version or the sender)."""


def observed(member: int, event: OfCopies, namespace: str, backups: int) -> Observation | None:
    """Return the observation of an event in a namespace with `backups` backups; None if it has no meaning there."""
    match event:
        case operation.Executed(versions=versions, sent_to=sent_to):
            sent = [slot for slot in sent_to if slot <= backups]
            sends = ("addressed backups", sent, lambda state: addressed_of(state, member, backups))
            return always("primary_executes_write", member, 0, agrees=_has(member, versions[:backups], sends))
        case replication.BackupApplied(index=index, version=version, verdict=verdict, dirty=dirty):
            agrees = says(("dirty", dirty, lambda state: state["replica"][member].is_dirty))
            return _taken(f"{verdict}_update_is_applied", Kind.UPDATE, member, index, version, agrees)
        case replication.BackupRefused(index=index, version=version, why=why):
            return _taken(REFUSED.get(why, "message_is_refused"), Kind.UPDATE, member, index, version)
        case anti_entropy.SummarySent(index=index, to=to, versions=summary):
            return _check_sent(member, index, to, dict(summary).get(namespace))
        case anti_entropy.SummaryCompared(index=index, behind=behind, versions=summary):
            found = "check_finds_difference" if namespace in behind else "check_finds_nothing"
            action = found if namespace in dict(summary) else "check_names_nothing"
            return _taken(action, Kind.CHECK, member, index, dict(summary).get(namespace))
        case anti_entropy.SyncRequested(index=index, to=to):
            goes_to = ("receiver", to, lambda state: state["row"][member][0])
            return always("sync_is_requested", member, index - 1, agrees=says(goes_to))
        case anti_entropy.SyncAnswered(index=index, versions=versions, to=to):
            return _taken("request_is_answered", Kind.REQUEST, member, index, to, _has(member, versions[:backups]))
        case anti_entropy.SyncTurnedDown(index=index, to=to):
            return _taken("request_is_turned_down", Kind.REQUEST, member, index, to)
        case anti_entropy.SyncInstalled(index=index, versions=versions):
            return _taken("answer_is_installed", Kind.ANSWER, member, index, agrees=_has(member, versions[:backups]))
        case anti_entropy.SyncEnded(index=index, why=why) if why in BY_MESSAGE:
            return _taken(*BY_MESSAGE[why], member, index)
        case anti_entropy.SyncEnded(index=index, why=why):
            return always("sync_expires" if why is WhySyncEnded.EXPIRED else "sync_is_cancelled", member, index - 1)
        case replication.FragmentInstalled(index=index, versions=versions) if index <= backups:
            has = _has(member, versions[:backups])
            return Observation(lambda state: _copies(state, member, index), has, "no primary takes part in a migration")
        case replication.ReplicaKept(index=index) if 0 <= index <= backups:
            return always("replica_is_cut_down", member, index)
        case replication.ReplicaPromoted(from_index=index) if index <= backups:
            return always("replica_is_promoted", member, index - 1)
        case replication.ReplicaPromoted():
            return always("replica_begins_anew", member)
        case replication.FragmentInstalled() | replication.ReplicaKept():
            return always("replica_is_dropped", member)
        case replication.StructureDestroyed(structure=structure):
            return always("structure_is_destroyed", member) if structure == namespace else None
        case migration.MigrationOpened() | migration.MigrationReadied():
            return always("migration_begins", member)
        case migration.MigrationFinished():
            return always("migration_ends", member)
        case _:
            assert_never(event)


def _has(member: int, versions: tuple[int, ...], *more: tuple[str, object, Callable[[State], object]]) -> Agrees:
    """Return a function that tests if a member has the versions that an event states, and all else that it states."""
    return says(("versions", versions, lambda state: state["replica"][member].versions), *more)


def _check_sent(member: int, index: int, to: int, version: int | None) -> Observation:
    goes_to = ("receiver", to, lambda state: state["row"][member][index])
    if version is None:
        return always("primary_names_nothing", member, index - 1, agrees=says(goes_to))
    names = ("version", version, lambda state: state["replica"][member].versions[index - 1])
    return always("primary_sends_check", member, index - 1, agrees=says(goes_to, names))


def _copies(state: State, member: int, index: int) -> list[Event]:
    """Return the actions by which a member may have got a copy, one for each source."""
    primaries = [source for source, row in enumerate(state["row"]) if row[0] == source != member]
    giving = [source for source in primaries if state["migrating"][source]]
    # In the specification the source of a copy changes nothing until the copy has arrived.
    if primaries and not giving and state["migrating"][member]:
        late = f"a replica for slot {index} arrived after its sender had ended the migration"
        raise GivenUpError(f"{late}, which the specification does not describe")
    return [Event("replica_is_copied", (source, member, index)) for source in giving]


def _taken(
    action: str, kind: Kind, member: int, index: int, named: object = None, agrees: Agrees | None = None
) -> Observation:
    """Return the observation that a member handles one of its waiting messages: any one that fits the event."""
    missing, said = MAIL[kind]

    def find(state: State) -> list[Event]:
        mail, primary = state["mail"][member], state["row"][member][0]
        found = [one for one in mail if one.kind is kind and one.backup == index - 1 and said(one) == named]
        if kind is Kind.CHECK and not found and primary is not None and state["has_unrecorded"][primary]:
            raise GivenUpError("an anti-entropy check arrived, but its sender ended before the sending was recorded")
        # One message stands for all equal messages.
        alike = dict.fromkeys(found) if len(found) > 1 else found
        return [Event(action, (member, mail.index(one))) for one in alike]

    return Observation(find, agrees, missing.format(named))
