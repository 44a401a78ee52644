"""An entry processor: logic that is run on the members that have the entry.

Backups get the processor, not its result: each backup runs it on its own value. So if a processor is not idempotent,
and an update was missed or came twice, copies differ until a full sync (calls.30). `entry_processors/` holds the
processors, one per file.
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
