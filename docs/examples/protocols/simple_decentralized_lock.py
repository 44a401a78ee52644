"""A lock that nodes hand to one another. Source: Endive, benchmarks/simple_decentralized_lock.tla.

There the first holder is any node; here a step chooses it.
"""

from gridproof_model.language import Array, Bool, BoolExpr, IndexExpr, Set, Specification, Step, for_all

SOURCE = "Endive, simple_decentralized_lock"

specification = Specification("simple_decentralized_lock", "A lock goes from node to node.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
message = specification.variable("message", Array(nodes, Set(nodes)), "From whom to whom the lock is on its way.")
has_lock = specification.variable("has_lock", Set(nodes), "Nodes that have the lock.")
begun = specification.variable("begun", Bool(), "Whether somebody had the lock first.")


@specification.action(nodes, source=SOURCE)
def somebody_begins(node: IndexExpr) -> Step:
    """A node has the lock first."""
    return Step(when=[~begun], then=[begun.becomes(True), has_lock[node].becomes(True)])


@specification.action(nodes, nodes, source=SOURCE)
def lock_is_sent(sender: IndexExpr, receiver: IndexExpr) -> Step:
    """Whoever has the lock sends it away."""
    return Step(
        when=[has_lock[sender]], then=[message[sender][receiver].becomes(True), has_lock[sender].becomes(False)]
    )


@specification.action(nodes, nodes, source=SOURCE)
def lock_arrives(sender: IndexExpr, receiver: IndexExpr) -> Step:
    """The lock arrives."""
    return Step(
        when=[message[sender][receiver]],
        then=[message[sender][receiver].becomes(False), has_lock[receiver].becomes(True)],
    )


@specification.always(source=SOURCE)
def one_has_the_lock() -> BoolExpr:
    """No two nodes have the lock."""
    return for_all(
        nodes, lambda one: for_all(nodes, lambda other: (has_lock[one] & has_lock[other]).implies(one == other))
    )
