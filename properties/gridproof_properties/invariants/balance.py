"""How evenly primaries and copies are spread.

Primaries of a grid that only grew are judged strictly; for everything else, the documented algorithm's tolerances
apply. Each group has a share, divided among its members; shares are by weight if weights differ. Each judge keeps one
table.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor

from gridproof_properties.judging.guarantee import broken, unseen
from gridproof_properties.judging.judge import OF_ROWS, Finding, Judge, Property, Reached, Severity
from gridproof_properties.judging.row_batch import RowBatch, WholeTable, whole_tables
from gridproof_properties.judging.shares import group_shares, has_weights, is_cut, member_shares
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count

SMALL_SHARE = 10
"""A share of at most this many copies is too small to be compared with its half or its double (placement.9)."""
COPIES_RATIO = 2.0
LOSS_DISTANCE = 3.0
LOSS_RATIO = 1.1
"""The documented algorithm stops when every group is within this factor of the average (placement.14)."""
LOSS_LIMIT = f"a group may be off its share by {LOSS_DISTANCE:g}, or by a factor of {LOSS_RATIO:g} if that allows more"


@dataclass(frozen=True, slots=True)
class Load:
    """How much one member or one group holds, and its fair share."""

    holder: str
    """The member or group, in the words of a sentence."""
    what: str
    count: int
    fair: float
    allowed: str
    """Which loads are allowed, worded as the end of a sentence."""
    limit: str = ""
    """How the allowed loads of every holder follow from its share, in words; empty if a sentence need not say this."""

    def __str__(self) -> str:
        what = self.what.replace("primaries", "primary").replace("copies", "copy") if self.count == 1 else self.what
        return f"{self.holder} had {self.count:,} {what}"


Overloads = Callable[[WholeTable], Iterable[Load]]
"""A function that finds the loads in a table that are out of balance."""


def find_uneven_primaries(table: WholeTable) -> Iterator[Load]:
    """Yield the groups or members with the most and the fewest primaries, if their numbers differ by more than one.

    Groups are compared with one another, and members with the other members of their group; if weights differ, each
    member may differ by at most one from its share by weight.
    """
    if table.scene.stated.balance_factor:
        yield from _find_beyond_factor(table, _primaries(table))
        return
    by_member = count_primaries(table)
    if _is_by_weight(table):
        shares, total = _member_shares(table), by_member.total()
        for member in by_member:
            fair = total * shares.get(member, 0.0)
            if abs(by_member[member] - fair) > 1:
                allowed = f"{_part(table, shares[member])}, and {_span(fair - 1, fair + 1)} are allowed, at most 1 off"
                yield Load(table.scene.call(member), _primaries(table), by_member[member], fair, allowed)
        return
    by_group, what = count_by_group(table, by_member), _primaries(table)
    yield from _find_uneven({f"group {name!r}": n for name, n in by_group.items()}, what, "groups")
    yield from _find_uneven_inside(table, by_member, what)


def find_uneven_backups(table: WholeTable) -> Iterator[Load]:
    """Yield members of one group whose loads differ by more than one at a backup slot that the run asked for."""
    for slot in range(1, min(table.scene.copies, len(table.slots))):
        yield from _find_uneven_inside(table, count_slots(table, (slot,)), f"copies in slot {slot}")


def _find_uneven_inside(table: WholeTable, by_member: Mapping[int, int], what: str) -> Iterator[Load]:
    for inside in table.scene.groups.values():
        yield from _find_uneven({table.scene.call(member): by_member[member] for member in inside}, what)


def find_uneven_after_loss(table: WholeTable) -> Iterator[Load]:
    """Yield every group whose primaries are off its share by more than three and by more than a factor of 1.1
    (placement.14)."""
    if table.scene.stated.balance_factor:
        yield from _find_beyond_factor(table, _primaries(table))
        return
    by_group, shares = count_by_group(table, count_primaries(table)), _group_shares(table)
    for name, held in by_group.items():
        fair = float(int(by_group.total() * shares[name]))
        if abs(held - fair) > LOSS_DISTANCE and not fair / LOSS_RATIO <= held <= fair * LOSS_RATIO:
            least, most = min(fair - LOSS_DISTANCE, fair / LOSS_RATIO), max(fair + LOSS_DISTANCE, fair * LOSS_RATIO)
            allowed = f", rounded down{_part(table, shares[name])}, and {_span(least, most)} are allowed"
            yield Load(f"group {name!r}", _primaries(table), held, fair, allowed, LOSS_LIMIT)


def find_uneven_copies(table: WholeTable) -> Iterator[Load]:
    """Yield every load under half its share or over double its share, if the share is above ten (placement.9).

    Groups are compared slot by slot, in the slots that the run asked for, and members over all these slots together.
    """
    if table.scene.stated.balance_factor:
        yield from _find_beyond_factor(table, "copies")
        return
    shares, asked = _group_shares(table), range(min(table.scene.copies, len(table.slots)))
    apart = {f"copies in slot {slot}": [slot] for slot in asked} if table.scene.stated.ranked else {"copies": asked}
    for what, slots in apart.items():
        by_member = count_slots(table, slots)
        for name, held in count_by_group(table, by_member).items():
            fair = by_member.total() * shares[name]
            if _is_out_of_tolerance(held, fair):
                yield Load(f"group {name!r}", what, held, fair, _half_to_double(table, fair, shares[name]))
    by_member = count_slots(table, asked)
    for member, share in _member_shares(table).items():
        fair = by_member.total() * share
        if _is_out_of_tolerance(by_member[member], fair):
            yield Load(table.scene.call(member), "copies", by_member[member], fair, _half_to_double(table, fair, share))


def _find_beyond_factor(table: WholeTable, what: str) -> Iterator[Load]:
    """Yield every member that holds more than its share times the factor that the system states, rounded up."""
    copies = range(min(table.scene.copies, len(table.slots)))
    by_member = count_slots(table, copies) if what == "copies" else count_primaries(table)
    total, factor = by_member.total(), table.scene.stated.balance_factor
    for member, share in _member_shares(table).items():
        if by_member[member] > (most := ceil(factor * total * share)):
            allowed = f", and at most {most:,} are allowed, {factor:g} times that share, rounded up"
            yield Load(table.scene.call(member), what, by_member[member], total * share, allowed)


def _group_shares(table: WholeTable) -> Mapping[str, float]:
    return group_shares(table.scene.groups, table.scene.weights, by_weight=table.scene.stated.by_weight)


def _member_shares(table: WholeTable) -> Mapping[int, float]:
    return member_shares(table.scene.groups, table.scene.weights, by_weight=table.scene.stated.by_weight)


def count_primaries(table: WholeTable) -> Counter[int]:
    """Return how many primaries each owner holds, or copies if slots have no rank; 0 for an owner without any."""
    ranked = table.scene.stated.ranked
    return count_slots(table, (0,) if ranked else range(min(table.scene.copies, len(table.slots))))


def _primaries(table: WholeTable) -> str:
    return "primaries" if table.scene.stated.ranked else "copies"


def count_slots(table: WholeTable, slots: Iterable[int]) -> Counter[int]:
    """Return how many of these slots each owner in a group fills; an owner that fills none counts 0."""
    counts = Counter({member: 0 for members in table.scene.groups.values() for member in members})
    for slot in slots:
        for member, filled in table.count_slot(slot).items():
            if member in counts:
                counts[member] += filled
    return counts


def count_by_group(table: WholeTable, by_member: Mapping[int, int]) -> Counter[str]:
    """Return for each group the sum of its members' numbers."""
    return Counter({name: sum(by_member[member] for member in members) for name, members in table.scene.groups.items()})


