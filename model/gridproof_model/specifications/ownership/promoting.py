"""After a death: holes, promotions, and lost partitions."""

from gridproof_model.language import IndexExpr, OneOf, Step, array_of, count, exists, for_all, if_else
from gridproof_model.language.expressions import coerced
from gridproof_model.specifications.ownership.state import (
    Promotion,
    follows,
    holds,
    listed,
    lost,
    master,
    members,
    outcomes,
    promotion,
    row,
    slots,
    specification,
    version,
)
from gridproof_model.specifications.ownership.updates import takes_table
from gridproof_model.specifications.ownership.words import (
    is_running,
    is_unknown,
    lowest_survivor,
    master_may_edit,
    master_works,
    may_own,
    promoted,
)


@specification.action(source="repair.1", fair=True)
def master_empties_slots() -> Step:
    """Whoever is off the list is taken out of the row: holes, each raising the version by one."""
    return Step(
        when=[master_may_edit(), exists(slots, lambda slot: is_unknown(slot))],
        then=[
            row[master].becomes(array_of(slots, lambda slot: if_else(is_unknown(slot), None, row[master][slot]))),
            version[master].becomes(version[master] + count(slots, lambda slot: is_unknown(slot))),
        ],
    )


@specification.action(source="repair.3, repair.5", fair=True)
def master_orders_promotion() -> Step:
    """The row has no primary: the master asks the lowest surviving replica, in step with the others or not."""
    return Step(
        when=[
            master_may_edit(),
            row[master][slots[0]].is_none,
            for_all(slots, lambda slot: ~is_unknown(slot)),
            lowest_survivor(row[master]).is_some,
        ],
        then=[promotion.becomes(Promotion.SENT)],
    )


@specification.action(members, source="repair.7; defect HZ-39", fair=True)
def backup_is_promoted(member: IndexExpr) -> Step:
    """The member that is meant applies the master's table with itself as primary, and says so.

    Its own slot becomes a hole; nobody else moves.
    """
    return Step(
        when=[
            promotion == Promotion.SENT,
            row[master][lowest_survivor(row[master]).value] == member,
            is_running(member),
            follows[member] == master,
        ],
        then=[
            *takes_table(member, promoted(row[master]), version[master] + 2, outcomes[master]),
            promotion.becomes(if_else(member == master, coerced(Promotion.NONE, OneOf(Promotion)), Promotion.DONE)),
        ],
    )


@specification.action(source="repair.6", fair=True)
def master_records_promotion() -> Step:
    """The promoted member has answered: the master swaps the two slots, which raises the version by two."""
    return Step(
        when=[promotion == Promotion.DONE, master_works()],
        then=[
            row[master].becomes(promoted(row[master])),
            version[master].becomes(version[master] + 2),
            promotion.becomes(Promotion.NONE),
        ],
    )


@specification.action(source="repair.6", fair=True)
def promotion_fails() -> Step:
    """The member to be promoted left before its answer was known: the version rises by three; repair starts again."""
    target = row[master][lowest_survivor(row[master]).value]
    return Step(
        when=[promotion.is_in(Promotion.SENT, Promotion.DONE), master_works(), ~listed[target.value]],
        then=[version[master].becomes(version[master] + 3), promotion.becomes(Promotion.NONE)],
    )


@specification.action(members, source="placement.19, repair.3", fair=True)
def master_assigns_lost_partition(member: IndexExpr) -> Step:
    """Nobody in the row is left: any data member becomes the primary, with no data."""
    return Step(
        when=[master_may_edit(), lowest_survivor(row[master]).is_none, may_own(member)],
        then=[
            row[master][slots[0]].becomes(member),
            version[master].becomes(version[master] + 1),
            holds.becomes(array_of(members, lambda other: (other == member) & is_running(member))),
            lost.becomes(True),
        ],
    )
