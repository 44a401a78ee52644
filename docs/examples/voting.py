"""Voting: nobody has to propose; a node votes for what is safe in a round. Source: Lamport's Voting.tla.

A value is safe in a round if no majority can have voted, or vote any more, for another one in a lower round: a majority
has gone on to this round, and the latest vote among its members, if there is one, was for that value.
"""

from gridproof_model.language import (
    Array,
    BoolExpr,
    IndexExpr,
    Option,
    Set,
    Specification,
    Step,
    all_of,
    array_of,
    count,
    exists,
    for_all,
)
from gridproof_properties.proofs.argument import Argument

SOURCE = "Lamport, Voting.tla of the TLA+ examples"

specification = Specification("voting", "Votes of a majority decide.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
values = specification.index("value", specification.constant("value_count", 2, "How many values.", least=1))
rounds = specification.index("round", specification.constant("round_count", 2, "How many.", least=1), ordered=True)
joined = specification.variable("joined", Array(nodes, Set(rounds)), "Which rounds each node has joined.")
vote = specification.variable("vote", Array(nodes, Array(rounds, Option(values))), "What it voted for in each.")


@specification.definition(nodes, rounds)
def has_gone_on_to(node: IndexExpr, number: IndexExpr) -> BoolExpr:
    """A node has joined a round, or a higher one."""
    return exists(rounds, lambda other: joined[node][other] & (number <= other))


@specification.definition(rounds, values)
def is_safe(number: IndexExpr, value: IndexExpr) -> BoolExpr:
    """No other value can be chosen below a round any more."""

    def is_silent(node: IndexExpr, low: IndexExpr | None) -> BoolExpr:
        """Return whether a node has voted in no lower round, or in none above some lower one."""
        return for_all(
            rounds,
            lambda other: all_of(other < number, True if low is None else low < other).implies(
                vote[node][other].is_none
            ),
        )

    def is_bound_by(latest: IndexExpr) -> BoolExpr:
        gone_on = count(nodes, lambda node: has_gone_on_to(node, number) & is_silent(node, latest)) * 2 > size
        has_vote = exists(nodes, lambda node: has_gone_on_to(node, number) & (vote[node][latest] == value))
        return (latest < number) & gone_on & has_vote

    is_free = count(nodes, lambda node: has_gone_on_to(node, number) & is_silent(node, None)) * 2 > size
    return is_free | exists(rounds, is_bound_by)


@specification.action(nodes, rounds, source=SOURCE)
def node_joins(node: IndexExpr, number: IndexExpr) -> Step:
    """A node joins a round: from now on it does nothing in lower ones."""
    has_stayed = for_all(rounds, lambda other: joined[node][other].implies(other <= number))
    return Step(when=[has_stayed], then=[joined[node][number].becomes(True)])


@specification.action(nodes, rounds, values, source=SOURCE)
def node_votes(node: IndexExpr, number: IndexExpr, value: IndexExpr) -> Step:
    """A node votes for a value that is safe in its round, and that nobody there has voted against."""
    is_its_round = joined[node][number] & for_all(rounds, lambda other: joined[node][other].implies(other <= number))
    is_agreed = for_all(nodes, lambda other: vote[other][number].is_none | (vote[other][number] == value))
    return Step(
        when=[is_its_round, is_agreed, is_safe(number, value)],
        then=[vote[node][number].becomes(value)],
    )


@specification.definition(values)
def is_chosen(value: IndexExpr) -> BoolExpr:
    """A majority has voted for a value in one round."""
    return exists(rounds, lambda number: count(nodes, lambda node: vote[node][number] == value) * 2 > size)


@specification.always(source=SOURCE)
def one_value_is_chosen() -> BoolExpr:
    """No two values are chosen."""
    return for_all(
        values, lambda one: for_all(values, lambda other: (is_chosen(one) & is_chosen(other)).implies(one == other))
    )


argument = Argument(specification, proved_in=({},), explored_in=({},))


@argument.lemma
def votes_of_a_round_agree() -> BoolExpr:
    """Whoever votes in a round has joined it, and votes for the same value."""
    return for_all(
        nodes,
        lambda node: for_all(
            rounds,
            lambda number: vote[node][number].is_some.implies(
                joined[node][number]
                & for_all(
                    nodes, lambda other: vote[other][number].is_none | (vote[other][number] == vote[node][number])
                )
            ),
        ),
    )


@argument.lemma
def a_vote_excludes_other_choices_below() -> BoolExpr:
    """Below a round in which there is a vote no majority can vote for another value any more."""

    def may_still_vote(node: IndexExpr, low: IndexExpr, value: IndexExpr) -> BoolExpr:
        has_stayed = for_all(rounds, lambda other: joined[node][other].implies(other <= low))
        return (vote[node][low].is_none & has_stayed) | (vote[node][low] == value)

    return for_all(
        rounds,
        lambda low: for_all(
            rounds,
            lambda high: for_all(
                values,
                lambda value: (
                    (low < high) & exists(nodes, lambda node: vote[node][high].is_some & (vote[node][high] != value))
                ).implies(count(nodes, lambda node: may_still_vote(node, low, value)) * 2 <= size),
            ),
        ),
    )


CONSENSUS = {"chosen": array_of(values, is_chosen)}
"""What of it consensus shows: a value is chosen once a majority has voted for it."""
