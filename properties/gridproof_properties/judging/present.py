"""The data members that are there."""

from dataclasses import dataclass, field

from gridproof_model.trace import MemberRecord

LISTED_MS = 1_000
"""After so long a data member that has started is in its master's list, where nothing holds messages up."""


@dataclass(slots=True)
class Present:
    """Who has started and not ended; mutable."""

    _began: dict[int, MemberRecord] = field(default_factory=dict)

    def begin(self, record: MemberRecord) -> None:
        """A data member starts."""
        self._began[record.member] = record

    def end(self, member: int) -> bool:
        """A member ends; return whether it was one of them."""
        return self._began.pop(member, None) is not None

    @property
    def group_count(self) -> int:
        """How many partition groups they are in."""
        return len({began.group for began in self._began.values()})

    def stays_one(self, leaver: int, asked_ms: int) -> bool:
        """Whether one is there besides a leaver that was listed when the leaver asked to go.

        A master answers at once where all data members that it lists leave (reference partitioning 5.5, point 4), and
        does not list yet who joins at that moment.
        """
        return any(began.member != leaver and began.at_ms + LISTED_MS <= asked_ms for began in self._began.values())
