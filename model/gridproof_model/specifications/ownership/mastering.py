"""The next oldest member becomes master and collects the rows."""

from collections.abc import Callable

from gridproof_model.language import (
    BoolExpr,
    EnumExpr,
    IndexExpr,
    IntExpr,
    OneOf,
    OptionExpr,
    Step,
    any_of,
    array_of,
    exists,
    first,
    for_all,
    greatest,
    if_else,
    larger,
)
from gridproof_model.language.expressions import coerced
from gridproof_model.specifications.ownership.state import (
    MIGRATION,
    Life,
    Outcome,
    Promotion,
    Stage,
    active,
    arranged,
    fetching,
    follows,
    holds,
    life,
    lifts,
    listed,
    master,
    members,
    migrations,
    outcomes,
    plan,
    promotion,
    row,
    slots,
    specification,
    stage,
    version,
)
from gridproof_model.specifications.ownership.words import Row, failed_version, is_in, is_running, takes_orders


def _is_anyones(migration: IndexExpr) -> BoolExpr:
    return merged_outcome(migration) != Outcome.UNKNOWN


def _someone(condition: Callable[[IndexExpr], BoolExpr]) -> BoolExpr:
    return exists(members, lambda member: takes_orders(member) & condition(member))


def _kept(member: IndexExpr, slot: IndexExpr) -> OptionExpr[IndexExpr]:
    """Return a slot of a member's row; the row of one that is gone is needed no more."""
    return if_else(life[member] == Life.GONE, None, row[member][slot])


@specification.action(members, members, source="members.19, members.20", fair=True)
def member_accepts_claim(member: IndexExpr, candidate: IndexExpr) -> Step:
    """A member that takes everyone older than the candidate for dead follows it; the candidate follows itself first."""
    return Step(
        when=[
            is_running(member) & listed[member],
            is_running(candidate) & listed[candidate],
            follows[member] < candidate,
            (member == candidate) | (follows[candidate] == candidate),
            for_all(members, lambda older: (older < candidate).implies(~(is_running(older) & listed[older]))),
        ],
        then=[follows[member].becomes(candidate)],
    )


@specification.action(members, source="members.19, table.21, members.22", fair=True)
def candidate_becomes_master(candidate: IndexExpr) -> Step:
    """Everyone alive has accepted the claim: the list without those older than the new master is in force."""
    return Step(
        when=[
            is_running(candidate),
            master < candidate,
            follows[candidate] == candidate,
            for_all(
                members,
                lambda member: (is_running(member) & listed[member]).implies(follows[member] == candidate),
            ),
        ],
        then=[
            master.becomes(candidate),
            fetching.becomes(True),
            listed.becomes(array_of(members, lambda member: listed[member] & (candidate <= member))),
            promotion.becomes(Promotion.NONE),
            row.becomes(array_of(members, lambda member: array_of(slots, lambda slot: _kept(member, slot)))),
            version.becomes(array_of(members, lambda member: if_else(life[member] == Life.GONE, 0, version[member]))),
            outcomes.becomes(
                array_of(
                    members,
                    lambda member: array_of(
                        migrations,
                        lambda migration: if_else(
                            life[member] == Life.GONE, Outcome.UNKNOWN, outcomes[member][migration]
                        ),
                    ),
                )
            ),
        ],
    )


@specification.definition()
def highest_version() -> IntExpr:
    """The highest row version that any member of the list has."""
    return greatest(members, lambda member: if_else(takes_orders(member), version[member], 0))


@specification.definition()
def most_recent_row() -> Row:
    """The row with the highest version; among equal ones the new master's own, else the oldest member's."""
    own = version[master] == highest_version()
    other = first(members, lambda member: takes_orders(member) & (version[member] == highest_version()))
    return if_else(own, row[master], row[other.value])


@specification.definition(migrations)
def merged_outcome(migration: IndexExpr) -> EnumExpr[Outcome]:
    """What a new master makes of a migration: someone reports its end, or someone has it still active: it failed."""
    someone_committed = _someone(lambda member: outcomes[member][migration] == Outcome.SUCCESS)
    someone_knows_more = any_of(
        _someone(lambda member: outcomes[member][migration] == Outcome.FAILED),
        _someone(lambda member: active[member] == migration),
    )
    unknown_or_failed = if_else(someone_knows_more, Outcome.FAILED, outcomes[master][migration])
    return if_else(someone_committed, Outcome.SUCCESS, unknown_or_failed)


@specification.definition()
def merged_version() -> IntExpr:
    """The version of the merged row: after a failed migration, its final version, or at least that if `lifts`."""
    failed = greatest(
        migrations,
        lambda migration: if_else(merged_outcome(migration) == Outcome.FAILED, failed_version(migration), 0),
    )
    return if_else(lifts, larger(highest_version(), failed), if_else(failed > 0, failed, highest_version()))


@specification.action(source="table.21, table.22, table.23, table.24, table.12; defect HZ-44, HZ-45", fair=True)
def master_fetches_most_recent_rows() -> Step:
    """The new master takes the newest row of all members and settles every migration it hears of.

    Everyone alive follows it, refuses what older masters sent, and learns nothing new before the fetch is over: the
    answers are what the members have. The merged row is applied as any received one is: only when it is higher.
    Completed migrations become completed everywhere; those that are only active, failed. One that nobody reports is
    nobody's.
    """
    is_newer = version[master] < merged_version()
    kept_row = if_else(is_newer, most_recent_row(), row[master])
    return Step(
        when=[fetching, is_running(master)],
        then=[
            fetching.becomes(False),
            arranged.becomes(highest_version() > 0),
            row[master].becomes(kept_row),
            version[master].becomes(if_else(is_newer, merged_version(), version[master])),
            active[master].becomes(None),
            outcomes[master].becomes(array_of(migrations, merged_outcome)),
            holds.becomes(
                array_of(
                    members,
                    lambda member: (
                        holds[member] & (highest_version() > 0) & ((member != master) | is_in(kept_row, member))
                    ),
                )
            ),
            stage.becomes(
                array_of(
                    migrations,
                    lambda migration: if_else(_is_anyones(migration), coerced(Stage.ENDED, OneOf(Stage)), Stage.UNUSED),
                )
            ),
            plan.becomes(
                array_of(migrations, lambda migration: if_else(_is_anyones(migration), plan[migration], MIGRATION()))
            ),
        ],
    )
