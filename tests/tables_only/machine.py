"""Members that come and go, and what tables keep.

Hypothesis chooses who joins, leaves, crashes, is regrouped or promoted from lite, and when the grid may rest; the
judges of the invariants watch the records, as they would watch any other run. Two machines: one does everything, and
holds what is owed always; one only grows, and holds balance and movement besides.
"""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from gridproof_model.groups import PartitionGroupConfig
from gridproof_model.membership import Member
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import Panel
from gridproof_properties.judging.verdict import Result, Verdict
from tests.tables_only.driven_grid import BY_MEMBER, BY_ZONE, DrivenGrid

MEMBERS_MAX = 9
"""Two more than a row has slots."""
ALWAYS = (
    "one-replica-per-member",
    "group-separation",
    "no-lite-owner",
    "full-rows",
    "movement-without-cause",
    "version-never-decreases",
    "equal-version-equal-row",
    "views-agree",
)
WHILE_GROWING = (
    *ALWAYS,
    "balance-of-primaries",
    "movement-of-primaries",
    "movement-only-to-newcomer",
)
ZONES = st.sampled_from("abc")
WHICH = st.integers(0, MEMBERS_MAX)
"""A member, by its place in the member list; counted round."""
SPARE = st.integers(0, 15)
"""Partitions beyond the fewest."""


class BrokenInvariantError(AssertionError):
    """An invariant is broken; the message is its sentence and its witness."""


class GridMachine(RuleBasedStateMachine):
    """A grid that works and shows its tables; who comes and goes is for the machines below."""

    held: tuple[str, ...] = ALWAYS
    partitions_min = 1

    def __init__(self) -> None:
        super().__init__()
        self.panel = Panel([get_property(name) for name in self.held], {})

    @initialize(seed=st.integers(0, 2**16), spare=SPARE, backup_count=st.integers(0, 6), lite=st.booleans())
    def open(self, seed: int, spare: int, backup_count: int, lite: bool) -> None:
        """Open a grid with one member, who may be a lite one: it is the master all the same."""
        partition_count = self.partitions_min + spare
        self.driven = DrivenGrid(
            self.panel.observe, seed=seed, partition_count=partition_count, backup_count=backup_count
        )
        self.driven.join("a", lite=lite)
        self.driven.settle()

    @rule(duration_ms=st.integers(1, 30))
    def wait(self, duration_ms: int) -> None:
        """Some migrations happen, and everyone shows a table."""
        self.driven.grid.wait(duration_ms)
        self.driven.look()

    @rule()
    def settle(self) -> None:
        """Everything that is due happens, and everyone shows a table."""
        self.driven.settle()

    def can_grow(self) -> bool:
        """Whether there is room for one more member."""
        return len(self.driven.members) < MEMBERS_MAX

    def can_shrink(self) -> bool:
        """Whether somebody may go."""
        return len(self.driven.members) > 1

    def has_lite(self) -> bool:
        """Whether some member is a lite one."""
        return any(member.lite for member in self.driven.members)

    def pick(self, which: int, *, lite: bool = False) -> Member:
        """Return a member, or a lite one, by number; numbers are counted round."""
        choice = [member for member in self.driven.members if member.lite or not lite]
        return choice[which % len(choice)]

    def teardown(self) -> None:
        """Settle once more and ask the judges."""
        if hasattr(self, "driven"):
            self.driven.settle()
            raise_if_broken(self.panel.conclude())


class GrowingMachine(GridMachine):
    """Members join and are promoted one at a time, at rest; nobody goes, and groups are by member.

    So much the documented algorithm needs to keep primaries balanced: a join that interrupts another, or fewer
    partitions than groups, may leave them uneven (placement.11: no group is below an average of 0).
    """

    held = WHILE_GROWING
    partitions_min = MEMBERS_MAX

    @precondition(GridMachine.can_grow)
    @rule(lite=st.sampled_from([False, False, False, True]))
    def join(self, lite: bool) -> None:
        """A member joins."""
        self.driven.settle()
        self.driven.join("a", lite=lite)

    @precondition(GridMachine.has_lite)
    @rule(which=WHICH)
    def promote(self, which: int) -> None:
        """A lite member becomes a data member."""
        self.driven.settle()
        self.driven.promote(self.pick(which, lite=True))


class TableMachine(GridMachine):
    """Members join, leave, crash and are promoted at any time; groups change."""

    @precondition(GridMachine.can_grow)
    @rule(zone=ZONES, lite=st.booleans())
    def join(self, zone: str, lite: bool) -> None:
        """A member joins."""
        self.driven.join(zone, lite=lite)

    @precondition(GridMachine.has_lite)
    @rule(which=WHICH)
    def promote(self, which: int) -> None:
        """A lite member becomes a data member."""
        self.driven.promote(self.pick(which, lite=True))

    @precondition(GridMachine.can_shrink)
    @rule(which=WHICH)
    def crash(self, which: int) -> None:
        """A member dies."""
        self.driven.crash(self.pick(which))

    @precondition(GridMachine.can_shrink)
    @rule(zone=ZONES, duration_ms=st.integers(1, 8))
    def succeed(self, zone: str, duration_ms: int) -> None:
        """A member joins, and the master dies while copies move: its successor knows only what others can say."""
        self.driven.join(zone)
        self.driven.grid.wait(duration_ms)
        self.driven.look()
        self.driven.crash(self.driven.members[0])
        self.driven.look()

    @precondition(GridMachine.can_shrink)
    @rule(which=WHICH)
    def leave(self, which: int) -> None:
        """A member shuts down gracefully."""
        self.driven.leave(self.pick(which))

    @precondition(GridMachine.can_grow)
    @rule(groups=st.sampled_from([BY_MEMBER, BY_ZONE]), zone=ZONES)
    def regroup(self, groups: PartitionGroupConfig, zone: str) -> None:
        """Members are grouped otherwise, and one more joins."""
        self.driven.regroup(groups)
        self.driven.join(zone)


def raise_if_broken(verdicts: tuple[Verdict, ...]) -> None:
    """Raise BrokenInvariantError for the first broken verdict."""
    for verdict in verdicts:
        if verdict.result is Result.BROKEN:
            raise BrokenInvariantError("\n  ".join([f"{verdict.property}: {verdict.sentence}", *verdict.witness]))
