"""Events of one migration, as actions of the specification.

Order, request, readiness, copy, commit at the destination, commit at the master, or failure: what each participant does
is held against the specification with the rows, versions and lists that the members have at that moment.
"""

from collections import Counter
from collections.abc import Mapping
from typing import assert_never

from gridproof_model.events.migration import (
    CommitOrdered,
    MigrationCommitted,
    MigrationCopied,
    MigrationEnded,
    MigrationOpened,
    MigrationOrdered,
    MigrationReadied,
)
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.language import Plain
from gridproof_model.migration import MigrationKind
from gridproof_model.specifications.ownership.state import Life, Stage
from gridproof_properties.refinement.behaviour import Behaviour, Difference
from gridproof_properties.refinement.ownership.differences import (
    COMES_BACK,
    COMMIT_REFUSED,
    DEATH_UNHEARD,
    FEWER_STAY,
    LAST_WORDS,
    LEAVE_UNHEARD,
    OTHERS_ACT,
    REPEATED,
)
from gridproof_properties.refinement.ownership.worlds import runner_of
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.step import Slots, Step

Done = MigrationOpened | MigrationReadied | MigrationCopied | CommitOrdered | MigrationCommitted
"""What participants and the master do, in this order."""
DONE: Mapping[type[Done], Stage] = {
    MigrationOpened: Stage.OPENED,
    MigrationReadied: Stage.READY,
    MigrationCopied: Stage.COPIED,
    CommitOrdered: Stage.COMMIT_SENT,
    MigrationCommitted: Stage.COMMITTED,
}
"""How far a migration is after a step."""


Versions = dict[tuple[int, int], int]
"""Of rows, by member and partition."""


