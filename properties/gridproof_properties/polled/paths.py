"""Which rows edits lead to, from one look at a table to the next.

Between two looks any number of edits may have been made, and members may have started, asked to leave and ended, in any
order. Versions bound the search: each edit raises them by what it changes. Slots behind those that are shown may be
anybody's, so a row is a set of rows: those that may be, given all that was seen so far.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations

from gridproof_model.trace import Slots
from gridproof_properties.polled.edits import RUNNING, Arrangement, Life, edits_of
from gridproof_properties.validation.engine import GivenUpError

RAISES_MAX = 16
"""Versions between two looks that are searched."""
UNVERSIONED_MAX = 8
"""What edits may raise a version by between two looks, where none is shown."""
ROWS_MAX = 1_000
"""Rows, each with who runs, that are looked at on the way from one look to the next."""
TAILS_MAX = 250
"""Ways to fill the slots that are not shown."""


@dataclass(frozen=True, slots=True)
class Question:
    """Two looks at a row, with members numbered as `Arrangement` wants it."""

    starts: frozenset[Slots]
    """The rows that it may have been."""
    lives: tuple[Life, ...]
    """Of each member at the first look."""
    groups: int
    shown: Slots
    """The slots at the second look, as far as they are shown."""
    raises: int | None
    """By how much its version is higher; None where versions are not shown."""
    may_start: frozenset[int] = frozenset()
    may_leave: frozenset[int] = frozenset()
    may_end: frozenset[int] = frozenset()
    """Who may have started, asked to leave, ended in between."""


def reached(question: Question) -> frozenset[Slots]:
    """Return the rows that the second look may have been of; none where no edits lead there.

    GivenUpError where more versions, or ways, lie between the looks than are searched.
    """
    found = _reached(question)
    if isinstance(found, str):
        raise GivenUpError(found)
    return found


@cache
def _reached(question: Question) -> frozenset[Slots] | str:
    """Return the rows, or why they are not searched: that is remembered, too, for it takes longest to find out."""
    most = UNVERSIONED_MAX if question.raises is None else question.raises
    if most > RAISES_MAX:
        return f"more than {RAISES_MAX} versions between two looks"
    layers: list[set[tuple[Slots, tuple[Life, ...]]]] = [set() for _ in range(most + 1)]
    layers[0] = {(row, question.lives) for row in question.starts}
    found, to_look_at = set[Slots](), len(layers[0])
    for raised, layer in enumerate(layers):
        waiting = list(layer)
        while waiting:
            row, lives = waiting.pop()
            for changed in _changes(question, row, lives):
                if changed not in layer:
                    layer.add(changed)
                    waiting.append(changed)
            for edit in edits_of(Arrangement(row, lives, question.groups)):
                reaches = raised + edit.raises
                if reaches <= most and _distance(edit.row, question.shown) <= most - reaches:
                    after = edit.row, lives if edit.ended is None else _with(lives, edit.ended, Life.GONE)
                    is_possible = edit.ended is None or edit.ended in question.may_end
                    if is_possible and after not in layers[reaches]:
                        layers[reaches].add(after)
                        to_look_at += raised < reaches
            if to_look_at > ROWS_MAX:
                return f"more than {ROWS_MAX:,} rows on the way from one look to the next"
        if question.raises is None or raised == most:
            found.update(row for row, _ in layer if not _distance(row, question.shown))
    return frozenset(found)


def filled(shown: Slots, slots: int, others: tuple[int, ...]) -> frozenset[Slots]:
    """Return every row that begins with the shown slots; the rest is anybody's of these, or empty.

    GivenUpError where there are too many.
    """
    hidden, found = slots - len(shown), {shown}
    if hidden > 0:
        found = set()
        for tail in permutations((*others, *(None,) * hidden), hidden):
            found.add((*shown, *tail))
            if len(found) > TAILS_MAX:
                raise GivenUpError(f"more than {TAILS_MAX} ways to fill the slots that are not shown")
    return frozenset(found)


def _changes(question: Question, row: Slots, lives: tuple[Life, ...]) -> Iterator[tuple[Slots, tuple[Life, ...]]]:
    for member, life in enumerate(lives):
        if life is Life.ABSENT and member in question.may_start:
            yield row, _with(lives, member, Life.RUNNING)
        if life is Life.RUNNING and member in question.may_leave:
            yield row, _with(lives, member, Life.LEAVING)
        if life in RUNNING and member in question.may_end:
            yield row, _with(lives, member, Life.GONE)


def _with(lives: tuple[Life, ...], member: int, life: Life) -> tuple[Life, ...]:
    return (*lives[:member], life, *lives[member + 1 :])


def _distance(row: Slots, shown: Slots) -> int:
    """Return in how many of the shown slots a row is another: so much at least an edit raises the version by."""
    return sum(one != other for one, other in zip(row, shown, strict=False))
