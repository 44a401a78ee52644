"""One ordered step from a row to its target.

A migration names the replica that gives way (source) and the one that arrives (destination), each with its slot before
and after. Its kind follows from those four indices, never the other way round (placement.18).
"""

from dataclasses import dataclass

from gridproof_model.membership import MemberId
from gridproof_model.value import Word

PROMOTION_INCREMENT = 2
"""Versions a promotion adds, whatever slot the promoted backup leaves (migration.4, repair.3)."""


class MigrationError(ValueError):
    """A migration that no row allows; the message says which and why."""


class MigrationKind(Word):
    """The documented kinds (placement.18)."""

    COPY = "copy"
    """A new replica in an empty slot, its data from the primary."""
    SHIFT_UP = "shift up"
    """A replica moves to a hotter, empty slot."""
    MOVE = "move"
    """The occupant goes, a newcomer takes its slot."""
    SHIFT_DOWN = "shift down"
    """The occupant steps down to a colder, empty slot; a newcomer takes its place."""
    SHIFT_UP_REPLACING = "shift up, replacing"
    """A replica moves to a hotter slot, whose occupant goes."""
    SHIFT_UP_AND_DOWN = "shift up and down"
    """Both at once: the occupant steps down while the colder replica moves up."""
    EXCHANGE = "exchange"
    """Two replicas change places, as a promoted backup and a hole do; both keep their data.

    Choice (placement.20): not among the documented kinds, which cannot turn two replicas without dropping one."""
    REMOVAL = "removal"
    """A slot is cleared, while planning and without a protocol (placement.19)."""
    OWNER_ASSIGNMENT = "owner assignment"
    """A completely lost partition gets an owner, at once and without data (placement.19)."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A change of one or two replicas of one partition; an index is None where the replica has no slot."""

    partition: int
    source: MemberId | None = None
    """The replica that leaves its slot."""
    source_index: int | None = None
    source_new_index: int | None = None
    destination: MemberId | None = None
    """The replica that arrives."""
    destination_index: int | None = None
    destination_new_index: int | None = None

    def __post_init__(self) -> None:
        if (self.source is None) != (self.source_index is None):
            raise MigrationError(f"partition {self.partition}: give both a source and its slot, or neither")
        if (self.destination is None) != (self.destination_new_index is None):
            raise MigrationError(f"partition {self.partition}: give both a destination and its new slot, or neither")
        if self.source is None and self.destination is None:
            raise MigrationError(f"partition {self.partition}: a migration needs a source or a destination")

    @property
    def kind(self) -> MigrationKind:
        """The documented name of what these indices say."""
        if self.destination is None:
            return MigrationKind.REMOVAL
        if self.source is None:
            if self.destination_index is not None:
                return MigrationKind.SHIFT_UP
            return MigrationKind.OWNER_ASSIGNMENT if self.destination_new_index == 0 else MigrationKind.COPY
        if self.destination_index is None:
            return MigrationKind.MOVE if self.source_new_index is None else MigrationKind.SHIFT_DOWN
        if self.source_new_index is None:
            return MigrationKind.SHIFT_UP_REPLACING
        if self.source_new_index == self.destination_index:
            return MigrationKind.EXCHANGE
        return MigrationKind.SHIFT_UP_AND_DOWN

    @property
    def increment(self) -> int:
        """Versions a success adds: one for every slot that changes (migration.4)."""
        slots = 1 + (self.source_new_index is not None) + (self.destination_index is not None)
        return slots - (self.kind is MigrationKind.EXCHANGE)

    @property
    def increment_when_failed(self) -> int:
        """Versions a failure adds: past anything the destination may have committed (migration.4)."""
        return self.increment + 1

    def __str__(self) -> str:
        parts = [f"partition {self.partition}: {self.kind.value}"]
        if self.source is not None:
            parts.append(f"{self.source} {_slot(self.source_index)} to {_slot(self.source_new_index)}")
        if self.destination is not None:
            parts.append(f"{self.destination} {_slot(self.destination_index)} to {_slot(self.destination_new_index)}")
        return ", ".join(parts)


def _slot(index: int | None) -> str:
    return "outside" if index is None else f"slot {index}"
