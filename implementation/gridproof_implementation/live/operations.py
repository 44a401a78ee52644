"""What clients ask of a live member besides puts and gets: `operate`, by the kinds that an agent offers.

A workload is the simulator's; here stands which of its operations are asked how. A counter is an entry that is added
to at its primary, a cell one that is changed only where it holds what is expected; lists and queues are structures of
their own, with a key that names them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gridproof_implementation.adapter import ReadAnswer, WriteAnswer
from gridproof_implementation.live import answers
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.fleet import FAILED, without_answer
from gridproof_implementation.live.process import AgentProcess
from gridproof_implementation.live.running import checked_answer
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workloads import get_workload
from gridproof_model.identity import Member
from gridproof_model.trace import OperationKind

ITEMS = "items"
"""All values of a list, in order; no kind of the trace, where it is a read."""
NEEDED: Mapping[str, frozenset[str]] = {
    "register": frozenset(),
    "counter": frozenset({OperationKind.ADD}),
    "cells": frozenset({OperationKind.COMPARE_AND_SET}),
    "appends": frozenset({OperationKind.APPEND, ITEMS}),
    "queue": frozenset({OperationKind.OFFER, OperationKind.POLL}),
}
"""By workload that a live system can be given: the kinds without which it makes no sense."""
SPARED = frozenset({OperationKind.PUT_IF_ABSENT, OperationKind.COMPARE_AND_REMOVE, OperationKind.CONTAINS})
"""Kinds that a workload can do without."""
HELD_BY_MAPS = frozenset({"register", "counter", "cells"})
"""Workloads whose keys are entries, which have a partition and copies."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a call came to, as it is recorded."""

    answer: ReadAnswer | WriteAnswer
    value: str | None
    """As the trace has it for this kind: what was written, or what came back."""
    answered: str | None = None
    """What came back, where the value says what was asked for."""


def asked_as(client_operation: ClientOperation) -> str | None:
    """Return the kind by which an agent is asked to `operate`; None for what is a get or a put."""
    kind = client_operation.kind
    if kind is OperationKind.WRITE or (kind is OperationKind.READ and client_operation.use in HELD_BY_MAPS):
        return None
    return ITEMS if kind is OperationKind.READ else kind.value


def ask(grid: AgentGrid, client_operation: ClientOperation, member: Member) -> Said:
    """Ask a member for an operation of a client, and wait for its end."""
    kind, key, asked = client_operation.kind, client_operation.key, asked_as(client_operation)
    if kind is OperationKind.WRITE:
        return Said(grid.write_through(key, client_operation.value or "", member), client_operation.value)
    if asked is None:
        answer = grid.read(key, through=member)
        return Said(answer, answer.value)
    value = None if kind is OperationKind.POLL else client_operation.value
    expected, deadline_s = client_operation.expected, grid.deadline_s
    try:
        answer, came_back = ask_operation(grid.process_of(member), deadline_s, asked, key, value, expected)
    except FAILED as error:
        outcome, detail = without_answer(error)
        answer, came_back = ReadAnswer(outcome, detail=detail), None
    answer = replace(answer, member=member.id)
    (line,) = get_workload(client_operation.use).lines(client_operation, came_back, grid.partition_count)
    return Said(answer, line.value, line.answer)


def ask_operation(
    process: AgentProcess, deadline_s: float, kind: str, key: str, value: str | None, expected: str | None
) -> tuple[ReadAnswer, object]:
    """Return how an operation ended, and what came back; FAILED without an answer."""
    found = process.ask(answers.OPERATE.name, deadline_s, kind=kind, key=key, value=value, expected=expected)
    ended = checked_answer(process, answers.OPERATE, found)
    return ReadAnswer(ended.outcome, None, ended.why), ended.value
