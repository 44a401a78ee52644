"""Why members that know different things still count alike.

A version that waits in the mail was a version of its sender, and versions never grow above the writes that were
executed; each vector is ascending wherever it goes.
"""

from gridproof_model.language import ANY_NUMBER, BoolExpr, IndexExpr, IntExpr, Plain, for_all
from gridproof_model.specifications.replicas.state import (
    Kind,
    backups,
    executed,
    mail,
    members,
    places,
    specification,
)
from gridproof_properties.proofs.argument import Argument

SMALL: dict[str, Plain] = {"writes": 1}
TWO_BACKUPS: dict[str, Plain] = {"members": 3, "backups": 2}
UNBOUNDED: dict[str, Plain] = {"writes": ANY_NUMBER}
WORLDS: tuple[dict[str, Plain], ...] = (
    SMALL,
    {},
    {"members": 3, "writes": 1},
    {**TWO_BACKUPS, "endings": 0, "checks": 0, "moves": 0},
)

ANY: dict[str, Plain] = dict.fromkeys(("members", "backups", "mail_capacity"), ANY_NUMBER)

argument = Argument(
    specification,
    proved_in=(UNBOUNDED, {**TWO_BACKUPS, **UNBOUNDED}, {**ANY, **UNBOUNDED}),
    explored_in=WORLDS,
)


def in_mail(member: IndexExpr, place: IntExpr) -> BoolExpr:
    """Return whether there is a message at a place."""
    return place < mail[member].length


@argument.lemma
def no_message_counts_more_than_was_written() -> BoolExpr:
    """No number of a message is above the number of writes that were executed."""
    return for_all(
        members,
        lambda member: for_all(
            places,
            lambda place: in_mail(member, place).implies(
                for_all(backups, lambda entry: mail[member].at(place).versions[entry] <= executed)
            ),
        ),
    )


@argument.lemma
def vectors_in_the_mail_are_ascending() -> BoolExpr:
    """What a message brings of colder backups is not behind what it brings of hotter ones, but in a check."""
    return for_all(
        members,
        lambda member: for_all(
            places,
            lambda place: (in_mail(member, place) & (mail[member].at(place).kind != Kind.CHECK)).implies(
                for_all(
                    backups,
                    lambda colder: for_all(
                        backups,
                        lambda hotter: (hotter < colder).implies(
                            mail[member].at(place).versions[hotter] <= mail[member].at(place).versions[colder]
                        ),
                    ),
                )
            ),
        ),
    )
