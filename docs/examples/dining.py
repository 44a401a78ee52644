"""Dining philosophers who hand forks to one another, by Chandy and Misra.

Source: Chandy and Misra 1984, "The Drinking Philosophers Problem". There is a fork for every two of them (here each is
everyone's neighbour), and a token with which it is asked for. A fork that was eaten with is dirty; it is cleaned when
it is handed on, and a clean one is kept until it was eaten with.
"""

from enum import Enum

from gridproof_model.language import (
    Array,
    BoolExpr,
    IndexExpr,
    LeadsTo,
    OneOf,
    Set,
    Specification,
    Step,
    array_of,
    for_all,
    leads_to,
)

SOURCE = "Chandy and Misra 1984"


class Mood(Enum):
    """What a philosopher is at."""

    THINKING = "thinking"
    HUNGRY = "hungry"
    EATING = "eating"


specification = Specification("dining", "No two philosophers eat at once, and whoever is hungry eats.", source=SOURCE)
size = specification.constant("size", 3, "How many philosophers there are.", least=1)
philosophers = specification.index("philosopher", size, ordered=True)
mood = specification.variable("mood", Array(philosophers, OneOf(Mood)), "What each is at.")
has_fork = specification.variable(
    "has_fork",
    Array(philosophers, Set(philosophers)),
    "Who has the fork that it shares with whom.",
    initial=array_of(philosophers, lambda one: array_of(philosophers, lambda other: one < other)),
)
is_clean = specification.variable("is_clean", Array(philosophers, Set(philosophers)), "Whose such fork is clean.")
fork_sent = specification.variable("fork_sent", Array(philosophers, Set(philosophers)), "From whom to whom one goes.")
has_token = specification.variable(
    "has_token",
    Array(philosophers, Set(philosophers)),
    "Who may ask whom, or, with the fork, was asked by whom.",
    initial=array_of(philosophers, lambda one: array_of(philosophers, lambda other: other < one)),
)
token_sent = specification.variable("token_sent", Array(philosophers, Set(philosophers)), "Who is asking whom.")


@specification.action(philosophers, source=SOURCE)
def one_gets_hungry(one: IndexExpr) -> Step:
    """A philosopher gets hungry."""
    return Step(when=[mood[one] == Mood.THINKING], then=[mood[one].becomes(Mood.HUNGRY)])


@specification.action(philosophers, philosophers, source=SOURCE, fair=True)
def one_asks(one: IndexExpr, other: IndexExpr) -> Step:
    """A hungry one asks for a fork that it does not have."""
    return Step(
        when=[mood[one] == Mood.HUNGRY, has_token[one][other], ~has_fork[one][other]],
        then=[has_token[one][other].becomes(False), token_sent[one][other].becomes(True)],
    )


@specification.action(philosophers, philosophers, source=SOURCE, fair=True)
def token_arrives(one: IndexExpr, other: IndexExpr) -> Step:
    """A philosopher is asked for a fork."""
    return Step(
        when=[token_sent[one][other]], then=[token_sent[one][other].becomes(False), has_token[other][one].becomes(True)]
    )


@specification.action(philosophers, philosophers, source=SOURCE, fair=True)
def fork_is_handed_on(one: IndexExpr, other: IndexExpr) -> Step:
    """Whoever does not eat and was asked for a dirty fork cleans it and hands it on."""
    return Step(
        when=[mood[one] != Mood.EATING, has_token[one][other], has_fork[one][other], ~is_clean[one][other]],
        then=[has_fork[one][other].becomes(False), fork_sent[one][other].becomes(True)],
    )


@specification.action(philosophers, philosophers, source=SOURCE, fair=True)
def fork_arrives(one: IndexExpr, other: IndexExpr) -> Step:
    """A philosopher has a clean fork."""
    return Step(
        when=[fork_sent[one][other]],
        then=[
            fork_sent[one][other].becomes(False),
            has_fork[other][one].becomes(True),
            is_clean[other][one].becomes(True),
        ],
    )


@specification.action(philosophers, source=SOURCE, fair=True)
def one_eats(one: IndexExpr) -> Step:
    """A hungry one eats that has every fork, and was asked for none that is dirty; its forks are dirty then."""
    others_left = for_all(
        philosophers,
        lambda other: (other == one) | (has_fork[one][other] & (is_clean[one][other] | ~has_token[one][other])),
    )
    return Step(
        when=[mood[one] == Mood.HUNGRY, others_left],
        then=[
            mood[one].becomes(Mood.EATING),
            is_clean[one].becomes(array_of(philosophers, lambda other: other != other)),
        ],
    )


@specification.action(philosophers, source=SOURCE, fair=True)
def one_ends(one: IndexExpr) -> Step:
    """A philosopher has eaten, and thinks."""
    return Step(when=[mood[one] == Mood.EATING], then=[mood[one].becomes(Mood.THINKING)])


@specification.always(source=SOURCE)
def no_two_eat() -> BoolExpr:
    """No two philosophers eat at once."""
    return for_all(
        philosophers,
        lambda one: for_all(
            philosophers,
            lambda other: ((mood[one] == Mood.EATING) & (mood[other] == Mood.EATING)).implies(one == other),
        ),
    )


@specification.sometimes(source=SOURCE)
def all_are_hungry() -> BoolExpr:
    """All are hungry at once."""
    return for_all(philosophers, lambda one: mood[one] == Mood.HUNGRY)


@specification.eventually(source=SOURCE)
def the_first_one_eats() -> LeadsTo:
    """If the first one is hungry it eats."""
    return leads_to(mood[philosophers[0]] == Mood.HUNGRY, mood[philosophers[0]] == Mood.EATING)