def _find_uneven(counts: Mapping[str, int], what: str, holders: str = "members of a group") -> Iterator[Load]:
    if counts and max(counts.values()) - min(counts.values()) > 1:
        fair = sum(counts.values()) / len(counts)
        for choose in (max, min):
            name = choose(counts, key=lambda holder: counts[holder])
            yield Load(name, what, counts[name], fair, f", and no two {holders} may differ by more than 1")


def _half_to_double(table: WholeTable, fair: float, share: float) -> str:
    most = min(fair * COPIES_RATIO, fair / (share or 1))  # double a large share may be more than there is
    span = "half that share to double that share" if most == fair * COPIES_RATIO else "half that share or more"
    return f"{_part(table, share)}, and {_span(fair / COPIES_RATIO, most)} are allowed, {span}"


def _part(table: WholeTable, share: float) -> str:
    """Return, in brackets, how large a share is; empty if shares are not by weight."""
    return f" ({share:.0%} of all, in proportion to the members' weights)" if _is_by_weight(table) else ""


def _is_by_weight(table: WholeTable) -> bool:
    members = [member for inside in table.scene.groups.values() for member in inside]
    return table.scene.stated.by_weight or has_weights(members, table.scene.weights)


def _span(least: float, most: float) -> str:
    return f"{max(ceil(least), 0):,} to {floor(most):,}"


