"""Votes of a quorum are collected, and what they say is learnt. Source: Endive, benchmarks/naive_consensus.tla."""

from gridproof_model.language import Array, BoolExpr, IndexExpr, Set, Specification, Step, count, for_all

SOURCE = "Endive, naive_consensus"

specification = Specification("naive_consensus", "What a majority votes for is learnt.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
values = specification.index("value", specification.constant("value_count", 2, "How many values.", least=1))
vote = specification.variable("vote", Array(nodes, Set(values)), "What each node voted for.")
collected = specification.variable("collected", Set(values), "Values with the votes of some majority.")
decision = specification.variable("decision", Set(values), "What was learnt.")


@specification.action(nodes, values, source=SOURCE)
def node_votes(node: IndexExpr, value: IndexExpr) -> Step:
    """A node votes, once."""
    return Step(when=[for_all(values, lambda other: ~vote[node][other])], then=[vote[node][value].becomes(True)])


@specification.action(values, source=SOURCE)
def votes_are_collected(value: IndexExpr) -> Step:
    """A majority voted for a value."""
    return Step(when=[count(nodes, lambda node: vote[node][value]) * 2 > size], then=[collected[value].becomes(True)])


@specification.action(values, source=SOURCE)
def value_is_learnt(value: IndexExpr) -> Step:
    """What was collected is learnt."""
    return Step(when=[collected[value]], then=[decision[value].becomes(True)])


@specification.always(source=SOURCE)
def one_value_is_learnt() -> BoolExpr:
    """No two values are learnt."""
    return for_all(
        values, lambda one: for_all(values, lambda other: (decision[one] & decision[other]).implies(one == other))
    )
