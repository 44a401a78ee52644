"""What clients ask of a live member besides put and get: the kinds of `operate` that an agent offers.

The workloads are the simulator's; this file says by which verb each of their operations is asked. A counter is an entry
that is incremented at its primary, and a cell is an entry that changes only if it has an expected value. Each list,
queue or lock is a structure of its own, and a key names it. All entries are in one map, which `size` counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gridproof_implementation.adapter import ReadAnswer, WriteAnswer
from gridproof_implementation.live import answers
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.running import ITEMS, LOCKED
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import Line
from gridproof_implementation.simulator.workloads import get_workload
from gridproof_model.membership import Member
from gridproof_model.trace import OperationKind, Outcome

NEEDED: Mapping[str, frozenset[str]] = {
    "register": frozenset(),
    "counter": frozenset({OperationKind.ADD}),
    "cells": frozenset({OperationKind.COMPARE_AND_SET, OperationKind.PUT_IF_ABSENT}),
    "entries": frozenset({answers.PUT_MANY.name}),
    "appends": frozenset({OperationKind.APPEND, ITEMS}),
    "queue": frozenset({OperationKind.OFFER, OperationKind.POLL}),
    "lock": frozenset({OperationKind.LOCK, OperationKind.UNLOCK, LOCKED}),
}
"""For each workload of live systems, the kinds of operations, and the verbs, without which it cannot run."""
SPARED = frozenset({OperationKind.COMPARE_AND_REMOVE, OperationKind.CONTAINS, OperationKind.SIZE, OperationKind.REMOVE})
"""Kinds of operations that a workload can do without."""
HELD_BY_MAPS = frozenset({"register", "counter", "cells", "entries"})
"""Workloads whose keys are entries, which have a partition and copies."""


def offered(hello: answers.Hello) -> frozenset[str]:
    """Return what an agent can be asked besides put and get: the kinds of `operate`, and further verbs."""
    return hello.operations | (hello.offers & {answers.PUT_MANY.name, answers.REMOVE.name})


def workloads_of(hello: answers.Hello) -> Sequence[str]:
    """Return the workloads for which an agent offers all that they need."""
    return [use for use, needed in NEEDED.items() if needed <= offered(hello)]


@dataclass(frozen=True, slots=True)
class Said:
    """The outcome of a call, as it is recorded."""

    answer: ReadAnswer | WriteAnswer
    lines: Sequence[Line]
    """The lines that this operation adds to the history, one for each entry."""

    @property
    def value(self) -> str | None:
        """The value that was returned, or that was written."""
        return self.lines[0].value


def asked_as(client_operation: ClientOperation) -> str | None:
    """Return the kind with which `operate` is asked for this operation; None if the operation has its own verb."""
    kind, use = client_operation.kind, client_operation.use
    if kind in (OperationKind.WRITE, OperationKind.REMOVE) or (kind is OperationKind.READ and use in HELD_BY_MAPS):
        return None
    if kind is OperationKind.READ:
        return LOCKED if use == "lock" else ITEMS
    return kind.value


def needed_for(client_operation: ClientOperation) -> str | None:
    """Return what an agent has to offer for this operation besides put and get; None if these two suffice."""
    if client_operation.kind is OperationKind.REMOVE:
        return answers.REMOVE.name
    return answers.PUT_MANY.name if writes_several(client_operation) else asked_as(client_operation)


def writes_several(client_operation: ClientOperation) -> bool:
    """Return whether an operation is a write of several entries in one call."""
    return client_operation.kind is OperationKind.WRITE and client_operation.use == "entries"


def one_by_one(client_operation: ClientOperation) -> Sequence[ClientOperation]:
    """Return the operations to execute one after another in place of this one: a removal of several entries becomes
    several removals."""
    if client_operation.kind is not OperationKind.REMOVE:
        return (client_operation,)
    return [replace(client_operation, key=key) for key in client_operation.keys]


def entries_of(client_operation: ClientOperation) -> Sequence[str]:
    """Return the keys that an operation is about; none if it counts all entries."""
    return () if client_operation.kind is OperationKind.SIZE else client_operation.keys


def ask(grid: AgentGrid, client_operation: ClientOperation, member: Member) -> Said:
    """Ask a member for a client's operation, and wait until it ends."""
    answer, came_back = _asked(grid, client_operation, member)
    lines = get_workload(client_operation.use).lines(client_operation, came_back, grid.partition_count)
    # All entries of all workloads are in one map, so the map's size belongs to no single key.
    is_of_all = client_operation.kind is OperationKind.SIZE
    return Said(answer, [replace(line, key="") for line in lines] if is_of_all else lines)


def _asked(
    grid: AgentGrid, client_operation: ClientOperation, member: Member
) -> tuple[ReadAnswer | WriteAnswer, str | None]:
    kind, key, value = client_operation.kind, client_operation.key, client_operation.value
    if kind is OperationKind.REMOVE:
        return grid.remove(key, member), None
    if writes_several(client_operation):
        entries = dict(zip(client_operation.keys, (value or "").split(), strict=True))
        return grid.write_many(entries, member), None
    if kind is OperationKind.WRITE:
        return grid.write(key, value or "", member), None
    asked = asked_as(client_operation)
    if asked is None:
        read = grid.read(key, through=member)
    else:
        whose, said = "" if kind is OperationKind.SIZE else key, None if kind is OperationKind.POLL else value
        expected, client = client_operation.expected, client_operation.client
        read = grid.operate_through(member, asked, whose, said, expected, client=client)
    return read, read.value if read.outcome is Outcome.OK else None
