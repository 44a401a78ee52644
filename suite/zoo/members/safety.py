"""Mutants of the reported safety of data, and of members that wait for an answer of the master."""

from gridproof_implementation.protocol.membership.joining import LitePromotion
from gridproof_implementation.protocol.membership.messages import Promoted
from gridproof_implementation.protocol.partitioning.safety import Safety, TimeOver
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent
from gridproof_model.events.words import ServiceState
from gridproof_model.membership import MemberId
from gridproof_model.trace import OperationKind
from suite.zoo.mutant import Interposer, MemberMutant, replacing, scripted, search_drawn, writes


def _pass_over_the_answer(promotion: LitePromotion, sender: MemberId, promoted: Promoted) -> None:
    """The mutant ignores the answer, and goes on asking."""


def _go_on_trying(safety: Safety, timer: TimeOver) -> None:
    """The mutant does not answer when the time is over."""


search_promotions = search_drawn("promote-lite", "crash")
search_questions = search_drawn("crash", "drop", "lost-once", workload="safety")
HURRIES = ClientOperation("safety", OperationKind.ASK_SAFE, "safety-hurried", "1000", 1, 50)
ASKS = ClientOperation("safety", OperationKind.ASK_SAFE, "safety-cluster", None, 1, 50)

MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    MemberMutant(
        number="X18",
        name="safe-unasked",
        defect_class="C10",
        rule="Whether the cluster is safe is answered with yes before any member is asked.",
        source="sync.21",
        breaks=("safe-as-members-say",),
        plant=replacing(Safety, "survey", lambda _, then: then(True)),
        witness=scripted((*writes(4), ASKS), members=3, partition_count=3),
    ),
    MemberMutant(
        number="X20",
        name="never-safe",
        defect_class="C10",
        rule="A member says of itself that a replica is not in sync, whatever its backups have.",
        source="sync.19",
        breaks=("safe-at-rest",),
        plant=replacing(Safety, "_compare", lambda _, then: then(ServiceState.REPLICA_NOT_SYNC)),
        witness=scripted((*writes(4), ASKS), members=3, partition_count=3),
    ),
    MemberMutant(
        number="X32",
        name="safety-awaited-for-ever",
        defect_class="C10",
        rule="Who is to become safe within a time goes on trying when it is over.",
        source="sync.22",
        breaks=("safety-answered-in-time",),
        plant=replacing(Safety, "on_time_over", _go_on_trying),
        witness=scripted(
            (*writes(4), HURRIES), interposers=(Interposer("SummaryAnswer", count=12),), members=3, partition_count=3
        ),
        search=search_questions,
    ),
    MemberMutant(
        number="X21",
        name="promotion-not-heard",
        defect_class="C2",
        rule="A lite member does not hear that it is a data member now, and goes on asking.",
        source="members.10",
        breaks=("comes-to-rest",),
        plant=replacing(LitePromotion, "on_promoted", _pass_over_the_answer),
        witness=scripted(writes(4), FaultEvent("promote-lite", 10, 30, (3,)), members=3, partition_count=3),
        search=search_promotions,
    ),
)
