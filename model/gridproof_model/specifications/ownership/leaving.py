"""How a member leaves without loss: it asks, is emptied, and is answered that it may go."""

from gridproof_model.language import BoolExpr, IndexExpr, Step, exists, for_all
from gridproof_model.specifications.ownership.state import (
    Role,
    any_way,
    ended,
    follows,
    gives_up,
    holds,
    is_in,
    is_listed,
    is_master,
    leaves_left,
    leaving,
    let_go,
    may_own,
    members,
    migrations,
    plan,
    role,
    row,
    specification,
    underway,
    works,
)


def _another_runs(member: IndexExpr) -> BoolExpr:
    return exists(members, lambda other: ~ended[other] & (other != member) & follows[other].is_some)


@specification.action(members, source="leaving.1, leaving.2")
def member_asks_to_leave(member: IndexExpr) -> Step:
    """A member asks its master, again and again, to let it go; a lite one goes at once."""
    return Step(
        when=[
            leaves_left > 0,
            ~ended[member],
            role[member] != Role.ABSENT,
            ~leaving[member],
            any_way | (follows[member].is_some & _another_runs(member)),
        ],
        then=[
            leaves_left.becomes(leaves_left - 1),
            leaving[member].becomes(True),
            let_go[member].becomes(let_go[member] | (~any_way & (role[member] == Role.LITE))),
        ],
    )


@specification.action(members, members, source="leaving.4, leaving.5; invariant S1; defect HZ-76", fair=True)
def leave_is_answered(master: IndexExpr, member: IndexExpr) -> Step:
    """A master answers somebody that has asked, is in no slot of its row and about to be in none: it may go."""
    return Step(
        when=[
            is_master(master),
            any_way | (works(master) & is_listed(master, member) & ~let_go[member] & ~ended[member]),
            leaving[member],
            ~is_in(row[master], member),
            for_all(
                migrations,
                lambda migration: (underway[master] != migration) | (plan[migration].destination != member),
            ),
        ],
        then=[let_go[member].becomes(True)],
    )


@specification.action(members, members, source="leaving.6", fair=True)
def all_are_let_go(master: IndexExpr, member: IndexExpr) -> Step:
    """Every data member of a master's list has asked to leave: nothing can be saved, and whoever asks may go."""
    return Step(
        when=[
            works(master),
            is_listed(master, member),
            leaving[member] & ~let_go[member] & ~ended[member],
            ~exists(members, lambda other: may_own(master, other) & ~leaving[other]),
        ],
        then=[let_go[member].becomes(True), gives_up.becomes(True)],
    )


@specification.action(members, source="leaving.9", fair=True)
def member_goes(member: IndexExpr) -> Step:
    """Whoever may go, goes."""
    return Step(when=[let_go[member], ~ended[member]], then=[ended[member].becomes(True), holds[member].becomes(False)])
