"""The facts that rows are compared with, computed once for each view.

A `Scene` says which members are alive, which of them are owners and in which group, and how many copies a row should
have; here these facts become columns. Views with the same members, owners and groups share one **roster**, so there are
only as many rosters as changes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gridproof_model.trace import MemberRecord, Record, ViewRecord
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.shares import NO_GROUP, group_of, separation_is_owed

NOT_IN_A_GROUP = -1
ALIVE, OWNER, UNGROUPED = 1, 2, 4
"""Bits of `Rosters.standing`; the third one is set for an owner that is in no group."""
NO_VIEW = -1

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rosters:
    """Which members are alive or may own replicas, and their groups: one line per roster, one column per member, and a
    last column for all other members."""

    standing: NDArray[np.uint8]
    group: NDArray[np.int32]
    """The numbers of the owners' groups; `NOT_IN_A_GROUP` for members that are no owners."""
    may_share: Flags
    """Whether some owners share a group, or some owner is in no group; if not, a row has two owners of one group only
    if it has one owner twice."""
    separation_owed: Flags
    """Whether the fair share of every group is at most one copy of each partition (systems.7)."""
    has_lite: Flags
    """Whether some living member is not allowed to own replicas."""
    wanted: NDArray[np.int32]
    """How many copies a row should have: as many as the run asked for, but at most one per group."""
    scenes: tuple[Scene, ...]


@dataclass(frozen=True, slots=True)
class ViewFacts:
    """The views of one run in their order, with one column per fact."""

    partition_count: int
    copies: int
    """How many replicas the run asked for."""
    number: Longs
    """The number of each view among all views of the run, from 0."""
    observer: Longs
    settled: Flags
    at_ms: Longs
    stage: Longs
    """The number of each view's stage; equal stages have equal numbers."""
    first_of_stage: Longs
    """For each view, the number of the settled view that its rows are compared with, or `NO_VIEW`."""
    roster: Longs
    rosters: Rosters
    stages: Sequence[str]
    """The name of each stage, by the number of the stage."""

    def scene(self, view: int) -> Scene:
        """Return the scene of one of these views: its members, and the view itself."""
        scene: Scene = self.rosters.scenes[self.roster[view]]
        assert scene.view is not None, "a roster is that of a view"
        stage, observer, settled = self.stages[self.stage[view]], int(self.observer[view]), bool(self.settled[view])
        at_ms = int(self.at_ms[view])
        return replace(scene, view=replace(scene.view, at_ms=at_ms, stage=stage, observer=observer, settled=settled))

    def spans_of(self, views: Longs) -> list[tuple[int, int]]:
        """Return when the given views were shown, each as a span of one moment."""
        return [(at_ms, at_ms) for at_ms in self.at_ms[views].tolist()]


_Shape = tuple[int, tuple[int, ...], tuple[int, ...], tuple[str, ...]]
"""The number of records of members so far, the living members, those that may own replicas, and their groups."""


@dataclass(slots=True)
class ViewList:
    """Gathers the views of a run as they come."""

    scene: Scene
    """The members; each record is shown to the scene before it is shown to this object."""
    _lines: list[tuple[int, ...]] = field(default_factory=list)
    _rosters: dict[_Shape, tuple[int, Scene]] = field(default_factory=dict)
    """The rosters so far, each with its number and its scene."""
    _stages: dict[str, int] = field(default_factory=dict)
    _views: int = 0
    _changes: int = 0
    """How many records of members came so far."""
    _first: int = NO_VIEW
    """The number of the first settled view of the latest stage; `NO_VIEW` until there is one."""
    _stage: str | None = None

    def observe(self, record: Record) -> None:
        """Read a record of a member, or a view."""
        if isinstance(record, MemberRecord):
            self._changes += 1
        elif isinstance(record, ViewRecord):
            self._lines.append((self._views, record.observer, record.settled, record.at_ms, *self._find(record)))
            self._views += 1

    def __len__(self) -> int:
        return len(self._lines)

    def _find(self, view: ViewRecord) -> tuple[int, int, int]:
        """Return the numbers of a view's stage, of the view that its rows are compared with, and of its roster."""
        if self._first == NO_VIEW or view.stage != self._stage:
            self._stage, self._first = view.stage, self._views if view.settled else NO_VIEW
        shape = self._changes, view.members, view.data_members, view.groups
        if shape not in self._rosters:
            self._rosters[shape] = len(self._rosters), _still(self.scene)
        stage = self._stages.setdefault(view.stage, len(self._stages))
        return stage, self._first if view.settled else NO_VIEW, self._rosters[shape][0]

    def take(self) -> ViewFacts:
        """Return the facts of the views so far, and forget all views but the last."""
        columns = np.array(self._lines, np.int64).reshape(len(self._lines), 7).T
        number, observer, settled, at_ms, stage, first, roster = np.ascontiguousarray(columns)
        scenes = tuple(scene for _, scene in self._rosters.values())
        run, copies = self.scene.run, self.scene.copies
        facts = ViewFacts(
            0 if run is None else run.partition_count,
            copies,
            number,
            observer,
            settled.astype(np.bool_),
            at_ms,
            stage,
            first,
            roster,
            _rosters_of(scenes),
            tuple(self._stages),
        )
        if self._lines:
            *line, last = self._lines[-1]
            shape = next(shape for shape, (number, _) in self._rosters.items() if number == last)
            self._rosters, self._lines = {shape: (0, scenes[last])}, [(*line, 0)]
        return facts


def _still(scene: Scene) -> Scene:
    """Return a copy of those parts of a scene that rows are compared with, as they are now."""
    names, weights = dict(scene.names), dict(scene.weights)
    still = Scene(scene.run, scene.view, names, weights, alive=scene.alive, owners=scene.owners, groups=scene.groups)
    still.sharing_groups, still.stated = scene.sharing_groups, scene.stated
    return still


def _rosters_of(scenes: tuple[Scene, ...]) -> Rosters:
    known = max((1 + max((*scene.alive, *scene.owners), default=-1) for scene in scenes), default=0)
    standing = np.zeros((len(scenes), known + 1), np.uint8)
    group = np.full((len(scenes), known + 1), NOT_IN_A_GROUP, np.int32)
    for line, scene in enumerate(scenes):
        standing[line, list(scene.alive)] |= ALIVE
        standing[line, list(scene.owners)] |= OWNER
        for member, number in _groups_of(scene):
            group[line, member] = number
            standing[line, member] |= UNGROUPED if number == NOT_IN_A_GROUP else 0
    shares = [any(len(members) > 1 for members in scene.groups.values()) for scene in scenes]
    return Rosters(
        standing,
        group,
        np.array(shares, np.bool_) | (standing & UNGROUPED).any(axis=1),
        np.array(
            [separation_is_owed(one.groups, one.weights, one.copies, by_weight=one.stated.by_weight) for one in scenes],
            np.bool_,
        ),
        np.array([not scene.alive <= scene.owners for scene in scenes], np.bool_),
        np.array([scene.wanted for scene in scenes], np.int32),
        scenes,
    )


def _groups_of(scene: Scene) -> Iterator[tuple[int, int]]:
    """Yield each owner with the number of its group."""
    assert scene.view is not None, "a roster is that of a view"
    numbers = {name: number for number, name in enumerate(sorted(scene.groups))}
    for member in scene.owners:
        name = group_of(scene.view, member)
        yield member, NOT_IN_A_GROUP if name == NO_GROUP else numbers[name]
