"""Who takes part in a job, and where partitions are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gridproof_model.events.jobs import JobStarted
from gridproof_properties.refinement.behaviour import Behaviour, OutOfScopeError, with_value
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.snapshot.differences import ALONE, EXPOSED, FROZEN, MEMBERS, TABLES
from gridproof_properties.refinement.step import Step

MEMBERS_MAX = 12
"""Members of the specification's world: one that starts anew is another one."""


@dataclass(slots=True)
class Tables:
    """Members and partitions of one job; mutable."""

    behaviour: Behaviour
    scene: Scene
    partition_count: int
    left: set[int] = field(default_factory=set)
    """Members that left gracefully."""
    was_frozen: bool = False
    """Whether the cluster's state ever forbade to promote."""
    was_empty: bool = False
    """Whether there was ever nobody to hold partitions: who leaves then hands nothing over."""
    participants: tuple[int, ...] = ()
    _owners: tuple[int, ...] = ()
    """The member in charge, by partition, as planned."""
    _numbers: list[int] = field(default_factory=list)
    """Members by their number in the specification."""

    def plan(self, step: Step, event: JobStarted) -> None:
        """Take in who takes part from now on, who is in charge as planned, and where backups are by now.

        A partition may have moved since the plan was made; who is in charge stays. Then who has it now stands for its
        backup.
        """
        self.participants = event.participants
        self._let_in(self.participants)
        up = tuple(self._is_there(number) for number in range(MEMBERS_MAX))
        if up != self.behaviour["is_up"]:
            self.behaviour.differ(MEMBERS, {"is_up": up})
        self._owners = event.owners
        keepers = [self._keeper(step.member, partition) for partition in range(self.partition_count)]
        size = len(self.behaviour["owner"])
        owner = tuple(self._numbers.index(self._owners[place % self.partition_count]) for place in range(size))
        keeper = tuple(
            None if (one := keepers[place % self.partition_count]) is None else self._numbers.index(one)
            for place in range(size)
        )
        if None in keeper:
            self.behaviour.differ(ALONE)
            keeper = tuple(owner[place] if one is None else one for place, one in enumerate(keeper))
        if (owner, keeper) != (self.behaviour["owner"], self.behaviour["keeper"]):
            self.behaviour.differ(TABLES, {"owner": owner, "keeper": keeper})

    def lose_the_dead(self, step: Step) -> bool:
        """Take it that members are lost, oldest first; return whether any was."""
        self._let_in(member for member in self.scene.alive if self.scene.may_stand_in(member, (), 0))
        gone = [member for member in self._numbers if self._is_up(member) and member not in self.scene.alive]
        if gone and self.was_frozen:
            raise OutOfScopeError(FROZEN)
        if gone and self.was_empty:
            raise OutOfScopeError(EXPOSED)
        for member in gone:
            number = self._numbers.index(member)
            if member in self.left:
                self._take_leave(number)
            elif self._is_alone(number):
                raise OutOfScopeError(EXPOSED)
            else:
                self.behaviour.take(step, "member_is_lost", number)
                if self.behaviour["was_exposed"]:
                    raise OutOfScopeError(EXPOSED)
        return bool(gone)

    def secure(self, step: Step) -> None:
        """Take it that backups were made and repaired: the cluster is safe when a job goes on."""
        behaviour = self.behaviour
        for partition, keeper in enumerate(behaviour["keeper"]):
            owner = behaviour["owner"][partition]
            others = (number for number, up in enumerate(behaviour["is_up"]) if up and number != owner)
            if keeper is None and (other := next(others, None)) is not None:
                behaviour.take(step, "new_backup_is_created", partition, other)
            elif keeper is None:
                same = behaviour["primary"][partition]
                behaviour.differ(
                    ALONE,
                    {
                        "keeper": with_value(behaviour["keeper"], partition, owner),
                        "backup": with_value(behaviour["backup"], partition, same),
                        "backup_ledger": behaviour["primary_ledger"],
                    },
                )
            elif behaviour.may("anti_entropy_repairs_backup", partition):
                behaviour.take(step, "anti_entropy_repairs_backup", partition)

    def partitions_at(self, member: int) -> Sequence[int]:
        """Return the partitions whose counter a member is, with those of the specification that a run does not have."""
        size = len(self.behaviour["owner"])
        return [place for place in range(size) if self._owners[place % self.partition_count] == member]

    def shards_at(self, member: int, shards: int) -> Sequence[int]:
        """Return the sources of a member; those of the specification that a run does not have are the oldest's."""
        place = self.participants.index(member)
        mine = list(range(place, shards, len(self.participants)))
        return [*mine, *range(shards, len(self.behaviour["owner"]))] if place == 0 else mine

    def _keeper(self, coordinator: int, partition: int) -> int | None:
        """Return who else has a partition, as the coordinator knows: its backup, or its primary if it has moved."""
        row = self.scene.rows.get((coordinator, partition), ())
        others = (member for member in row[:2] if member != self._owners[partition])
        return next((member for member in others if member in self._numbers), None)

    def _let_in(self, members: Iterable[int]) -> None:
        """Let members be there that are new."""
        new = sorted(set(members) - set(self._numbers))
        self._numbers += new
        if len(self._numbers) > MEMBERS_MAX:
            raise OutOfScopeError(MEMBERS)
        for member in new:
            self.behaviour.differ(
                MEMBERS, {"is_up": with_value(self.behaviour["is_up"], self._numbers.index(member), True)}
            )

    def _take_leave(self, number: int) -> None:
        behaviour = self.behaviour
        changes: Mapping[str, object] = {"is_up": with_value(behaviour["is_up"], number, False)}
        if True not in behaviour["is_up"][:number]:
            changes = {**changes, "memory": behaviour["primary_ledger"].record}
        behaviour.differ(MEMBERS, changes)

    def _is_alone(self, number: int) -> bool:
        """Whether a member stands for the backup of a partition of its own, since nobody else has one (`ALONE`)."""
        pairs = zip(self.behaviour["owner"], self.behaviour["keeper"], strict=True)
        return any(owner == keeper == number for owner, keeper in pairs)

    def _is_up(self, member: int) -> bool:
        return bool(self.behaviour["is_up"][self._numbers.index(member)])

    def _is_there(self, number: int) -> bool:
        return number < len(self._numbers) and self._numbers[number] in self.participants
