"""How evenly primaries and copies are spread.

Strict for primaries of a grid that only grew; tolerances, as the documented algorithm has them, for the rest. Shares
are per group, then per member of the group; by weight where weights differ. Each judge keeps one table.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gridproof_model.trace import Record
from gridproof_properties.judging.guarantee import broken
from gridproof_properties.judging.judge import OF_ROWS, Finding, Judge, Property, Reached
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.settled_table import SettledTable
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.shares import group_shares, has_weights, member_shares
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count

SMALL_SHARE = 10
"""A share of at most this many copies is too small to be halved or doubled (placement.9)."""
COPIES_RATIO = 2.0
LOSS_DISTANCE = 3.0
LOSS_RATIO = 1.1
"""The documented algorithm stops when every group is this near to the average (placement.14)."""


@dataclass(frozen=True, slots=True)
class Load:
    """How much one member or one group holds, against its fair share."""

    holder: str
    """As a sentence names it."""
    what: str
    count: int
    fair: float

    def __str__(self) -> str:
        return f"{self.holder} holds {self.count:,} {self.what}; its fair share is {self.fair:,.1f}"


Overloads = Callable[[SettledTable, Scene], Iterable[Load]]
"""Finds the loads of a table that are out of balance."""


def find_uneven_primaries(table: SettledTable, scene: Scene) -> Iterator[Load]:
    """Yield the group or member with most, and the one with least, wherever they differ by more than one.

    Compared are groups with one another, and members inside a group; with different weights, each member's distance
    from its share by weight is at most one.
    """
    by_member = count_primaries(table)
    members = list(by_member)
    if has_weights(members, table.weights):
        shares, total = member_shares(table.groups, table.weights), by_member.total()
        for member in members:
            fair = total * shares.get(member, 0.0)
            if abs(by_member[member] - fair) > 1:
                yield Load(scene.call(member), "primaries", by_member[member], fair)
        return
    yield from _find_uneven({f"group {name!r}": n for name, n in count_by_group(table, by_member).items()})
    for inside in table.groups.values():
        yield from _find_uneven({scene.call(member): by_member[member] for member in inside})


def find_uneven_after_loss(table: SettledTable, scene: Scene) -> Iterator[Load]:
    """Yield every group whose primaries are neither within three nor within a tenth of its share (placement.14)."""
    by_group = count_by_group(table, count_primaries(table))
    shares = group_shares(table.groups, table.weights)
    for name, held in by_group.items():
        fair = float(int(by_group.total() * shares[name]))
        if abs(held - fair) > LOSS_DISTANCE and not fair / LOSS_RATIO <= held <= fair * LOSS_RATIO:
            yield Load(f"group {name!r}", "primaries", held, fair)


def find_uneven_copies(table: SettledTable, scene: Scene) -> Iterator[Load]:
    """Yield every load under half or over double its share, where the share is more than ten (placement.9).

    Compared are groups at each slot the run asked for, and members over all these slots together.
    """
    shares = group_shares(table.groups, table.weights)
    for slot in range(min(scene.copies, table.width)):
        by_member = count_slots(table, (slot,))
        for name, held in count_by_group(table, by_member).items():
            fair = by_member.total() * shares[name]
            if _is_out_of_tolerance(held, fair):
                yield Load(f"group {name!r}", f"copies in slot {slot}", held, fair)
    by_member = count_slots(table, range(min(scene.copies, table.width)))
    for member, share in member_shares(table.groups, table.weights).items():
        fair = by_member.total() * share
        if _is_out_of_tolerance(by_member[member], fair):
            yield Load(scene.call(member), "copies", by_member[member], fair)


def count_primaries(table: SettledTable) -> Counter[int]:
    """Return how many primaries each owner holds; owners without any count 0."""
    return count_slots(table, (0,))


@lru_cache(maxsize=8)
def count_slots(table: SettledTable, slots: Sequence[int]) -> Counter[int]:
    """Return how many of these slots each owner in a group fills, to be read only; owners that fill none count 0."""
    counts = Counter({member: 0 for members in table.groups.values() for member in members})
    for slot in slots:
        for member, filled in table.count_slot(slot).items():
            if member in counts:
                counts[member] += filled
    return counts


def count_by_group(table: SettledTable, by_member: Mapping[int, int]) -> Counter[str]:
    """Return the counts of members summed over each group."""
    return Counter({name: sum(by_member[member] for member in members) for name, members in table.groups.items()})


def _find_uneven(counts: Mapping[str, int]) -> Iterator[Load]:
    if counts and max(counts.values()) - min(counts.values()) > 1:
        fair = sum(counts.values()) / len(counts)
        for choose in (max, min):
            name = choose(counts, key=lambda holder: counts[holder])
            yield Load(name, "primaries", counts[name], fair)


def _is_out_of_tolerance(held: int, fair: float) -> bool:
    return fair > SMALL_SHARE and not fair / COPIES_RATIO <= held <= fair * COPIES_RATIO


@dataclass(slots=True)
class BalanceJudge(Judge):
    """Judges every settled table that is owed balance; the witness is the one with fewest owners, then the first."""

    READS = frozenset()
    COUNTS = False
    find: Overloads
    owed: Callable[[SettledTable, Scene], bool]
    """Whether a table is held to it, and could be out of balance."""
    unseen: str
    seen: int = 0
    uneven: int = 0
    smallest: int = 0
    witness: tuple[str, ...] = ()

    def observe(self, record: Record) -> None:
        """Read no single record."""

    def look_at(self, table: SettledTable, scene: Scene) -> None:
        """Judge one settled table."""
        if not self.owed(table, scene):
            return
        self.seen += 1
        loads = [str(load) for load in self.find(table, scene)]
        if loads:
            self.uneven += 1
            owners = len(table.view.data_members)
            if not self.witness or owners < self.smallest:
                self.smallest = owners
                self.witness = (_setting(table, scene), *loads[:4])

    def conclude(self) -> Finding:
        """Say what was found."""
        seen = count(self.seen, "settled table")
        if self.uneven:
            return broken(self.witness, f"{self.uneven:,} of {seen} spread copies unevenly", self.seen)
        if not self.seen:
            return Finding(Result.UNKNOWN, self.unseen)
        return Finding(Result.HOLDS, f"none of {seen} spread copies unevenly", compared=self.seen)


def _setting(table: SettledTable, scene: Scene) -> str:
    view = table.view
    return (
        f"at {view.stage!r} {scene.call(view.observer)} shows {table.partition_count:,} partitions "
        f"over {len(view.data_members)} owners in {len(table.groups)} groups"
    )


def is_growing_grid(table: SettledTable, scene: Scene) -> bool:
    """Whether nobody is gone, and there are two owners at least."""
    return table.growing and sum(map(len, table.groups.values())) > 1


def has_lost_members(table: SettledTable, scene: Scene) -> bool:
    """Whether somebody is gone, and there are two groups at least."""
    return not table.growing and len(table.groups) > 1


def has_large_shares(table: SettledTable, scene: Scene) -> bool:
    """Whether there are two owners at least, and some share is large enough to be halved or doubled."""
    members = member_shares(table.groups, table.weights)
    if len(members) < 2:
        return False
    totals = [count_slots(table, (slot,)).total() for slot in range(min(scene.copies, table.width))] or [0]
    largest_group = max(group_shares(table.groups, table.weights).values())
    return max(members.values()) * sum(totals) > SMALL_SHARE or largest_group * max(totals) > SMALL_SHARE


def _start_primaries() -> Judge:
    return BalanceJudge(find_uneven_primaries, is_growing_grid, "no settled table of several owners that only grew")


def _start_after_loss() -> Judge:
    return BalanceJudge(find_uneven_after_loss, has_lost_members, "no settled table of several groups after a loss")


def _start_copies() -> Judge:
    return BalanceJudge(find_uneven_copies, has_large_shares, f"no settled table with shares above {SMALL_SHARE}")


BALANCE_OF_PRIMARIES = Property(
    name="balance-of-primaries",
    sentence="While a grid only grows, groups own equally many primaries to within one; so do members of a group.",
    source="seed: Data Partitioning and Replication; invariant A5; placement.9, placement.12",
    severity=Severity.BALANCE,
    start=_start_primaries,
    needs=OF_ROWS,
)
BALANCE_AFTER_LOSS = Property(
    name="balance-after-loss",
    sentence="After members are gone, every group owns primaries within three, or within a tenth, of its fair share.",
    source="placement.14",
    severity=Severity.BALANCE,
    start=_start_after_loss,
    needs=OF_ROWS,
    reached=Reached.NOT_ALWAYS,
)
BALANCE_OF_COPIES = Property(
    name="balance-of-copies",
    sentence="Groups at each slot, and members in all, hold from half to double their fair share of copies.",
    source="seed: Data Partitioning and Replication; placement.9",
    severity=Severity.BALANCE,
    start=_start_copies,
    needs=OF_ROWS,
    reached=Reached.NOT_ALWAYS,
)
PROPERTIES: tuple[Property, ...] = (BALANCE_OF_PRIMARIES, BALANCE_AFTER_LOSS, BALANCE_OF_COPIES)
