"""The state machine of one member for merging."""

from gridproof_implementation.protocol.merging import messages
from gridproof_implementation.protocol.merging.dissolution import (
    Dissolution,
    MergePayload,
    MergeRetry,
    MergeTimeout,
    Replay,
    ReplayDue,
)
from gridproof_implementation.protocol.merging.search import Search, SearchDue
from gridproof_implementation.protocol.node import MessageHandlers, Node, Taken, TimerHandlers


class MergingPart:
    """Finds the other half of a split, ends the smaller half, and brings its entries into the larger half."""

    def __init__(self, node: Node) -> None:
        kept = node.merge_payload if isinstance(node.merge_payload, MergePayload) else MergePayload()
        self._replay = Replay(node, kept)
        self._dissolution = Dissolution(node, self._replay)
        self._search = Search(node, self._dissolution, kept.known_addresses)

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of all messages about merging."""
        return {
            messages.SideProbe: self._search.on_probe,
            messages.SideAnswer: self._search.on_answer,
            messages.SideMasterIs: self._search.on_master_is,
            messages.MergePending: self._dissolution.on_pending,
            messages.MergeClusters: self._dissolution.on_merge,
            messages.MergeHeard: self._dissolution.on_heard,
        }

    def timer_handlers(self) -> TimerHandlers:
        """Return the handlers of all timers of merging."""
        return {
            SearchDue: self._search.on_due,
            MergeRetry: self._dissolution.on_retry,
            MergeTimeout: self._dissolution.on_timeout,
            ReplayDue: self._replay.on_due,
        }

    @property
    def is_bringing_in(self) -> bool:
        """Whether entries that an earlier incarnation brought from its cluster still wait to be merged."""
        return bool(self._replay.remaining)

    def start(self) -> None:
        """Begin to search from time to time, and to merge the entries that an earlier incarnation brought along."""
        self._search.start()
        self._replay.start()

    def taken(self) -> Taken:
        """Return no counts: merging uses only calls, which are counted elsewhere."""
        return {}
