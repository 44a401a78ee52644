"""What rows are held against, computed once a view.

The judges' own scene says who is alive, who owns, in which group, and what is owed; here that becomes columns. Views of
equal members, owners and groups have one **roster** in common, of which there are as many as changes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gridproof_model.trace import ViewRecord
from gridproof_properties.invariants.rows import GROUP_SEPARATION
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.shares import NO_GROUP, group_of
from gridproof_reports.pipeline.case import Case

NOT_IN_A_GROUP = -1
ALIVE, OWNER, UNGROUPED = 1, 2, 4
"""Bits of `Roster.standing`; an owner in no group has the last."""
NO_VIEW = -1

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rosters:
    """Who is alive, who may own and in which group, a line a roster; a column a member, and one for all others."""

    standing: NDArray[np.uint8]
    group: NDArray[np.int32]
    """Numbers of the owners' groups; `NOT_IN_A_GROUP` for everybody else."""
    may_share: Flags
    """Whether some owners share a group, or one is in none; else only an owner that stands twice shares one."""
    has_lite: Flags
    """Whether somebody is alive and may not own."""
    wanted: NDArray[np.int32]
    """Copies the run asked for, as far as there is a group for each."""


@dataclass(frozen=True, slots=True)
class ViewFacts:
    """The views of one run, in their order, a column a fact."""

    run: str
    source: str
    """The path of the trace that the run stands in, from the root."""
    partition_count: int
    copies: int
    """Replicas the run asked for."""
    view: Longs
    """As the trace numbers it."""
    position: Longs
    end: Longs
    """The positions at which the next view, or the next run, begins."""
    observer: Longs
    settled: Flags
    separation_owed: Flags
    stage: Longs
    """Equal numbers are equal stages."""
    first_of_stage: Longs
    """The settled view that the rows of this one are compared with, as a place in these columns, or `NO_VIEW`."""
    roster: Longs
    rosters: Rosters


_Shape = tuple[frozenset[int], frozenset[int], tuple[str, ...]]
"""Who is alive, who may own, and the groups by member."""


@dataclass(slots=True)
class _RosterList:
    """The different rosters of a run."""

    numbers: dict[_Shape, int] = field(default_factory=dict)

    def number_of(self, scene: Scene, view: ViewRecord) -> int:
        """Return the number of the roster of a view."""
        return self.numbers.setdefault((scene.alive, scene.owners, view.groups), len(self.numbers))


def facts_of(case: Case) -> ViewFacts:
    """Return the facts of one run."""
    scene, stages, rosters = Scene(), _Stages(), _RosterList()
    numbers: dict[str, int] = {}
    lines: list[tuple[int, ...]] = []
    filled: list[Scene] = []
    scene.observe(case.head)
    for place, record in case.setting:
        scene.observe(record)
        if isinstance(record, ViewRecord):
            first = stages.first_of(record, len(lines))
            roster = rosters.number_of(scene, record)
            if roster == len(filled):
                filled.append(_still(scene))
            owed = GROUP_SEPARATION.owed(scene)
            stage = numbers.setdefault(record.stage, len(numbers))
            lines.append((record.view, place, record.observer, record.settled, owed, stage, first, roster))
    columns = np.array(lines, np.int64).reshape(len(lines), 8).T
    view, position, observer, settled, owed_there, stage_of, first_of, roster_of = np.ascontiguousarray(columns)
    return ViewFacts(
        case.head.run,
        str(case.source.absolute()),
        case.head.partition_count,
        scene.copies,
        view,
        position,
        np.append(position[1:], case.end_position)[: len(position)],
        observer,
        settled.astype(np.bool_),
        owed_there.astype(np.bool_),
        stage_of,
        first_of,
        roster_of,
        _rosters_of(filled),
    )


def _still(scene: Scene) -> Scene:
    """Return what of a scene its roster is made of, as it is now."""
    still = Scene(scene.run, scene.view, alive=scene.alive, owners=scene.owners, groups=scene.groups)
    still.sharing_groups = scene.sharing_groups
    return still


def _rosters_of(scenes: Sequence[Scene]) -> Rosters:
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
        np.array([not scene.alive <= scene.owners for scene in scenes], np.bool_),
        np.array([scene.wanted for scene in scenes], np.int32),
    )


def _groups_of(scene: Scene) -> Iterator[tuple[int, int]]:
    """Yield the owners with the numbers of their groups."""
    assert scene.view is not None, "a roster is that of a view"
    numbers = {name: number for number, name in enumerate(sorted(scene.groups))}
    for member in scene.owners:
        name = group_of(scene.view, member)
        yield member, NOT_IN_A_GROUP if name == NO_GROUP else numbers[name]


@dataclass(slots=True)
class _Stages:
    """Finds the view of a stage that the others are held to: its first settled one."""

    stage: str | None = None
    first: int = NO_VIEW

    def first_of(self, view: ViewRecord, place: int) -> int:
        if self.first == NO_VIEW or view.stage != self.stage:
            self.stage, self.first = view.stage, place if view.settled else NO_VIEW
        return self.first if view.settled else NO_VIEW