class Follower:
    """Follows one migration from its order to its outcome."""

    def __init__(
        self, behaviour: Behaviour, scene: Scene, versions: Versions, step: Step, event: MigrationOrdered
    ) -> None:
        self.behaviour = behaviour
        self.master = step.member
        self.place = (event.master, event.number)
        self.partition = event.partition
        self._scene = scene
        self._versions = versions
        self._members = members_of(scene, step, event)
        self._width = width_of(scene, event, step.member)
        self._destination = event.destination
        self._primary = event.primary
        self._order(step, event)

    @property
    def stage(self) -> Stage:
        """How far the migration has come."""
        stage: Stage = self.behaviour["stage"][0]
        return stage

    def took_part(self, step: Step, event: Done) -> None:
        """A participant or the master took the next step."""
        if list(Stage).index(self.stage) >= list(Stage).index(DONE[type(event)]):
            self.behaviour.differ(REPEATED)
            return
        self._look()
        match event:
            case MigrationOpened():
                self.behaviour.take(step, "primary_opens_migration", 0, self._index(step.member))
            case MigrationReadied():
                self._hear_from(self._primary)
                self.behaviour.take(step, "destination_gets_ready", 0, self._index(step.member))
            case MigrationCopied():
                self._hear_from(self._destination)
                self.behaviour.take(step, "primary_copies_data", 0, self._index(self._destination))
            case CommitOrdered():
                self.behaviour.take(step, "master_sends_commit", 0)
            case MigrationCommitted():
                self.behaviour.take(step, "destination_commits", 0, self._index(step.member))
            case _:
                assert_never(event)

    def row_installed(self, step: Step, event: RowInstalled) -> None:
        """The destination or the master has made the change, or the master has recorded the failure."""
        if event.why == "committed" and step.member == self.master and self.stage is Stage.COMMITTED:
            if step.member != self._destination:
                self._look()
                self.behaviour.take(step, "master_commits", 0)
        elif event.why == "failed" and step.member == self.master and self.stage is not Stage.ENDED:
            self._look()
            self._fail(step)
        elif event.why != "committed" or step.member != self._destination or self.stage is not Stage.COMMITTED:
            return  # a row of another migration of the partition
        index = self._index(step.member)
        self.behaviour.agree(step, "version", event.version, self.behaviour["version"][index])
        self.behaviour.agree(step, "slots", self._indices(event.slots), self.behaviour["row"][index])

    def ended(self, step: Step, event: MigrationEnded) -> None:
        """The master has recorded the outcome."""
        outcome = event.outcome
        if outcome == "success" and self.stage is Stage.COMMITTED:
            self._look()
            self.behaviour.take(step, "master_commits", 0)
        elif outcome != "success" and self.stage is not Stage.ENDED:
            self._look()
            self._fail(step)
        said = self.behaviour["outcomes"][self._index(self.master)][0].value
        self.behaviour.agree(step, "outcome", outcome, said)

    def _order(self, step: Step, event: MigrationOrdered) -> None:
        """The master asks for a migration."""
        self._look()
        if self._destination in self._scene.leaving:
            self._suppose(LEAVE_UNHEARD, self._destination, Life.RUNNING)
        for leaver in self._scene.leaving.intersection(self._members) - {self._destination}:
            if leaver not in self._scene.alive and self._scene.lists_member(self.master, leaver):
                self._suppose(DEATH_UNHEARD, leaver, Life.LEAVING)
        destination, slot = self._index(self._destination), event.slot
        lower = -1 if event.lower_slot is None else event.lower_slot
        row = self._scene.rows[self.master, self.partition]
        vacant = slot if row[slot] in self._scene.leaving else -1  # whoever stays is in nobody's way
        listed = (
            is_listed
            and (member in row or member == self._destination or self._scene.may_stand_in(member, row, vacant))
            for member, is_listed in zip(self._members, self.behaviour["listed"], strict=True)
        )
        self.behaviour.differ(OTHERS_ACT, {"listed": tuple(listed)})
        if lower > slot >= 0:
            self.behaviour.take(step, "master_orders_shift_down", 0, destination, slot, lower)
        else:
            occupant, is_shift = row[slot], event.kind == MigrationKind.SHIFT_UP_REPLACING
            may_order = self.behaviour.may("master_orders_migration", 0, destination, slot)
            if occupant is not None and is_shift and not may_order:
                if occupant in self._scene.leaving:
                    self._make_do(row)
                else:
                    self._suppose(COMES_BACK, occupant, Life.LEAVING)
            self.behaviour.take(step, "master_orders_migration", 0, destination, slot)
        plan = self.behaviour["plan"][0]
        self.behaviour.agree(step, "primary", self._index(self._primary), plan.primary)
        self.behaviour.agree(step, "initial_version", event.initial_version, plan.initial)

    def _make_do(self, row: Slots) -> None:
        """Let nobody stand in for a leaver where a row has more copies than there will be groups."""
        if sum(holder is not None for holder in row) > self._scene.data_groups(self.master, self._scene.leaving):
            pairs = zip(self._members, self.behaviour["listed"], strict=True)
            named = {*row, self._destination}
            self.behaviour.differ(FEWER_STAY, {"listed": tuple(is_so and member in named for member, is_so in pairs)})

    def _fail(self, step: Step) -> None:
        behaviour = self.behaviour
        if behaviour.may("migration_fails_with_its_member", 0):
            behaviour.take(step, "migration_fails_with_its_member", 0)
            return
        if self.stage in (Stage.COMMIT_SENT, Stage.COMMITTED):
            behaviour.differ(COMMIT_REFUSED, {"stage": (Stage.COPIED,)})
        behaviour.take(step, "request_fails", 0)

    def _look(self) -> None:
        """Put what everybody has just now into the state."""
        behaviour, scene = self.behaviour, self._scene
        master = self._index(self.master)
        follows = [self._master_of(member) for member in self._members]
        changes: dict[str, Plain] = {
            "master": master,
            "arranged": True,
            "listed": tuple(scene.lists_member(self.master, member) for member in self._members),
            "life": tuple(self._life_of(member) for member in self._members),
            "follows": tuple(follows),
            "row": tuple(self._row_of(member) for member in self._members),
            "version": tuple(self._versions.get((member, self.partition), 0) for member in self._members),
            "holds": tuple(self._row_of(member)[0] is not None for member in self._members),
        }
        changes = {name: value for name, value in changes.items() if behaviour[name] != value}
        if changes:
            behaviour.differ(OTHERS_ACT, changes)

    def _hear_from(self, member: int) -> None:
        """Let what a participant said arrive, though it may have died meanwhile."""
        if member not in self._scene.alive:
            self._suppose(LAST_WORDS, member, Life.RUNNING)

    def _suppose(self, difference: Difference, member: int, believed: Life) -> None:
        """Let a member be, for the next step, what who takes that step believes it to be."""
        others = zip(self._members, self.behaviour["life"], strict=True)
        lives = tuple(believed if other == member else life for other, life in others)
        self.behaviour.differ(difference, {"life": lives})

    def _life_of(self, member: int) -> Life:
        if member not in self._scene.alive:
            return Life.GONE
        return Life.LEAVING if member in self._scene.leaving else Life.RUNNING

    def _master_of(self, member: int) -> int:
        listed = self._scene.lists.get(member, ())
        return self._index(listed[0]) if listed and listed[0] in self._members else self._index(member)

    def _row_of(self, member: int) -> tuple[int | None, ...]:
        return self._indices(self._scene.rows.get((member, self.partition), (None,) * self._width))

    def _indices(self, row: Slots) -> tuple[int | None, ...]:
        return tuple(self._index(holder) if holder in self._members else None for holder in row[: self._width])

    def _index(self, member: int | None) -> int:
        return self._members.index(-1 if member is None else member)


def members_of(scene: Scene, step: Step, event: MigrationOrdered) -> list[int]:
    """Return the members that matter to a migration, in the order in which they joined."""
    row = scene.rows.get((step.member, event.partition), ())
    named = {step.member, event.destination, event.primary, *scene.lists.get(step.member, ())}
    return sorted(named | {holder for holder in row if holder is not None})


def width_of(scene: Scene, event: MigrationOrdered, master: int) -> int:
    """Return how many slots of the row a migration may touch: those that are filled, and those it names."""
    row = scene.rows.get((master, event.partition), ())
    filled = [slot for slot, holder in enumerate(row) if holder is not None]
    return 1 + max(*filled, 1, event.slot, event.lower_slot or 0, event.left_slot or 0)


def behaviour_of(scene: Scene, step: Step, event: MigrationOrdered, differences: Counter[str]) -> Behaviour:
    """Return the beginning of a migration's behaviour."""
    runner = runner_of(len(members_of(scene, step, event)), width_of(scene, event, step.member))
    return Behaviour(runner, runner.start, differences)
