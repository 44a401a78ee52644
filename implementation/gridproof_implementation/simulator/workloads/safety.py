"""Questions how safe members and the cluster are."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.service_state import ServiceState
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.simulator.scenario import Errand
from gridproof_implementation.simulator.workload import Load, Told, Wish, Workload, draw_errands, truth_of
from gridproof_model.trace import OperationKind

NAME = "safety"
CLUSTER, MEMBER, FORCED = f"{NAME}-cluster", f"{NAME}-member", f"{NAME}-forced"
LONGEST_WAIT_US = 20_000_000


def draw(rng: Random, load: Load) -> Sequence[Errand]:
    """Any of the three questions, and how long a member has to become safe."""

    def draw_one(number: int) -> Errand:
        key = rng.choice((CLUSTER, CLUSTER, MEMBER, FORCED))
        wait_us = int(1_000 * (LONGEST_WAIT_US / 1_000) ** rng.random())
        return Errand(NAME, OperationKind.ASK_SAFE, key, str(wait_us) if key == FORCED else None)

    return draw_errands(rng, load, draw_one)


def ask(errand: Errand, number: int, partition_count: int) -> Wish:
    """Ask the client's member (reference replication 6.2)."""
    if errand.key == FORCED:
        return Wish(GridMember.force_local_member_to_be_safe, (number, int(errand.value or 0)))
    return Wish(GridMember.ask_cluster_safe if errand.key == CLUSTER else GridMember.ask_member_safe, (number,))


def tell(errand: Errand, value: object, partition_count: int) -> Sequence[Told]:
    """One line: yes or no, and the state that a member tells of itself."""
    if isinstance(value, ServiceState):
        return (Told(errand.kind, errand.key, None, truth_of(value is ServiceState.SAFE), str(value)),)
    return (Told(errand.kind, errand.key, None, truth_of(value)),)


def look(key: str) -> Errand:
    """Ask once more."""
    return Errand(NAME, OperationKind.ASK_SAFE, key)


WORKLOAD = Workload(
    NAME,
    "clients ask how safe members and the cluster are",
    draw,
    ask,
    tell,
    look,
    lambda key: StructureId("map", key),
    lambda key, count: 0,
    share=0.25,
)
