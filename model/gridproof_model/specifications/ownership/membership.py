"""Members crash, are cut off, leave, join and come back."""

from gridproof_model.language import BoolExpr, IndexExpr, Step, Update, array_of, count, exists, for_all, if_else
from gridproof_model.specifications.ownership.state import (
    Life,
    Promotion,
    arranged,
    crashes_left,
    follows,
    founders,
    leaves_left,
    life,
    listed,
    master,
    members,
    migrations,
    outcomes,
    plan,
    predecessor,
    promotion,
    row,
    specification,
    version,
)
from gridproof_model.specifications.ownership.updates import all_die, dies
from gridproof_model.specifications.ownership.words import (
    is_in,
    is_in_progress,
    is_lite,
    is_running,
    master_works,
    may_own,
)


def _takes_part(member: IndexExpr, migration: IndexExpr) -> BoolExpr:
    return (plan[migration].destination == member) | (plan[migration].primary == member)


def _has_asked(member: IndexExpr) -> BoolExpr:
    return listed[member] & (life[member] == Life.LEAVING)


def _another_runs(member: IndexExpr) -> BoolExpr:
    return exists(members, lambda other: is_running(other) & (other != member))


def _is_next(member: IndexExpr) -> BoolExpr:
    started = count(members, lambda other: life[other] != Life.ABSENT)
    return (life[member] == Life.ABSENT) & (member.ordinal == started)


def _starts(member: IndexExpr) -> list[Update]:
    return [
        life[member].becomes(Life.RUNNING),
        listed[member].becomes(True),
        follows[member].becomes(master),
        row[member].becomes(if_else(arranged, row[master], row[member])),
        version[member].becomes(if_else(arranged, version[master], 0)),
        outcomes[member].becomes(outcomes[master]),
    ]


@specification.action(source="table.8", fair=True)
def founders_form_the_cluster() -> Step:
    """The first members form a list; the oldest is the master."""
    return Step(
        when=[life[members[0]] == Life.ABSENT],
        then=[
            life.becomes(
                array_of(members, lambda member: if_else(member.ordinal < founders, Life.RUNNING, life[member]))
            ),
            listed.becomes(array_of(members, lambda member: member.ordinal < founders)),
        ],
    )


@specification.action(members, source="migration.22, repair.1")
def member_crashes(member: IndexExpr) -> Step:
    """A member stops, with all it knows; one that runs is left."""
    return Step(
        when=[is_running(member), crashes_left > 0, _another_runs(member)],
        then=[crashes_left.becomes(crashes_left - 1), *dies(member)],
    )


@specification.action(members, source="splits.1, limits.11")
def member_is_cut_off(member: IndexExpr) -> Step:
    """The others take a running member for dead; it goes on by its own view, alone.

    What it does alone changes only its own table, and is left out; tables and commits it sent, and tables it still
    sends, may arrive late.
    """
    return Step(
        when=[is_running(member), crashes_left > 0, _another_runs(member)],
        then=[crashes_left.becomes(crashes_left - 1), life[member].becomes(Life.CUT_OFF)],
    )


@specification.action(members, source="splits.1, members.16", fair=True)
def cut_off_member_resets(member: IndexExpr) -> Step:
    """A member that learns it was removed gives up its identity and its table."""
    return Step(when=[life[member] == Life.CUT_OFF, ~listed[member]], then=dies(member))


@specification.action(members, source="repair.1, members.14", fair=True)
def master_removes_member(member: IndexExpr) -> Step:
    """The master notices that a member is dead, or takes it for dead, and takes it off the list."""
    return Step(
        when=[is_running(master), listed[member], life[member].is_in(Life.GONE, Life.CUT_OFF)],
        then=[listed[member].becomes(False)],
    )


@specification.action(members, source="table.12, members.5; seed: Data Partitioning and Replication")
def member_joins(member: IndexExpr) -> Step:
    """A new member is listed last and is given the table."""
    return Step(when=[_is_next(member), master_works()], then=_starts(member))


@specification.action(members, members, source="members.7, table.3; defect HZ-80, HZ-81")
def member_restarts(member: IndexExpr, earlier: IndexExpr) -> Step:
    """A member comes back to an address whose former member is off the list: another identity, with nothing."""
    return Step(
        when=[
            _is_next(member),
            master_works(),
            life[earlier] == Life.GONE,
            ~listed[earlier],
            predecessor[earlier].is_none,
            for_all(members, lambda other: predecessor[other] != earlier),
        ],
        then=[*_starts(member), predecessor[member].becomes(earlier)],
    )


@specification.action(members, source="leaving.2")
def lite_member_leaves(member: IndexExpr) -> Step:
    """A lite member holds no data and leaves at once."""
    return Step(
        when=[is_running(member), is_lite(member), leaves_left > 0, _another_runs(member)],
        then=[leaves_left.becomes(leaves_left - 1), *dies(member)],
    )


@specification.action(members, source="leaving.1")
def member_asks_to_leave(member: IndexExpr) -> Step:
    """A data member asks the master to let it go.

    It repeats the request until it is answered (point 5), so every later master knows of it, too.
    """
    return Step(
        when=[life[member] == Life.RUNNING, ~is_lite(member), leaves_left > 0, _another_runs(member)],
        then=[leaves_left.becomes(leaves_left - 1), life[member].becomes(Life.LEAVING)],
    )


@specification.action(members, source="leaving.4, leaving.5; invariant S1", fair=True)
def master_lets_member_leave(member: IndexExpr) -> Step:
    """The master answers a member that is in no slot, or before the first arrangement any member."""
    return Step(
        when=[
            life[member] == Life.LEAVING,
            master_works(),
            promotion == Promotion.NONE,
            for_all(migrations, lambda migration: ~(is_in_progress(migration) & _takes_part(member, migration))),
            ~arranged | ~is_in(row[master], member),
        ],
        then=[listed[member].becomes(False), *dies(member)],
    )


@specification.action(source="leaving.5", fair=True)
def master_lets_all_leave() -> Step:
    """When every data member has asked, nothing can be saved: the master answers them all at once."""
    return Step(
        when=[
            exists(members, _has_asked),
            master_works(),
            promotion == Promotion.NONE,
            ~exists(members, may_own),
        ],
        then=[
            listed.becomes(array_of(members, lambda member: listed[member] & ~_has_asked(member))),
            *all_die(_has_asked),
        ],
    )
