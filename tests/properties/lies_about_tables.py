"""Grids whose tables say what is not so."""

from collections.abc import Sequence
from dataclasses import replace

from gridproof_implementation.adapter import ObservedRow
from gridproof_model.membership import Member, MemberId
from tests.properties.honest_grid import HonestGrid, Row


class SwapsTwoRows(HonestGrid):
    """Two whole rows are swapped in every view."""

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        table = list(super().view_table(observer))
        other = next((p for p, row in enumerate(table) if set(row.slots) != set(table[0].slots)), 0)
        table[0], table[other] = (replace(table[p], slots=table[q].slots) for p, q in ((0, other), (other, 0)))
        return table


class SwapsPrimaryAndBackup(HonestGrid):
    """Primary and backup are swapped in every row of every view."""

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        return [replace(row, slots=tuple(reversed(row.slots))) for row in super().view_table(observer)]


class SwapsTablesAndRoles(SwapsPrimaryAndBackup):
    """And each copy takes itself for the other."""

    def role_of(self, member: MemberId, slots: Sequence[MemberId | None]) -> str:
        return super().role_of(member, tuple(reversed(slots)))


class NamesOneMemberTwice(HonestGrid):
    """One row names its primary in the backup's slot, too."""

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        first, *others = super().view_table(observer)
        return [replace(first, slots=first.slots[:1] * len(first.slots)), *others]


class HidesMembersTables(HonestGrid):
    """Only the oldest member is there to be asked for its table; the others are hidden from whoever looks."""

    def members(self) -> tuple[Member, ...]:
        return super().members()[:1]


class ShowsOneTableForAll(HonestGrid):
    """The youngest member goes on by an old table, and the adapter shows the oldest one's as its own."""

    def publish(self) -> None:
        known = dict(self.tables)
        super().publish()
        if self.running:
            youngest = self.running[-1].id
            self.tables[youngest] = known[youngest] or self.tables[youngest]

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        return super().view_table(self.running[0])


class MembersDisagree(HonestGrid):
    """The youngest member shows one row the other way round."""

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        first, *others = super().view_table(observer)
        if observer == self.running[-1]:
            first = replace(first, slots=tuple(reversed(first.slots)))
        return [first, *others]


class KeepsVersions(HonestGrid):
    """Every row has version 1, whatever happens to it."""

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        return [replace(row, version=1) for row in super().view_table(observer)]


class TakesVersionsBack(HonestGrid):
    """After a crash the versions of rows begin anew."""

    def repair(self) -> None:
        self.versions = [-1000] * self.partition_count
        super().repair()


class NamesTheDead(HonestGrid):
    """A member that crashed stays in the rows it was in."""

    def repair(self) -> None:
        pass


class LeavesRowsShort(HonestGrid):
    """What was lost with a member is never made again, and the grid says that it is at rest."""

    def repair(self) -> None:
        gone = {member.id for member in self.crashed}
        self.arrange([tuple(member for member in row if member not in gone) for row in self.rows])
        self.publish()


class ClaimsMoreBackups(HonestGrid):
    """It says that it was asked for one backup more than it keeps."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.kept = self.backup_count
        self.backup_count += 1

    def arrange(self, rows: Sequence[Row]) -> None:
        super().arrange([row[: 1 + self.kept] for row in rows])


class OneGroup(HonestGrid):
    """All members are of one partition group, and share rows."""

    def group_of(self, member: Member) -> str:
        return "one"


class LiteMemberOwns(HonestGrid):
    """A lite member is given a backup."""

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        first, *others = super().view_table(observer)
        lite = [member.id for member in self.running if member.lite]
        return [replace(first, slots=(*first.slots[:1], *lite)) if lite else first, *others]


class MovesEverything(HonestGrid):
    """A newcomer changes nearly every row."""

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        member = super().start_member(group=group, lite=lite)
        if not lite:
            self.arrange([*self.rows[1:], *self.rows[:1]])
            self.publish()
        return member


class MovesEverythingAfterALoss(HonestGrid):
    """A loss changes nearly every row."""

    def repair(self) -> None:
        super().repair()
        self.arrange([*self.rows[1:], *self.rows[:1]])
        self.publish()


class CrowdsTwoMembers(HonestGrid):
    """The two oldest members hold every copy; newcomers are given none."""

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        rows = self.rows
        member = super().start_member(group=group, lite=lite)
        if len(self.running) > 2:
            self.arrange(rows)
            self.publish()
        return member


class MovesWithoutCause(HonestGrid):
    """While nothing happens rows change."""

    def wait(self, duration_ms: int) -> None:
        super().wait(duration_ms)
        if duration_ms >= 1_000:
            self.arrange([*self.rows[1:], *self.rows[:1]])
            self.publish()


class OneMemberOwnsAll(HonestGrid):
    """The oldest member is the primary of all it holds."""

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        oldest = self.running[0].id
        return [
            replace(row, slots=tuple(sorted(row.slots, key=lambda slot: slot != oldest)))
            for row in super().view_table(observer)
        ]
