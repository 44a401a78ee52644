"""Votes of a majority decide; whoever has no vote may vote. Source: Endive, benchmarks/toy_consensus.tla."""

from gridproof_model.language import Array, BoolExpr, IndexExpr, Option, Set, Specification, Step, count, for_all

SOURCE = "Endive, toy_consensus"

specification = Specification("toy_consensus", "What a majority votes for is decided.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
values = specification.index("value", specification.constant("value_count", 2, "How many values.", least=1))
vote = specification.variable("vote", Array(nodes, Option(values)), "What each node voted for.")
decided = specification.variable("decided", Set(values), "What is decided.")


@specification.action(nodes, values, source=SOURCE)
def node_votes(node: IndexExpr, value: IndexExpr) -> Step:
    """A node votes, once."""
    return Step(when=[vote[node].is_none], then=[vote[node].becomes(value)])


@specification.action(values, source=SOURCE)
def value_is_decided(value: IndexExpr) -> Step:
    """A value has the votes of a majority."""
    return Step(when=[count(nodes, lambda node: vote[node] == value) * 2 > size], then=[decided[value].becomes(True)])


@specification.always(source=SOURCE)
def one_value_is_decided() -> BoolExpr:
    """No two values are decided."""
    return for_all(
        values, lambda one: for_all(values, lambda other: (decided[one] & decided[other]).implies(one == other))
    )
