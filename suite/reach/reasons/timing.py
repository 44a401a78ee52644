"""What needs two things within one moment.

Ways of these classes are guards against a change between a question and its answer, or against what comes late. Each is
met seldom, so that it is chance which of them 2,000 runs meet; a rule as a whole is named.
"""

from collections.abc import Sequence

REASONS: Sequence[tuple[str, Sequence[str]]] = (
    (
        "few runs change the cluster's state, and in few of them a member fails or leaves within the change",
        (
            "protocol.membership.cluster_states.ClusterStates.*: *",
            "protocol.membership.cluster_states.ClusterStates.on_lease_over",
            "protocol.membership.cluster_states.ClusterStates.on_roll_back",
            "protocol.membership.cluster_states.ClusterStates._stay",
            "protocol.membership.cluster_states.StateChange.*: *",
            "protocol.membership.cluster_states.StateChange.on_retry",
            "protocol.membership.cluster_states.StateChange.on_timeout",
            "protocol.membership.cluster_states.StateChange.on_not_locked",
            "protocol.membership.cluster_states.StateChange._roll_back",
            "protocol.invocation.attempts.Attempts.why_no_owner: *",
            "protocol.partitioning.part.PartitioningPart.member_returned*",
        ),
    ),
    (
        "few runs promote a lite member, and in few of them the master or the state changes meanwhile",
        ("protocol.membership.joining.LitePromotion.*: *", "protocol.membership.joining.LitePromotion.on_retry"),
    ),
    (
        "needs two sides to merge while members of one come, go or are cut off once more",
        (
            "protocol.merging.dissolution.Dissolution.*: *",
            "protocol.merging.dissolution.Dissolution.thaw",
            "protocol.merging.dissolution.Dissolution._forget_pending",
            "protocol.merging.dissolution.Dissolution.on_retry",
            "protocol.merging.dissolution.Dissolution.on_timeout",
            "protocol.merging.dissolution.Replay.*: *",
            "protocol.merging.search.Search.*: *",
            "protocol.merging.search.compare: *",
        ),
    ),
    (
        "the row of a backup has to change between its question for a fragment and the answer, or one is lost",
        (
            "protocol.anti_entropy.syncs.Syncs.*: *",
            "protocol.anti_entropy.syncs.Syncs.on_expires",
            "protocol.anti_entropy.syncs.Syncs.end",
        ),
    ),
    (
        "a member has to end, or leave, with a client's call at the right moment, or an answer to come very late",
        (
            "protocol.invocation.answers.Answers.*: *",
            "protocol.invocation.attempts.Attempts.*: *",
            "protocol.invocation.attempts.Attempts.ask_anew",
            "protocol.invocation.part.InvocationPart.*: *",
            "protocol.invocation.attempts.Registry.*: *",
            "protocol.invocation.multi_partition.MultiPartitionCalls.*: *",
            "protocol.invocation.answers.Timeouts.*: *",
            "protocol.invocation.answers.Timeouts.begin_anew",
            "protocol.operation.part.OperationPart.on_wait_is_over: *",
        ),
    ),
    (
        "the master has to change, or a member to start anew, within one exchange of membership",
        (
            "protocol.membership.joining.Admission.*: *",
            "protocol.membership.suspicion.Claim.*: *",
            "protocol.membership.suspicion.Claim.on_timeout",
            "protocol.membership.joining.Joining.*: *",
            "protocol.membership.publication.Publication.*: *",
            "protocol.membership.suspicion.Suspicion.*: *",
            "protocol.membership.*.turn_away",
            "protocol.partitioning.part.PartitioningPart.table_received: *",
        ),
    ),
    (
        "a leaver has to be alone, to wait for long, or to be frozen, while everything moves away from it",
        ("protocol.partitioning.control.Departures.*: *", "protocol.partitioning.control.Departures.on_ask_again"),
    ),
    (
        "the row, the master or the members of a migration have to change within one exchange about it",
        (
            "protocol.partitioning.migrating.MigrationMaster.*: *",
            "protocol.partitioning.participation.EarlyOrders.*: *",
            "protocol.partitioning.participation.Participation.*: *",
            "protocol.partitioning.recovery.PromotionMaster.*: *",
            "protocol.partitioning.recovery.PromotionParticipant.*: *",
            "protocol.partitioning.recovery.PromotionMaster.on_repeat",
        ),
    ),
    (
        "tables have to differ at one version, or to come from a former master, as behind a split",
        (
            "protocol.partitioning.control.Planning.arrange: *",
            "protocol.partitioning.table.Publication.*: *",
            "protocol.partitioning.table.Publication.on_completed_refused",
            "protocol.partitioning.participation.TableReceiver.*: *",
        ),
    ),
    (
        "the master has to end, and a question of the next one for tables, or its answer, to be lost or late",
        ("protocol.partitioning.recovery.Succession.*: *", "protocol.partitioning.recovery.Succession.on_repeat"),
    ),
)
