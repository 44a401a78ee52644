"""A migration: one step by which a row comes nearer to its target.

A migration names the member that gives up a slot (source) and the member that gets a slot (destination), each with its
slots before and after. The kind of a migration is derived from its four slot indices; no index is derived from the kind
(placement.18).
"""

from dataclasses import dataclass

from gridproof_model.membership import MemberId
from gridproof_model.value import Word

PROMOTION_INCREMENT = 2
"""By how much a promotion increases the row version, whatever slot the backup had (migration.4, repair.3)."""


class MigrationError(ValueError):
    """A migration makes no sense for a row; the message names the migration and the reason."""


class MigrationKind(Word):
    """The documented kinds of migrations (placement.18)."""

    COPY = "copy"
    """A new replica is put into an empty slot; its data comes from the primary."""
    SHIFT_UP = "shift up"
    """A replica moves to an empty slot with a lower index."""
    MOVE = "move"
    """A new member takes the slot of another member, which leaves the row."""
    SHIFT_DOWN = "shift down"
    """A replica moves to an empty slot with a higher index, and a new member takes its old slot."""
    SHIFT_UP_REPLACING = "shift up, replacing"
    """A replica moves to a slot with a lower index, whose holder leaves the row."""
    SHIFT_UP_AND_DOWN = "shift up and down"
    """A replica moves to a slot with a lower index, whose holder moves to a slot with a higher index."""
    EXCHANGE = "exchange"
    """Two replicas swap their slots, or a promoted backup swaps with an empty slot; the replicas keep their data.

    Choice (placement.20): this kind is not documented; the documented kinds cannot swap two replicas without dropping
    one."""
    REMOVAL = "removal"
    """A slot is emptied during planning, without messages between members (placement.19)."""
    OWNER_ASSIGNMENT = "owner assignment"
    """A partition that has lost all its replicas gets an owner at once, without data (placement.19)."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A change of one or two replicas of one partition; an index is None if the replica then has no slot in the row."""

    partition: int
    source: MemberId | None = None
    """The member that gives up its slot."""
    source_index: int | None = None
    source_new_index: int | None = None
    destination: MemberId | None = None
    """The member that gets a slot."""
    destination_index: int | None = None
    destination_new_index: int | None = None

    def __post_init__(self) -> None:
        if (self.source is None) != (self.source_index is None):
            raise MigrationError(f"partition {self.partition}: give both a source and its slot, or neither")
        if (self.destination is None) != (self.destination_new_index is None):
            raise MigrationError(f"partition {self.partition}: give both a destination and its new slot, or neither")
        if self.source is None and self.destination is None:
            raise MigrationError(f"partition {self.partition}: a migration needs a source or a destination; give one")

    @property
    def kind(self) -> MigrationKind:
        """The documented kind that these indices amount to."""
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
        """By how much a successful migration increases the row version: by one for each changed slot (migration.4)."""
        slots = 1 + (self.source_new_index is not None) + (self.destination_index is not None)
        return slots - (self.kind is MigrationKind.EXCHANGE)

    @property
    def increment_when_failed(self) -> int:
        """By how much a failure raises the row version: by more than a destination's commit raises it (migration.4)."""
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
