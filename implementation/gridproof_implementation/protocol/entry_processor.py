"""An entry processor: logic that is run on the members that have the entry.

Backups get the processor, not its result: each backup runs the processor on its own copy of the value. So if a
processor is not idempotent, and a backup misses an update or gets it twice, the copies differ until a full sync
(calls.30). `entry_processors/` holds the processors, one per file."""

from typing import Protocol


class ProcessorError(Exception):
    """A processor failed: the entry stays as it was."""


class EntryProcessor(Protocol):
    """Logic that is run on one entry; immutable."""

    def process(self, value: str | None) -> tuple[str | None, object]:
        """Return the entry's new value, or None to remove the entry, and the caller's result; raise ProcessorError on
        failure."""
        ...

    def for_backup(self) -> "EntryProcessor | None":
        """Return the processor that backups run; None if this processor changes nothing: backups then get no update."""
        ...
