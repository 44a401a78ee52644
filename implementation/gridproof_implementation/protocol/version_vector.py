"""Version vectors, and the rules by which they are raised, compared, taken over and promoted.

Entry `i - 1` counts the updates that replica `i` should have applied; the backup with replica index `i` knows only the
entries from `i - 1` upward, and has 0 in the lower entries (backups.8). Each rule is one function, which is called
through this module."""

from gridproof_model.events.words import Applied
from gridproof_model.partition_table import MAX_BACKUP_COUNT

Versions = tuple[int, ...]
"""A version vector of six numbers; immutable, so it is replaced at every change."""
NO_VERSIONS: Versions = (0,) * MAX_BACKUP_COUNT


def judge(own: int, brought: int) -> Applied | None:
    """Return how a backup with version `own` applies an update with version `brought`; None if the update is stale
    (backups.10)."""
    if brought == own + 1:
        return Applied.NEXT
    # A stale update is refused: its older state would overwrite a newer one (defect HZ-49).
    if brought < own:
        return None
    # An equal version need not mean a repetition: after a promotion it may be a dead primary's (docs/findings.md).
    return Applied.EQUAL if brought == own else Applied.GAPPED


def entry_of(versions: Versions, index: int) -> int:
    """Return the entry that concerns a backup: replica indices of backups start at 1, entries at 0 (defect HZ-51)."""
    return versions[index - 1]


def counted(versions: Versions, backups: int) -> Versions:
    """Return the vector after an update, for the configured number of backups, even if fewer exist (backups.9)."""
    return tuple([version + 1 for version in versions[:backups]]) + versions[backups:]


def taken_over(own: Versions, brought: Versions, index: int) -> Versions:
    """Return a backup's vector after an update: from its own entry on it has the entries of the update (backups.10)."""
    return own[: index - 1] + brought[index - 1 :]


def known_to(versions: Versions, index: int) -> Versions:
    """Return what the replica with this index knows of a vector: it has 0 for the entries of lower indices (backups.8).

    The primary, which has index 0, knows all entries, as the first backup does.
    """
    hotter = max(index, 1) - 1
    return (0,) * hotter + versions[hotter:]


def promoted(versions: Versions, from_index: int) -> Versions:
    """Return the vector of a new primary, made from the vector of the replica that is promoted (repair.9).

    The entries of lower replica indices, which were unknown, get the number of the replica's own entry.
    """
    hotter = from_index - 1
    return (versions[hotter],) * hotter + versions[hotter:]
