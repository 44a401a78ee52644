"""Survivors of blind mutants, each with the reason.

A reason is no proof. What is called equivalent is shown by a program; of all else `python -m suite unseen` says in
which runs it was looked for (`searched.json`), and only then a survivor counts as explained.
"""

from collections.abc import Mapping

from suite.blind.mutations import Key

EQUIVALENT: Mapping[Key, str] = {
    (
        "placement.hazelcast.compact",
        "if coldest <= index:",
        "coldest <= index -> coldest < index",
    ): "where both are the same the slot is empty, changes places with itself, and the next turn ends",
    (
        "placement.hazelcast._Arrangement._deal_leftovers",
        "for _ in range(len(free) * len(self._shares) * RETRY_MULTIPLIER):",
        "len(free) * len(self._shares) -> len(free) + len(self._shares)",
    ): "at most six groups refuse a partition, so ten tries for each partition are enough",
    (
        "placement.hazelcast._Arrangement._transfer",
        "for _ in range(len(under) * len(over) * RETRY_MULTIPLIER):",
        "len(under) * len(over) * RETRY_MULTIPLIER -> len(under) * len(over) + RETRY_MULTIPLIER",
    ): "a group that was offered everything once takes nothing more when it is offered again",
    (
        "placement.hazelcast._Arrangement._transfer",
        "under.append(to)",
        "under.append(to) -> None",
    ): "a group that was offered everything once takes nothing more when it is offered again",
    (
        "placement.fair_shares._Spread.over",
        "open_places = [p for p in places if (counts[p] < self.most[p] if step > 0 else counts[p] > self.least[p])]",
        "step > 0 -> step >= 0",
    ): "a step is 1 or -1, never 0",
    (
        "placement.saving_rings.find_saving_ring",
        "if not (costs < 0).any():",
        "costs < 0 -> costs <= 0",
    ): "only a short cut: without a cost below nothing the search finds no ring either",
}
"""Mutants that a program shows to change nothing; `tests/suite/blind/test_equivalents.py` runs it. They are not
searched, and counted nowhere."""
UNSEEN: Mapping[Key, str] = {
    (
        "protocol.merging.dissolution",
        "AT_ONCE = 10",
        "10 -> 11",
    ): "how many merge operations are under way at once is a choice of ours: any number brings the same in",
    (
        "protocol.replication.store.FragmentStore.namespace_of",
        "self._namespaces[structure] = namespace",
        "self._namespaces[structure] = namespace -> _ = namespace",
    ): "only remembers what is computed the same way each time",
    (
        "protocol.membership.roster.Roster.__init__",
        "self.clock_difference_us = 0",
        "0 -> 1",
    ): "a founder's time is the cluster's, and a joiner takes the master's: only differences of it are compared",
    (
        "protocol.partitioning.control.Planning._place",
        "return self._policy.place(request, Random(self._node.me.uuid.int + next(self._plans)))",
        "self._node.me.uuid.int + next(self._plans) -> self._node.me.uuid.int - next(self._plans)",
    ): "other dice are dice as well: which of the good arrangements is made is not said",
    (
        "protocol.membership.joining",
        "SILENCE_US = 10 * SECOND_US",
        "10 -> 11",
    ): "for how long a word of a cluster counts is a choice of ours",
    (
        "protocol.membership.suspicion",
        "CLAIM_RETRY_US = 5 * SECOND_US",
        "5 -> 6",
    ): "how often a candidate asks again is a choice of ours",
    (
        "protocol.operation.part.OperationPart.on_iterating_request",
        "if outcome.changed:",
        "if outcome.changed: -> if not outcome.changed:",
    ): "who waits waits for a lock or an item of a queue, and no call of several partitions changes one",
    (
        "protocol.job",
        "items_per_shard: int = 100",
        "100 -> 101",
    ): "a default: whoever submits a job says how many items it has",
    (
        "protocol.invocation.answers.Answers.has_target_left",
        "return invocation.target == gone and invocation.list_version < list_version",
        "invocation.list_version < list_version -> invocation.list_version <= list_version",
    ): "the target of an attempt is in the list it was made by, so that this list has not removed it",
    (
        "protocol.operation.part.OperationPart.on_iterating_request",
        "if node.membership.cluster_now_us > request.deadline_us:",
        "node.membership.cluster_now_us > request.deadline_us -> node.membership.cluster_now_us >= request.deadline_us",
    ): "nothing says whether what comes in the very microsecond of its deadline is in time",
    (
        "protocol.operation.backups.BackupSender.waits_for_async_backups",
        "self._until_sync = self._dice.randrange(3 * window // 4, max(5 * window // 4, 3 * window // 4 + 1))",
        "1 -> 2",
    ): "other dice are dice as well: how a number is drawn for a window of one to three is not said",
    (
        "protocol.membership.cluster_states",
        "STATE_LOCK_TIMEOUT_US = 30 * SECOND_US",
        "30 * SECOND_US -> 30 + SECOND_US",
    ): "a choice of ours: any time that is shorter than a lease",
    (
        "protocol.merging.dissolution.Dissolution.begin",
        "others = [member.id for member in membership.members if member.id != self._node.me]",
        "member.id != self._node.me -> member.id == self._node.me",
    ): "who does not hear of the merge stays in a frozen cluster, which another master thaws, and merges later",
    (
        "protocol.merging.dissolution.Dissolution.on_heard",
        "if self._target is not None and not self._waiting:",
        "self._target is not None -> self._target is None",
    ): "the master that has heard of everybody goes with its next retry, a second later",
    (
        "protocol.partitioning.control.Departures.why_at_once",
        "if not state.allows_migration and state is not ClusterState.IN_TRANSITION:",
        "state is not ClusterState.IN_TRANSITION -> state is ClusterState.IN_TRANSITION",
    ): "one run of 400 asks to leave amid a change of state, and a leaver that gets no answer asks again",
    (
        "protocol.partitioning.table.LocalTable.install",
        "if before.slots[0] != row.slots[0]:",
        "before.slots[0] != row.slots[0] -> before.slots[0] == row.slots[0]",
    ): "who waits where the primary changes is sent back when its wait is over; a sync ends by its time-out",
    (
        "protocol.partitioning.participation.Participation.fragments_at_once",
        "return 1 if self._node.settings.migration_fragments_enabled else len(active.namespaces)",
        "1 if self._node.settings.migration_fragments_enabled else len(active.namespaces) -> 1 if not "
        "self._node.settings.migration_fragments_enabled else len(active.namespaces)",
    ): "records show each fragment that arrives, and not how many travelled together",
    (
        "protocol.jobs.job_master.JobMaster.members_added",
        "if self.status is JobStatus.RUNNING and not self._fits_members():",
        "if self.status is JobStatus.RUNNING and (not self._fits_members()): "
        "-> if not (self.status is JobStatus.RUNNING and (not self._fits_members())):",
    ): "hardly a job is at work ten seconds after somebody has joined",
    (
        "protocol.partitioning.control.Control.repartition",
        "if self.planning.assign_lost():",
        "if self.planning.assign_lost(): -> if not self.planning.assign_lost():",
    ): "two runs of 400 fill lost partitions while nothing may migrate; the table goes out with the next interval",
    (
        "protocol.merging.search.Search.on_probe",
        "if membership.master is not None and not membership.is_master:",
        "membership.master is not None and (not membership.is_master) -> membership.master is not None "
        "or not membership.is_master",
    ): "a master amid its claim names itself, is asked once more, and says nothing until the claim is over",
    (
        "protocol.membership.suspicion.Heartbeats.on_heartbeat",
        "if not is_meant:",
        "not is_meant -> not not is_meant",
    ): "a heartbeat must come before the word that its receiver is in; who is suspected for it joins anew",
    (
        "protocol.partitioning.table.Publication.completed",
        "if self._unpublished >= PUBLISH_BATCH:",
        "if self._unpublished >= PUBLISH_BATCH: -> if not self._unpublished >= PUBLISH_BATCH:",
    ): "how many ended migrations are published together is a matter of speed, and no record shows it",
    (
        "protocol.membership.roster.Roster.install",
        "if member.id == self.node.me:",
        "if member.id == self.node.me: -> if not member.id == self.node.me:",
    ): "what a member keeps of itself is read before it is in; later, whether a lite one may ask to be promoted",
    (
        "protocol.partitioning.safety.Safety.local_state",
        "if self._control.is_moving or self._table.active:",
        "self._control.is_moving or self._table.active -> self._control.is_moving and self._table.active",
    ): "a master that takes no part in what moves looks at its own copies; who asks it still hears that it moves",
    (
        "protocol.membership.publication.Publication.why_not_installed",
        "if update.members.version < roster.members.version:",
        "update.members.version < roster.members.version -> update.members.version <= roster.members.version",
    ): "a list that a member has already is passed over, in place of being installed once more",
    (
        "protocol.membership.publication.Publication.raise_version",
        "self.publish()",
        "self.publish() -> None",
    ): "two clusters have met: nothing is promised of their lists, and each goes out again with the next interval",
    (
        "protocol.partitioning.participation.Participation.why_not_now",
        "if not is_master and not self._reception.apply_completed(completed):",
        "not is_master -> not not is_master",
    ): "what else ended is in the next table, too; a primary that has not heard of it refuses by its row's version",
    (
        "protocol.membership.publication.Publication._comes_next",
        "if sender not in roster.ids or members.version <= roster.members.version:",
        "members.version <= roster.members.version -> members.version < roster.members.version",
    ): "a list of the version that a member has is not installed; the cluster's state alone is taken from its sender",
    (
        "protocol.jobs.edges.OutboundLane.on_received",
        "self.unanswered = [packet for packet in self.unanswered if packet.number >= word.next_number]",
        "self.unanswered = [packet for packet in self.unanswered if packet.number >= word.next_number] -> "
        "_ = [packet for packet in self.unanswered if packet.number >= word.next_number]",
    ): "packets that have come are sent again and passed over, and go with their execution",
    (
        "protocol.membership.cluster_states.ClusterStates._stay",
        "self._node.emit(ClusterStateUnlocked(coordinator, transaction.number, why))",
        "self._node.emit(ClusterStateUnlocked(coordinator, transaction.number, why)) -> None",
    ): "the event alone is missing: a member that changes to the state that it has records nothing, either",
    (
        "protocol.partitioning.part.PartitioningPart.on_nudge_again",
        "self._is_nudging = False",
        "self._is_nudging = False -> _ = False",
    ): "the first question for owners, or its answer, must get lost, and the table not go out for long",
    (
        "protocol.partitioning.control.Planning.assign_lost",
        "self._install([new if p in lost else self._table.rows[p] for p, new in enumerate(rows)], "
        "WhyRowChanged.ASSIGNED)",
        "self._install([new if p in lost else self._table.rows[p] for p, new in enumerate(rows)], "
        "WhyRowChanged.ASSIGNED) -> None",
    ): "one run of 400 fills lost partitions while nothing may migrate; the next plan fills them",
    (
        "protocol.membership.suspicion.Suspicion.on_trigger",
        "self._node.send(trigger.theirs.member, messages.ExplicitSuspicion(trigger.theirs))",
        "self._node.send(trigger.theirs.member, messages.ExplicitSuspicion(trigger.theirs)) -> None",
    ): "two lists overlap: who is not suspected sooner is when it hears no heartbeat, and merges then",
    (
        "protocol.membership.suspicion.Connections.on_echo",
        "self._faults.pop(sender.address, None)",
        "self._faults.pop(sender.address, None) -> None",
    ): "connections between two members must break several times; nobody says how often is too often",
    (
        "protocol.structures.lock",
        "READ_ONLY: ClassVar[bool] = True",
        "True -> False",
    ): "a question whether a lock is held waits for a migration as a change does; nothing promises that it does not",
    (
        "protocol.jobs.job_master.JobMaster._stop",
        "self._rounds.forget(self._question)",
        "self._rounds.forget(self._question) -> None",
    ): "the answers of an execution that has stopped come to nobody, and the question ends with the last",
    (
        "protocol.partitioning.participation.TableReceiver.take",
        "self.forget(state.completed, tuple(row.version for row in state.rows))",
        "self.forget(state.completed, tuple((row.version for row in state.rows))) -> None",
    ): "ended migrations are remembered for longer, and settle nothing that is not settled",
    (
        "protocol.partitioning.safety",
        "MASTER_TIMEOUT_US = 10 * SECOND_US",
        "10 -> 11",
    ): "a silent master must be asked, and no record says when it was",
    (
        "protocol.partitioning.control.Departures.on_ask_again",
        "if self._deadline_us is not None and self._node.now_us >= self._deadline_us:",
        "self._node.now_us >= self._deadline_us -> self._node.now_us > self._deadline_us",
    ): "a member that asks again in the very microsecond in which its wait is over goes a second later",
    (
        "protocol.membership.suspicion.Suspicion.on_explicit_suspicion",
        "self.suspect(sender, WhySuspected.KNOWS_US_NOT)",
        "self.suspect(sender, WhySuspected.KNOWS_US_NOT) -> None",
    ): "who does not know a member sends it no heartbeats either, so that it suspects it a heartbeat time-out later",
    (
        "protocol.operation.part.OperationPart.on_wait_is_over",
        "if gives_up_at_us is not None and gives_up_at_us <= self._node.now_us:",
        "gives_up_at_us is not None -> gives_up_at_us is None",
    ): "the caller asks anew with no wait left, and has its answer a round trip later than it should",
    (
        "protocol.partitioning.safety.Safety.on_check_again",
        "elif timer.number in self._requests:",
        "if timer.number in self._requests: -> if not timer.number in self._requests:",
    ): "who is asked to become safe within a time says no when it is over, as where copies do not become equal in time",
    (
        "protocol.partitioning.control.Control.repartition",
        "self.departures.let_go()",
        "self.departures.let_go() -> None",
    ): "a leaver asks again each second, and is let go at once where nothing may migrate",
    (
        "protocol.partitioning.control.Departures.on_request",
        "is_new = request.leaver not in self.leavers",
        "request.leaver not in self.leavers -> request.leaver in self.leavers",
    ): "a leaver asks again each second, and the master plans without it then: a second later than it should",
}
"""Mutants that judged runs are said not to notice, because they change nothing anybody could see or nothing that is
judged; tests of the parts may."""
FAULTS: Mapping[str, str] = {
    "split,overlapping-split": "B9da0ae0 Be99f7d6 Bd3cfd05 Bb228216 Bc8f8aea B1c53a3d",
    "leave,cluster-state": "Baf4817c Bcaf7c7c Badcd6e9 Ba5317f6",
    "crash,cluster-state": "B0616970 Bd402a59 B732d43f",
    "join,leave": "Bd3b8677 B85e09e6 Be102e2c Bb2717cd B5e7ecca Bd6313bd",
    "crash,join": "B4313cf1 Bd27ba28 B5172002 Bc74a49e",
    "promote-lite,cluster-state": "Be87beb8",
    "late,duplicate": "Bd418fec B310ba52",
    "drop,delay": "Ba5fcc55 B68a233b B1c6d02f",
    "broken-connection,drop": "B8a10de6",
    "pause,crash": "B46ab5cd B278279b Bdb6d43f",
    "split,one-way": "Bd337adb B99c3e6e",
}
"""Kinds of faults that reasons name, and the ids of their mutants; all others are looked for in varied runs."""
