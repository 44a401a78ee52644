"""The grid port over a reference grid.

A view shows the slots that a structure with the chosen backup count uses, whatever the table plans beyond.
"""

from collections.abc import Sequence
from importlib.metadata import version
from typing import NoReturn

from gridproof_implementation.adapter import AdapterError, ObservedRow, Options, ReadAnswer, ReplicaContent, WriteAnswer
from gridproof_implementation.placement.policy import PlacementPolicy
from gridproof_implementation.reference.grid import ReferenceGrid
from gridproof_model.groups import ZONE_ATTRIBUTE, GroupError, GroupType, PartitionGroupConfig
from gridproof_model.identity import Member
from gridproof_model.partition_table import MAX_REPLICA_COUNT


class ReferencePort:
    """The grid port over a `ReferenceGrid`."""

    def __init__(
        self, options: Options, policy: PlacementPolicy | None = None, replica_count: int = MAX_REPLICA_COUNT
    ) -> None:
        self.version = version("gridproof")
        self.partition_count = options.partition_count
        self.backup_count = options.backup_count
        self.holds_data = False
        self._config = options.config
        self._hosts = options.hosts
        self._grid = ReferenceGrid(
            options.seed, options.partition_count, policy=policy, hosts=options.hosts, replica_count=replica_count
        )

    @property
    def now_ms(self) -> int:
        """Virtual milliseconds since the grid was opened."""
        return self._grid.now_ms

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        """Start a member; where the first one names a group, groups are zones and every data member needs one.

        Without a group, members are grouped and described as the user's configuration says, where there is one.
        """
        if self._config is not None and group is None:
            self._grid.groups = self._config.partition_groups
            return self._start(lite=lite, attributes=self._config.attributes)
        if len(self._grid.members) == 0:
            zones = PartitionGroupConfig(GroupType.PER_MEMBER if group is None else GroupType.ZONE_AWARE)
            self._grid.groups = zones
        elif not lite and (group is None) != (self._grid.groups.type is GroupType.PER_MEMBER):
            raise AdapterError("reference: either every data member is started in a group, or none is")
        attributes = () if group is None else ((ZONE_ATTRIBUTE, group),)
        return self._start(lite=lite, attributes=attributes)

    def _start(self, *, lite: bool, attributes: tuple[tuple[str, str], ...]) -> Member:
        member = self._grid.start(lite=lite, attributes=attributes)
        try:
            groups = self._grid.groups_now()
        except GroupError as error:
            raise AdapterError(f"reference: {error}") from None
        if not groups and len(self._grid.members.data_members) > len(self._hosts):
            raise AdapterError(
                f"reference: no member matches a configured member-group (the youngest is {member}), "
                "so nothing would ever be assigned; give hosts that the interfaces match"
            )
        return member

    def members(self) -> tuple[Member, ...]:
        """The members that run, oldest first."""
        return self._grid.members.members

    def group_of(self, member: Member) -> str:
        """The partition group that the grid itself computes; empty for a lite member."""
        return next((group.name for group in self._grid.groups_now() if member in group.members), "")

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        """The member's own table."""
        used = 1 + self.backup_count
        return [ObservedRow(row.slots[:used], row.version) for row in self._grid.table_of(observer.id).rows]

    def why_unsettled(self) -> str | None:
        """What the grid has still to do."""
        return self._grid.why_unsettled()

    def wait(self, duration_ms: int) -> None:
        """Let virtual time pass."""
        self._grid.wait(duration_ms)

    def crash(self, member: Member) -> None:
        """Take the member away."""
        self._grid.crash(member.id)

    def leave(self, member: Member) -> None:
        """Shut the member down gracefully."""
        self._grid.leave(member.id)

    def partition_of(self, key: str) -> int:
        """Refused: tables only."""
        _no_data()

    def write(self, key: str, value: str) -> WriteAnswer:
        """Refused: tables only."""
        _no_data()

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        """Refused: tables only."""
        _no_data()

    def read_replica(self, member: Member, partition: int) -> ReplicaContent | None:
        """Refused: tables only."""
        _no_data()


def _no_data() -> NoReturn:
    raise AdapterError("reference: this grid holds tables only, no entries: look at its tables instead")
