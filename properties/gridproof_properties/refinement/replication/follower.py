"""Events of one partition's namespace, as actions.

What an event tells is held against the state that the specification says: verdicts, versions, who was told, who asked.
What nobody records is inferred: a message that was overtaken by one behind it is lost, and so is one that was refused
for a reason the specification does not have; a sync that was registered and not asked for was asked for, and lost.
"""

from collections import Counter
from collections.abc import Iterable

from gridproof_model.events.anti_entropy import (
    SummaryCompared,
    SummaryIgnored,
    SummarySent,
    SyncAnswered,
    SyncEnded,
    SyncInstalled,
    SyncRequested,
    SyncTurnedDown,
)
from gridproof_model.events.operation import Executed
from gridproof_model.events.replication import BackupApplied, BackupRefused, ReplicaKept
from gridproof_model.language import Plain
from gridproof_model.specifications.replication.state import NormalKind, Standing, UrgentKind
from gridproof_properties.refinement.behaviour import Behaviour
from gridproof_properties.refinement.replication.differences import (
    LAST_WORDS,
    LATE_REMOVAL,
    LATE_REQUEST,
    NEW_INCARNATION,
    OLDER_TABLE,
    SECOND_CHECK,
    STRANGER_ASKS,
)
from gridproof_properties.refinement.replication.seats import Seats
from gridproof_properties.refinement.replication.worlds import runner_of
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.step import Slots, Step

ACTIONS = {
    "equal": "equal_backup_message_is_applied",
    "next": "next_backup_message_is_applied",
    "gapped": "gapped_backup_message_is_applied",
}
OF_ANOTHER_SLOT = "another slot"
"""Why a backup refuses an update for a slot that its table does not give it."""
CANCELLED = ("primary changed", "target left")
"""Ends of syncs that the removal of the primary brings about in the specification."""


