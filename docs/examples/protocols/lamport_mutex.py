"""Mutual exclusion by logical clocks. Source: Lamport 1978, "Time, Clocks, and the Ordering of Events".

Messages from one process to another arrive in the order in which they were sent. Clocks stop at a highest number, and
a lane has room for three messages: no process has more than that under way to another.
"""

from enum import Enum

from gridproof_model.language import (
    Array,
    BoolExpr,
    EnumExpr,
    IndexExpr,
    Int,
    IntExpr,
    OneOf,
    Record,
    RecordExpr,
    Sequence,
    SequenceExpr,
    Set,
    Specification,
    Step,
    Update,
    array_of,
    for_all,
    if_else,
    larger,
)

SOURCE = "Lamport 1978"


class Kind(Enum):
    """What a message says."""

    REQUEST = "request"
    ACKNOWLEDGED = "acknowledged"
    RELEASE = "release"


class Message(RecordExpr):
    """What is on its way."""

    kind: EnumExpr[Kind]
    time: IntExpr


specification = Specification("lamport_mutex", "No two processes are in the critical section.", source=SOURCE)
processes = specification.index(
    "process", specification.constant("size", 2, "How many processes there are.", least=1), ordered=True
)
top = specification.constant("top", 4, "Where clocks stop.", least=2)
times = Int(0, top)
messages = Record(Message, kind=OneOf(Kind), time=times)
clock = specification.variable("clock", Array(processes, times), "The clock of each process.")
asked = specification.variable(
    "asked", Array(processes, Array(processes, times)), "When another one asked, as each knows; 0 if it does not."
)
heard = specification.variable("heard", Array(processes, Set(processes)), "Who has acknowledged the request of each.")
lane = specification.variable(
    "lane", Array(processes, Array(processes, Sequence(messages, 3))), "What is on its way from each to each."
)
inside = specification.variable("inside", Set(processes), "Who is in the critical section.")


def sent(sender: IndexExpr, kind: Kind, time: IntExpr | int) -> Update:
    """Return the update that sends a message to all others."""

    def after(one: IndexExpr, other: IndexExpr) -> SequenceExpr[Message]:
        is_sent = (one == sender) & (other != sender)
        return if_else(is_sent, lane[one][other].append(messages(kind=kind, time=time)), lane[one][other])

    return lane.becomes(array_of(processes, lambda one: array_of(processes, lambda other: after(one, other))))


def has_room(sender: IndexExpr) -> BoolExpr:
    """Return whether a message may be sent to all others."""
    return for_all(processes, lambda other: (other != sender).implies(~lane[sender][other].is_full))


@specification.definition(processes, processes)
def goes_before(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """A process has asked before another one, as far as it knows."""
    mine, theirs = asked[one][one], asked[one][other]
    return (theirs == 0) | (mine < theirs) | ((mine == theirs) & (one < other))


@specification.action(processes, source=SOURCE)
def process_asks(process: IndexExpr) -> Step:
    """A process asks all others, and knows that it has."""
    return Step(
        when=[asked[process][process] == 0, clock[process] < top, has_room(process)],
        then=[
            clock[process].becomes(clock[process] + 1),
            asked[process][process].becomes(clock[process] + 1),
            heard[process].becomes(array_of(processes, lambda other: other == process)),
            sent(process, Kind.REQUEST, clock[process] + 1),
        ],
    )


@specification.action(processes, processes, source=SOURCE)
def request_arrives(process: IndexExpr, other: IndexExpr) -> Step:
    """A process notes when another one asked, sets its clock past that, and acknowledges."""
    arrived, back = lane[other][process], lane[process][other]
    later = larger(clock[process], arrived.at(0).time)
    return Step(
        when=[
            process != other,
            arrived.length > 0,
            arrived.at(0).kind == Kind.REQUEST,
            later < top,
            ~back.is_full,
        ],
        then=[
            clock[process].becomes(later + 1),
            asked[process][other].becomes(arrived.at(0).time),
            lane[other][process].becomes(arrived.without(0)),
            lane[process][other].becomes(back.append(messages(kind=Kind.ACKNOWLEDGED, time=later + 1))),
        ],
    )


@specification.action(processes, processes, source=SOURCE)
def acknowledgement_arrives(process: IndexExpr, other: IndexExpr) -> Step:
    """A process notes that another one knows."""
    arrived = lane[other][process]
    return Step(
        when=[process != other, arrived.length > 0, arrived.at(0).kind == Kind.ACKNOWLEDGED],
        then=[heard[process][other].becomes(True), lane[other][process].becomes(arrived.without(0))],
    )


@specification.action(processes, source=SOURCE)
def process_enters(process: IndexExpr) -> Step:
    """Whoever asked first, as far as it knows, and was heard by all, enters."""
    is_first = for_all(processes, lambda other: (other == process) | goes_before(process, other))
    is_heard = for_all(processes, lambda other: heard[process][other])
    return Step(
        when=[asked[process][process] > 0, is_heard, is_first, ~inside[process]],
        then=[inside[process].becomes(True)],
    )


@specification.action(processes, source=SOURCE)
def process_leaves(process: IndexExpr) -> Step:
    """A process leaves, and says so to all others."""
    return Step(
        when=[inside[process], has_room(process)],
        then=[
            inside[process].becomes(False),
            asked[process][process].becomes(0),
            heard[process].becomes(array_of(processes, lambda other: other != other)),
            sent(process, Kind.RELEASE, clock[process]),
        ],
    )


@specification.action(processes, processes, source=SOURCE)
def release_arrives(process: IndexExpr, other: IndexExpr) -> Step:
    """A process notes that another one asks no more."""
    arrived = lane[other][process]
    return Step(
        when=[process != other, arrived.length > 0, arrived.at(0).kind == Kind.RELEASE],
        then=[asked[process][other].becomes(0), lane[other][process].becomes(arrived.without(0))],
    )


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def one_is_inside() -> BoolExpr:
    """No two processes are in the critical section."""
    return for_all(
        processes,
        lambda one: for_all(processes, lambda other: (inside[one] & inside[other]).implies(one == other)),
    )
