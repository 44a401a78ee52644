"""Notes of one migration, as actions of the specification.

Order, request, readiness, copy, commit at the destination, commit at the master, or failure: what each participant does
is held against the specification with the rows, versions and lists that the members have at that moment.
"""

from collections import Counter

from gridproof_model.migration import MigrationKind
from gridproof_model.spec import Plain
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

DONE = {
    "migration-opened": Stage.OPENED,
    "migration-readied": Stage.READY,
    "migration-copied": Stage.COPIED,
    "commit-ordered": Stage.COMMIT_SENT,
    "migration-committed": Stage.COMMITTED,
}
"""How far a migration is after a step."""


Versions = dict[tuple[int, int], int]
"""Of rows, by member and partition."""


class Follower:
    """Follows one migration from its order to its outcome."""

    def __init__(self, behaviour: Behaviour, scene: Scene, versions: Versions, step: Step) -> None:
        self.behaviour = behaviour
        self.master = step.member
        self.place = (step.number("master"), step.number("number"))
        self.partition = step.number("partition")
        self._scene = scene
        self._versions = versions
        self._members = members_of(scene, step)
        self._width = width_of(scene, step)
        self._destination = step.number("destination")
        self._primary = step.number("primary")
        self._order(step)

    @property
    def stage(self) -> Stage:
        """How far the migration has come."""
        stage: Stage = self.behaviour["stage"][0]
        return stage

    def took_part(self, step: Step) -> None:
        """A participant or the master took the next step."""
        if list(Stage).index(self.stage) >= list(Stage).index(DONE[step.name]):
            self.behaviour.differ(REPEATED)
            return
        self._look()
        match step.name:
            case "migration-opened":
                self.behaviour.take(step, "primary_opens_migration", 0, self._index(step.member))
            case "migration-readied":
                self._hear_from(self._primary)
                self.behaviour.take(step, "destination_gets_ready", 0, self._index(step.member))
            case "migration-copied":
                self._hear_from(self._destination)
                self.behaviour.take(step, "primary_copies_data", 0, self._index(self._destination))
            case "commit-ordered":
                self.behaviour.take(step, "master_sends_commit", 0)
            case _:
                self.behaviour.take(step, "destination_commits", 0, self._index(step.member))

    def row_installed(self, step: Step) -> None:
        """The destination or the master has made the change, or the master has recorded the failure."""
        if step.text("why") == "committed" and step.member == self.master and self.stage is Stage.COMMITTED:
            if step.member != self._destination:
                self._look()
                self.behaviour.take(step, "master_commits", 0)
        elif step.text("why") == "failed" and step.member == self.master and self.stage is not Stage.ENDED:
            self._look()
            self._fail(step)
        elif step.text("why") != "committed" or step.member != self._destination or self.stage is not Stage.COMMITTED:
            return  # a row of another migration of the partition
        index = self._index(step.member)
        self.behaviour.agree(step, "version", step.number("version"), self.behaviour["version"][index])
        self.behaviour.agree(step, "slots", self._indices(step.slots("slots")), self.behaviour["row"][index])

    def ended(self, step: Step) -> None:
        """The master has recorded the outcome."""
        outcome = step.text("outcome")
        if outcome == "success" and self.stage is Stage.COMMITTED:
            self._look()
            self.behaviour.take(step, "master_commits", 0)
        elif outcome != "success" and self.stage is not Stage.ENDED:
            self._look()
            self._fail(step)
        said = self.behaviour["outcomes"][self._index(self.master)][0].value
        self.behaviour.agree(step, "outcome", outcome, said)

    def _order(self, step: Step) -> None:
        """The master asks for a migration."""
        self._look()
        if self._destination in self._scene.leaving:
            self._suppose(LEAVE_UNHEARD, self._destination, Life.RUNNING)
        for leaver in self._scene.leaving.intersection(self._members) - {self._destination}:
            if leaver not in self._scene.alive and self._scene.lists_member(self.master, leaver):
                self._suppose(DEATH_UNHEARD, leaver, Life.LEAVING)
        destination, slot, lower = self._index(self._destination), step.number("slot"), step.number("lower_slot")
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
            occupant, is_shift = row[slot], step.text("kind") == MigrationKind.SHIFT_UP_REPLACING
            may_order = self.behaviour.may("master_orders_migration", 0, destination, slot)
            if occupant is not None and is_shift and not may_order:
                if occupant in self._scene.leaving:
                    self._make_do(row)
                else:
                    self._suppose(COMES_BACK, occupant, Life.LEAVING)
            self.behaviour.take(step, "master_orders_migration", 0, destination, slot)
        plan = self.behaviour["plan"][0]
        self.behaviour.agree(step, "primary", self._index(self._primary), plan.primary)
        self.behaviour.agree(step, "initial_version", step.number("initial_version"), plan.initial)

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


def members_of(scene: Scene, step: Step) -> list[int]:
    """Return the members that matter to a migration, in the order in which they joined."""
    row = scene.rows.get((step.member, step.number("partition")), ())
    named = {step.member, step.number("destination"), step.number("primary"), *scene.lists.get(step.member, ())}
    return sorted(named | {holder for holder in row if holder is not None})


def width_of(scene: Scene, step: Step) -> int:
    """Return how many slots of the row a migration may touch: those that are filled, and those it names."""
    row = scene.rows.get((step.member, step.number("partition")), ())
    filled = [slot for slot, holder in enumerate(row) if holder is not None]
    return 1 + max(*filled, 1, step.number("slot"), step.number("lower_slot"), step.number("left_slot"))


def behaviour_of(scene: Scene, step: Step, differences: Counter[str]) -> Behaviour:
    """Return the beginning of a migration's behaviour."""
    runner = runner_of(len(members_of(scene, step)), width_of(scene, step))
    return Behaviour(runner, runner.start, differences)
