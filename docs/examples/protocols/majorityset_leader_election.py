"""A node counts who voted for it, and leads. Source: Endive, benchmarks/majorityset_leader_election.tla."""

from gridproof_model.language import Array, BoolExpr, IndexExpr, Set, Specification, Step, count, for_all

SOURCE = "Endive, majorityset_leader_election"

specification = Specification("majorityset_leader_election", "Whoever a majority votes for leads.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
vote = specification.variable("vote", Array(nodes, Set(nodes)), "For whom each node voted.")
leader = specification.variable("leader", Set(nodes), "Nodes that lead.")
voters = specification.variable("voters", Array(nodes, Set(nodes)), "Whose votes each node has.")


@specification.action(nodes, nodes, source=SOURCE)
def node_votes(node: IndexExpr, candidate: IndexExpr) -> Step:
    """A node votes, once."""
    return Step(when=[for_all(nodes, lambda other: ~vote[node][other])], then=[vote[node][candidate].becomes(True)])


@specification.action(nodes, nodes, source=SOURCE)
def vote_arrives(node: IndexExpr, candidate: IndexExpr) -> Step:
    """A vote arrives that was not counted."""
    return Step(when=[vote[node][candidate], ~voters[candidate][node]], then=[voters[candidate][node].becomes(True)])


@specification.action(nodes, source=SOURCE)
def node_leads(node: IndexExpr) -> Step:
    """A node that counted a majority leads."""
    return Step(when=[count(nodes, lambda other: voters[node][other]) * 2 > size], then=[leader[node].becomes(True)])


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def one_leads() -> BoolExpr:
    """No two nodes lead."""
    return for_all(nodes, lambda one: for_all(nodes, lambda other: (leader[one] & leader[other]).implies(one == other)))
