"""What share of a small world runs have met.

The denominator is exact: every state of a small world of `replication` is walked through, and what can be met there is
counted. A state is looked at through one backup at a time, and through differences of versions in place of versions, so
that runs of any size can be held against it. Beside the shapes of states there are the steps: which action, in which
phase, while which fault was at work.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.replication.state import Standing, specification

FARTHEST = 2
"""Versions that are farther apart look alike."""
LANE_SEEN = 2
"""Messages of a lane that are looked at, the oldest first."""
NO_FAULT = "none"
SMALL: dict[str, Plain] = {
    "members": 4,
    "sync_backups": 1,
    "async_backups": 1,
    "writes": 2,
    "watched_write": 0,
    "losses": 1,
    "crashes": 1,
    "migrations": 1,
    "refusals": 1,
}


class Phase(StrEnum):
    """What a step finds."""

    CALM = "calm"
    UNDER_WAY = "updates under way"
    BEHIND = "a backup is dirty or asks"
    HOLE = "a backup is gone"
    ORPHANED = "the primary is gone"


class Shape(NamedTuple):
    """A state, as far as one backup and its link to the primary go."""

    primary: str
    backup: str
    behind: int | None
    """Versions behind the primary, where both are up."""
    is_dirty: bool
    is_syncing: bool
    normal: tuple[str, ...]
    urgent: tuple[str, ...]
    is_asked: bool

    def __str__(self) -> str:
        """Return the shape in words."""
        marks = [word for word, is_so in (("dirty", self.is_dirty), ("syncing", self.is_syncing)) if is_so]
        lanes = [*self.normal, *self.urgent, *(["request"] if self.is_asked else [])]
        behind = "" if self.behind is None else f" {self.behind} behind"
        return (
            f"primary {self.primary}, backup {self.backup}{behind}{''.join(f', {mark}' for mark in marks)}; "
            f"under way: {', '.join(lanes) or 'nothing'}"
        )


Taken = tuple[str, Phase]


@dataclass(slots=True)
class Coverage:
    """What many runs have met."""

    shapes: set[Shape] = field(default_factory=set)
    taken: set[tuple[str, Phase, str]] = field(default_factory=set)
    """Action, phase, fault."""
    acted: set[tuple[str, str, str]] = field(default_factory=set)
    """Specification, action, fault, of specifications of which actions alone are counted."""
    steps: int = 0

    def join(self, other: "Coverage") -> None:
        """Add what other runs have met."""
        self.shapes |= other.shapes
        self.taken |= other.taken
        self.acted |= other.acted
        self.steps += other.steps

    def saw(self, before: State, event: Event, after: State, faults: tuple[str, ...]) -> None:
        """Count a step, with the faults that are at work."""
        self.steps += 1
        self.shapes.update(shapes_of(after))
        phase = phase_of(before)
        self.taken.update((event.action, phase, fault) for fault in faults or (NO_FAULT,))

    def acts(self, specification: str, action: str, faults: tuple[str, ...]) -> None:
        """Count an action of another specification, with the faults that are at work."""
        self.acted.update((specification, action, fault) for fault in faults or (NO_FAULT,))


@dataclass(frozen=True, slots=True)
class Denominator:
    """What can be met in a small world."""

    title: str
    states: int
    shapes: frozenset[Shape]
    taken: frozenset[Taken]


@cache
def denominator() -> Denominator:
    """Return what the small world has, walking through all of it; some seconds."""
    return denominator_of(Runner(specification.world(**SMALL)))


def denominator_of(runner: Runner) -> Denominator:
    """Return what a world has."""
    seen = set(runner.initial_states())
    todo, taken = list(seen), set[Taken]()
    shapes = {shape for state in seen for shape in shapes_of(state)}
    while todo:
        state = todo.pop()
        for event in runner.events(state):
            taken.add((event.action, phase_of(state)))
            after = runner.step(state, event)
            if after not in seen:
                seen.add(after)
                todo.append(after)
                shapes.update(shapes_of(after))
    return Denominator(runner.world.title, len(seen), frozenset(shapes), frozenset(taken))


def shapes_of(state: State) -> Iterator[Shape]:
    """Yield the shape of each backup."""
    primary = state["primary"]
    for backup, (replica, link) in enumerate(zip(state["backup_replica"], state["link"], strict=True)):
        both = primary.standing is Standing.UP and replica.standing is Standing.UP
        own = replica.versions[backup]
        yield Shape(
            primary.standing.value,
            replica.standing.value,
            _near(primary.versions[backup] - own) if both else None,
            replica.is_dirty,
            replica.is_syncing,
            tuple(_told(message, backup, own) for message in link.normal[:LANE_SEEN]),
            tuple(_told(message, backup, own) for message in link.urgent),
            link.request is not None,
        )


def phase_of(state: State) -> Phase:
    """Return what a step in this state finds."""
    replicas, links = state["backup_replica"], state["link"]
    if state["primary"].standing is not Standing.UP:
        return Phase.ORPHANED
    if any(replica.standing is not Standing.UP for replica in replicas):
        return Phase.HOLE
    if any(replica.is_dirty or replica.is_syncing for replica in replicas):
        return Phase.BEHIND
    return Phase.UNDER_WAY if any(link.normal or link.urgent for link in links) else Phase.CALM


def _told(message: Plain, backup: int, own: int) -> str:
    if message.index != backup:
        return f"{message.kind.value} for another slot"
    return f"{message.kind.value} {_near(message.versions[backup] - own):+}"


def _near(difference: int) -> int:
    return max(-FARTHEST, min(FARTHEST, difference))
