"""What everybody around a call knows, put into its state."""

from gridproof_model.language import Plain
from gridproof_properties.refinement.behaviour import Behaviour, with_value
from gridproof_properties.refinement.invocation.differences import ENVIRONMENT
from gridproof_properties.refinement.invocation.worlds import ATTEMPTS, moved_to, runner_of
from gridproof_properties.refinement.scene import Scene


class Surroundings:
    """Rows, lists and members of one call, as the specification numbers them."""

    def __init__(self, behaviour: Behaviour, scene: Scene, caller: int, partition: int, backups: int) -> None:
        self._behaviour = behaviour
        self._scene = scene
        self._caller = caller
        self._partition = partition
        self._backups = backups
        self.indices: dict[int, int] = {}
        """Members that matter to this call."""

    def is_listed(self, member: int) -> bool:
        """Whether the caller has a member in its list."""
        return self._scene.lists_member(self._caller, member)

    def show_caller(self) -> None:
        """Put the caller's own row and list into the state."""
        row = self._row_of(self._caller)
        listed = tuple(self.is_listed(member) for member in self.indices)
        self.put(callers_row=row, callers_list=(*listed, *self._behaviour["callers_list"][len(listed) :]))

    def show_target(self, member: int, told: tuple[int, ...] | None = None, *, is_migrating: bool = False) -> None:
        """Put the row of whoever handles the request into the state; of an executed one, the backups that were told."""
        row = self._row_of(member)
        if told is not None:
            row = tuple(holder if slot == 0 or slot in told else None for slot, holder in enumerate(row))
        self.put(row=row, moving_slot=0 if is_migrating else None)

    def _row_of(self, member: int) -> tuple[int | None, ...]:
        row = self._scene.rows.get((member, self._partition), ())[: self._backups + 1]
        full = row + (None,) * (self._backups + 1 - len(row))
        return tuple(None if holder is None else self.index(holder) for holder in full)

    def put(self, **values: Plain) -> None:
        """Put values into the state, counting them where they are other than before."""
        changes = {name: value for name, value in values.items() if self._behaviour[name] != value}
        if changes:
            self._behaviour.differ(ENVIRONMENT, changes)

    def index(self, member: int) -> int:
        """Return the specification's number of a member, in a larger world when there is no room."""
        if member not in self.indices:
            index = self.indices[member] = len(self.indices)
            constants = dict(self._behaviour.runner.world.constants)
            if index >= constants["members"]:
                self._grow(2 * constants["members"], constants["attempts"])
            if member not in self._scene.alive:
                self.put(is_up=with_value(self._behaviour["is_up"], index, False))
        return self.indices[member]

    def make_room_for_attempts(self) -> None:
        """Go on in a world with more attempts, before they are used up."""
        constants = dict(self._behaviour.runner.world.constants)
        if self._behaviour["attempt"] + 2 > constants["attempts"] and constants["attempts"] < ATTEMPTS:
            self._grow(constants["members"], min(4 * constants["attempts"], ATTEMPTS))

    def _grow(self, members: int, attempts: int) -> None:
        self._behaviour.runner = runner_of(self._backups, members, attempts)
        self._behaviour.state = moved_to(self._behaviour.runner, self._behaviour.state)
