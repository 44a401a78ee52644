"""A processor that always fails, whether on the primary or on a backup."""

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
        """Return this processor itself."""
        return self
