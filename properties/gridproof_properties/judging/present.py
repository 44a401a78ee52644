"""The data members that are there."""

from dataclasses import dataclass, field

from gridproof_model.trace import MemberRecord


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

    def is_another(self, member: int) -> bool:
        """Whether one is there beside a member."""
        return bool(self._began.keys() - {member})
