"""A broadcast among nodes that fail in four ways. Source: ivybench, mypyv/pyv/hybrid_reliable_broadcast.pyv.

Endive has no text of it. There two kinds of quorums have axioms, and who fails how and who is to begin is given; here
a first step sees to the axioms. Whether a node has sent anything is read from whom it has sent to.
"""

from enum import Enum

from gridproof_model.language import (
    ANY,
    Array,
    Bool,
    BoolExpr,
    IndexExpr,
    OneOf,
    Set,
    SetExpr,
    Specification,
    Step,
    Update,
    array_of,
    exists,
    for_all,
)

SOURCE = "ivybench, hybrid_reliable_broadcast"


class Fault(Enum):
    """How a node fails."""

    NONE = "not at all"
    SENDS_TO_NONE = "it may send to nobody"
    SENDS_TO_SOME = "it may send to some only"
    LIES_TO_ALL = "it says anything, the same to all"
    LIES = "it says anything to anybody"


specification = Specification(
    "hybrid_reliable_broadcast", "Nobody accepts what no honest node was to begin.", source=SOURCE
)
nodes = specification.index("node", specification.constant("size", 2, "How many nodes there are.", least=1))
smalls = specification.index("small", specification.constant("small_count", 2, "How many small quorums.", least=1))
larges = specification.index("large", specification.constant("large_count", 1, "How many large quorums.", least=1))
in_small = specification.variable("in_small", Array(smalls, Set(nodes)), "Who is in each small quorum.", initial=ANY)
in_large = specification.variable("in_large", Array(larges, Set(nodes)), "Who is in each large quorum.", initial=ANY)
fault = specification.variable("fault", Array(nodes, OneOf(Fault)), "How each node fails.", initial=ANY)
is_to_begin = specification.variable("is_to_begin", Set(nodes), "Nodes that are to begin.", initial=ANY)
begun = specification.variable("begun", Bool(), "Whether the quorums were looked at.")
sent = specification.variable("sent", Array(nodes, Set(nodes)), "To whom each node has sent.")
received = specification.variable("received", Array(nodes, Set(nodes)), "From whom each node has received.")
accepted = specification.variable("accepted", Set(nodes), "Nodes that have accepted.")


@specification.definition(nodes)
def is_honest(node: IndexExpr) -> BoolExpr:
    """A node says nothing that is not so."""
    return (fault[node] != Fault.LIES_TO_ALL) & (fault[node] != Fault.LIES)


@specification.definition(nodes)
def sends_alike(node: IndexExpr) -> BoolExpr:
    """A node sends the same to all."""
    return (fault[node] != Fault.SENDS_TO_SOME) & (fault[node] != Fault.LIES)


@specification.definition(nodes, nodes, nodes)
def has_heard(node: IndexExpr, one: IndexExpr, sender: IndexExpr) -> BoolExpr:
    """A node has received from one, once a message of the sender is there."""
    return received[node][one] | (one == sender)


@specification.definition(nodes, nodes)
def hears_small_quorum(node: IndexExpr, sender: IndexExpr) -> BoolExpr:
    """A node has then received from all of a small quorum."""
    return exists(
        smalls, lambda small: for_all(nodes, lambda one: in_small[small][one].implies(has_heard(node, one, sender)))
    )


@specification.definition(nodes, nodes)
def hears_large_quorum(node: IndexExpr, sender: IndexExpr) -> BoolExpr:
    """A node has then received from all of a large quorum."""
    return exists(
        larges, lambda large: for_all(nodes, lambda one: in_large[large][one].implies(has_heard(node, one, sender)))
    )


def everybody() -> SetExpr:
    """Return all nodes."""
    return array_of(nodes, lambda node: node == node)


def takes(node: IndexExpr, sender: IndexExpr) -> tuple[Update, Update]:
    """Return what a message that arrives changes for its receiver."""
    accepts = accepted[node].becomes(accepted[node] | hears_large_quorum(node, sender))
    return received[node][sender].becomes(True), accepts


