"""What masters of `ownership` may make of a row: one edit at a time, and from one look at a table to the next.

A poll shows a row and says nothing of how it came about. So the specification is asked: in a world in which everybody
who runs has this row, which actions change it, and what do they add to its version? A migration is all its actions in
order; one that fails changes nothing but the version. What is asked once is remembered, with members numbered anew by
who has which slot: a run has thousands of changes, and few that differ in more than the members' names.

Between two looks any number of edits may have been made, and members may have started, asked to leave and ended, in any
order. Versions bound the search: each edit raises them by what it changes. Slots behind those that are shown may be
anybody's, so a row is a set of rows: those that may be, given all that was seen so far.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache

from gridproof_model.language import State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.ownership import specification
from gridproof_model.specifications.ownership.state import Role
from gridproof_model.trace import Slots
from gridproof_properties.validation.behaviour import PLENTY

BEGIN = 1
"""The version of a row before an edit; what the edit adds counts."""
RAISES_MAX = 16
"""Versions between two looks that are searched."""
UNVERSIONED_MAX = 8
"""What edits may raise a version by between two looks, where none is shown."""
ROWS_MAX = 1_000
"""Rows, each with who runs, that are looked at on the way from one look to the next."""
BEGUN_BY = (
    "master_empties_slots", "master_clears_slot", "master_fills_slot",
    "master_orders_promotion", "master_orders_migration", "master_orders_shift_down",
)  # fmt: skip
ENDED_BY = (
    "backup_is_promoted_at_once", "master_records_promotion",
    "primary_opens_migration", "destination_gets_ready", "primary_copies_data",
    "master_sends_commit", "destination_commits", "master_commits",
)  # fmt: skip
"""In order, of whatever was ordered; where the master itself was the destination, it has recorded that already."""
FAILING = ("promotion_fails", "migration_fails")


class Life(Enum):
    """What has become of a member."""

    ABSENT = "absent"
    RUNNING = "running"
    LEAVING = "leaving"
    """It runs, and has asked the master to let it go."""
    GONE = "gone"


RUNNING = (Life.RUNNING, Life.LEAVING)
Lives = tuple[Life, ...]
Members = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of the row, as everybody has it in the end."""

    row: Slots
    raises: int
    """What it adds to the version."""
    ended: int | None = None
    """Who ended while it was made."""


@cache
def reached(
    starts: frozenset[Slots], fates: tuple[Lives, ...], groups: Members, shown: Slots, raises: int | None
) -> frozenset[Slots] | str:
    """Return the rows that a second look may have been of, none where no edits lead there; or why nobody searches them.

    The first look may have been of any of `starts`. Members are numbered from 0: `fates` say what each is at the first
    look and what may have become of it at the second, in order, `groups` who is the first one of its group. `shown` are
    the slots of the second look, as far as they are shown; its version is higher by `raises`, None where none is shown.
    What is not searched is remembered, too, for it takes longest to find out.
    """
    most = UNVERSIONED_MAX if raises is None else raises
    if most > RAISES_MAX:
        return f"more than {RAISES_MAX} versions between two looks"
    layers: list[set[tuple[Slots, Lives]]] = [set() for _ in range(most + 1)]
    layers[0] = {(row, tuple(fate[0] for fate in fates)) for row in starts}
    found, to_look_at = set[Slots](), len(layers[0])
    for raised, layer in enumerate(layers):
        waiting = list(layer)
        while waiting:
            row, lives = waiting.pop()
            for changed in ((row, later) for later in _later(fates, lives)):
                if changed not in layer:
                    layer.add(changed)
                    waiting.append(changed)
            for edit in edits_of(row, lives, groups):
                reaches = raised + edit.raises
                if reaches <= most and _distance(edit.row, shown) <= most - reaches:
                    after = edit.row, lives if edit.ended is None else _with(lives, edit.ended, Life.GONE)
                    if (edit.ended is None or Life.GONE in fates[edit.ended]) and after not in layers[reaches]:
                        layers[reaches].add(after)
                        to_look_at += raised < reaches
            if to_look_at > ROWS_MAX:
                return f"more than {ROWS_MAX:,} rows on the way from one look to the next"
        if raises is None or raised == most:
            found.update(row for row, _ in layer if not _distance(row, shown))
    return frozenset(found)


def _later(fates: tuple[Lives, ...], lives: Lives) -> Iterator[Lives]:
    """Yield what lives become where something becomes of one member."""
    for member, (life, fate) in enumerate(zip(lives, fates, strict=True)):
        yield from (_with(lives, member, later) for later in fate[fate.index(life) + 1 :])


