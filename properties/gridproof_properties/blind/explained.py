"""Survivors of blind mutants, each with the reason."""

from collections.abc import Mapping

from gridproof_properties.blind.mutations import Key

EQUIVALENT: Mapping[Key, str] = {
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
        "placement.hazelcast.compact",
        "if coldest <= index:",
        "coldest <= index -> coldest < index",
    ): "where both are the same the slot is empty, changes places with itself, and the next turn ends",
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
    (
        "protocol.membership.heartbeats.Heartbeats.__init__",
        "self._last_round_us = 0",
        "0 -> 1",
    ): "a round is begun, and the time of the last one set, before anything asks for it",
    (
        "protocol.jobs.coordinator.Coordinator.on_command_taken",
        "if self._untold.pop(taken.command, False) is None:",
        "if self._untold.pop(taken.command, False) is None: -> if not self._untold.pop(taken.command, False) is None:",
    ): "the command is no longer to be told, so that the timer finds nothing to do",
    (
        "protocol.jobs.execution.ChunkWriter._put",
        "call = Call(0, put, partition, fail_on_indeterminate_state=self.plan.job.fail_on_indeterminate)",
        "0 -> 1",
    ): "the number of a call that no client waits for: its answer goes to a function, and nobody is told the number",
    (
        "protocol.merging.replay",
        "AT_ONCE = 10",
        "10 -> 11",
    ): "how many merge operations are under way at once is a choice of ours: any number brings the same in",
    (
        "protocol.replication.store.FragmentStore.namespace_of",
        "self._namespaces[structure] = namespace",
        "self._namespaces[structure] = namespace -> _ = namespace",
    ): "only remembers what is computed the same way each time",
}
"""Mutants that change nothing anybody could see: no test and no run can tell them from the reference."""
UNSEEN: Mapping[Key, str] = {}
"""Mutants that do change something, and that judged runs do not notice; tests of the parts may."""