@specification.action(source=SOURCE)
def quorums_are_looked_at() -> Step:
    """A large quorum is of nodes that do not fail, small ones have an honest node, large ones hold a small one."""
    is_correct = exists(
        larges, lambda large: for_all(nodes, lambda one: in_large[large][one].implies(fault[one] == Fault.NONE))
    )
    has_honest = for_all(smalls, lambda small: exists(nodes, lambda one: in_small[small][one] & is_honest(one)))
    holds_small = for_all(
        larges,
        lambda large: exists(
            smalls,
            lambda small: for_all(
                nodes, lambda one: in_small[small][one].implies(in_large[large][one] & sends_alike(one))
            ),
        ),
    )
    return Step(when=[~begun, is_correct, has_honest, holds_small], then=[begun.becomes(True)])


@specification.action(nodes, source=SOURCE)
def node_begins(node: IndexExpr) -> Step:
    """A node that is to begin sends to all."""
    return Step(when=[begun, is_to_begin[node]], then=[sent[node].becomes(everybody())])


@specification.action(nodes, nodes, source=SOURCE)
def message_arrives(node: IndexExpr, sender: IndexExpr) -> Step:
    """A node receives; having heard a small quorum it sends to all, having heard a large one it accepts."""
    sends = hears_small_quorum(node, sender)
    sent_now = array_of(nodes, lambda other: sent[node][other] | sends)
    return Step(when=[begun, sent[sender][node]], then=[*takes(node, sender), sent[node].becomes(sent_now)])


@specification.action(nodes, nodes, source=SOURCE)
def message_is_not_passed_on(node: IndexExpr, sender: IndexExpr) -> Step:
    """A node that may send to nobody receives, and does not send."""
    return Step(when=[begun, fault[node] == Fault.SENDS_TO_NONE, sent[sender][node]], then=[*takes(node, sender)])


@specification.action(nodes, Set(nodes), source=SOURCE)
def node_begins_to_some(node: IndexExpr, some: SetExpr) -> Step:
    """A node that may send to some only is to begin, and sends to some."""
    return Step(
        when=[begun, fault[node] == Fault.SENDS_TO_SOME, is_to_begin[node]],
        then=[sent[node].becomes(array_of(nodes, lambda other: sent[node][other] | some[other]))],
    )


@specification.action(nodes, nodes, Set(nodes), source=SOURCE)
def message_is_passed_on_to_some(node: IndexExpr, sender: IndexExpr, some: SetExpr) -> Step:
    """A node that may send to some only receives; having heard a small quorum it sends to some."""
    sends = hears_small_quorum(node, sender)
    sent_now = array_of(nodes, lambda other: sent[node][other] | (sends & some[other]))
    return Step(
        when=[begun, fault[node] == Fault.SENDS_TO_SOME, sent[sender][node]],
        then=[*takes(node, sender), sent[node].becomes(sent_now)],
    )


@specification.action(nodes, source=SOURCE)
def lie_is_sent_to_all(node: IndexExpr) -> Step:
    """A node that says the same to all sends, whether it is to or not."""
    return Step(when=[begun, fault[node] == Fault.LIES_TO_ALL], then=[sent[node].becomes(everybody())])


@specification.action(nodes, Set(nodes), source=SOURCE)
def lie_is_sent(node: IndexExpr, some: SetExpr) -> Step:
    """A node that says anything sends to anybody."""
    return Step(
        when=[begun, fault[node] == Fault.LIES],
        then=[sent[node].becomes(array_of(nodes, lambda other: sent[node][other] | some[other]))],
    )


@specification.action(nodes, Set(nodes), Bool(), source=SOURCE)
def liar_forgets(node: IndexExpr, heard: SetExpr, accepts: BoolExpr) -> Step:
    """What a node that says anything has received and accepted is anything."""
    return Step(when=[begun, ~is_honest(node)], then=[received[node].becomes(heard), accepted[node].becomes(accepts)])


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def only_what_was_begun_is_accepted() -> BoolExpr:
    """Where an honest node has accepted, an honest node was to begin."""
    accepts = exists(nodes, lambda node: is_honest(node) & accepted[node])
    return accepts.implies(exists(nodes, lambda node: is_honest(node) & is_to_begin[node]))