def _with(lives: Lives, member: int, life: Life) -> Lives:
    return (*lives[:member], life, *lives[member + 1 :])


def _distance(row: Slots, shown: Slots) -> int:
    """Return in how many of the shown slots a row is another: so much at least an edit raises the version by."""
    return sum(one != other for one, other in zip(row, shown, strict=False))


def renumbered(row: Slots, new: Mapping[int, int] | Sequence[int]) -> Slots:
    """Return a row whose members have other numbers."""
    return tuple(None if one is None else new[one] for one in row)


@cache
def edits_of(row: Slots, lives: Lives, groups: Members) -> tuple[Edit, ...]:
    """Return every edit that the specification allows, each effect once; none where nobody runs.

    It is said who has which slot of one partition, who runs, and for each member the first one of its group.
    """
    if not any(life in RUNNING for life in lives):
        return ()
    # So arrangements that differ in names alone are mostly one: by what members have, and then by what they are.
    places = {member: slot for slot, member in enumerate(row)}
    old = sorted(range(len(lives)), key=lambda one: (places.get(one, len(row)), lives[one].name, groups[one]))
    new, named = {member: number for number, member in enumerate(old)}, [groups[one] for one in old]
    found = _edits_of(renumbered(row, new), tuple(lives[one] for one in old), tuple(map(named.index, named)))
    ended = {None: None} | dict(enumerate(old))
    return tuple(replace(edit, row=renumbered(edit.row, old), ended=ended[edit.ended]) for edit in found)


@cache
def _edits_of(row: Slots, lives: Lives, groups: Members) -> tuple[Edit, ...]:
    """Return the edits of an arrangement whose members have their new numbers.

    Whoever is the master makes the same ones, but for one: no promotion of the master itself fails and leaves it there.
    So it is somebody who is not promoted, where there is one.
    """
    running = [member for member, life in enumerate(lives) if life in RUNNING]
    promoted = next((one for one in row if one in running), None)
    master = next((one for one in running if one != promoted), running[0])
    runner = _runner_of(max(len(lives), 2), len(row))
    found: dict[Edit, None] = {}
    for after in _edited(runner, _state_of(runner, row, lives, groups, master), master):
        ended = next((one for one in running if after["ended"][one]), None)
        found.setdefault(Edit(after["row"][master], after["version"][master] - BEGIN, ended))
    return tuple(found)


def _edited(runner: Runner, state: State, master: int) -> Iterator[State]:
    """Yield the state after each edit of a master: all its actions in order, or as it fails."""
    for event in runner.events(state, BEGUN_BY):
        after = ordered = runner.step(state, event)
        for action in ENDED_BY:  # each is of one member at most
            after = next((runner.step(after, one) for one in runner.events(after, (action,))), after)
        yield after
        target = ordered["promotion"][master]
        if target not in (None, master):  # it ends before it has answered
            for end in (Event("member_ends", (target,)), Event("ended_member_is_removed", (master, target))):
                ordered = runner.step(ordered, end)
        yield from (runner.step(ordered, one) for one in runner.events(ordered, FAILING))


@cache
def _runner_of(members: int, slots: int) -> Runner:
    plenty = dict.fromkeys(("endings", "orders", "failures", "versions"), PLENTY)
    return Runner(specification.world(members=members, backups=slots - 1, **plenty))


def _state_of(runner: Runner, row: Slots, lives: Lives, groups: Members, master: int) -> State:
    """Return the state in which everybody who runs has the row, and nothing is under way."""
    count = len(runner.start["row"])
    lives = (*lives, *(Life.ABSENT,) * (count - len(lives)))
    runs = tuple(life in RUNNING for life in lives)
    listed = [member for member in range(count) if runs[member]]
    places = tuple(listed.index(member) if runs[member] else None for member in range(count))
    return runner.start.replaced(
        {
            "role": tuple(Role.ABSENT if life is Life.ABSENT else Role.DATA for life in lives),
            "group": (*groups, *range(len(groups), count)),
            "ended": tuple(life is Life.GONE for life in lives),
            "leaving": tuple(life is Life.LEAVING for life in lives),
            "rank": tuple(places if one else (None,) * count for one in runs),
            "follows": tuple(master if one else None for one in runs),
            "row": tuple(row if one else (None,) * len(row) for one in runs),
            "version": tuple(BEGIN if one else 0 for one in runs),
            "holds": tuple(one and member in row for member, one in enumerate(runs)),
        }
    )
