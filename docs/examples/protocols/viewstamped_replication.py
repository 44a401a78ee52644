"""Views of replicas, and one operation. Source: Liskov and Cowling 2012, "Viewstamped Replication Revisited".

A log holds one operation at most, and who is the primary of a view is of no importance: what it sends, it sends once.
There a replica waits for messages of more than half; here for more than half of the replicas to have sent one.
"""

from gridproof_model.language import (
    Array,
    BoolExpr,
    IndexExpr,
    Option,
    Set,
    Specification,
    Step,
    array_of,
    count,
    for_all,
)

SOURCE = "Liskov and Cowling 2012"

specification = Specification("viewstamped_replication", "No two operations are committed.", source=SOURCE)
size = specification.constant("size", 3, "How many replicas there are.", least=1)
replicas = specification.index("replica", size)
views = specification.index("view", specification.constant("view_count", 2, "How many.", least=1), ordered=True)
values = specification.index("operation", specification.constant("value_count", 2, "How many.", least=1))
own_view = specification.variable("own_view", Array(replicas, views), "The view that each replica is in.")
is_changing = specification.variable("is_changing", Set(replicas), "Who waits for its view to begin.")
log = specification.variable("log", Array(replicas, Option(values)), "What each has in its log.")
normal = specification.variable("normal", Array(replicas, views), "The last view in which each was not waiting.")
reported = specification.variable("reported", Array(views, Set(replicas)), "Who has asked for each view to begin.")
reported_log = specification.variable("reported_log", Array(views, Array(replicas, Option(values))), "With which log.")
reported_normal = specification.variable(
    "reported_normal", Array(views, Array(replicas, views)), "And which last view."
)
begun = specification.variable(
    "begun", Set(views), "Which views have begun.", initial=array_of(views, lambda one: one == views[0])
)
prepared = specification.variable("prepared", Array(views, Option(values)), "What the primary of each has sent.")
accepted = specification.variable("accepted", Array(views, Set(replicas)), "Who has accepted that.")
committed = specification.variable("committed", Set(values), "What is committed.")


@specification.definition(views, replicas, replicas)
def is_no_later(number: IndexExpr, one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """What a replica has reported for a view is no later than what another one has."""
    mine, theirs = reported_normal[number][one], reported_normal[number][other]
    return (mine < theirs) | (
        (mine == theirs) & (reported_log[number][one].is_none | reported_log[number][other].is_some)
    )


@specification.action(views, values, source=SOURCE)
def primary_prepares(number: IndexExpr, value: IndexExpr) -> Step:
    """The primary of a view that began with an empty log sends an operation."""
    return Step(when=[begun[number], prepared[number].is_none], then=[prepared[number].becomes(value)])


@specification.action(replicas, source=SOURCE)
def replica_accepts(replica: IndexExpr) -> Step:
    """A replica takes over what the primary of its view sent."""
    sent = prepared[own_view[replica]]
    return Step(
        when=[~is_changing[replica], sent.is_some],
        then=[log[replica].becomes(sent), accepted[own_view[replica]][replica].becomes(True)],
    )


@specification.action(views, source=SOURCE)
def primary_commits(number: IndexExpr) -> Step:
    """More than half have accepted it."""
    return Step(
        when=[prepared[number].is_some, count(replicas, lambda one: accepted[number][one]) * 2 > size],
        then=[committed[prepared[number].value].becomes(True)],
    )


@specification.action(replicas, views, source=SOURCE)
def replica_asks_for_a_view(replica: IndexExpr, number: IndexExpr) -> Step:
    """A replica gives its view up, and says what it has."""
    return Step(
        when=[own_view[replica] < number],
        then=[
            own_view[replica].becomes(number),
            is_changing[replica].becomes(True),
            reported[number][replica].becomes(True),
            reported_log[number][replica].becomes(log[replica]),
            reported_normal[number][replica].becomes(normal[replica]),
        ],
    )


@specification.action(views, replicas, source=SOURCE)
def view_begins(number: IndexExpr, latest: IndexExpr) -> Step:
    """More than half have asked for it, and it begins with what was reported last."""
    is_latest = for_all(replicas, lambda one: reported[number][one].implies(is_no_later(number, one, latest)))
    return Step(
        when=[
            ~begun[number],
            reported[number][latest],
            is_latest,
            count(replicas, lambda one: reported[number][one]) * 2 > size,
        ],
        then=[begun[number].becomes(True), prepared[number].becomes(reported_log[number][latest])],
    )


@specification.action(replicas, source=SOURCE)
def replica_enters_its_view(replica: IndexExpr) -> Step:
    """A replica that waits takes over what its view began with, or has come to."""
    number = own_view[replica]
    return Step(
        when=[is_changing[replica], begun[number]],
        then=[
            is_changing[replica].becomes(False),
            log[replica].becomes(prepared[number]),
            normal[replica].becomes(number),
        ],
    )


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def one_operation_is_committed() -> BoolExpr:
    """No two operations are committed."""
    return for_all(
        values,
        lambda one: for_all(values, lambda other: (committed[one] & committed[other]).implies(one == other)),
    )
