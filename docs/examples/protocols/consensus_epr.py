"""A leader with the votes of a majority decides. Source: Endive, benchmarks/consensus_epr.tla."""

from gridproof_model.language import Array, Bool, BoolExpr, IndexExpr, Set, Specification, Step, count, for_all

SOURCE = "Endive, consensus_epr"

specification = Specification("consensus_epr", "Whoever a majority votes for decides.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
values = specification.index("value", specification.constant("value_count", 2, "How many values.", least=1))
asked = specification.variable("asked", Array(nodes, Set(nodes)), "Whom each node asked for its vote.")
voted = specification.variable("voted", Set(nodes), "Nodes that have voted.")
vote_sent = specification.variable("vote_sent", Array(nodes, Set(nodes)), "To whom each node sent its vote.")
votes = specification.variable("votes", Array(nodes, Set(nodes)), "Whose votes each node has.")
leader = specification.variable("leader", Set(nodes), "Nodes that lead.")
decided = specification.variable("decided", Array(nodes, Set(values)), "What each node decided.")


@specification.action(nodes, nodes, source=SOURCE)
def node_asks(candidate: IndexExpr, node: IndexExpr) -> Step:
    """A node asks another for its vote."""
    return Step(when=[], then=[asked[candidate][node].becomes(True)])


@specification.action(nodes, nodes, Bool(), source=SOURCE)
def node_votes(node: IndexExpr, candidate: IndexExpr, asks_too: BoolExpr) -> Step:
    """A node that was asked votes, once; it asks the other for its vote as well, or takes that back."""
    return Step(
        when=[~voted[node], asked[candidate][node]],
        then=[
            vote_sent[node][candidate].becomes(True),
            voted[node].becomes(True),
            asked[node][candidate].becomes(asks_too),
        ],
    )


@specification.action(nodes, nodes, source=SOURCE)
def vote_arrives(candidate: IndexExpr, node: IndexExpr) -> Step:
    """A vote arrives."""
    return Step(when=[vote_sent[node][candidate]], then=[votes[candidate][node].becomes(True)])


@specification.action(nodes, source=SOURCE)
def node_leads(node: IndexExpr) -> Step:
    """A node with the votes of a majority leads."""
    return Step(when=[count(nodes, lambda other: votes[node][other]) * 2 > size], then=[leader[node].becomes(True)])


@specification.action(nodes, values, source=SOURCE)
def leader_decides(node: IndexExpr, value: IndexExpr) -> Step:
    """A leader decides, once."""
    return Step(
        when=[leader[node], for_all(values, lambda other: ~decided[node][other])],
        then=[decided[node][value].becomes(True)],
    )


@specification.always(source=SOURCE)
def one_value_is_decided() -> BoolExpr:
    """No two values are decided, by one node or by two."""
    return for_all(
        nodes,
        lambda one: for_all(
            nodes,
            lambda other: for_all(
                values,
                lambda value: for_all(
                    values,
                    lambda another: (decided[one][value] & decided[other][another]).implies(value == another),
                ),
            ),
        ),
    )
