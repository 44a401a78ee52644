"""Who ends, whom members take for gone, and when copies may be missing."""

from gridproof_model.language import IndexExpr, Step, all_of, exists, if_else
from gridproof_model.specifications.streams.state import (
    RECORD,
    Phase,
    concerns,
    ended,
    endings_left,
    exposed,
    exposures_left,
    members,
    memory,
    phase,
    present,
    removals_left,
    removed,
    runs,
    specification,
)


@specification.action(members, source="calls.3, jobs.18")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, leaves or merges, and what it knew is gone. The second one may have had the other copy."""
    return Step(
        when=[endings_left > 0, ~ended[member]],
        then=[
            endings_left.becomes(endings_left - 1),
            ended[member].becomes(True),
            exposed.becomes(exposed | exists(members, lambda other: ended[other])),
            present[member].becomes(None),
            runs[member].becomes(None),
            phase[member].becomes(Phase.NONE),
            memory[member].becomes(RECORD()),
        ],
    )


@specification.action(members, members, source="members.14, jobs.4")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody in its list no more, and gives up what that one takes part in or coordinates.

    Where it lives on, there are two clusters, and copies in both.
    """
    is_over = present[observer].is_some & concerns(present[observer].value, member)
    return Step(
        when=[removals_left > 0, ~ended[observer], observer != member, ~removed[observer][member]],
        then=[
            removals_left.becomes(removals_left - 1),
            removed[observer][member].becomes(True),
            present[observer].becomes(if_else(is_over, None, present[observer])),
            exposed.becomes(exposed | ~ended[member]),
        ],
    )


@specification.action(source="jobs.19, chapter repair; seed: In-Memory Storage")
def copies_are_exposed() -> Step:
    """Something of the job has one copy, or none: no backups, one group, a frozen cluster."""
    return Step(
        when=[exposures_left > 0, all_of(~exposed)],
        then=[exposures_left.becomes(exposures_left - 1), exposed.becomes(True)],
    )
