"""Processes in a ring write registers that are regular only. Source: Endive, benchmarks/SimpleRegular.tla (Lamport).

Who reads while a register is written may see what was there before.
"""

from enum import Enum

from gridproof_model.language import (
    Array,
    BoolExpr,
    IndexExpr,
    OneOf,
    Set,
    Specification,
    Step,
    element_at,
    exists,
    for_all,
)

SOURCE = "Endive, SimpleRegular"


class Place(Enum):
    """What a process does next."""

    BEGINS = "begins to write"
    ENDS = "ends to write"
    READS = "reads"
    DONE = "done"


specification = Specification(
    "simple_regular", "Of processes that write and then read, one reads what was written.", source=SOURCE
)
size = specification.constant("size", 3, "How many processes there are.", least=1)
processes = specification.index("process", size, ordered=True)
begun = specification.variable("begun", Set(processes), "Processes that have begun to write.")
written = specification.variable("written", Set(processes), "Processes that have written.")
read = specification.variable("read", Set(processes), "Processes that read what was written.")
place = specification.variable("place", Array(processes, OneOf(Place)), "What each process does next.")


def before(process: IndexExpr) -> IndexExpr:
    """Return the process before another in the ring."""
    return element_at(processes, (process.ordinal + size - 1) % size)


@specification.action(processes, source=SOURCE)
def process_begins_to_write(process: IndexExpr) -> Step:
    """A process begins to write: from now on its register may be read either way."""
    return Step(
        when=[place[process] == Place.BEGINS], then=[begun[process].becomes(True), place[process].becomes(Place.ENDS)]
    )


@specification.action(processes, source=SOURCE)
def process_ends_writing(process: IndexExpr) -> Step:
    """What it wrote is there for good."""
    return Step(
        when=[place[process] == Place.ENDS], then=[written[process].becomes(True), place[process].becomes(Place.READS)]
    )


@specification.action(processes, source=SOURCE)
def process_reads_new(process: IndexExpr) -> Step:
    """A process reads what the one before it writes or has written."""
    return Step(
        when=[place[process] == Place.READS, begun[before(process)]],
        then=[read[process].becomes(True), place[process].becomes(Place.DONE)],
    )


@specification.action(processes, source=SOURCE)
def process_reads_old(process: IndexExpr) -> Step:
    """A process reads what was there before the one before it wrote."""
    return Step(
        when=[place[process] == Place.READS, ~written[before(process)]],
        then=[read[process].becomes(False), place[process].becomes(Place.DONE)],
    )


@specification.definition()
def all_done() -> BoolExpr:
    """Every process has read."""
    return for_all(processes, lambda process: place[process] == Place.DONE)


@specification.may_stop
def it_is_over() -> BoolExpr:
    """Every process has read."""
    return all_done()


@specification.always(source=SOURCE)
def somebody_has_read() -> BoolExpr:
    """Where all are done, somebody read what was written."""
    return all_done().implies(exists(processes, lambda process: read[process]))
