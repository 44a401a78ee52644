"""The node with the highest number leads a ring. Source: Chang and Roberts 1979.

"An Improved Algorithm for Decentralized Extrema-Finding in Circular Configurations of Processes". Numbers go round in
one direction; each node hands on those that are higher than its own, and leads when its own comes back.
"""

from gridproof_model.language import (
    Array,
    BoolExpr,
    IndexExpr,
    Set,
    Specification,
    Step,
    for_all,
)

SOURCE = "Chang and Roberts 1979"

specification = Specification("ring_election", "No two nodes lead.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=2)
nodes = specification.index("node", size, ordered=True)
waiting = specification.variable("waiting", Array(nodes, Set(nodes)), "Whose numbers have come to each node.")
has_begun = specification.variable("has_begun", Set(nodes), "Who has sent its own number.")
leads = specification.variable("leads", Set(nodes), "Who leads.")


@specification.definition(nodes, nodes)
def is_next(node: IndexExpr, other: IndexExpr) -> BoolExpr:
    """A node comes after another one in the ring."""
    return (other.ordinal == node.ordinal + 1) | ((node.ordinal == size - 1) & (other.ordinal == 0))


@specification.action(nodes, nodes, source=SOURCE)
def node_sends_its_number(node: IndexExpr, other: IndexExpr) -> Step:
    """A node sends its own number to the next."""
    return Step(
        when=[~has_begun[node], is_next(node, other)],
        then=[has_begun[node].becomes(True), waiting[other][node].becomes(True)],
    )


@specification.action(nodes, nodes, nodes, source=SOURCE)
def number_goes_on(node: IndexExpr, other: IndexExpr, owner: IndexExpr) -> Step:
    """A number that is higher than that of the node goes on to the next."""
    return Step(
        when=[waiting[node][owner], node < owner, is_next(node, other)],
        then=[waiting[node][owner].becomes(False), waiting[other][owner].becomes(True)],
    )


@specification.action(nodes, nodes, source=SOURCE)
def number_is_dropped(node: IndexExpr, owner: IndexExpr) -> Step:
    """A number that is lower goes no further."""
    return Step(when=[waiting[node][owner], owner < node], then=[waiting[node][owner].becomes(False)])


@specification.action(nodes, source=SOURCE)
def number_comes_back(node: IndexExpr) -> Step:
    """A node whose own number has come round leads."""
    return Step(when=[waiting[node][node]], then=[waiting[node][node].becomes(False), leads[node].becomes(True)])


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def one_node_leads() -> BoolExpr:
    """No two nodes lead."""
    return for_all(nodes, lambda one: for_all(nodes, lambda other: (leads[one] & leads[other]).implies(one == other)))
