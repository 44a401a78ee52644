"""Counting: the entry serves as an atomic counter."""

from dataclasses import dataclass

from gridproof_implementation.protocol.entry_processor import ProcessorError


@dataclass(frozen=True, slots=True)
class Increment:
    """Add to a number, and return the sum. An absent entry counts as 0."""

    by: int = 1

    def process(self, value: str | None) -> tuple[str | None, object]:
        """Return the sum as the new value and as the result; raise ProcessorError if the value is not a number."""
        try:
            new = int(value or "0") + self.by
        except ValueError:
            wrong = f"the value {value!r} cannot be incremented; first write a whole number to the key"
            raise ProcessorError(wrong) from None
        return str(new), new

    def for_backup(self) -> "Increment":
        """Return this processor itself: a backup adds to its own copy of the number, and is not sent the sum."""
        return self
