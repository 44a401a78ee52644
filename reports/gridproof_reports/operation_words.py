"""What clients ask for, as people say it."""

from collections.abc import Mapping
from types import MappingProxyType

from gridproof_model.trace import OperationKind

OPERATION_WORDS: Mapping[OperationKind, tuple[str, str]] = MappingProxyType(
    {
        OperationKind.WRITE: ("write", "writes"),
        OperationKind.REMOVE: ("removal", "removals"),
        OperationKind.READ: ("read", "reads"),
        OperationKind.READ_REPLICA: ("look at one copy", "looks at single copies"),
        OperationKind.READ_BACKUP: ("read that a backup may answer", "reads that backups may answer"),
        OperationKind.CONTAINS: ("question whether an entry is there", "questions whether entries are there"),
        OperationKind.SIZE: ("count of entries", "counts of entries"),
        OperationKind.PUT_IF_ABSENT: ("write if absent", "writes if absent"),
        OperationKind.COMPARE_AND_SET: ("write if equal", "writes if equal"),
        OperationKind.COMPARE_AND_REMOVE: ("removal if equal", "removals if equal"),
        OperationKind.DESTROY: ("destruction", "destructions"),
        OperationKind.INSERT: ("insertion", "insertions"),
        OperationKind.DISCARD: ("discard", "discards"),
        OperationKind.ASK_SAFE: ("question of safety", "questions of safety"),
        OperationKind.ADD: ("addition", "additions"),
        OperationKind.APPEND: ("append", "appends"),
        OperationKind.OFFER: ("offer", "offers"),
        OperationKind.POLL: ("poll", "polls"),
        OperationKind.LOCK: ("lock", "locks"),
        OperationKind.UNLOCK: ("unlock", "unlocks"),
    }
)
"""In the singular and the plural."""


def name_operations(kind: OperationKind, number: int) -> str:
    """Return what so many operations of a kind are called; a kind without words of its own by its name."""
    singular, plural = OPERATION_WORDS.get(kind, (kind.value, f"{kind.value} operations"))
    return singular if number == 1 else plural
