"""Questions about how safe members and the cluster are."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import Line, Load, MemberRequest, Workload, one_by_one, truth_of
from gridproof_model.events.words import ServiceState
from gridproof_model.trace import OperationKind

NAME = "safety"
CLUSTER, MEMBER, FORCED, HURRIED = f"{NAME}-cluster", f"{NAME}-member", f"{NAME}-forced", f"{NAME}-hurried"
"""The questions: whether the cluster is safe, whether a member is, and the requests to make a member safe, with enough
time or with a time that may be too short even at rest."""
ENOUGH_US, LONGEST_WAIT_US = 2_000_000, 20_000_000
"""When the grid is at rest, a member is safe at its first check or at the next check, a second later (sync.22)."""
QUESTIONS = (CLUSTER, MEMBER, FORCED, HURRIED)
"""When the grid is at rest, each question comes from another client, and so reaches another member if there are enough
members."""


@one_by_one
def draw(rng: Random, load: Load, number: int) -> ClientOperation:
    """Draw one of the questions, and within how much time a member has to become safe."""
    key = rng.choice((CLUSTER, CLUSTER, MEMBER, FORCED))
    wait_us = int(1_000 * (LONGEST_WAIT_US / 1_000) ** rng.random())
    if key == FORCED and wait_us < ENOUGH_US:
        key = HURRIED
    return ClientOperation(NAME, OperationKind.ASK_SAFE, key, str(wait_us) if key in (FORCED, HURRIED) else None)


def ask(client_operation: ClientOperation, number: int, partition_count: int) -> MemberRequest:
    """Return the question as a request to the client's member (sync.20)."""
    if client_operation.key in (FORCED, HURRIED):
        return MemberRequest(GridMember.force_local_member_to_be_safe, (number, int(client_operation.value or 0)))
    return MemberRequest(
        GridMember.ask_cluster_safe if client_operation.key == CLUSTER else GridMember.ask_member_safe, (number,)
    )


def lines(client_operation: ClientOperation, value: object, partition_count: int) -> Sequence[Line]:
    """Return one line to record: yes or no, and the state that a member reports of itself."""
    if isinstance(value, ServiceState):
        return (
            Line(client_operation.kind, client_operation.key, None, truth_of(value is ServiceState.SAFE), str(value)),
        )
    return (Line(client_operation.kind, client_operation.key, None, truth_of(value)),)


def look(key: str) -> ClientOperation:
    """Return the operation that asks a question again."""
    wait = {FORCED: str(LONGEST_WAIT_US), HURRIED: "1"}.get(key)
    return ClientOperation(NAME, OperationKind.ASK_SAFE, key, wait, client=QUESTIONS.index(key))


WORKLOAD = Workload(
    NAME,
    "clients ask how safe members and the cluster are",
    draw,
    ask,
    lines,
    look,
    lambda key: StructureId("map", key),
    lambda key, count: 0,
    share=0.25,
    asks=frozenset({OperationKind.ASK_SAFE}),
)
