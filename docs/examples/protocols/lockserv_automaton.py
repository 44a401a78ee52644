"""A lock server and its clients, whose messages are facts. Source: Endive, benchmarks/lockserv_automaton.tla."""

from gridproof_model.language import Bool, BoolExpr, IndexExpr, Set, Specification, Step, for_all

SOURCE = "Endive, lockserv_automaton"

specification = Specification("lockserv_automaton", "A server hands one lock to whoever asks.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
lock_sent = specification.variable("lock_sent", Set(nodes), "Nodes whose request is on its way.")
unlock_sent = specification.variable("unlock_sent", Set(nodes), "Nodes whose release is on its way.")
grant_sent = specification.variable("grant_sent", Set(nodes), "Nodes to which the lock is on its way.")
holds_lock = specification.variable("holds_lock", Set(nodes), "Nodes that have the lock.")
held = specification.variable("held", Bool(), "Whether the server has given the lock away.")


@specification.action(nodes, source=SOURCE)
def node_asks(node: IndexExpr) -> Step:
    """A node asks for the lock."""
    return Step(when=[], then=[lock_sent[node].becomes(True)])


@specification.action(nodes, source=SOURCE)
def server_grants(node: IndexExpr) -> Step:
    """The server that has the lock hands it to a node that asked."""
    return Step(
        when=[lock_sent[node], ~held],
        then=[held.becomes(True), lock_sent[node].becomes(False), grant_sent[node].becomes(True)],
    )


@specification.action(nodes, source=SOURCE)
def node_takes_lock(node: IndexExpr) -> Step:
    """The lock arrives."""
    return Step(when=[grant_sent[node]], then=[grant_sent[node].becomes(False), holds_lock[node].becomes(True)])


@specification.action(nodes, source=SOURCE)
def node_releases(node: IndexExpr) -> Step:
    """A node gives the lock back."""
    return Step(when=[holds_lock[node]], then=[holds_lock[node].becomes(False), unlock_sent[node].becomes(True)])


@specification.action(nodes, source=SOURCE)
def server_takes_back(node: IndexExpr) -> Step:
    """The server has the lock again."""
    return Step(when=[unlock_sent[node]], then=[unlock_sent[node].becomes(False), held.becomes(False)])


@specification.always(source=SOURCE)
def one_holds_the_lock() -> BoolExpr:
    """No two nodes have the lock."""
    return for_all(
        nodes, lambda one: for_all(nodes, lambda other: (holds_lock[one] & holds_lock[other]).implies(one == other))
    )
