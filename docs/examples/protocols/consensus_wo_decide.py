"""A leader needs the votes of a quorum that was chosen. Source: Endive, benchmarks/consensus_wo_decide.tla.

There the first quorum is any, and then any whose votes a node has; here the first is all nodes, and then all whose
votes a node has, where they are a majority.
"""

from gridproof_model.language import Array, BoolExpr, IndexExpr, Set, Specification, Step, count, for_all

SOURCE = "Endive, consensus_wo_decide"

specification = Specification("consensus_wo_decide", "Whoever a quorum votes for leads.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
asked = specification.variable("asked", Array(nodes, Set(nodes)), "Whom each node asked for its vote.")
voted = specification.variable("voted", Set(nodes), "Nodes that have voted.")
vote_sent = specification.variable("vote_sent", Array(nodes, Set(nodes)), "To whom each node sent its vote.")
votes = specification.variable("votes", Array(nodes, Set(nodes)), "Whose votes each node has.")
quorum = specification.variable("quorum", Set(nodes), "The quorum that counts.", initial=True)
leader = specification.variable("leader", Set(nodes), "Nodes that lead.")


@specification.action(nodes, nodes, source=SOURCE)
def node_asks(candidate: IndexExpr, node: IndexExpr) -> Step:
    """A node asks another for its vote."""
    return Step(when=[], then=[asked[candidate][node].becomes(True)])


@specification.action(nodes, nodes, source=SOURCE)
def node_votes(node: IndexExpr, candidate: IndexExpr) -> Step:
    """A node that was asked votes, once."""
    return Step(
        when=[~voted[node], asked[candidate][node]],
        then=[vote_sent[node][candidate].becomes(True), voted[node].becomes(True)],
    )


@specification.action(nodes, nodes, source=SOURCE)
def vote_arrives(candidate: IndexExpr, node: IndexExpr) -> Step:
    """A vote arrives."""
    return Step(when=[vote_sent[node][candidate]], then=[votes[candidate][node].becomes(True)])


@specification.action(nodes, source=SOURCE)
def quorum_is_chosen(node: IndexExpr) -> Step:
    """Those whose votes a node has are the quorum, if they are a majority."""
    return Step(
        when=[count(nodes, lambda other: votes[node][other]) * 2 > size],
        then=[quorum.becomes(votes[node])],
    )


@specification.action(nodes, source=SOURCE)
def node_leads(node: IndexExpr) -> Step:
    """A node with the votes of the quorum leads."""
    return Step(
        when=[for_all(nodes, lambda other: quorum[other].implies(votes[node][other]))],
        then=[leader[node].becomes(True)],
    )


@specification.always(source=SOURCE)
def one_leads() -> BoolExpr:
    """No two nodes lead."""
    return for_all(nodes, lambda one: for_all(nodes, lambda other: (leader[one] & leader[other]).implies(one == other)))
