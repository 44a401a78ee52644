"""What no drawn run asks for, configures, or may do."""

from collections.abc import Sequence

REASONS: Sequence[tuple[str, Sequence[str]]] = (
    (
        "clients seldom ask how safe the cluster is, and something has to happen to it just then",
        (
            "protocol.partitioning.safety.Safety.*: *",
            "protocol.partitioning.safety.Safety.on_*",
            "protocol.partitioning.safety.Safety._*",
            "protocol.anti_entropy.checks.SafeChecks.*: *",
        ),
    ),
    (
        "no workload has this operation",
        (
            "protocol.structure.Operation.combined",
            "protocol.structures.map.MapPart._put_all: unless `keys`",
            "protocol.structures.queue.QueuePart.execute: where `operation` is `QueueSize()`",
            "protocol.structures.set.SetPart.*",
            "protocol.invocation.multi_partition.MultiPartitionCalls.combined: unless `operations`",
        ),
    ),
    (
        "the one entry processor of the workloads counts numbers up",
        (
            "protocol.entry_processors.throw.*",
            "protocol.entry_processors.increment.Increment.process: *",
            "protocol.structures.map.MapPart._process: *",
            "protocol.structures.map.MapPart._store: when `value is None`",
        ),
    ),
    (
        "no drawn run places by the policy `optimal`",
        (
            "placement.arrangement.*",
            "placement.dealing.*",
            "placement.fair_shares.Grouping.of_sizes",
            "placement.fair_shares.Grouping.bounds_per_slot",
            "placement.fair_shares.times",
            "placement.fair_shares.leaving_room",
            "placement.fair_shares.Shares.*",
            "placement.fair_shares.choose_totals",
            "placement.fair_shares._*",
            "placement.optimal.*",
            "placement.rerouting.*",
            "placement.saving_rings.*",
            "placement.separating_planner.*",
            "placement.slot_order.*",
        ),
    ),
    (
        "needs every replica of a partition lost while the cluster may not migrate",
        (
            "protocol.partitioning.control.Control.repartition: when `self.planning.assign_lost()`",
            "protocol.partitioning.control.Planning.assign_lost*",
            "placement.hazelcast._Arrangement.__init__: unless `self._may_change(partition)`",
            "placement.hazelcast._Arrangement.target: unless `self._may_change(partition)`",
            "placement.hazelcast._Arrangement._deal: unless `self._scope is None`",
        ),
    ),
    (
        "no drawn run configures it",
        (
            "protocol.merging.policies.latest_update.*",
            "protocol.merging.policies.pass_through.*",
            "protocol.merging.policies.set_union.*",
            "protocol.structures.map.MapPart._merge: when `merged is None`",
            "protocol.membership.roster.Protection._find_rule: *",
            "protocol.jobs.execution.ChunkWriter.write: when `chunk and size > room`",
            "protocol.jobs.job_master.StartAttempt.why_not_starting: when `self._job.split_brain_protection*",
        ),
    ),
    (
        "all members of a drawn run are configured alike",
        (
            "protocol.membership.joining.Admission.why_never: *",
            "protocol.membership.joining.Admission.on_join_request: when `refused is not None`",
            "protocol.membership.joining.Joining.on_refused: where *OTHER_CLUSTER`",
            "protocol.membership.joining.Joining.on_refused: where *CONFIGURATION`",
            "protocol.merging.search.compare: when `why_not_joining*",
        ),
    ),
    (
        "clients ask for a few things at a time, and a member has room for many",
        (
            "protocol.invocation.attempts.Room.on_look_for_room: when `invocation is None`",
            "protocol.invocation.attempts.Room.look: *",
            "protocol.invocation.attempts.Room.pause_us",
            "protocol.invocation.attempts.Room.on_look_for_room",
            "protocol.anti_entropy.syncs.Syncs.on_sync_request: when `left`",
            "protocol.anti_entropy.syncs.Syncs.on_sync_retry",
        ),
    ),
    (
        "nothing but tests and machines looks at it",
        ("protocol.jobs.execution.Execution.is_restored", "protocol.jobs.participant.Participant.execution_of"),
    ),
    (
        "an error of whoever calls it, which members do not make; tests of the part show it",
        (
            "*: where `operation` is `_`",
            "*: where `backup` is `_`",
            "placement.hazelcast._Arrangement.__init__: unless `group.members`",
            "placement.hazelcast._Arrangement.target: when `member is None`",
            "placement.plan.apply_migration: *",
            "placement.plan._take_out: *",
            "placement.plan._check_primary: *",
            "placement.policy.PlacementRequest.__post_init__: *",
            "protocol.anti_entropy.syncs.Syncs.on_sync_answer: caught `UpdateError`",
            "protocol.operation.part.OperationPart._park: unless `isinstance(operation, BlockingOperation)`",
            "protocol.operation.part.OperationPart.result_of_waiting_in_vain: unless *",
            "protocol.operation.part.OperationPart.on_iterating_request: where `outcome` is `Waits()`",
            "protocol.operation.parking.ParkingLot.park: *",
            "protocol.operation.part.OperationPart.answer: unless `call_id != 0`",
            "protocol.membership.joining.Joining.__init__: unless `contact != self._node.me.address`",
            "protocol.partitioning.participation.TableReceiver.is_start_of: caught `MigrationError`",
            "protocol.replication.store.FragmentStore.copy_fragment: when `fragment is None`",
        ),
    ),
    (
        "nothing is to be done: an answer that other parts have dealt with",
        (
            "protocol.membership.joining.Joining.on_refused: where `message.refusal` is none of these",
            "protocol.merging.search.Search.on_answer: where `verdict` is none of these",
        ),
    ),
    (
        "the default policy's rows seldom ask for such a way round",
        ("placement.planner._RowPlanner._shift_up_somewhere: *",),
    ),
    (
        "a drawn run has the default placement; a campaign names others",
        [
            "placement.names.get_policy: unless `name == DEFAULT_PLACEMENT`",
            "placement.names.get_policy: when `policy.name == name`",
            "placement.names.get_policy: unless `policy.name == name`",
        ],
    ),
    (
        "in a simulated run every member is given the numbers of the whole run",
        ["protocol.member.GridMember.__init__: when `numbers is None`"],
    ),
)
