"""The observation table of `replicas`: which actions an event is, and what it says of the state afterwards.

Members are named by their numbers in the run; replica index `i` is backup `i - 1`, so that an event about an index
beyond the namespace's backups says that its member keeps nothing of it.
"""

from collections.abc import Iterator
from typing import assert_never

from gridproof_model.events.anti_entropy import (
    SummaryCompared,
    SummarySent,
    SyncAnswered,
    SyncEnded,
    SyncInstalled,
    SyncRequested,
    SyncTurnedDown,
)
from gridproof_model.events.migration import MigrationFinished, MigrationOpened, MigrationReadied
from gridproof_model.events.operation import Executed
from gridproof_model.events.replication import (
    BackupApplied,
    BackupRefused,
    FragmentInstalled,
    ReplicaKept,
    ReplicaPromoted,
    StructureDestroyed,
)
from gridproof_model.events.words import Applied, WhyBackupRefused, WhySyncEnded
from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event
from gridproof_model.language.values import class_of
from gridproof_model.specifications.replicas.state import Kind, messages
from gridproof_properties.refinement.observing import always, differs
from gridproof_properties.refinement.step import Step
from gridproof_properties.validation.engine import Actions, Agrees, GivenUpError, Observation, Text

OfReplicas = (
    Executed
    | BackupApplied
    | BackupRefused
    | SummarySent
    | SummaryCompared
    | SyncRequested
    | SyncAnswered
    | SyncTurnedDown
    | SyncInstalled
    | SyncEnded
    | FragmentInstalled
    | ReplicaKept
    | ReplicaPromoted
    | StructureDestroyed
    | MigrationOpened
    | MigrationReadied
    | MigrationFinished
)
OfNamespace = Executed | BackupApplied | BackupRefused | SyncAnswered | SyncInstalled | SyncEnded | FragmentInstalled
OfSyncs = SyncRequested | SyncAnswered | SyncTurnedDown | SyncInstalled | SyncEnded
MESSAGE = class_of(messages)
"""A message as a plain value."""
VERDICTS = {
    Applied.EQUAL: "equal_update_is_applied",
    Applied.NEXT: "next_update_is_applied",
    Applied.GAPPED: "gapped_update_is_applied",
}


