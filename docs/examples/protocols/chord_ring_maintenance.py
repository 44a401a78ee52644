"""A ring of nodes that come, fail and repair their successors. Source: ivybench, i4/ivy/chord_ring_maintenance.ivy.

Endive has no text of it. There the ring is a relation with axioms; here it is the order of the nodes, closed at its
end, from the origin, which is the first. Who has a first and a second successor is read from the successors themselves.
"""

from gridproof_model.language import (
    Array,
    Bool,
    BoolExpr,
    IndexExpr,
    Option,
    Set,
    Specification,
    Step,
    all_of,
    any_of,
    for_all,
)

SOURCE = "ivybench, chord_ring_maintenance"

specification = Specification("chord_ring_maintenance", "Every active node reaches the origin.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=2)
nodes = specification.index("node", size, ordered=True)
origin = nodes[0]
begun = specification.variable("begun", Bool(), "Whether the ring of two nodes is there.")
active = specification.variable("active", Set(nodes), "Nodes in the ring.")
successor = specification.variable("successor", Array(nodes, Option(nodes)), "The successor of each node.")
second = specification.variable("second", Array(nodes, Option(nodes)), "The second successor of each node.")
predecessor = specification.variable("predecessor", Array(nodes, Option(nodes)), "The predecessor of each node.")
reaches = specification.variable("reaches", Set(nodes), "Nodes that were found to reach the origin.")
error = specification.variable("error", Set(nodes), "Active nodes that were found not to.")


@specification.definition(nodes, nodes, nodes)
def is_between(one: IndexExpr, middle: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Going round from one node, a second comes before a third."""
    return any_of((one < middle) & (middle < other), (middle < other) & (other < one), (other < one) & (one < middle))


@specification.definition(nodes, nodes)
def leads_to_active(node: IndexExpr, following: IndexExpr) -> BoolExpr:
    """A node's successor is another, which is active and was found to reach the origin."""
    return all_of(successor[node] == following, active[following], reaches[following])


@specification.definition(nodes, nodes, nodes)
def leads_past_failed(node: IndexExpr, failed: IndexExpr, following: IndexExpr) -> BoolExpr:
    """A node's successor has failed, its second one is active and was found to reach the origin."""
    return all_of(
        successor[node] == failed,
        ~active[failed],
        second[node] == following,
        active[following],
        reaches[following],
    )


@specification.action(nodes, source=SOURCE)
def two_nodes_begin(other: IndexExpr) -> Step:
    """The origin and another node are each other's neighbours."""
    return Step(
        when=[~begun, other != origin],
        then=[
            begun.becomes(True),
            active[origin].becomes(True),
            active[other].becomes(True),
            successor[origin].becomes(other),
            successor[other].becomes(origin),
            predecessor[origin].becomes(other),
            predecessor[other].becomes(origin),
            reaches[origin].becomes(True),
        ],
    )


@specification.action(nodes, nodes, source=SOURCE)
def node_joins(node: IndexExpr, following: IndexExpr) -> Step:
    """A node takes an active one as its successor, and does not skip the origin."""
    return Step(
        when=[~active[node], active[following], ~is_between(node, origin, following)],
        then=[
            active[node].becomes(True),
            successor[node].becomes(following),
            second[node].becomes(None),
            predecessor[node].becomes(None),
        ],
    )


@specification.action(nodes, nodes, nodes, source=SOURCE)
def node_stabilizes(node: IndexExpr, following: IndexExpr, between: IndexExpr) -> Step:
    """A node learns from its successor of one between them."""
    return Step(
        when=[
            active[node],
            successor[node] == following,
            active[following],
            predecessor[following] == between,
            is_between(node, between, following),
        ],
        then=[successor[node].becomes(between), second[node].becomes(following)],
    )


@specification.action(nodes, nodes, nodes, source=SOURCE)
def node_notifies(node: IndexExpr, following: IndexExpr, known: IndexExpr) -> Step:
    """A node makes itself known to its successor, which knows none before it, or one further away."""
    return Step(
        when=[
            active[node],
            successor[node] == following,
            active[following],
            (predecessor[following] == known) | predecessor[following].is_none,
            is_between(known, node, following),
        ],
        then=[predecessor[following].becomes(node)],
    )


@specification.action(nodes, nodes, nodes, source=SOURCE)
def node_inherits(node: IndexExpr, following: IndexExpr, next_one: IndexExpr) -> Step:
    """A node learns its second successor from the first."""
    return Step(
        when=[active[node], successor[node] == following, active[following], successor[following] == next_one],
        then=[second[node].becomes(next_one)],
    )


@specification.action(nodes, nodes, nodes, source=SOURCE)
def failed_successor_is_removed(node: IndexExpr, failed: IndexExpr, next_one: IndexExpr) -> Step:
    """A node puts its second successor in the place of one that has failed."""
    return Step(
        when=[active[node], successor[node] == failed, ~active[failed], second[node] == next_one],
        then=[successor[node].becomes(next_one), second[node].becomes(None)],
    )


@specification.action(nodes, source=SOURCE)
def node_fails(node: IndexExpr) -> Step:
    """A node fails; not the origin, nor one without which another has no active successor."""

    def has_other(one: IndexExpr) -> BoolExpr:
        is_second_active = for_all(nodes, lambda other: (second[one] == other).implies(active[other]))
        return (successor[one] == node).implies(second[one].is_some & is_second_active)

    def has_first(one: IndexExpr) -> BoolExpr:
        is_first_active = for_all(
            nodes, lambda other: (successor[one] == other).implies((other != node) & active[other])
        )
        return (second[one] == node).implies(is_first_active)

    return Step(
        when=[active[node], node != origin, for_all(nodes, lambda one: has_other(one) & has_first(one))],
        then=[
            active[node].becomes(False),
            successor[node].becomes(None),
            second[node].becomes(None),
            predecessor[node].becomes(None),
        ],
    )


@specification.action(nodes, nodes, nodes, source=SOURCE)
def node_is_found_to_reach(node: IndexExpr, following: IndexExpr, next_one: IndexExpr) -> Step:
    """A node reaches the origin where its first active successor does."""
    return Step(
        when=[leads_to_active(node, following) | leads_past_failed(node, following, next_one)],
        then=[reaches[node].becomes(True)],
    )


@specification.action(nodes, nodes, nodes, source=SOURCE)
def node_is_found_not_to_reach(node: IndexExpr, following: IndexExpr, next_one: IndexExpr) -> Step:
    """A node does not reach the origin where its first active successor does not."""
    is_dead_end = ~active[following] | ~reaches[following]
    is_second = second[node].is_none | (second[node] == next_one)
    is_second_dead = (second[node] == next_one).implies(~active[next_one] | ~reaches[next_one])
    return Step(
        when=[
            node != origin,
            successor[node] == following,
            is_dead_end,
            active[following] | (is_second & is_second_dead),
        ],
        then=[reaches[node].becomes(False)],
    )


@specification.action(nodes, source=SOURCE)
def unreachability_is_noticed(node: IndexExpr) -> Step:
    """Whoever could be found to reach the origin was, so did all behind a node, and yet it does not."""
    is_found = for_all(
        nodes,
        lambda one: for_all(nodes, lambda other: leads_to_active(one, other).implies(reaches[one])),
    )
    is_found_past = for_all(
        nodes,
        lambda one: for_all(
            nodes,
            lambda other: for_all(nodes, lambda third: leads_past_failed(one, other, third).implies(reaches[one])),
        ),
    )
    behind = for_all(nodes, lambda one: (is_between(node, one, origin) & active[one]).implies(reaches[one]))
    return Step(when=[is_found, is_found_past, behind, active[node], ~reaches[node]], then=[error[node].becomes(True)])


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def everyone_reaches_the_origin() -> BoolExpr:
    """No active node is found that does not reach the origin."""
    return for_all(nodes, lambda node: ~error[node])
