"""Processes in a ring write, and read the one before. Source: Endive, benchmarks/Simple.tla (Lamport)."""

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

SOURCE = "Endive, Simple"


class Place(Enum):
    """What a process does next."""

    WRITES = "writes"
    READS = "reads"
    DONE = "done"


specification = Specification(
    "simple", "Of processes that write and then read, one reads what was written.", source=SOURCE
)
size = specification.constant("size", 3, "How many processes there are.", least=1)
processes = specification.index("process", size, ordered=True)
written = specification.variable("written", Set(processes), "Processes that have written.")
read = specification.variable("read", Set(processes), "Processes that read what was written.")
place = specification.variable("place", Array(processes, OneOf(Place)), "What each process does next.")


@specification.action(processes, source=SOURCE)
def process_writes(process: IndexExpr) -> Step:
    """A process writes."""
    return Step(
        when=[place[process] == Place.WRITES],
        then=[written[process].becomes(True), place[process].becomes(Place.READS)],
    )


@specification.action(processes, source=SOURCE)
def process_reads(process: IndexExpr) -> Step:
    """A process reads what the one before it has written."""
    before = element_at(processes, (process.ordinal + size - 1) % size)
    return Step(
        when=[place[process] == Place.READS],
        then=[read[process].becomes(written[before]), place[process].becomes(Place.DONE)],
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
