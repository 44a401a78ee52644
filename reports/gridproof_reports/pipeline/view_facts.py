"""What rows are held against, computed once a view.

The judges' own scene says who is alive, who owns, in which group, and what is owed; here that becomes columns of
numbers: a set of members is a 64-bit word with a bit a member, beside an array for grids too large for a word.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as arrow

from gridproof_model.trace import ViewRecord
from gridproof_properties.invariants.rows import GROUP_SEPARATION
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.shares import NO_GROUP, group_of
from gridproof_reports.pipeline.job import Case

WORD_BITS = 63
"""Members and groups with numbers below this have a bit of a word."""
NOT_IN_A_GROUP = -1

FACTS_SCHEMA = arrow.schema(
    [
        ("run", arrow.string()),
        ("view", arrow.int64()),
        ("observer", arrow.int64()),
        ("settled", arrow.bool_()),
        ("separation_owed", arrow.bool_()),
        ("may_share", arrow.bool_()),
        ("copies", arrow.int32()),
        ("wanted", arrow.int32()),
        ("fits_words", arrow.bool_()),
        ("alive", arrow.list_(arrow.int32())),
        ("owners", arrow.list_(arrow.int32())),
        ("group_numbers", arrow.list_(arrow.int32())),
        ("alive_word", arrow.int64()),
        ("owner_word", arrow.int64()),
        ("ungrouped_word", arrow.int64()),
        ("first_of_stage", arrow.int64()),
        ("partitions", arrow.int64()),
    ]
)
"""`may_share`: whether some owners share a group, or one is in none; else no row can break the separation of groups.
`copies`: replicas the run asked for; `wanted`: those of them there is a group for. `group_numbers`: by member
number, for owners only. `first_of_stage`: the settled view that the rows of this one are compared with, or null.
`partitions`: how many the run has."""


def facts_of(cases: Iterable[Case]) -> Any:
    """Return an Arrow table with a row a view."""
    columns: dict[str, list[Any]] = {name: [] for name in FACTS_SCHEMA.names}
    for case in cases:
        for facts in _facts(case):
            for name, value in facts.items():
                columns[name].append(value)
    return arrow.table(columns, schema=FACTS_SCHEMA)


def _facts(case: Case) -> Iterator[dict[str, Any]]:
    scene, stages = Scene(), _Stages()
    scene.observe(case.head)
    for _, record in case.setting:
        scene.observe(record)
        if isinstance(record, ViewRecord):
            at_hand = {"first_of_stage": stages.first_of(record), "partitions": case.head.partition_count}
            yield _facts_of_view(scene, record) | at_hand


def _facts_of_view(scene: Scene, view: ViewRecord) -> dict[str, Any]:
    numbers = {name: number for number, name in enumerate(sorted(scene.groups))}
    known = max(max(scene.alive, default=0) + 1, len(view.groups))
    groups = [numbers.get(group_of(view, m), NOT_IN_A_GROUP) if m in scene.owners else None for m in range(known)]
    ungrouped = [member for member in scene.owners if group_of(view, member) == NO_GROUP]
    fits_words = known <= WORD_BITS and len(numbers) <= WORD_BITS
    return {
        "run": view.run,
        "view": view.view,
        "observer": view.observer,
        "settled": view.settled,
        "separation_owed": GROUP_SEPARATION.owed(scene),
        "may_share": bool(ungrouped) or any(len(members) > 1 for members in scene.groups.values()),
        "copies": scene.copies,
        "wanted": min(len(scene.groups), scene.copies),
        "fits_words": fits_words,
        "alive": sorted(scene.alive),
        "owners": sorted(scene.owners),
        "group_numbers": groups,
        "alive_word": _word(scene.alive) if fits_words else 0,
        "owner_word": _word(scene.owners) if fits_words else 0,
        "ungrouped_word": _word(ungrouped) if fits_words else 0,
    }


def _word(members: Iterable[int]) -> int:
    return sum(1 << member for member in members)


@dataclass(slots=True)
class _Stages:
    """Finds the view of a stage that the others are held to: its first settled one."""

    first: ViewRecord | None = field(default=None)

    def first_of(self, view: ViewRecord) -> int | None:
        if self.first is None or view.stage != self.first.stage:
            self.first = view if view.settled else None
        return self.first.view if self.first is not None and view.settled else None
