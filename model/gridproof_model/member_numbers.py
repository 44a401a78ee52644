"""Members by their numbers in a trace."""

from collections.abc import Iterable

from gridproof_model.identity import MemberId


class MemberNumbers(dict[MemberId, int]):
    """The number of each member, from 0 in the order in which they are first asked for.

    All members of a run share one, so that their events name the same member alike; a member that is alone has its own.
    """

    def __missing__(self, member: MemberId) -> int:
        """Give a member that has none the next number."""
        number = self[member] = len(self)
        return number

    def of(self, members: Iterable[MemberId]) -> tuple[int, ...]:
        """Return the numbers of several members, in their order."""
        return tuple([self[member] for member in members])

    def row(self, slots: Iterable[MemberId | None]) -> tuple[int | None, ...]:
        """Return the slots of a row by number, empty ones as None."""
        return tuple([None if member is None else self[member] for member in slots])
