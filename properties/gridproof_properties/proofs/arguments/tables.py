"""Why members that know different things still keep their rows in order.

Versions only ever rise, whoever a row comes from; and a row that was sent was its sender's own, or the one by which
the lowest survivor is promoted.
"""

from gridproof_model.language import ANY_NUMBER, BoolExpr, Plain, for_all
from gridproof_model.specifications.tables.state import members, migrations, plan, sent, slots, specification, tables
from gridproof_properties.proofs.argument import Argument

TWO_BACKUPS: dict[str, Plain] = {"members": 3, "backups": 2}
WORLDS: tuple[dict[str, Plain], ...] = (
    {},
    {"changes": 1, "edits": 2, "endings": 1},
    {"members": 3, "orders": 0, "changes": 3},
    {**TWO_BACKUPS, "changes": 0, "edits": 3},
)

ANY: dict[str, Plain] = dict.fromkeys(("members", "migrations", "versions"), ANY_NUMBER)

argument = Argument(specification, proved_in=({}, TWO_BACKUPS, ANY), explored_in=WORLDS)


@argument.lemma
def nobody_is_twice_in_a_row_that_was_sent() -> BoolExpr:
    """A member occupies at most one slot of any row that was sent."""
    return for_all(
        members,
        lambda member: for_all(
            tables,
            lambda place: (place < sent[member].length).implies(
                for_all(
                    slots,
                    lambda slot: for_all(
                        slots,
                        lambda other: (
                            (slot == other)
                            | sent[member].at(place).row[slot].is_none
                            | (sent[member].at(place).row[slot] != sent[member].at(place).row[other])
                        ),
                    ),
                )
            ),
        ),
    )


@argument.lemma
def orders_move_to_a_hotter_slot() -> BoolExpr:
    """A destination comes from a colder slot, if from any, and the old occupant goes to a colder one."""
    return for_all(
        migrations,
        lambda migration: (
            (plan[migration].left_slot.is_none | (plan[migration].slot < plan[migration].left_slot.value))
            & (plan[migration].lower_slot.is_none | (plan[migration].slot < plan[migration].lower_slot.value))
        ),
    )
