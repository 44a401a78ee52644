"""Voting, of which Paxos is one way to do it. Source: Lamport, Voting.tla of the TLA+ examples (32a32c7).

Quorums are majorities. A node knows the highest round that it has gone on to; it votes for what is safe in a round: a
majority has gone on to it, and the latest vote among these in a lower round, if there is one, was for that value.
"""

from gridproof_model.language import (
    Array,
    BoolExpr,
    IndexExpr,
    Option,
    Specification,
    Step,
    count,
    exists,
    for_all,
)

SOURCE = "Lamport, Voting"

specification = Specification("voting", "Votes of a majority choose.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
values = specification.index("value", specification.constant("value_count", 2, "How many values.", least=1))
rounds = specification.index("round", specification.constant("round_count", 2, "How many.", least=1), ordered=True)
highest = specification.variable("highest", Array(nodes, Option(rounds)), "The highest round each node is in.")
vote = specification.variable("vote", Array(nodes, Array(rounds, Option(values))), "What it voted for in each.")


@specification.definition(nodes, rounds)
def has_gone_on_to(node: IndexExpr, number: IndexExpr) -> BoolExpr:
    """A node is in a round, or in a higher one."""
    return exists(rounds, lambda other: (highest[node] == other) & (number <= other))


@specification.definition(nodes, rounds)
def is_below(node: IndexExpr, number: IndexExpr) -> BoolExpr:
    """A node is in no round, or in a lower one."""
    return for_all(rounds, lambda other: (highest[node] == other).implies(other < number))


@specification.definition(rounds, values)
def is_free(number: IndexExpr, value: IndexExpr) -> BoolExpr:
    """A majority is in a round or a higher one, and has voted in no lower one."""

    def is_silent(node: IndexExpr) -> BoolExpr:
        return for_all(rounds, lambda other: (other < number).implies(vote[node][other].is_none))

    return count(nodes, lambda node: has_gone_on_to(node, number) & is_silent(node)) * 2 > size


@specification.definition(rounds, rounds, values)
def is_bound(number: IndexExpr, latest: IndexExpr, value: IndexExpr) -> BoolExpr:
    """A majority is in a round or a higher one, and the latest vote among them in a lower one was for a value."""

    def is_silent(node: IndexExpr) -> BoolExpr:
        between = for_all(
            rounds, lambda other: ((latest < other) & (other < number)).implies(vote[node][other].is_none)
        )
        return has_gone_on_to(node, number) & between

    has_vote = exists(nodes, lambda node: has_gone_on_to(node, number) & (vote[node][latest] == value))
    return (latest < number) & has_vote & (count(nodes, is_silent) * 2 > size)


@specification.action(nodes, rounds, source=SOURCE)
def node_goes_on(node: IndexExpr, number: IndexExpr) -> Step:
    """A node goes on to a higher round: from now on it does nothing in lower ones."""
    return Step(when=[is_below(node, number)], then=[highest[node].becomes(number)])


@specification.action(nodes, rounds, values, source=SOURCE)
def node_votes(node: IndexExpr, number: IndexExpr, value: IndexExpr) -> Step:
    """A node votes for a value that is safe in a round, and that nobody there has voted against."""
    is_agreed = for_all(nodes, lambda other: vote[other][number].is_none | (vote[other][number] == value))
    is_bound_by_some = exists(rounds, lambda latest: is_bound(number, latest, value))
    return Step(
        when=[
            is_below(node, number) | (highest[node] == number),
            vote[node][number].is_none,
            is_agreed,
            is_free(number, value) | is_bound_by_some,
        ],
        then=[vote[node][number].becomes(value), highest[node].becomes(number)],
    )


specification.may_stop(lambda: True)


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
