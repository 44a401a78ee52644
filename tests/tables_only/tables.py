"""Every member's own partition table, and how rows travel.

Nothing here is shared: a member sees what it was sent, merged row by row (table.14). No message is
lost in this grid, so the table sent every interval (table.13) has nothing to repair and is left out.
"""

from collections.abc import Iterable

from gridproof_model.membership import MemberId
from gridproof_model.partition_table import PartitionRow, PartitionTable


class Tables:
    """The tables of the members that run."""

    def __init__(self, partition_count: int) -> None:
        self._partition_count = partition_count
        self._by_member: dict[MemberId, PartitionTable] = {}

    def __getitem__(self, member: MemberId) -> PartitionTable:
        return self._by_member[member]

    def admit(self, newcomer: MemberId, master: MemberId | None) -> None:
        """Give a newcomer its table: the master's, sent as it finishes joining (table.12), else an empty one."""
        empty = PartitionTable.empty(self._partition_count)
        self._by_member[newcomer] = empty if master is None else empty.merged(self._by_member[master])

    def forget(self, gone: MemberId) -> None:
        """Drop the table of a member that is gone; it lived in that member's memory only (table.3)."""
        del self._by_member[gone]

    def replace(self, member: MemberId, table: PartitionTable) -> None:
        """Set a member's table, after a change of its own making."""
        self._by_member[member] = table

    def set_row(self, member: MemberId, partition: int, row: PartitionRow) -> None:
        """Set one row in one member's table: the commit of a migration."""
        rows = list(self._by_member[member].rows)
        rows[partition] = row
        self._by_member[member] = self._by_member[member].with_rows(rows)

    def publish(self, master: MemberId) -> None:
        """Send the master's table to everyone; each merges it into its own."""
        sent = self._by_member[master]
        self._by_member = {member: table.merged(sent) for member, table in self._by_member.items()}

    def fetch(self, master: MemberId) -> None:
        """Let a new master take the newest row of each partition from anyone (table.21), then publish."""
        newest = self._by_member[master]
        for table in self._by_member.values():
            newest = newest.merged(table)
        self._by_member[master] = newest
        self.publish(master)

    def behind(self, master: MemberId, members: Iterable[MemberId]) -> MemberId | None:
        """Return a member whose table is not the master's, or None."""
        newest = self._by_member[master]
        return next((member for member in members if self._by_member[member] != newest), None)
