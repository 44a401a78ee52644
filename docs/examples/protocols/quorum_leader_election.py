"""A node for which a majority voted leads. Source: Endive, benchmarks/quorum_leader_election.tla."""

from gridproof_model.language import Array, BoolExpr, IndexExpr, Option, Set, Specification, Step, count, for_all

SOURCE = "Endive, quorum_leader_election"

specification = Specification("quorum_leader_election", "Whoever a majority votes for leads.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
voted = specification.variable("voted", Array(nodes, Option(nodes)), "For whom each node voted.")
leader = specification.variable("leader", Set(nodes), "Nodes that lead.")


@specification.action(nodes, nodes, source=SOURCE)
def node_votes(node: IndexExpr, candidate: IndexExpr) -> Step:
    """A node votes, once."""
    return Step(when=[voted[node].is_none], then=[voted[node].becomes(candidate)])


@specification.action(nodes, source=SOURCE)
def node_leads(node: IndexExpr) -> Step:
    """A node for which a majority voted leads."""
    return Step(when=[count(nodes, lambda other: voted[other] == node) * 2 > size], then=[leader[node].becomes(True)])


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def one_leads() -> BoolExpr:
    """No two nodes lead."""
    return for_all(nodes, lambda one: for_all(nodes, lambda other: (leader[one] & leader[other]).implies(one == other)))
