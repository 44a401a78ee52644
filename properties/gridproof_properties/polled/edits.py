"""What a master of `ownership` may make of its row, one edit at a time.

A poll shows a row and says nothing of how it came about. So the specification is asked: in a world in which everybody
who runs has this row, which actions change it, and what do they add to its version? A migration is all its actions in
order; one that fails changes nothing but the version. What is asked once is remembered, with members numbered anew by
who has which slot: a run has thousands of changes, and few that differ in more than the members' names.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache

from gridproof_model.language import State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.ownership import specification
from gridproof_model.specifications.ownership.state import Role
from gridproof_model.trace import Slots

PLENTY = 1_000
"""Of what only bounds a world: endings, moves, failures, versions."""
BEGIN = 1
"""The version of a row before an edit; what the edit adds counts."""
AT_ONCE = ("master_empties_slots", "master_clears_slot", "master_fills_slot")
ORDERS = ("master_orders_migration", "master_orders_shift_down")
MIGRATION = (
    "primary_opens_migration",
    "destination_gets_ready",
    "primary_copies_data",
    "master_sends_commit",
    "destination_commits",
    "master_commits",
)
PROMOTION = ("backup_is_promoted_at_once", "master_records_promotion")
OF_THE_MASTER = (MIGRATION[-1], PROMOTION[-1])
"""What is over already where the master itself was the destination."""


class Life(Enum):
    """What has become of a member."""

    ABSENT = "absent"
    RUNNING = "running"
    LEAVING = "leaving"
    """It runs, and has asked the master to let it go."""
    GONE = "gone"


RUNNING = (Life.RUNNING, Life.LEAVING)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Who has which slot of one partition, and who runs; members are numbered so that group is number modulo groups."""

    row: Slots
    lives: tuple[Life, ...]
    groups: int


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of the row, as everybody has it in the end."""

    row: Slots
    raises: int
    """What it adds to the version."""
    ended: int | None = None
    """Who ended while it was made."""


@cache
def edits_of(arrangement: Arrangement) -> tuple[Edit, ...]:
    """Return every edit that the specification allows, each effect once; none where nobody runs."""
    if not any(life in RUNNING for life in arrangement.lives):
        return ()
    old = _order(arrangement)
    new = {member: number for number, member in enumerate(old)}
    row = tuple(None if one is None else new[one] for one in arrangement.row)
    found = _edits_of(Arrangement(row, tuple(arrangement.lives[one] for one in old), arrangement.groups))
    return tuple(_renumbered(edit, old) for edit in found)


def _order(arrangement: Arrangement) -> list[int]:
    """Return the members in the order of their new numbers, in which arrangements that differ in names alone are one.

    Groups go by what their members have, and members of a group likewise; the group stays the number modulo groups.
    """
    slots = {member: slot for slot, member in enumerate(arrangement.row) if member is not None}
    unplaced = len(arrangement.row)

    def place(member: int) -> tuple[int, str]:
        return slots.get(member, unplaced), arrangement.lives[member].name

    groups = [
        sorted(range(group, len(arrangement.lives), arrangement.groups), key=place)
        for group in range(arrangement.groups)
    ]
    groups.sort(key=lambda group: (-len(group), *map(place, group)))
    deepest = max(map(len, groups))
    return [group[depth] for depth in range(deepest) for group in groups if depth < len(group)]


def _renumbered(edit: Edit, old: list[int]) -> Edit:
    row = tuple(None if one is None else old[one] for one in edit.row)
    return replace(edit, row=row, ended=None if edit.ended is None else old[edit.ended])


@cache
def _edits_of(arrangement: Arrangement) -> tuple[Edit, ...]:
    """Return the edits of an arrangement whose members have their new numbers.

    Whoever is the master makes the same ones, but for one: no promotion of the master itself fails and leaves it there.
    So it is somebody who is not promoted, where there is one.
    """
    running = [member for member, life in enumerate(arrangement.lives) if life in RUNNING]
    promoted = next((one for one in arrangement.row if one in running), None)
    master = next((one for one in running if one != promoted), running[0])
    runner = _runner_of(len(arrangement.lives), arrangement.groups, len(arrangement.row))
    found: dict[Edit, None] = {}
    for after in _edited(runner, _state_of(runner, arrangement, master), master):
        ended = next((one for one in running if after["ended"][one]), None)
        found.setdefault(Edit(after["row"][master], after["version"][master] - BEGIN, ended))
    return tuple(found)


def _edited(runner: Runner, state: State, master: int) -> Iterator[State]:
    """Yield the state after each edit of a master."""
    for event in runner.events(state, AT_ONCE):
        yield runner.step(state, event)
    for event in runner.events(state, ("master_orders_promotion",)):
        ordered = runner.step(state, event)
        yield from _taken(runner, ordered, PROMOTION)
        target = ordered["promotion"][master]
        if target != master:
            yield from _failed(runner, ordered, master, target)
    for event in runner.events(state, ORDERS):
        ordered = runner.step(state, event)
        yield from _taken(runner, ordered, MIGRATION)
        for failure in runner.events(ordered, ("migration_fails",)):
            yield runner.step(ordered, failure)


def _taken(runner: Runner, state: State, actions: Sequence[str]) -> Iterator[State]:
    """Yield the state after these actions in order, of the only member that can take each; nothing where none can.

    Where the master is the destination, or is promoted, it has recorded that at once: the last action is over then.
    """
    for action in actions:
        event = next(runner.events(state, (action,)), None)
        if event is not None:
            state = runner.step(state, event)
        elif action not in OF_THE_MASTER:
            return
    yield state


def _failed(runner: Runner, state: State, master: int, target: int) -> Iterator[State]:
    """Yield the state after a promotion whose member ends before it has answered."""
    ends, is_removed = Event("member_ends", (target,)), Event("ended_member_is_removed", (master, target))
    for event in (ends, is_removed, Event("promotion_fails", (master,))):
        if runner.refusal(state, event) is not None:
            return
        state = runner.step(state, event)
    yield state


@cache
def _runner_of(members: int, groups: int, slots: int) -> Runner:
    plenty = dict.fromkeys(("endings", "orders", "failures", "versions"), PLENTY)
    return Runner(specification.world(members=max(members, 2), groups=groups, backups=slots - 1, **plenty))


def _state_of(runner: Runner, arrangement: Arrangement, master: int) -> State:
    """Return the state in which everybody who runs has the row, and nothing is under way."""
    count = len(runner.start["row"])
    lives = (*arrangement.lives, *(Life.ABSENT,) * (count - len(arrangement.lives)))
    runs = tuple(life in RUNNING for life in lives)
    listed = [member for member in range(count) if runs[member]]
    nothing = (None,) * len(arrangement.row)
    places = tuple(listed.index(member) if runs[member] else None for member in range(count))
    return runner.start.replaced(
        {
            "role": tuple(Role.ABSENT if life is Life.ABSENT else Role.DATA for life in lives),
            "ended": tuple(life is Life.GONE for life in lives),
            "leaving": tuple(life is Life.LEAVING for life in lives),
            "rank": tuple(places if one else (None,) * count for one in runs),
            "follows": tuple(master if one else None for one in runs),
            "row": tuple(tuple(arrangement.row) if one else nothing for one in runs),
            "version": tuple(BEGIN if one else 0 for one in runs),
            "holds": tuple(one and member in arrangement.row for member, one in enumerate(runs)),
        }
    )
