"""Who holds which slot, and what leads to another row.

The specification names backups by the slot they hold; here is who that is. When a primary has a new row, the actions
that lead to it are found: crashes, removals, promotion, copies, shifts. Slot 0 is the primary's, slot `i` of a row is
backup `i - 1` of the specification.
"""

from gridproof_model.language import Plain
from gridproof_model.specifications.replication.state import Standing
from gridproof_properties.refinement.behaviour import Behaviour, OutOfScopeError, with_value
from gridproof_properties.refinement.replication.differences import (
    BACKUP_DISMISSED,
    FORGOTTEN,
    LATE_COMMIT,
    MEMBERS_COME_AND_GO,
    PRIMARY_MOVES,
    RETURNED,
    UNDONE,
    UNHEARD,
)
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.step import Slots, Step


class Seats:
    """The row of a partition as its primary knows it, along with the state of the specification."""

    def __init__(self, behaviour: Behaviour, scene: Scene, partition: int, namespace: str, slots: Slots) -> None:
        self.behaviour = behaviour
        self._scene = scene
        self._partition = partition
        self._namespace = namespace
        self.slots = list(slots)
        self._former: int | None = None
        """The primary until just now: it needs to be given nothing."""
        self._givers: dict[int, tuple[int, Plain]] = {}
        """By slot, who gave it up in a migration that only its destination knows to be committed, and what it held."""
        self._unheard: set[int] = set()
        """Who has no slot any more, and has not heard of it."""
        self.dead_primary: int | None = None
        """The last one that was succeeded."""
        self.unsure: set[int] = set()
        """Slots whose replica has to be looked at again."""
        for slot, holder in enumerate(slots[1:], start=1):
            if holder not in scene.alive:
                # Whom the primary has struck off its list, though not yet out of its row, is passed over already.
                is_gone = holder is None or (slots[0] is not None and not scene.lists_member(slots[0], holder))
                self._put(slot, Standing.EMPTY if is_gone else Standing.CRASHED)
                self.slots[slot] = None if is_gone else holder

    def slot_of(self, member: int) -> int | None:
        """Return the slot a member holds, None where it holds none."""
        return self.slots.index(member) if member in self.slots else None

    def ended(self, step: Step, member: int) -> None:
        """Take in that a member is gone, whatever the others know of it."""
        slot = self.slot_of(member)
        if slot == 0:
            self.behaviour.take(step, "primary_crashes")
        elif slot is not None:
            self.behaviour.take(step, "backup_crashes", slot - 1)

    def removed(self, step: Step, member: int) -> None:
        """Take in that the primary has struck a dead member off its list."""
        slot = self.slot_of(member)
        if slot:
            self.behaviour.take(step, "crashed_backup_is_removed", slot - 1)
            self.slots[slot] = None

    def forgotten(self, member: int) -> None:
        """Take in that a backup drops what its primary does not name."""
        if (slot := self.slot_of(member)) and any(self.behaviour["backup_replica"][slot - 1].versions):
            self.behaviour.differ(FORGOTTEN)
            self.set_replica(slot, self._blank(Standing.UP), self.behaviour["link"][slot - 1])

    def installed_by(self, member: int, row: Slots) -> None:
        """Take in that a member has a row: once others have the destination's, its migration is not undone."""
        self._unheard -= {member}.difference(row)
        for slot in tuple(self._givers):
            if row[slot] == self.slots[slot] != member:
                del self._givers[slot]

    def set_listed(self, listed: int) -> None:
        """Let the member list have so many members that may own something."""
        behaviour = self.behaviour
        held = sum(replica.standing is not Standing.EMPTY for replica in behaviour["backup_replica"])
        spares = max(listed - held - (behaviour["primary"].standing is not Standing.EMPTY), 0)
        if spares != behaviour["spares"]:
            behaviour.differ(MEMBERS_COME_AND_GO, {"spares": spares})

    def rearrange(self, step: Step, row: Slots, *, is_committed: bool) -> None:
        """Take the actions that lead from the present row to the one the primary has now."""
        row = tuple(None if self._is_struck_off(slot, holder) else holder for slot, holder in enumerate(row))
        if row == tuple(self.slots):
            return
        self._bury(step, row)
        self._former = None
        given = {slot: (holder, self._held(slot)) for slot, holder in enumerate(self.slots) if holder is not None}
        if row[0] != self.slots[0]:
            self._succeed(step, row, is_committed=is_committed)
        for slot, holder in enumerate(row[1:], start=1):
            if holder is not None and holder != self.slots[slot]:
                self._fill(step, slot, holder, row)
        for slot, holder in enumerate(self.slots[1:], start=1):
            if holder is not None and row[slot] is None:
                self._dismiss(slot)
        self._unheard = (self._unheard | {holder for holder, _ in given.values()}).difference(row)
        self._givers |= {slot: gift for slot, gift in given.items() if gift[0] != row[slot] == step.member}

    def _is_struck_off(self, slot: int, holder: int | None) -> bool:
        return holder is not None and holder not in self._scene.alive and self.slots[slot] is None

    def _bury(self, step: Step, row: Slots) -> None:
        """Take the dead out of slots the new row does not give them."""
        for slot, holder in enumerate(self.slots[1:], start=1):
            if holder is not None and holder not in self._scene.alive and row[slot] != holder:
                self.behaviour.take(step, "crashed_backup_is_removed", slot - 1)
                self.slots[slot] = None

    def _succeed(self, step: Step, row: Slots, *, is_committed: bool) -> None:
        """Give the partition another primary."""
        behaviour, heir = self.behaviour, row[0]
        slot = self.slot_of(-1 if heir is None else heir)
        if behaviour["primary"].standing is Standing.UP:
            self._move_primary(step, heir, slot)
        elif not self._give_back(0, heir):
            behaviour.take(step, "crashed_primary_is_removed")
            self.dead_primary = self.slots[0]
            if heir is not None and is_committed:
                behaviour.differ(LATE_COMMIT, {"primary": self._whole(heir)})
                self._vacate(slot)
            elif slot is None and heir is not None and self._is_returned(heir):
                behaviour.differ(RETURNED, {"primary": self._blank(Standing.UP), "primary_changed": True})
            elif slot is None and heir in self._unheard:
                raise OutOfScopeError(UNHEARD)
            elif slot is None:
                self._make_room()
                behaviour.take(step, "lost_partition_is_assigned")
            else:
                behaviour.take(step, "backup_is_promoted", slot - 1)
                self.slots[slot] = None
                if slot in self.unsure:
                    self.unsure = {0, *self.unsure} - {slot}
        self.slots[0] = heir

    def _move_primary(self, step: Step, heir: int | None, slot: int | None) -> None:
        """The primary migrates: the new one holds what the old one held."""
        self.behaviour.differ(PRIMARY_MOVES)
        self._check_installed(step, heir, self.behaviour["primary"].versions, "the new primary was given versions")
        self._former, self.slots[0] = self.slots[0], None
        self._vacate(slot)

    def _fill(self, step: Step, slot: int, holder: int, row: Slots) -> None:
        """Give a slot to a member that has none, or has another one."""
        behaviour, present, came_from = self.behaviour, self.slots[slot], self.slot_of(holder)
        if present is not None:
            lower = next((place for place in range(slot + 1, len(row)) if row[place] == present), None)
            if lower and self.slots[lower] in (None, holder) and (came_from is None or came_from > slot):
                if came_from is not None:
                    self._dismiss(came_from)
                self.slots[lower], self.slots[slot] = present, holder
                self._shift_down(step, slot, lower)
                return
            self._dismiss(slot)
        if self._give_back(slot, holder):
            return
        if self._is_filled_otherwise(slot, holder):
            if came_from is not None:
                self._dismiss(came_from)
            self.slots[slot] = holder
            return
        if came_from is not None and came_from > slot:
            self._settle_link(step, came_from)
            behaviour.take(step, "replica_is_shifted_up", came_from - 1, slot - 1)
            self.slots[came_from] = None
        else:
            if came_from is not None:
                self._dismiss(came_from)
            self._make_room()
            behaviour.take(step, "replica_is_copied", slot - 1)
        self.slots[slot] = holder
        self.unsure -= {slot, came_from}
        if holder not in self._scene.alive:
            behaviour.take(step, "backup_crashes", slot - 1)
        else:
            self._check_copy(step, slot)

    def _shift_down(self, step: Step, slot: int, lower: int) -> None:
        """Fill a slot whose holder steps down."""
        if self.behaviour["primary"].standing is Standing.UP:
            self._make_room()
            self.behaviour.take(step, "replica_is_shifted_down", slot - 1, lower - 1)
            self._check_copy(step, slot)
            return
        holder = self.slots[slot]
        assert holder is not None
        self.behaviour.differ(LATE_COMMIT)
        self._put(slot, Standing.UP)
        self.set_replica(slot, self._whole(holder), self.behaviour["link"][slot - 1])
        self._put(lower, Standing.UP)
        self.unsure.add(lower)

    def _give_back(self, slot: int, holder: int | None) -> bool:
        """Whether the migration to a slot is undone, so that it has the holder it had; then it is done."""
        giver, held = self._givers.get(slot, (None, None))
        if giver is None or giver != holder:
            return False
        self._vacate(self.slot_of(giver))
        del self._givers[slot]
        if slot == 0:
            self.behaviour.differ(UNDONE, {"primary": held})
        else:
            self.behaviour.differ(UNDONE)
            self._put(slot, Standing.UP)
            self.unsure.add(slot)
        self.slots[slot] = giver
        return True

    def _held(self, slot: int) -> Plain:
        return self.behaviour["primary"] if slot == 0 else self.behaviour["backup_replica"][slot - 1]

    def _is_filled_otherwise(self, slot: int, holder: int) -> bool:
        """Whether a slot is filled in a way the specification does not have; then it is done."""
        behaviour = self.behaviour
        if self._is_returned(holder):
            behaviour.differ(RETURNED)
            self._put(slot, Standing.UP)
            return True
        if behaviour["primary"].standing is Standing.UP:
            return False
        behaviour.differ(LATE_COMMIT)
        self._put(slot, Standing.UP)
        self.set_replica(slot, self._whole(holder), behaviour["link"][slot - 1])
        return True

    def _whole(self, holder: int) -> Plain:
        """Return the replica of a member that was given everything before it committed."""
        blank = self._blank(Standing.UP)
        place = (holder, self._partition, self._namespace)
        versions = self._scene.installed.get(place, blank.versions)[: len(blank.versions)]
        return blank._replace(versions=versions, content=(self.behaviour["executed"],) * len(blank.content))

    def _is_returned(self, holder: int) -> bool:
        """Whether a member has been given a slot back and holds nothing in it."""
        place = (holder, self._partition)
        return place in self._scene.returned and (*place, self._namespace) not in self._scene.installed

    def _settle_link(self, step: Step, slot: int) -> None:
        """Whoever is shifted has its urgent messages behind it: what did not come is lost."""
        link = self.behaviour["link"][slot - 1]
        if link.request is not None:
            self.behaviour.take(step, "request_is_lost", slot - 1)
        for _ in link.urgent:
            self.behaviour.take(step, "urgent_message_is_lost", slot - 1)

    def _check_copy(self, step: Step, slot: int) -> None:
        versions = self.behaviour["backup_replica"][slot - 1].versions
        holder = self.slots[slot]
        if 0 not in self.unsure and holder != self._former:
            self._check_installed(step, holder, versions, f"replica {slot} was given versions")

    def _check_installed(self, step: Step, holder: int | None, versions: tuple[int, ...], what: str) -> None:
        """Hold what migrated to a member against the specification; nothing migrates where nothing was written."""
        assert holder is not None
        installed = self._scene.installed.get((holder, self._partition, self._namespace), (0,) * len(versions))
        self.behaviour.agree(step, what, installed[: len(versions)], versions)

    def _dismiss(self, slot: int) -> None:
        self.behaviour.differ(BACKUP_DISMISSED)
        self._vacate(slot)

    def _vacate(self, slot: int | None) -> None:
        """Leave a slot empty whose holder has another one now."""
        if slot is not None:
            self._put(slot, Standing.EMPTY)
            self.slots[slot] = None

    def _make_room(self) -> None:
        if self.behaviour["spares"] == 0:
            self.behaviour.differ(MEMBERS_COME_AND_GO, {"spares": 1})

    def _put(self, slot: int, standing: Standing) -> None:
        """Leave nothing of a backup, nor of what is under way to it."""
        behaviour = self.behaviour
        self.set_replica(slot, self._blank(standing), type(behaviour["link"][slot - 1])((), (), None))

    def _blank(self, standing: Standing) -> Plain:
        """Return a replica with nothing in it."""
        replica = self.behaviour["primary"]
        return type(replica)(standing, (0,) * len(replica.versions), (0,) * len(replica.content), False, False, False)

    def set_replica(self, slot: int, replica: Plain, link: Plain) -> None:
        """Bring a replica and its link to where the run is; whoever does it counts the difference."""
        behaviour = self.behaviour
        behaviour.state = behaviour.state.replaced(
            {
                "backup_replica": with_value(behaviour["backup_replica"], slot - 1, replica),
                "link": with_value(behaviour["link"], slot - 1, link),
            }
        )
