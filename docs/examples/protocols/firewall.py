"""Only who was written to from inside may write in. Source: Endive, benchmarks/firewall.tla."""

from gridproof_model.language import ANY, Array, BoolExpr, IndexExpr, Set, Specification, Step, exists, for_all

SOURCE = "Endive, firewall"

specification = Specification("firewall", "Only who was written to from inside may write in.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
internal = specification.variable("internal", Set(nodes), "Nodes behind the firewall.", initial=ANY)
sent = specification.variable("sent", Array(nodes, Set(nodes)), "To whom each node has written.")
allowed_in = specification.variable("allowed_in", Set(nodes), "Nodes that may write in.")


@specification.action(nodes, nodes, source=SOURCE)
def node_writes_out(sender: IndexExpr, receiver: IndexExpr) -> Step:
    """A node inside writes to one outside, which may answer."""
    return Step(
        when=[internal[sender], ~internal[receiver]],
        then=[sent[sender][receiver].becomes(True), allowed_in[receiver].becomes(True)],
    )


@specification.action(nodes, nodes, source=SOURCE)
def node_writes_in(sender: IndexExpr, receiver: IndexExpr) -> Step:
    """A node outside that may write in does."""
    return Step(
        when=[~internal[sender], internal[receiver], allowed_in[sender]], then=[sent[sender][receiver].becomes(True)]
    )


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def whoever_writes_in_was_written_to() -> BoolExpr:
    """Who has written to a node inside was written to by one."""
    return for_all(
        nodes,
        lambda sender: for_all(
            nodes,
            lambda receiver: (sent[sender][receiver] & internal[receiver]).implies(
                exists(nodes, lambda inner: internal[inner] & sent[inner][sender])
            ),
        ),
    )
