"""Throws: processors that fail, on the primary or on backups."""

from dataclasses import dataclass

from gridproof_implementation.protocol.entry_processor import ProcessorError


@dataclass(frozen=True, slots=True)
class Throw:
    """Fail wherever it runs."""

    why: str = "it was asked to"

    def process(self, value: str | None) -> tuple[str | None, object]:
        """Fail."""
        raise ProcessorError(self.why)

    def for_backup(self) -> "Throw":
        """Return the same."""
        return self


@dataclass(frozen=True, slots=True)
class ThrowOnBackup:
    """Set a value on the primary, and fail on every backup (defect HZ-56)."""

    value: str

    def process(self, value: str | None) -> tuple[str | None, object]:
        """Return the new value, and the old one as the result."""
        return self.value, value

    def for_backup(self) -> Throw:
        """Return a processor that fails."""
        return Throw()
