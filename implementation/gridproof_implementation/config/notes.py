"""What a user should know of a usable file."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Notes:
    """What was passed over, and what was taken, line by line."""

    found: list[tuple[int, str]] = field(default_factory=list)
    """Lines and sentences."""
    taken: list[tuple[int, str]] = field(default_factory=list)
    """Lines, and what each says that takes effect."""

    def add(self, line: int, sentence: str) -> None:
        """Note something about a line."""
        self.found.append((line, sentence))

    def take(self, line: int, what: str) -> None:
        """Say what of a line takes effect."""
        self.taken.append((line, what))
