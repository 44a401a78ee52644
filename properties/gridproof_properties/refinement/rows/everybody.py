"""What all members have, as a state of `ownership`."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from gridproof_model.language import Plain
from gridproof_model.partition_table import MAX_REPLICA_COUNT
from gridproof_model.specifications.ownership.state import Life, Promotion
from gridproof_properties.refinement.behaviour import Behaviour, OutOfScopeError
from gridproof_properties.refinement.ownership.worlds import runner_of
from gridproof_properties.refinement.rows.differences import CROWD, READ_OFF
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.step import Slots
from gridproof_properties.validation.engine import Onlooker

SIZES = (8, 24)
"""Members of the worlds that are followed."""
NOBODY: Slots = (None,) * MAX_REPLICA_COUNT
Row = tuple[Slots, int]
"""Slots and version."""


@dataclass(slots=True)
class Everybody:
    """Rows, lists and masters of all members; mutable."""

    differences: Counter[str]
    onlooker: Onlooker | None = None
    count: int = 0
    """How many members the run has shown so far."""
    scene: Scene = field(default_factory=Scene)
    rows: dict[tuple[int, int], Row] = field(default_factory=dict)
    """By member and partition, as installed."""
    masters: dict[int, int] = field(default_factory=dict)
    """Whom each member takes for the master."""

    def row(self, member: int, partition: int) -> Row:
        """Return what a member has of a partition."""
        return self.rows.get((member, partition), (NOBODY, 0))

    def look(
        self,
        master: int,
        partition: int,
        *,
        lists: int | None = None,
        promotion: Promotion = Promotion.NONE,
        fetching: bool = False,
        late: tuple[int, int, Row] | None = None,
        mine: Row | None = None,
        changed: Mapping[int, Row] | None = None,
        follows: Mapping[int, int] | None = None,
    ) -> Behaviour:
        """Return a behaviour that stands where the run is, as a master and one partition go."""
        size = next((size for size in SIZES if size >= self.count), None)
        if size is None:
            raise OutOfScopeError(CROWD)
        everybody, listed = range(size), self.scene.lists.get(master if lists is None else lists, ())
        rows = {member: self.row(member, partition) for member in everybody} | dict(changed or {})
        rows |= {} if mine is None else {master: mine}
        masters = self.masters | dict(follows or {})
        runner = runner_of(size, MAX_REPLICA_COUNT)
        changes: dict[str, Plain] = {
            "master": master,
            "arranged": True,
            "fetching": fetching,
            "promotion": promotion,
            "listed": tuple(member in listed for member in everybody),
            "life": tuple(Life.RUNNING if member in self.scene.alive else Life.GONE for member in everybody),
            "follows": tuple(masters.get(member, member) for member in everybody),
            "row": tuple(rows[member][0] for member in everybody),
            "version": tuple(rows[member][1] for member in everybody),
            "holds": tuple(rows[member][0][0] is not None for member in everybody),
        }
        if late is not None:
            sender, receiver, (slots, version) = late
            letter = runner.start["late"][0]
            sent = letter._replace(sender=sender, receiver=receiver, row=slots, version=version)
            changes["late"] = (sent, *runner.start["late"][1:])
        self.differences[READ_OFF.name] += 1
        return Behaviour(runner, runner.start.replaced(changes), self.differences, self.onlooker)
