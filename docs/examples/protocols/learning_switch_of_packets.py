"""Switches flood and route packets. Source: Endive, benchmarks/learning_switch_i4.tla (i4-learning-switch).

There sources, targets and links are any, links both ways and to no node itself; here a first step sees to that. Nodes
are linked in pairs then: of an odd number of them there is no start.
"""

from gridproof_model.language import (
    ANY,
    Array,
    Bool,
    BoolExpr,
    IndexExpr,
    Set,
    Specification,
    Step,
    all_of,
    array_of,
    for_all,
    if_else,
)

SOURCE = "Endive, learning_switch_i4"

specification = Specification("learning_switch_of_packets", "Switches learn routes that never go round.", source=SOURCE)
size = specification.constant("size", 2, "How many nodes there are.", least=2)
specification.requires(size % 2 == 0, "nodes are linked in pairs")
nodes = specification.index("node", size)
packets = specification.index("packet", specification.constant("packet_count", 2, "How many packets.", least=1))
sent_by = specification.variable("sent_by", Array(packets, nodes), "Who sends each packet.", initial=ANY)
sent_to = specification.variable("sent_to", Array(packets, nodes), "To whom each packet goes.", initial=ANY)
link = specification.variable("link", Array(nodes, nodes), "To which node each is linked.", initial=ANY)
begun = specification.variable("begun", Bool(), "Whether the links were looked at.")
pending = specification.variable(
    "pending", Array(packets, Array(nodes, Set(nodes))), "Where each packet is on its way from and to."
)
has_route = specification.variable("has_route", Array(nodes, Set(nodes)), "For each target: who knows its way to it.")
route = specification.variable(
    "route",
    Array(nodes, Array(nodes, Set(nodes))),
    "For each target: from which node another lies on the way to it.",
    initial=array_of(nodes, lambda _: array_of(nodes, lambda one: array_of(nodes, lambda other: one == other))),
)


@specification.definition(packets, nodes)
def learns(packet: IndexExpr, switch: IndexExpr) -> BoolExpr:
    """A switch learns the way back to where a packet came from."""
    return ~has_route[sent_by[packet]][switch] & (sent_by[packet] != switch)


@specification.action(source=SOURCE)
def links_are_looked_at() -> Step:
    """Links go both ways, and no node is linked to itself."""
    apart = for_all(nodes, lambda node: link[node] != node)
    both_ways = for_all(
        nodes, lambda one: for_all(nodes, lambda other: (link[one] == other).implies(link[other] == one))
    )
    return Step(when=[~begun, apart, both_ways], then=[begun.becomes(True)])


@specification.action(packets, source=SOURCE)
def packet_is_sent(packet: IndexExpr) -> Step:
    """A node sends a packet."""
    return Step(when=[begun], then=[pending[packet][sent_by[packet]][sent_by[packet]].becomes(True)])


def learnt_routes(packet: IndexExpr, old: IndexExpr, switch: IndexExpr) -> BoolExpr:
    """Return the ways to the source, the one over where the packet came from among them."""
    source = sent_by[packet]
    return array_of(
        nodes,
        lambda one: array_of(
            nodes,
            lambda other: (
                route[source][one][other]
                | (learns(packet, switch) & route[source][one][switch] & route[source][old][other])
            ),
        ),
    )


@specification.action(packets, nodes, nodes, source=SOURCE)
def packet_is_flooded(packet: IndexExpr, old: IndexExpr, switch: IndexExpr) -> Step:
    """A switch that knows no way sends a packet over its link, if that is not where it came from."""
    source, target = sent_by[packet], sent_to[packet]
    onward = array_of(
        nodes,
        lambda other: if_else(
            target != switch, (link[switch] == other) & (other != old), pending[packet][switch][other]
        ),
    )
    return Step(
        when=[pending[packet][old][switch], ~has_route[target][switch]],
        then=[
            has_route[source][switch].becomes(has_route[source][switch] | learns(packet, switch)),
            route[source].becomes(learnt_routes(packet, old, switch)),
            pending[packet][switch].becomes(onward),
        ],
    )


@specification.action(packets, nodes, nodes, nodes, source=SOURCE)
def packet_is_routed(packet: IndexExpr, old: IndexExpr, switch: IndexExpr, following: IndexExpr) -> Step:
    """A switch that knows the way sends a packet to the next node on it."""
    source, target = sent_by[packet], sent_to[packet]
    is_next = for_all(
        nodes,
        lambda other: (route[target][switch][other] & (switch != other)).implies(route[target][following][other]),
    )
    return Step(
        when=[
            pending[packet][old][switch],
            has_route[target][switch],
            route[target][switch][following],
            switch != following,
            is_next,
        ],
        then=[
            has_route[source][switch].becomes(has_route[source][switch] | learns(packet, switch)),
            route[source].becomes(learnt_routes(packet, old, switch)),
            pending[packet][switch][following].becomes(pending[packet][switch][following] | (target != switch)),
        ],
    )


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def routes_are_reflexive() -> BoolExpr:
    """Each node lies on its own way."""
    return for_all(nodes, lambda target: for_all(nodes, lambda one: route[target][one][one]))


@specification.always(source=SOURCE)
def routes_are_transitive() -> BoolExpr:
    """What lies on the way from what lies on the way lies on the way."""
    return for_all(
        nodes,
        lambda target: for_all(
            nodes,
            lambda one: for_all(
                nodes,
                lambda other: for_all(
                    nodes,
                    lambda third: all_of(route[target][one][other], route[target][other][third]).implies(
                        route[target][one][third]
                    ),
                ),
            ),
        ),
    )


@specification.always(source=SOURCE)
def routes_do_not_go_round() -> BoolExpr:
    """No two nodes lie on the way of each other."""
    return for_all(
        nodes,
        lambda target: for_all(
            nodes,
            lambda one: for_all(
                nodes,
                lambda other: (route[target][one][other] & route[target][other][one]).implies(one == other),
            ),
        ),
    )


@specification.always(source=SOURCE)
def routes_do_not_fork() -> BoolExpr:
    """Of two nodes on the way from one, one is on the way from the other."""
    return for_all(
        nodes,
        lambda target: for_all(
            nodes,
            lambda one: for_all(
                nodes,
                lambda other: for_all(
                    nodes,
                    lambda third: (route[target][one][other] & route[target][one][third]).implies(
                        route[target][other][third] | route[target][third][other]
                    ),
                ),
            ),
        ),
    )
