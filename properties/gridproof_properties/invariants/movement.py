"""How much moved when a member joined or was lost.

Two tables at rest are compared: those of the first settled views of one stage and of the stage before. How much had to
move follows from the numbers of copies alone: a member that ends with more copies than before received at least the
difference. Whether the new shares are fair is judged under balance, not here. Memory: one table, and one count per
member.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gridproof_properties.judging.guarantee import broken, unseen
from gridproof_properties.judging.judge import OF_ROWS, Finding, Judge, Property, Reached, Severity
from gridproof_properties.judging.row_batch import EMPTY, RowBatch, Slots, WholeTable, whole_tables, widened
from gridproof_properties.judging.scene import describe_members
from gridproof_properties.judging.shares import group_of
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.view_facts import Flags
from gridproof_properties.judging.words import Number, count


def fewest_moves(before: Mapping[int, int], after: Mapping[int, int]) -> int:
    """Return the smallest number of copies that must move to get from one number per member to another.

    Every member that ends with more copies than before receives at least the difference; no other member needs to
    receive any. More than the smallest number of copies moved if and only if some member both received copies and gave
    some up.
    """
    return sum(max(0, count - before.get(member, 0)) for member, count in after.items())


Example = tuple[int, frozenset[int], frozenset[int]]
"""A partition, its holders before, and its holders after."""


@dataclass(frozen=True, slots=True)
class Movement:
    """The copies that moved between two tables at rest."""

    before: WholeTable
    after: WholeTable
    gained: Counter[int]
    """For each member, the number of copies that it received."""
    lost: Counter[int]
    """For each member, including members that are gone, the number of copies that it gave up."""
    fewest: int
    examples: Mapping[int, Example]
    """For each member that received copies, the first partition that it received, with its holders before and after."""

    @property
    def moved(self) -> int:
        """The number of copies that are on a member that did not hold them in the table before."""
        return self.gained.total()

    @property
    def newcomers(self) -> frozenset[int]:
        """The owners of the later table that were no owners in the earlier one."""
        return frozenset(self.after.view.data_members) - frozenset(self.before.view.data_members)

    @property
    def gone(self) -> frozenset[int]:
        """The owners of the earlier table that are no owners in the later one."""
        return frozenset(self.before.view.data_members) - frozenset(self.after.view.data_members)

    @property
    def stayed(self) -> frozenset[int]:
        """The owners of the later table that were owners in the earlier one, too."""
        return frozenset(self.after.view.data_members) & frozenset(self.before.view.data_members)

    @property
    def to_others(self) -> int:
        """The number of copies that were received by members that were owners before."""
        return sum(count for member, count in self.gained.items() if member not in self.newcomers)

    @property
    def churned(self) -> int | None:
        """The first member that both received copies and gave some up; None if there is none."""
        return min((member for member in self.gained if member in self.lost), default=None)


@lru_cache(maxsize=2)
def movements(
    before: WholeTable | None, batch: RowBatch, copies: int
) -> tuple[tuple[Movement, ...], WholeTable | None]:
    """Return what moved, in the first `copies` slots, between the first tables of successive stages in a batch.

    `before` is the latest of these tables before the batch; the latest table in the batch is returned, too.
    """
    found = list[Movement]()
    for table in whole_tables(batch):
        if before is None or table.view.stage != before.view.stage:
            if before is not None:
                found.append(compute_movement(before, table, copies))
            before = table
    return tuple(found), before


def compute_movement(before: WholeTable, after: WholeTable, copies: int) -> Movement:
    """Return what moved in the first `copies` slots; if a member only changes its slot, nothing has moved."""
    width = max(len(before.slots), len(after.slots))
    old, new = (widened(table.slots, width)[:copies] for table in (before, after))
    taken, given = _only_in(new, old), _only_in(old, new)
    gained, lost = Counter(new[taken].tolist()), Counter(old[given].tolist())
    examples: dict[int, Example] = {}
    for partition in np.flatnonzero(taken.any(axis=0)).tolist():
        for member in new[taken[:, partition], partition].tolist():
            if member not in examples:
                examples[member] = partition, _held(old, partition), _held(new, partition)
        if len(examples) == len(gained):
            break
    return Movement(before, after, gained, lost, fewest_moves(lost, gained), examples)


def _only_in(one: Slots, other: Slots) -> Flags:
    """Return in which slots there is a member that is in no slot of that row in `other`, and in no earlier slot."""
    found = one > EMPTY
    for slot, members in enumerate(one):
        for taken in (*other, *one[:slot]):
            found[slot] &= members != taken
    return found


def _held(table: Slots, partition: int) -> frozenset[int]:
    return frozenset(member for member in table[:, partition].tolist() if member > EMPTY)


def is_join(movement: Movement) -> bool:
    """Whether one owner joined and none left: if several join, they join one after another, each with its own plan."""
    return len(movement.newcomers) == 1 and not movement.gone


def is_loss(movement: Movement) -> bool:
    """Whether owners left and none joined."""
    return bool(movement.gone) and not movement.newcomers


def is_still(movement: Movement) -> bool:
    """Whether the owners stayed the same."""
    return not movement.gone and not movement.newcomers


@dataclass(slots=True)
class MovementJudge(Judge):
    """Compares each settled table with that of the stage before, and shows the first table in which too much moved.

    Two tables are not compared if a group changed between them, or if a member joined and left unseen.
    """

    READS = frozenset()
    COUNTS = False
    occasion: str
    kind: Callable[[Movement], bool]
    excess: Callable[[Movement], int]
    """The number of copies that moved though they should not have."""
    primaries_only: bool
    unseen: str
    latest: WholeTable | None = None
    """The first whole table of the latest stage that has one."""
    seen: int = 0
    moved: int = 0
    fewest: int = 0
    to_others: int = 0
    excessive: int = 0
    witness: tuple[str, ...] = ()

    def look_at_rows(self, batch: RowBatch) -> None:
        """Compare the settled tables in a batch of rows, each with the table before."""
        found, self.latest = movements(self.latest, batch, 1 if self.primaries_only else batch.facts.copies)
        for movement in found:
            self._take(movement)

    def conclude(self) -> Finding:
        """Return what was found."""
        if not self.seen:
            return unseen(self.unseen)
        fewest = "" if self.kind is is_still else f", {_compare(self.moved, self.fewest)}"
        sentence = (
            f"in {self.occasion.format(seen=Number(self.seen))} {self._count(self.moved)} moved"
            f"{fewest}{self._describe_others(self.to_others)}"
        )
        if self.excessive:
            return broken(self.witness, sentence, self.seen)
        return Finding(Result.HOLDS, sentence, compared=self.seen)

    def _describe_others(self, to_others: int) -> str:
        return "" if self.kind in (is_loss, is_still) else f", {to_others:,} of them to members that were there before"

    def _count(self, moved: int) -> str:
        return count(moved, "primary", "primaries") if self.primaries_only else count(moved, "copy", "copies")

    def _take(self, movement: Movement) -> None:
        if not _is_comparable(movement.before, movement.after) or not self.kind(movement) or len(movement.stayed) < 2:
            return  # a single old member cannot both take on and give up copies
        self.seen += 1
        self.moved += movement.moved
        self.fewest += movement.fewest
        self.to_others += movement.to_others
        if self.excess(movement) > 0:
            self.excessive += 1
            self.witness = self.witness or self._describe(movement)
            span = movement.before.at_ms + 0.5, movement.after.at_ms
            self.comparisons.note_failures([span], lambda _: self._describe(movement))

    def _describe(self, movement: Movement) -> tuple[str, ...]:
        before, after, scene = movement.before, movement.after, movement.after.scene
        came = f", after {scene.call_all(movement.newcomers)} had joined" if movement.newcomers else ""
        be = "were" if len(movement.gone) > 1 else "was"
        came += f", after {scene.call_all(movement.gone)} {be} gone" if movement.gone else ""
        wrong = (
            f"between the tables of the stages {before.view.stage!r} (at {before.at_ms:,} ms) and "
            f"{after.view.stage!r} (at {after.at_ms:,} ms){came}, {self._count(movement.moved)} moved"
        )
        if self.kind is is_still:
            wrong += ", though the owners and their groups stayed the same; without a change of these no copy may move"
        elif self.excess is _to_others:
            wrong += f"{self._describe_others(movement.to_others)}; only a member that joined may take on any"
        else:
            wrong += f"{self._describe_others(movement.to_others)}, though only {movement.fewest:,} had to move; "
            wrong += "no more may move than have to"
        steps = [wrong]
        member = movement.churned
        if member is None:
            member = min((m for m in movement.gained if m not in movement.newcomers), default=None)
        if member is not None:
            steps.append(
                f"{scene.call(member)} took on {self._count(movement.gained[member])} and gave up "
                f"{movement.lost[member]:,}"
            )
            steps.append(_describe_example(movement.examples[member]))
        return tuple(steps)


def _describe_example(example: Example) -> str:
    partition, *held = example
    was, now = (describe_members(sorted(members)) for members in held)
    return f"for example, partition {partition} was on members [{was}] and then on [{now}]"


def _is_comparable(before: WholeTable, after: WholeTable) -> bool:
    """Whether the owners in both tables stayed in their groups, and no member joined and left between the tables."""
    common = set(before.view.data_members) & set(after.view.data_members)
    return after.known - before.known <= set(after.view.members) and all(
        group_of(before.view, member) == group_of(after.view, member) for member in common
    )


def _compare(moved: int, fewest: int) -> str:
    if moved == fewest:
        return "the fewest possible"
    return f"{moved / fewest:.2f} times the {fewest:,} that were necessary" if fewest else "where none had to"


def _excess(movement: Movement) -> int:
    return movement.moved - movement.fewest


def _to_others(movement: Movement) -> int:
    return movement.to_others


_NO_JOIN = "no member joined a grid of two or more owners by itself between two tables at rest"
_NO_LOSS = "no owner left or crashed between two tables at rest while two or more owners stayed"
_SCALE_OUT = "seed: Data Partitioning and Replication"

PROPERTIES: tuple[Property, ...] = (
    Property(
        "movement-of-primaries",
        "When a member joins, no more primaries change owner than the new shares require.",
        f"{_SCALE_OUT}; invariant A6; placement.16",
        Severity.BALANCE,
        lambda: MovementJudge("{seen:join}", is_join, _excess, primaries_only=True, unseen=_NO_JOIN),
        OF_ROWS,
        reached=Reached.WITHOUT_GROUPS,
    ),
    Property(
        "movement-of-copies",
        "When a member joins, no more copies move than the new shares require.",
        f"{_SCALE_OUT}; invariant A6; systems.10",
        Severity.BALANCE,
        lambda: MovementJudge("{seen:join}", is_join, _excess, primaries_only=False, unseen=_NO_JOIN),
        OF_ROWS,
        reached=Reached.NOT_ALWAYS,
    ),
    # Choice: there is one property for primaries, and one for all copies; Hazelcast documents the first.
    # Hazelcast's backups may move between old members; a hash ring with several nodes per key keeps both properties.
    Property(
        "movement-only-to-newcomer",
        "When a member joins, no other member takes on a primary.",
        f"{_SCALE_OUT}; placement.16",
        Severity.BALANCE,
        lambda: MovementJudge("{seen:join}", is_join, _to_others, primaries_only=True, unseen=_NO_JOIN),
        OF_ROWS,
        reached=Reached.WITHOUT_GROUPS,
    ),
    Property(
        "copies-only-to-newcomer",
        "When a member joins, no other member takes on a copy.",
        "systems.10",
        Severity.BALANCE,
        lambda: MovementJudge("{seen:join}", is_join, _to_others, primaries_only=False, unseen=_NO_JOIN),
        OF_ROWS,
        reached=Reached.NOT_ALWAYS,
    ),
    Property(
        "movement-after-loss",
        "When a member is gone, no more copies move than are needed to replace what it held.",
        "invariant A6",
        Severity.BALANCE,
        lambda: MovementJudge("{seen:departure}", is_loss, _excess, primaries_only=False, unseen=_NO_LOSS),
        OF_ROWS,
        reached=Reached.NOT_ALWAYS,
    ),
    Property(
        "movement-without-cause",
        "While the owners and their groups stay the same, nothing moves.",
        "seed: Lite Members; invariant A6; placement.15",
        Severity.BALANCE,
        lambda: MovementJudge(
            "{seen:pair} of successive tables with the same set of owners,",
            is_still,
            lambda movement: movement.moved,
            primaries_only=False,
            unseen="no two successive tables at rest had the same set of owners (two or more)",
        ),
        OF_ROWS,
    ),
)
