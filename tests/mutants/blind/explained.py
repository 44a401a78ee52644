"""Survivors that change nothing anybody could see, with the reason."""

from collections.abc import Mapping

EXPLAINED: Mapping[tuple[str, str, str], str] = {
    (
        "placement.hazelcast",
        "for _ in range(len(free) * len(self._shares) * RETRY_MULTIPLIER):",
        "len(free) * len(self._shares) -> len(free) + len(self._shares)",
    ): "at most six groups refuse a partition, so ten tries for each partition are enough",
    (
        "placement.hazelcast",
        "for _ in range(len(under) * len(over) * RETRY_MULTIPLIER):",
        "len(under) * len(over) * RETRY_MULTIPLIER -> len(under) * len(over) + RETRY_MULTIPLIER",
    ): "a group that was offered everything once takes nothing more when it is offered again",
    (
        "placement.hazelcast",
        "under.append(to)",
        "under.append(to) -> None",
    ): "a group that was offered everything once takes nothing more when it is offered again",
    (
        "placement.hazelcast",
        "if coldest <= index:",
        "coldest <= index -> coldest < index",
    ): "where both are the same the slot is empty, changes places with itself, and the next turn ends",
    (
        "placement.fair_shares",
        "open_places = [p for p in places if (counts[p] < self.most[p] if step > 0 else counts[p] > self.least[p])]",
        "step > 0 -> step >= 0",
    ): "a step is 1 or -1, never 0",
    (
        "placement.saving_rings",
        "if not (costs < 0).any():",
        "costs < 0 -> costs <= 0",
    ): "only a short cut: without a cost below nothing the search finds no ring either",
    (
        "protocol.membership.heartbeats",
        "self._last_round_us = 0",
        "0 -> 1",
    ): "a round is begun, and the time of the last one set, before anything asks for it",
    (
        "protocol.jobs.coordinator",
        "if self._untold.pop(taken.command, False) is None:",
        "if self._untold.pop(taken.command, False) is None: -> if not self._untold.pop(taken.command, False) is None:",
    ): "the command is no longer to be told, so that the timer finds nothing to do",
    (
        "protocol.jobs.chunks",
        "call = Call(0, put, partition, fail_on_indeterminate_state=self.plan.job.fail_on_indeterminate)",
        "0 -> 1",
    ): "the number of a call that no client waits for: its answer goes to a function, and nobody is told the number",
    (
        "protocol.merging.replay",
        "AT_ONCE = 10",
        "10 -> 11",
    ): "how many merge operations are under way at once is a choice of ours: any number brings the same in",
    (
        "protocol.replication.store",
        "self._namespaces[structure] = namespace",
        "self._namespaces[structure] = namespace -> _ = namespace",
    ): "only remembers what is computed the same way each time",
}
"""By module below `gridproof_implementation`, line of its text, and change."""