def _is_out_of_tolerance(held: int, fair: float) -> bool:
    return fair > SMALL_SHARE and not fair / COPIES_RATIO <= held <= fair * COPIES_RATIO


@dataclass(slots=True)
class BalanceJudge(Judge):
    """Judges every settled table that has to be balanced; the witness is the first table with the fewest owners."""

    READS = frozenset()
    COUNTS = False
    find: Overloads
    owed: Callable[[WholeTable], bool]
    """Whether a table has to be balanced, and is large enough to be out of balance."""
    what: str
    """What is spread over the members, as a noun in the plural."""
    unseen: str
    seen: int = 0
    uneven: int = 0
    smallest: int = 0
    witness: tuple[str, ...] = ()

    def look_at_rows(self, batch: RowBatch) -> None:
        """Judge the settled tables that a batch of rows contains; the shares of a group that is cut are not known."""
        for table in whole_tables(batch):
            if self.owed(table) and not is_cut(table.scene.groups):
                self.seen += 1
                self._judge(table)

    def _judge(self, table: WholeTable) -> None:
        loads = list(self.find(table))[:4]
        if loads:
            self.uneven += 1
            self.comparisons.note_failures([(table.at_ms, table.at_ms)], lambda _: self._describe(table, loads))
            owners = len(table.view.data_members)
            if not self.witness or owners < self.smallest:
                self.smallest = owners
                self.witness = self._describe(table, loads)

    def _describe(self, table: WholeTable, loads: Sequence[Load]) -> tuple[str, ...]:
        """Return a sentence: what of a table is spread unevenly, with equal rules stated once."""
        by_rule: dict[str, list[str]] = {}
        for load in loads:
            rule = f"where a fair share is {f'{load.fair:,.1f}'.removesuffix('.0')}{load.allowed}"
            by_rule.setdefault(rule, []).append(str(load))
        found = "; ".join(f"{', '.join(held)}, {rule}" for rule, held in by_rule.items())
        found += f"; {loads[0].limit}" if loads[0].limit else ""
        self.what = loads[0].what.partition(" in slot")[0]  # a system without primaries has only copies to spread
        view, groups = table.view, count(len(table.scene.groups), "group")
        spread = f"spread the {self.what} of {table.slots.shape[1]:,} partitions over "
        spread += f"{count(len(view.data_members), 'member')} in {groups}, but not by fair shares: {found}"
        when = f"at {table.at_ms:,} ms (stage {view.stage!r})"
        return (f"{when} the table of {table.scene.call(view.observer)} {spread}",)

    def conclude(self) -> Finding:
        """Return what was found."""
        seen = count(self.seen, "settled table")
        if self.uneven:
            return broken(
                self.witness, f"{self.uneven:,} of {seen} did not spread {self.what} by fair shares", self.seen
            )
        if not self.seen:
            return unseen(self.unseen)
        all_of = {1: "the only settled table", 2: "both settled tables"}.get(self.seen, f"all {seen}")
        return Finding(Result.HOLDS, f"{all_of} spread {self.what} by fair shares", compared=self.seen)


