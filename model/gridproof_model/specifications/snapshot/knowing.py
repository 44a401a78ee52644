"""Who ends, whom members take for gone, and when copies may be missing."""

from gridproof_model.language import (
    ArrayExpr,
    BoolExpr,
    IndexExpr,
    OptionExpr,
    Step,
    Update,
    all_of,
    array_of,
    exists,
    if_else,
)
from gridproof_model.specifications.snapshot.state import (
    EXECUTION,
    RECORD,
    Phase,
    at_once,
    concerns,
    ended,
    endings_left,
    executions,
    exposed,
    exposures_left,
    in_doubt,
    is_unsafe,
    is_writing,
    members,
    memory,
    phase,
    present,
    removals_left,
    removed,
    runs,
    saved,
    snapshots,
    specification,
    underway,
)


@specification.action(members, source="calls.3, jobs.18")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, leaves or merges, and what it knew is gone; where all learn at once, they give up what it did.

    The second one before the cluster is safe again may have had the other copy. What of a snapshot had no other may
    have been with it.
    """

    def loses(other: IndexExpr, what: ArrayExpr[OptionExpr[IndexExpr]]) -> BoolExpr:
        is_lost = all_of(at_once, what[other].is_some, concerns(what[other].value, member))
        return (other == member) | is_lost

    return Step(
        when=[endings_left > 0, ~ended[member]],
        then=[
            endings_left.becomes(endings_left - 1),
            ended[member].becomes(True),
            exposed.becomes(exposed | is_unsafe),
            is_unsafe.becomes(True),
            in_doubt.becomes(in_doubt | exists(members, lambda other: loses(other, runs) & is_writing(other))),
            present.becomes(array_of(members, lambda other: if_else(loses(other, present), None, present[other]))),
            runs.becomes(array_of(members, lambda other: if_else(loses(other, runs), None, runs[other]))),
            phase.becomes(array_of(members, lambda other: if_else(loses(other, runs), Phase.NONE, phase[other]))),
            memory[member].becomes(RECORD()),
            underway.becomes(
                array_of(executions, lambda one: if_else(at_once & concerns(one, member), EXECUTION(), underway[one]))
            ),
            removed.becomes(
                array_of(
                    members,
                    lambda observer: removed[observer].store(
                        member, removed[observer][member] | (at_once & (observer != member))
                    ),
                )
            ),
            saved.becomes(
                array_of(
                    snapshots,
                    lambda one: saved[one].replace(is_endangered=saved[one].is_endangered | saved[one].is_bare),
                )
            ),
        ],
    )


def takes_for_gone(observer: IndexExpr, member: IndexExpr) -> list[Update]:
    """Return the updates after which a member has another in its list no more, and has given up what that one does."""
    is_over = present[observer].is_some & concerns(present[observer].value, member)
    return [
        removed[observer][member].becomes(True),
        present[observer].becomes(if_else(is_over, None, present[observer])),
    ]


@specification.action(members, members, source="members.14, jobs.4", fair=True)
def ended_member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody that ended in its list no more, and gives up what that one takes part in or coordinates."""
    return Step(
        when=[~ended[observer], ended[member], ~removed[observer][member]],
        then=takes_for_gone(observer, member),
    )


@specification.action(members, members, source="members.14, jobs.4")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """The same of a member that lives on: there are two clusters, and copies in both."""
    return Step(
        when=[removals_left > 0, ~ended[observer], ~ended[member], observer != member, ~removed[observer][member]],
        then=[
            removals_left.becomes(removals_left - 1),
            exposed.becomes(True),
            *takes_for_gone(observer, member),
        ],
    )


@specification.action(source="jobs.19, chapter repair; seed: In-Memory Storage")
def copies_are_exposed() -> Step:
    """Something of the job has one copy, or none: no backups, one group, a frozen cluster."""
    return Step(
        when=[exposures_left > 0, all_of(~exposed)],
        then=[exposures_left.becomes(exposures_left - 1), exposed.becomes(True)],
    )
