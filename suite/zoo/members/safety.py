"""Mutants of the reported safety of data, and of members that wait for an answer of the master."""

from gridproof_implementation.protocol.membership.joining import LitePromotion
from gridproof_implementation.protocol.partitioning.safety import Safety
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent
from gridproof_model.events.words import ServiceState
from gridproof_model.trace import OperationKind
from suite.zoo.mutant import Bug, Interposer, MemberMutant, leaving_out, replacing, scripted, search_drawn, writes

search_promotions = search_drawn("promote-lite", "crash")
search_questions = search_drawn("crash", "drop", "lost-once", workload="safety")
HURRIES = ClientOperation("safety", OperationKind.ASK_SAFE, "safety-hurried", "1000", 1, 50)
ASKS = ClientOperation("safety", OperationKind.ASK_SAFE, "safety-cluster", None, 1, 50)

MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug("X18", "safe-unasked", "C10", "sync.21", breaks=("safe-as-members-say",)).by(
        "Whether the cluster is safe is answered with yes before any member is asked.",
        replacing(Safety, "survey", lambda _, then: then(True)),
        scripted((*writes(4), ASKS), members=3, partition_count=3),
    ),
    Bug("X20", "never-safe", "C10", "sync.19", breaks=("safe-at-rest",)).by(
        "A member says of itself that a replica is not in sync, whatever its backups have.",
        replacing(Safety, "_compare", lambda _, then: then(ServiceState.REPLICA_NOT_SYNC)),
        scripted((*writes(4), ASKS), members=3, partition_count=3),
    ),
    Bug("X32", "safety-awaited-for-ever", "C10", "sync.22", breaks=("safety-answered-in-time",)).by(
        "Who is to become safe within a time goes on trying when it is over.",
        leaving_out(Safety, "on_time_over"),
        scripted(
            (*writes(4), HURRIES), interposers=(Interposer("SummaryAnswer", count=12),), members=3, partition_count=3
        ),
        search_questions,
    ),
    Bug("X21", "promotion-not-heard", "C2", "members.10", breaks=("comes-to-rest",)).by(
        "A lite member does not hear that it is a data member now, and goes on asking.",
        leaving_out(LitePromotion, "on_promoted"),
        scripted(writes(4), FaultEvent("promote-lite", 10, 30, (3,)), members=3, partition_count=3),
        search_promotions,
    ),
)
