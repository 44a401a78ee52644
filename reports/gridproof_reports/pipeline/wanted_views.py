"""Views whose rows the judges of histories want.

Nobody else than they looks at rows one after another, and they need few: which, is known once it is known how many rows
each view shows. Where a harness does not record what ends with a member, it is read off the latest rows at rest (see
`gridproof_properties.judging.conditions`): those, then, are wanted, too.
"""

from collections.abc import Iterator

from gridproof_model.events import NAMES
from gridproof_model.events.conditions import StatedTimes
from gridproof_model.events.harness import TablesPolled
from gridproof_model.trace import MemberChange, MemberRecord, ViewRecord
from gridproof_reports.pipeline.case import EVENT, Case

_SMALL = frozenset({"run", "member", "view", "verdict", "route"})
"""Kinds of records over which no judge of histories compares anything."""


def wanted_views(case: Case) -> list[int]:
    """Return the views whose rows these judges want, in their order.

    The first whole table of each stage, where somebody looked at contents or asked for something; and what says what
    an end took along, where there is anything that can suffer from it. A run that states a time in which copies are
    made again, and in which a member crashed, keeps every row: when they were there again may be said by a later table
    of a stage. So does a run whose tables were polled.
    """
    if not case.counts.keys() - _SMALL:
        return []
    views = [record for _, record in case.setting if isinstance(record, ViewRecord)]
    if case.counts[EVENT + NAMES[TablesPolled]] or (case.counts[EVENT + NAMES[StatedTimes]] and _has_crash(case)):
        return [view.view for view in views]
    wanted = set(_holding_views(case))
    if case.counts["operation"] or case.counts["digest"]:
        wanted.update(_first_whole_views(case, views))
    return sorted(wanted)


def _has_crash(case: Case) -> bool:
    changes = (record.change for _, record in case.setting if isinstance(record, MemberRecord))
    return MemberChange.CRASHED in changes


def _is_whole(case: Case, view: ViewRecord) -> bool:
    """Whether a view is settled and shows as many rows as the grid has partitions."""
    return view.settled and case.shown.by_view.get(view.view, 0) >= case.head.partition_count


def _first_whole_views(case: Case, views: list[ViewRecord]) -> Iterator[int]:
    """Yield the first whole view of each stage."""
    stage: str | None = None
    for view in views:
        if _is_whole(case, view) and view.stage != stage:
            stage = view.stage
            yield view.view


def _holding_views(case: Case) -> list[int]:
    """Return the views whose rows say what members held whose end was not recorded.

    Those of the latest two whole tables at rest, and of what others showed since: a member may end while rows come.
    """
    ends = set(_unrecorded_ends(case))
    needed: dict[int, None] = {}
    before: list[int] = []
    since: list[int] = []
    for place, record in case.setting:
        if isinstance(record, ViewRecord) and record.settled:
            if _is_whole(case, record):
                before, since = since, []
            since.append(record.view)
        elif place in ends:
            needed |= dict.fromkeys((*before, *since))
    return list(needed)


def _unrecorded_ends(case: Case) -> Iterator[int]:
    """Yield the positions of the ends of members that may have held copies, and of which no record says what."""
    ended: int | None = None
    news = iter(sorted(case.recorded_ends))
    coming = next(news, None)
    for place, record in case.setting:
        while coming is not None and coming[0] < place:
            ended, coming = coming[1], next(news, None)
        if isinstance(record, MemberRecord) and record.change is not MemberChange.JOINED:
            if record.member != ended and record.change is not MemberChange.LEFT and not record.lite:
                yield place
            ended = None
