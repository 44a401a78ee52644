"""Paxos whose two phases have quorums of their own. Source: ivybench, paxos/ivy/oopsla17_flexible_paxos.ivy.

Howard, Malkhi and Spiegelman 2016, "Flexible Paxos": only quorums of different phases have to meet. There that is an
axiom; here a first step sees to it. What a node answers when it joins a round is what it has voted in lower ones.
"""

from gridproof_model.language import (
    ANY,
    Array,
    Bool,
    BoolExpr,
    IndexExpr,
    Option,
    Set,
    Specification,
    Step,
    exists,
    for_all,
)

SOURCE = "ivybench, flexible_paxos"

specification = Specification("flexible_paxos", "Two quorums of votes never decide two values.", source=SOURCE)
nodes = specification.index("node", specification.constant("size", 2, "How many nodes there are.", least=1))
firsts = specification.index("first", specification.constant("first_count", 1, "Quorums that join.", least=1))
seconds = specification.index("second", specification.constant("second_count", 2, "Quorums that vote.", least=1))
values = specification.index("value", specification.constant("value_count", 2, "How many values.", least=1))
rounds = specification.index("round", specification.constant("round_count", 2, "How many.", least=1), ordered=True)
joins = specification.variable("joins", Array(firsts, Set(nodes)), "Who is in each quorum that joins.", initial=ANY)
votes = specification.variable("votes", Array(seconds, Set(nodes)), "Who is in each quorum that votes.", initial=ANY)
begun = specification.variable("begun", Bool(), "Whether the quorums were looked at.")
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


@specification.action(source=SOURCE)
def quorums_are_looked_at() -> Step:
    """Each quorum that joins meets each that votes."""

    def meet(one: IndexExpr, two: IndexExpr) -> BoolExpr:
        return exists(nodes, lambda node: joins[one][node] & votes[two][node])

    all_meet = for_all(firsts, lambda one: for_all(seconds, lambda two: meet(one, two)))
    return Step(when=[~begun, all_meet], then=[begun.becomes(True)])


@specification.action(nodes, rounds, source=SOURCE)
def node_joins(node: IndexExpr, number: IndexExpr) -> Step:
    """A node joins a round: from now on it does nothing in lower ones."""
    return Step(when=[begun, may_act(node, number)], then=[joined[node][number].becomes(True)])


@specification.action(firsts, rounds, values, source=SOURCE)
def free_round_proposes(quorum: IndexExpr, number: IndexExpr, value: IndexExpr) -> Step:
    """A quorum has joined and voted in no lower round: any value may be proposed."""
    free = for_all(
        nodes, lambda node: joins[quorum][node].implies(joined[node][number] & is_silent_below(node, number))
    )
    return Step(when=[begun, proposal[number].is_none, free], then=[proposal[number].becomes(value)])


@specification.action(firsts, rounds, rounds, values, source=SOURCE)
def bound_round_proposes(quorum: IndexExpr, number: IndexExpr, latest: IndexExpr, value: IndexExpr) -> Step:
    """The latest vote of a quorum that has joined binds the round to its value."""
    joining = for_all(
        nodes, lambda node: joins[quorum][node].implies(joined[node][number] & is_silent_between(node, latest, number))
    )
    has_vote = exists(nodes, lambda node: joins[quorum][node] & (vote[node][latest] == value))
    return Step(
        when=[begun, proposal[number].is_none, latest < number, joining, has_vote],
        then=[proposal[number].becomes(value)],
    )


@specification.action(nodes, rounds, source=SOURCE)
def node_votes(node: IndexExpr, number: IndexExpr) -> Step:
    """A node votes for what a round proposes."""
    return Step(
        when=[may_act(node, number), joined[node][number], proposal[number].is_some],
        then=[vote[node][number].becomes(proposal[number])],
    )


@specification.action(seconds, rounds, values, source=SOURCE)
def value_is_decided(quorum: IndexExpr, number: IndexExpr, value: IndexExpr) -> Step:
    """A value has the votes of a quorum in one round."""
    has_votes = for_all(nodes, lambda node: votes[quorum][node].implies(vote[node][number] == value))
    return Step(when=[begun, has_votes], then=[decided[value].becomes(True)])


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def one_value_is_decided() -> BoolExpr:
    """No two values are decided."""
    return for_all(
        values, lambda one: for_all(values, lambda other: (decided[one] & decided[other]).implies(one == other))
    )