class Observations:
    """What events say of the replicas of one namespace of a partition."""

    def __init__(self, namespace: str, backups: int) -> None:
        self.namespace = namespace
        self.backups = backups

    def of(self, step: Step, event: OfReplicas) -> Iterator[Observation]:
        """Yield what an event says, in order; nothing where it says nothing of these replicas."""
        me, text = step.member, step
        if isinstance(event, OfSyncs) and event.index > self.backups:
            return  # Of a slot beyond the backups, whose holder keeps nothing of it.
        match event:
            case Executed(versions=versions, sent_to=sent_to):
                yield always(text, "primary_executes_write", me, agrees=self._wrote(me, versions, sent_to))
            case BackupApplied(index=index, version=version, verdict=verdict, dirty=dirty):
                updates = in_mail(VERDICTS[verdict], me, Kind.UPDATE, index, version)
                yield Observation(text, updates, is_dirty(me, dirty), f"no update of version {version} waits for it")
            case BackupRefused(index=index, version=version, why=why):
                if index <= self.backups:
                    yield self._dropped(text, me, index, version, is_stale=why is WhyBackupRefused.STALE)
            case SummarySent(index=index, to=to, versions=named):
                if index <= self.backups:
                    yield self._sent(text, me, index, to, dict(named).get(self.namespace))
            case SummaryCompared(index=index, behind=behind, versions=named):
                if index <= self.backups:
                    yield self._compared(text, me, index, dict(named).get(self.namespace), behind)
            case SyncRequested(index=index, to=to):
                yield always(text, "sync_is_requested", me, index - 1, agrees=goes_to(to, me, 0))
            case SyncAnswered(index=index, versions=versions, to=to):
                answers = in_mail("request_is_answered", me, Kind.REQUEST, index, sender=to)
                yield Observation(text, answers, self._has(me, versions), "nobody has asked for it")
            case SyncTurnedDown(index=index, to=to):
                refusals = in_mail("request_is_turned_down", me, Kind.REQUEST, index, sender=to)
                yield Observation(text, refusals, missing="nobody has asked for it")
            case SyncInstalled(index=index, versions=versions):
                answers = in_mail("answer_is_installed", me, Kind.ANSWER, index)
                yield Observation(text, answers, self._has(me, versions), "no answer waits for it")
            case SyncEnded(index=index, why=why):
                yield self._ended(text, me, index, why)
            case FragmentInstalled(index=index, versions=versions):
                yield self._installed(text, me, index, versions)
            case ReplicaKept(index=index):
                kept = 0 <= index <= self.backups
                yield always(text, "replica_is_cut_down", me, index) if kept else always(text, "replica_is_dropped", me)
            case ReplicaPromoted(from_index=index):
                promoted = always(text, "replica_is_promoted", me, index - 1)
                yield promoted if index <= self.backups else always(text, "replica_is_dropped", me)
            case StructureDestroyed(structure=structure):
                if structure == self.namespace:
                    yield always(text, "structure_is_destroyed", me)
            case MigrationOpened() | MigrationReadied():
                yield always(text, "migration_begins", me)
            case MigrationFinished():
                yield always(text, "migration_ends", me)
            case _:
                assert_never(event)

    def early(self, sender: int, sent: SummarySent) -> Plain:
        """Return the message of a check that was sent before the first write."""
        version, entry = dict(sent.versions).get(self.namespace), sent.index - 1
        versions = tuple((version or 0) if place == entry else 0 for place in range(self.backups))
        return MESSAGE(Kind.CHECK, sender, entry, versions, version is not None)

    def _wrote(self, me: int, versions: tuple[int, ...], sent_to: tuple[int, ...]) -> Agrees:
        def agrees(state: State) -> str | None:
            listed, row = state["listed"][me], state["row"][me]
            owed = [slot for slot in range(1, state["reach"][me] + 1) if row[slot] is not None and listed[row[slot]]]
            addressed = [slot for slot in sent_to if slot <= self.backups]
            return self._has(me, versions)(state) or differs("addressed backups", addressed, owed)

        return agrees

    def _has(self, me: int, versions: tuple[int, ...]) -> Agrees:
        return lambda state: differs("versions", versions[: self.backups], state["replica"][me].versions)

    def _dropped(self, text: Text, me: int, index: int, version: int, *, is_stale: bool) -> Observation:
        action = "stale_update_is_dropped" if is_stale else "message_is_lost"
        updates = in_mail(action, me, Kind.UPDATE, index, version)
        return Observation(text, updates, missing=f"no update of version {version} waits for it")

    def _sent(self, text: Text, me: int, index: int, to: int, version: int | None) -> Observation:
        if version is None:
            return always(text, "primary_names_nothing", me, index - 1, agrees=goes_to(to, me, index))

        def agrees(state: State) -> str | None:
            version_there = state["replica"][me].versions[index - 1]
            return goes_to(to, me, index)(state) or differs("version", version, version_there)

        return always(text, "primary_sends_check", me, index - 1, agrees=agrees)

    def _compared(self, text: Text, me: int, index: int, version: int | None, behind: tuple[str, ...]) -> Observation:
        action = "check_finds_difference" if self.namespace in behind else "check_finds_nothing"
        if version is None:
            action = "check_names_nothing"
        checks = in_mail(action, me, Kind.CHECK, index, version, has_content=version is not None)

        def find(state: State) -> Iterator[Event]:
            found, primary = tuple(checks(state)), state["row"][me][0]
            if not found and primary is not None and state["has_unrecorded"][primary]:
                raise GivenUpError("a check came that a member sent in its last step, which nobody has recorded")
            yield from found

        return Observation(text, find, missing="no such check waits for it")

    def _ended(self, text: Text, me: int, index: int, why: WhySyncEnded) -> Observation:
        if why is WhySyncEnded.TURNED_DOWN:
            retries = in_mail("retry_is_received", me, Kind.RETRY, index)
            return Observation(text, retries, missing="nobody has turned it down")
        action = "answer_is_for_another_slot" if why is WhySyncEnded.ANOTHER_SLOT else "registration_ends"
        return always(text, action, me, index - 1)

    def _installed(self, text: Text, me: int, index: int, versions: tuple[int, ...]) -> Observation:
        if index > self.backups:
            return always(text, "replica_is_dropped", me)

        def sources(state: State) -> Iterator[Event]:
            primaries = [source for source, row in enumerate(state["row"]) if row[0] == source != me]
            giving = [source for source in primaries if state["migrating"][source]]
            # In the specification who gives a copy stands still until it has arrived.
            if primaries and not giving and state["migrating"][me]:
                raise GivenUpError("a copy came when its migration was over where it came from")
            for source in giving:
                yield Event("replica_is_copied", (source, me, index))

        return Observation(text, sources, self._has(me, versions), "no primary takes part in a migration")


def in_mail(
    action: str,
    me: int,
    kind: Kind,
    index: int,
    version: int | None = None,
    *,
    sender: int | None = None,
    has_content: bool | None = None,
) -> Actions:
    """Return an action for each message in a member's mail that an event may speak of."""

    def find(state: State) -> Iterator[Event]:
        mail = state["mail"][me]
        for place, message in enumerate(mail):
            is_it = message.kind is kind and message.backup == index - 1
            is_it = is_it and (version is None or message.versions[index - 1] == version)
            is_it = is_it and (sender is None or message.sender == sender)
            is_it = is_it and (has_content is None or message.has_content == has_content)
            # One of equal messages is as good as another.
            if is_it and message not in mail[:place]:
                yield Event(action, (me, place))

    return find


def goes_to(receiver: int, me: int, slot: int) -> Agrees:
    """Return whether a message goes to whom its sender takes for the holder of a slot."""
    return lambda state: differs("receiver", receiver, state["row"][me][slot])


def is_dirty(me: int, said: bool) -> Agrees:
    """Return whether a replica is dirty as an event says."""
    return lambda state: differs("dirty", said, state["replica"][me].is_dirty)