def is_growing_grid(table: WholeTable) -> bool:
    """Whether no member is gone, and there are at least two owners."""
    return table.growing and sum(map(len, table.scene.groups.values())) > 1


def has_backups_in_groups(table: WholeTable) -> bool:
    """Whether no member is gone, slots have a rank, members have no weights, and a group of several has backups."""
    scene, is_by_count = table.scene, table.scene.stated.ranked and not _is_by_weight(table)
    is_shared = any(len(group) > 1 for group in scene.groups.values())
    return table.growing and is_by_count and is_shared and min(scene.copies, len(scene.groups)) > 1


def has_lost_members(table: WholeTable) -> bool:
    """Whether some member is gone, and there are at least two groups."""
    return not table.growing and len(table.scene.groups) > 1


def has_large_shares(table: WholeTable) -> bool:
    """Whether there are at least two owners, and some share is large enough to be halved or doubled."""
    members = _member_shares(table)
    if len(members) < 2:
        return False
    totals = [count_slots(table, (slot,)).total() for slot in range(min(table.scene.copies, len(table.slots)))] or [0]
    largest_group = max(_group_shares(table).values())
    return max(members.values()) * sum(totals) > SMALL_SHARE or largest_group * max(totals) > SMALL_SHARE


_NO_OWNERS = "while the grid only grew, no table at rest had several owners"
_NO_BACKUPS = "while the grid only grew, no table at rest had backups in a group of several members"
_NO_LOSS = "after a member was gone, no table at rest had several groups"
_NO_SHARES = f"no table at rest had a member or group with a fair share above {SMALL_SHARE} copies"
BALANCE_OF_PRIMARIES = Property(
    name="balance-of-primaries",
    sentence="While a grid only grows, partition groups own equally many primaries, to within one, and so do the "
    "members of a group.",
    source="seed: Data Partitioning and Replication; invariant A5; placement.9, placement.12",
    severity=Severity.BALANCE,
    start=lambda: BalanceJudge(find_uneven_primaries, is_growing_grid, "primaries", _NO_OWNERS),
    needs=OF_ROWS,
)
BALANCE_OF_BACKUPS = Property(
    name="balance-of-backups",
    sentence="While a grid only grows, the members of a group hold equally many backups at each slot, to within one.",
    source="placement.12",
    severity=Severity.BALANCE,
    start=lambda: BalanceJudge(find_uneven_backups, has_backups_in_groups, "backups", _NO_BACKUPS),
    needs=OF_ROWS,
)
BALANCE_AFTER_LOSS = Property(
    name="balance-after-loss",
    sentence="After members are gone, every group owns its fair share of primaries, to within three or a factor of "
    "1.1.",
    source="placement.14",
    severity=Severity.BALANCE,
    start=lambda: BalanceJudge(find_uneven_after_loss, has_lost_members, "primaries", _NO_LOSS),
    needs=OF_ROWS,
    reached=Reached.NOT_ALWAYS,
)
BALANCE_OF_COPIES = Property(
    name="balance-of-copies",
    sentence="Groups at each slot, and members over all slots, hold between half and double their fair share of "
    "copies.",
    source="seed: Data Partitioning and Replication; placement.9",
    severity=Severity.BALANCE,
    start=lambda: BalanceJudge(find_uneven_copies, has_large_shares, "copies", _NO_SHARES),
    needs=OF_ROWS,
    reached=Reached.NOT_ALWAYS,
)
PROPERTIES: tuple[Property, ...] = (BALANCE_OF_PRIMARIES, BALANCE_OF_BACKUPS, BALANCE_AFTER_LOSS, BALANCE_OF_COPIES)