class Follower:
    """Follows one partition's namespace from its first write."""

    def __init__(self, behaviour: Behaviour, scene: Scene, partition: int, namespace: str, slots: Slots) -> None:
        self.behaviour = behaviour
        self.namespace = namespace
        self.place = (partition, namespace)
        self._scene = scene
        self.seats = Seats(behaviour, scene, partition, namespace, slots)
        self.asking: dict[int, int] = {}
        """By member, the slot whose sync the specification has just registered: its request is recorded next."""
        self._may_ask: set[int] = set()
        """Slots whose replica was dirty when it was looked at again: it may have asked already, or not."""
        self._outlived: Counter[int] = Counter()
        """Requests that may still come after their registration has ended, by slot."""

    def executed(self, step: Step, event: Executed) -> None:
        """A primary executed a write and sent its backups."""
        behaviour, seats = self.behaviour, self.seats
        if seats.slots[0] != step.member:
            behaviour.refuse(step, f"member {step.member} executes a write, and {seats.slots[0]} is the primary")
        versions = event.versions[: len(seats.slots) - 1]
        if 0 in seats.unsure:
            before_it = tuple(version - 1 for version in versions)
            behaviour.differ(OLDER_TABLE, {"primary": behaviour["primary"]._replace(versions=before_it)})
            seats.unsure.discard(0)
        seats.set_listed(self._scene.data_groups(step.member))
        before = behaviour["link"]
        self._make_room(max(len(link.normal) for link in before))
        behaviour.take(step, "primary_executes_write", 0)
        behaviour.agree(step, "versions", versions, behaviour["primary"].versions)
        lanes = enumerate(zip(before, behaviour["link"], strict=True), start=1)
        sent = {slot for slot, (old, new) in lanes if len(new.normal) > len(old.normal)}
        told = {slot for slot in event.sent_to if behaviour["backup_replica"][slot - 1].standing is Standing.UP}
        # Whom the primary does not list it does not tell, though the table may name it already: that message is lost.
        owed = {slot for slot in sent if self._lists(step.member, slot)}
        behaviour.agree(step, "told", sorted(told), sorted(owed | (told & sent)))

    def applied(self, step: Step, event: BackupApplied) -> None:
        """A backup applied an update."""
        slot, version = self._slot_acting(step, event.index), event.version
        if slot is None:
            return
        if slot in self.seats.unsure:
            self._look_again(slot, version, is_dirty=event.dirty)
            return
        place = self._place_of(slot, NormalKind.BACKUP, version)
        if place is None and self._scene.is_for_predecessor(step, event, self.namespace):
            self.behaviour.differ(NEW_INCARNATION)
            return
        if place is None:
            dead = self.seats.dead_primary
            is_dying = self.behaviour["primary"].standing is Standing.CRASHED
            if not is_dying and (dead is None or not self._scene.lists_member(step.member, dead)):
                self.behaviour.refuse(step, f"no update of version {version} is under way to replica {slot}")
            self.behaviour.differ(LAST_WORDS if is_dying else LATE_REMOVAL)
            self._look_again(slot, version, is_dirty=event.dirty)
            return
        self._lose(step, slot, place)
        was_syncing = self._replica(slot).is_syncing
        self.behaviour.take(step, ACTIONS[event.verdict], slot - 1)
        self.behaviour.agree(step, "dirty", event.dirty, self._replica(slot).is_dirty)
        self._expect_request(step.member, slot, was_syncing)

    def refused(self, step: Step, event: BackupRefused) -> None:
        """A backup dropped an update: a stale one, or one that might as well have been lost.

        One for a slot that it does not have any more shows nothing of the table it acts on.
        """
        if event.why == OF_ANOTHER_SLOT and self.seats.slot_of(step.member) != event.index:
            return
        slot, version = self._slot_acting(step, event.index), event.version
        if slot is None or slot in self.seats.unsure:
            return
        place = self._place_of(slot, NormalKind.BACKUP, version)
        is_stale = event.why == "stale"
        if place is not None:
            self._lose(step, slot, place)
            action = "stale_backup_message_is_dropped" if is_stale else "normal_message_is_lost"
            self.behaviour.take(step, action, slot - 1)
        elif is_stale and version >= self._replica(slot).versions[slot - 1]:
            self.behaviour.refuse(step, f"version {version} is not stale for replica {slot}")

    def check_sent(self, step: Step, event: SummarySent, version: int) -> None:
        """A primary told a backup the version it should have."""
        slot, behaviour = self.seats.slot_of(event.to), self.behaviour
        if not slot or slot != event.index or not self._is_primary(step):
            return
        if self._replica(slot).standing is not Standing.UP:
            return
        if 0 not in self.seats.unsure:
            behaviour.agree(step, "version", version, behaviour["primary"].versions[slot - 1])
        lane = behaviour["link"][slot - 1].normal
        if any(message.kind is NormalKind.CHECK for message in lane):
            behaviour.differ(SECOND_CHECK)
        else:
            self._make_room(len(lane))
            behaviour.take(step, "primary_sends_check", slot - 1)

    def compared(self, step: Step, event: SummaryCompared, version: int) -> None:
        """A backup compared a version with its own."""
        slot, behaviour = self._slot_acting(step, event.index), self.behaviour
        if slot is None or slot in self.seats.unsure:
            return
        replica = self._replica(slot)
        is_behind = replica.is_dirty or replica.versions[slot - 1] != version
        place = self._place_of(slot, NormalKind.CHECK, version)
        if place is not None:
            self._lose(step, slot, place)
            behaviour.take(step, "check_is_compared", slot - 1)
        behaviour.agree(step, "found to be behind", self.namespace in event.behind, is_behind)
        if place is not None:
            self._expect_request(step.member, slot, replica.is_syncing)
        elif is_behind and not replica.is_syncing:
            self._register(slot)
            self.asking[step.member] = slot

    def check_ignored(self, step: Step, event: SummaryIgnored) -> None:
        """A backup passed a check over."""
        slot = self._slot_acting(step, event.index)
        if slot is None:
            return
        lane = self.behaviour["link"][slot - 1].normal
        place = next((place for place, message in enumerate(lane) if message.kind is NormalKind.CHECK), None)
        if place is not None:
            self._lose(step, slot, place)
            self.behaviour.take(step, "normal_message_is_lost", slot - 1)

    def asked(self, step: Step, event: SyncRequested) -> None:
        """A backup asked its primary for the fragment."""
        if self.asking.pop(step.member, None) is not None:
            return
        slot = self._slot_acting(step, event.index)
        if slot is not None and slot in self.seats.unsure | self._may_ask:
            self._may_ask.discard(slot)
            self._register(slot)
        elif slot is not None:
            self.behaviour.refuse(step, f"replica {slot} asks for a sync without a reason, or a second time")

    def asked_not(self, step: Step, member: int) -> None:
        """A backup had a reason to ask and could not: as if its request was lost, and forgotten."""
        slot = self.asking.pop(member, None)
        if slot is not None and self.seats.slots[slot] == member:
            self._forget_sync(step, slot)

    def answered(self, step: Step, event: SyncAnswered | SyncTurnedDown) -> None:
        """A primary answered a request, with the fragment or with a no."""
        slot, behaviour = self.seats.slot_of(event.to), self.behaviour
        if not self._is_primary(step):
            return
        if slot is None or slot == 0 or slot in self.seats.unsure or slot != event.index:
            behaviour.differ(STRANGER_ASKS)
            return
        if behaviour["link"][slot - 1].request is None and self._outlived[slot]:
            self._outlived[slot] -= 1
            behaviour.differ(LATE_REQUEST)
            return
        for _ in behaviour["link"][slot - 1].urgent:
            behaviour.take(step, "urgent_message_is_lost", slot - 1)
        behaviour.take(
            step, "primary_answers" if isinstance(event, SyncAnswered) else "primary_turns_request_down", slot - 1
        )
        if isinstance(event, SyncAnswered) and 0 not in self.seats.unsure:
            versions = behaviour["primary"].versions
            behaviour.agree(step, "versions", event.versions[: len(versions)], versions)

    def installed(self, step: Step, event: SyncInstalled) -> None:
        """A backup replaced its fragment by the primary's."""
        slot, behaviour = self._slot_acting(step, event.index), self.behaviour
        if slot is None:
            return
        if slot in self.seats.unsure:
            self._look_again(slot, event.versions[slot - 1], is_dirty=False, is_by_sync=True)
            return
        behaviour.take(step, "answer_is_applied", slot - 1)
        said = self._replica(slot).versions
        behaviour.agree(step, "versions", event.versions[: len(said)], said)

    def sync_ended(self, step: Step, event: SyncEnded) -> None:
        """A sync ended with nothing installed."""
        slot, why = self._slot_acting(step, event.index), event.why
        if slot is None or slot in self.seats.unsure:
            return
        behaviour, urgent = self.behaviour, self.behaviour["link"][slot - 1].urgent
        if why == "turned down" and urgent and urgent[0].kind is UrgentKind.RETRY:
            behaviour.take(step, "retry_is_received", slot - 1)
        elif self._replica(slot).is_syncing:
            self._outlived[slot] += behaviour["link"][slot - 1].request is not None
            self._forget_sync(step, slot)
        elif why not in CANCELLED:
            behaviour.refuse(step, f"replica {slot} ends a sync it has not registered")

    def kept(self, step: Step, event: ReplicaKept) -> None:
        """A member cut down what it holds; whoever drops what the primary thinks it has is looked at again."""
        slot = self.seats.slot_of(step.member)
        if slot and slot != event.index:
            self._doubt(slot)

    def _is_primary(self, step: Step) -> bool:
        return self.seats.slots[0] == step.member and self.behaviour["primary"].standing is Standing.UP

    def _slot_acting(self, step: Step, index: int) -> int | None:
        """Return the slot a backup acts for, None where the primary's row does not give it that one."""
        if 0 < index < len(self.seats.slots) and self.seats.slots[index] == step.member:
            return index
        slot = self.seats.slot_of(step.member)
        if slot:
            self._doubt(slot)
        return None

    def _doubt(self, slot: int) -> None:
        if slot not in self.seats.unsure:
            self.behaviour.differ(OLDER_TABLE)
            self.seats.unsure.add(slot)

    def _look_again(self, slot: int, version: int, *, is_dirty: bool, is_by_sync: bool = False) -> None:
        """Bring a replica to what it just told of itself; what a sync brought may be under way as an update, too."""
        replica, link = self._replica(slot), self.behaviour["link"][slot - 1]
        versions = tuple(0 if entry < slot - 1 else version for entry in range(len(replica.versions)))
        fresh = replica._replace(versions=versions, is_dirty=is_dirty, is_syncing=False)
        behind = tuple(message for message in link.normal if message.versions[slot - 1] >= version + (not is_by_sync))
        self.seats.set_replica(slot, fresh, type(link)(behind, (), None))
        self.seats.unsure.discard(slot)
        self._may_ask |= {slot} if is_dirty else set()

    def _replica(self, slot: int) -> Plain:
        return self.behaviour["backup_replica"][slot - 1]

    def _make_room(self, under_way: int) -> None:
        """Go on in a world with longer lanes, where one more message has no room in this one."""
        constants = dict(self.behaviour.runner.world.constants)
        if under_way >= constants["lane_capacity"]:
            self.behaviour.runner = runner_of(len(self.seats.slots) - 1, 2 * under_way)

    def _lists(self, observer: int, slot: int) -> bool:
        holder = self.seats.slots[slot]
        return holder is not None and self._scene.lists_member(observer, holder)

    def _place_of(self, slot: int, kind: NormalKind, version: int) -> int | None:
        """Return where in the lane a message is that an event speaks of."""
        lane: Iterable[Plain] = self.behaviour["link"][slot - 1].normal
        matches = (m.kind is kind and m.index == slot - 1 and m.versions[slot - 1] == version for m in lane)
        return next((place for place, is_it in enumerate(matches) if is_it), None)

    def _lose(self, step: Step, slot: int, place: int) -> None:
        """Infer that what was before a message that came is lost; an urgent one goes before all sent after it."""
        link = self.behaviour["link"][slot - 1]
        for answer in link.urgent:
            if answer.kind is UrgentKind.ANSWER and link.normal[place].versions[slot - 1] > answer.versions[slot - 1]:
                self.behaviour.take(step, "urgent_message_is_lost", slot - 1)
        for _ in range(place):
            self.behaviour.take(step, "normal_message_is_lost", slot - 1)

    def _expect_request(self, member: int, slot: int, was_syncing: bool) -> None:
        if self._replica(slot).is_syncing and not was_syncing:
            self.asking[member] = slot

    def _register(self, slot: int) -> None:
        link = self.behaviour["link"][slot - 1]
        self.behaviour.differ(SECOND_CHECK)
        self.seats.set_replica(slot, self._replica(slot)._replace(is_syncing=True), link._replace(request=slot - 1))

    def _forget_sync(self, step: Step, slot: int) -> None:
        link = self.behaviour["link"][slot - 1]
        if link.request is not None:
            self.behaviour.take(step, "request_is_lost", slot - 1)
        for _ in link.urgent:
            self.behaviour.take(step, "urgent_message_is_lost", slot - 1)
        if self.behaviour["primary"].standing is Standing.UP:
            self.behaviour.take(step, "registration_expires", slot - 1)
