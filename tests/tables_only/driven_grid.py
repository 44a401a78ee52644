"""The reference grid, driven step by step and recorded.

Every change of membership and every look becomes records, and the records go to a sink: judges, a list, a trace. All
members carry a zone, so that groups can be by member or by zone; which of them counts may change with any membership
change, as it may where groups come from a program of one's own (seed: Partition Group Configuration, SPI).
"""

from gridproof_implementation.adapter import ObservedRow
from gridproof_implementation.placement.policy import PlacementPolicy
from gridproof_model.groups import ZONE_ATTRIBUTE, GroupType, PartitionGroupConfig
from gridproof_model.membership import Member
from gridproof_model.trace import MemberChange
from gridproof_properties.audits.recorder import Recorder, Sink
from tests.tables_only.grid import ReferenceGrid

BY_MEMBER = PartitionGroupConfig(GroupType.PER_MEMBER)
BY_ZONE = PartitionGroupConfig(GroupType.ZONE_AWARE)
SETTLE_DEADLINE_MS = 20_000


class DrivenGrid:
    """A reference grid and the recorder that watches it."""

    def __init__(
        self,
        sink: Sink,
        *,
        seed: int = 0,
        partition_count: int = 12,
        backup_count: int = 1,
        groups: PartitionGroupConfig = BY_MEMBER,
        policy: PlacementPolicy | None = None,
    ) -> None:
        self.grid = ReferenceGrid(seed, partition_count, groups, policy)
        self._recorder = Recorder("driven", sink)
        self._stages = 0
        self._recorder.head(
            system="reference", version="", seed=seed, partition_count=partition_count, backup_count=backup_count
        )

    @property
    def members(self) -> tuple[Member, ...]:
        """The members that run, oldest first."""
        return self.grid.members.members

    def join(self, zone: str, *, lite: bool = False) -> Member:
        """Start a member."""
        member = self.grid.start(lite=lite, attributes=((ZONE_ATTRIBUTE, zone),))
        self._recorder.joined(self.grid.now_ms, member, "")
        return member

    def crash(self, member: Member) -> None:
        """End a member without warning."""
        self.grid.crash(member.id)
        self._recorder.gone(self.grid.now_ms, member, MemberChange.CRASHED)

    def leave(self, member: Member) -> None:
        """Shut a member down gracefully."""
        self.grid.leave(member.id)
        self._recorder.gone(self.grid.now_ms, member, MemberChange.LEFT)

    def promote(self, member: Member) -> None:
        """Turn a lite member into a data member."""
        self.grid.promote(member.id)

    def regroup(self, groups: PartitionGroupConfig) -> None:
        """Group members otherwise from the next change of membership on."""
        self.grid.groups = groups

    def look(self) -> None:
        """Record the table of every member, whatever is going on."""
        self._stages += 1
        self._show(f"stage {self._stages}", settled=self.grid.why_unsettled() is None)

    def settle(self, stage: str | None = None) -> None:
        """Let the grid come to rest, then record the table of every member.

        Raises TimeoutError when it does not come to rest: nothing that waits here waits for ever.
        """
        self._stages += 1
        for member in self.members[:1]:
            self.grid.table_of(member.id)  # the first look makes the first arrangement
        begin_ms = self.grid.now_ms
        while (awaited := self.grid.why_unsettled()) is not None:
            if self.grid.now_ms > begin_ms + SETTLE_DEADLINE_MS:
                raise TimeoutError(f"the reference grid does not come to rest: {awaited}")
            self.grid.wait(1)
        self._show(stage or f"stage {self._stages}", settled=True)

    def _show(self, stage: str, *, settled: bool) -> None:
        named = {member.id: group.name for group in self.grid.groups_now() for member in group.members}
        for member in self.members:
            self._recorder.updated(member, named.get(member.id, ""))
        for member in self.members:
            rows = [ObservedRow(row.slots, row.version) for row in self.grid.table_of(member.id).rows]
            self._recorder.view(self.grid.now_ms, stage, member, rows, settled=settled)
