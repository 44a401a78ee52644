"""Paxos for one decision, and why it decides once: for any number of nodes, values and rounds.

Source: Lamport 2001, "Paxos Made Simple"; in the form of Padon, Losa, Sagiv and Shoham 2017, "Paxos Made EPR". A round
proposes what the latest votes of a majority bind it to, or anything where there are none. What a node answers when it
joins a round is what it has voted in lower ones: that cannot change any more, so it is read there. Requests to join are
left out: a node may join any round.
"""

from gridproof_model.language import (
    ANY_NUMBER,
    Array,
    BoolExpr,
    IndexExpr,
    Option,
    Set,
    Specification,
    Step,
    count,
    exists,
    for_all,
)
from gridproof_properties.proofs.argument import Argument

SOURCE = "Lamport 2001, Paxos Made Simple"

specification = Specification("paxos", "Two majorities never decide two values.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
values = specification.index("value", specification.constant("value_count", 2, "How many values.", least=1))
rounds = specification.index("round", specification.constant("round_count", 2, "How many.", least=1), ordered=True)
joined = specification.variable("joined", Array(nodes, Set(rounds)), "Which rounds each node has joined.")
vote = specification.variable("vote", Array(nodes, Array(rounds, Option(values))), "What it voted for in each.")
proposal = specification.variable("proposal", Array(rounds, Option(values)), "What each round proposes.")
decided = specification.variable("decided", Set(values), "What is decided.")


@specification.definition(nodes, rounds)
def may_act(node: IndexExpr, number: IndexExpr) -> BoolExpr:
    """A node has joined no higher round."""
    return for_all(rounds, lambda other: joined[node][other].implies(other <= number))


@specification.definition(nodes, rounds, rounds)
def is_silent_between(node: IndexExpr, low: IndexExpr, number: IndexExpr) -> BoolExpr:
    """A node has voted in no round between two others."""
    return for_all(rounds, lambda other: ((low < other) & (other < number)).implies(vote[node][other].is_none))


@specification.definition(nodes, rounds)
def is_silent_below(node: IndexExpr, number: IndexExpr) -> BoolExpr:
    """A node has voted in no lower round."""
    return for_all(rounds, lambda other: (other < number).implies(vote[node][other].is_none))


@specification.action(nodes, rounds, source=SOURCE)
def node_joins(node: IndexExpr, number: IndexExpr) -> Step:
    """A node joins a round: from now on it does nothing in lower ones."""
    return Step(when=[may_act(node, number)], then=[joined[node][number].becomes(True)])


@specification.action(rounds, values, source=SOURCE)
def free_round_proposes(number: IndexExpr, value: IndexExpr) -> Step:
    """A majority has joined and voted in no lower round: any value may be proposed."""
    free = count(nodes, lambda node: joined[node][number] & is_silent_below(node, number)) * 2 > size
    return Step(when=[proposal[number].is_none, free], then=[proposal[number].becomes(value)])


@specification.action(rounds, rounds, values, source=SOURCE)
def bound_round_proposes(number: IndexExpr, latest: IndexExpr, value: IndexExpr) -> Step:
    """The latest vote of a majority that has joined binds the round to its value."""
    joining = count(nodes, lambda node: joined[node][number] & is_silent_between(node, latest, number)) * 2 > size
    has_vote = exists(nodes, lambda node: joined[node][number] & (vote[node][latest] == value))
    return Step(
        when=[proposal[number].is_none, latest < number, joining, has_vote], then=[proposal[number].becomes(value)]
    )


@specification.action(nodes, rounds, source=SOURCE)
def node_votes(node: IndexExpr, number: IndexExpr) -> Step:
    """A node votes for what a round proposes."""
    return Step(
        when=[may_act(node, number), joined[node][number], proposal[number].is_some],
        then=[vote[node][number].becomes(proposal[number])],
    )


@specification.action(rounds, values, source=SOURCE)
def value_is_decided(number: IndexExpr, value: IndexExpr) -> Step:
    """A value has the votes of a majority in one round."""
    return Step(
        when=[count(nodes, lambda node: vote[node][number] == value) * 2 > size], then=[decided[value].becomes(True)]
    )


@specification.always(source=SOURCE)
def one_value_is_decided() -> BoolExpr:
    """No two values are decided."""
    return for_all(
        values, lambda one: for_all(values, lambda other: (decided[one] & decided[other]).implies(one == other))
    )


argument = Argument(
    specification,
    proved_in=({"size": ANY_NUMBER, "value_count": ANY_NUMBER, "round_count": ANY_NUMBER},),
    explored_in=({}, {"size": 2, "round_count": 3}),
)


@argument.lemma
def a_vote_is_for_what_is_proposed() -> BoolExpr:
    """Whoever voted in a round had joined it, and voted for what it proposes."""
    return for_all(
        nodes,
        lambda node: for_all(
            rounds,
            lambda number: vote[node][number].is_some.implies(
                joined[node][number] & (vote[node][number] == proposal[number])
            ),
        ),
    )


@argument.lemma
def what_is_decided_has_a_majority() -> BoolExpr:
    """What is decided has the votes of a majority in some round."""
    return for_all(
        values,
        lambda value: decided[value].implies(
            exists(rounds, lambda number: count(nodes, lambda node: vote[node][number] == value) * 2 > size)
        ),
    )


@argument.lemma
def a_proposal_excludes_other_choices_below() -> BoolExpr:
    """Below a round that proposes a value, no majority can vote for another any more: too many have gone on."""
    return for_all(
        rounds,
        lambda low: for_all(
            rounds,
            lambda high: for_all(
                values,
                lambda value: ((low < high) & proposal[high].is_some & (proposal[high] != value)).implies(
                    count(nodes, lambda node: may_act(node, low) | (vote[node][low] == value)) * 2 <= size
                ),
            ),
        ),
    )
