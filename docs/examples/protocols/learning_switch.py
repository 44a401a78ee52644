"""Switches learn routes from packets. Source: Endive, benchmarks/learning_switch.tla (pyv-learning-switch)."""

from gridproof_model.language import (
    Array,
    BoolExpr,
    IndexExpr,
    Set,
    Specification,
    Step,
    all_of,
    array_of,
    for_all,
)

SOURCE = "Endive, learning_switch"

specification = Specification("learning_switch", "Switches learn routes that never go round.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
route = specification.variable(
    "route",
    Array(nodes, Array(nodes, Set(nodes))),
    "For each target: from which node another lies on the way to it.",
    initial=array_of(nodes, lambda _: array_of(nodes, lambda one: array_of(nodes, lambda other: one == other))),
)
pending = specification.variable(
    "pending",
    Array(nodes, Array(nodes, Array(nodes, Set(nodes)))),
    "Packets on their way: by source, target, the switch they come from and the one they go to.",
)


@specification.definition(nodes, nodes)
def is_learnt(target: IndexExpr, switch: IndexExpr) -> BoolExpr:
    """A switch knows its way to a target, or is the target."""
    return (target == switch) | ~for_all(nodes, lambda other: (other != switch).implies(~route[target][switch][other]))


@specification.action(nodes, nodes, source=SOURCE)
def packet_is_sent(source: IndexExpr, target: IndexExpr) -> Step:
    """A node sends a packet."""
    return Step(when=[], then=[pending[source][target][source][source].becomes(True)])


@specification.action(nodes, nodes, nodes, nodes, nodes, source=SOURCE)
def packet_is_forwarded(
    source: IndexExpr, target: IndexExpr, old: IndexExpr, switch: IndexExpr, kept: IndexExpr
) -> Step:
    """A switch sends a packet to all, and learns the way back; of those on their way one node's are kept."""

    def stays(one: IndexExpr, other: IndexExpr, before: IndexExpr, after: IndexExpr) -> BoolExpr:
        is_sent_on = all_of(one == source, other == target, before == switch)
        return ((one == kept) & pending[one][other][before][after]) | is_sent_on

    def learnt(one: IndexExpr, other: IndexExpr) -> BoolExpr:
        is_new = route[source][one][switch] & route[source][old][other]
        return route[source][one][other] | (~is_learnt(source, switch) & is_new)

    return Step(
        when=[pending[source][target][old][switch]],
        then=[
            pending.becomes(
                array_of(
                    nodes,
                    lambda one: array_of(
                        nodes,
                        lambda other: array_of(
                            nodes,
                            lambda before: array_of(nodes, lambda after: stays(one, other, before, after)),
                        ),
                    ),
                )
            ),
            route[source].becomes(array_of(nodes, lambda one: array_of(nodes, lambda other: learnt(one, other)))),
        ],
    )


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
                    lambda third: (route[target][one][other] & route[target][other][third]).implies(
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
