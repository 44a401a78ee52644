"""Entry processors that only tests ask for."""

from dataclasses import dataclass

from gridproof_implementation.protocol.entry_processors.throw import Throw


@dataclass(frozen=True, slots=True)
class Append:
    """Append a word; gives the text as it was before."""

    word: str

    def process(self, value: str | None) -> tuple[str | None, object]:
        """Return the longer text, and the old one as the result."""
        return self.word if value is None else f"{value} {self.word}", value

    def for_backup(self) -> "Append":
        """Return the same."""
        return self


@dataclass(frozen=True, slots=True)
class Inspect:
    """Give the value; it still travels as an operation that changes entries (strict.4)."""

    def process(self, value: str | None) -> tuple[str | None, object]:
        """Return the value twice."""
        return value, value

    def for_backup(self) -> None:
        """Return nothing: no backup is sent."""
        return


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
