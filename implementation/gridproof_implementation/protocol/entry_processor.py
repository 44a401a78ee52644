"""What an entry processor is: logic run beside its entry.

Its backup is the operation, not its result: each backup runs a processor on its own value. So one that is not
idempotent diverges where an update was missed or came twice, until a full sync (calls.30).
`entry_processors/` holds them, one a file.
"""

from typing import Protocol


class ProcessorError(Exception):
    """A processor failed: the entry stays as it was."""


class EntryProcessor(Protocol):
    """Logic for one entry; an immutable value."""

    def process(self, value: str | None) -> tuple[str | None, object]:
        """Return the new value, None for no entry, and the caller's result; ProcessorError when it fails."""
        ...

    def for_backup(self) -> "EntryProcessor | None":
        """Return what backups run; None for a processor that changes nothing, which sends no backup."""
        ...
