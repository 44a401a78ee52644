"""The merging machine of one member."""

from gridproof_implementation.protocol.merging import messages, timers
from gridproof_implementation.protocol.merging.dissolution import Dissolution
from gridproof_implementation.protocol.merging.merge_payload import MergePayload
from gridproof_implementation.protocol.merging.replay import Replay
from gridproof_implementation.protocol.merging.search import Search
from gridproof_implementation.protocol.node import MessageHandlers, Node, Taken, TimerHandlers


class MergingPart:
    """Finds the other half, ends the smaller one, brings its entries in."""

    def __init__(self, node: Node) -> None:
        kept = node.merge_payload if isinstance(node.merge_payload, MergePayload) else MergePayload()
        self._replay = Replay(node, kept)
        self._dissolution = Dissolution(node, self._replay)
        self._search = Search(node, self._dissolution, kept.known_addresses)

    def message_handlers(self) -> MessageHandlers:
        """Everything of `messages`."""
        return {
            messages.SideProbe: self._search.on_probe,
            messages.SideAnswer: self._search.on_answer,
            messages.SideMasterIs: self._search.on_master_is,
            messages.MergePending: self._dissolution.on_pending,
            messages.MergeClusters: self._dissolution.on_merge,
            messages.MergeHeard: self._dissolution.on_heard,
        }

    def timer_handlers(self) -> TimerHandlers:
        """Everything of `timers`."""
        return {
            timers.SearchDue: self._search.on_due,
            timers.MergeRetry: self._dissolution.on_retry,
            timers.MergeTimeout: self._dissolution.on_timeout,
            timers.ReplayDue: self._replay.on_due,
        }

    @property
    def is_bringing_in(self) -> bool:
        """Whether something that an earlier incarnation took along is neither merged nor lost yet."""
        return bool(self._replay.remaining)

    def start(self) -> None:
        """Search from time to time; bring in what an earlier incarnation left."""
        self._search.start()
        self._replay.start()

    def taken(self) -> Taken:
        """Nothing but calls, which are counted where they are made."""
        return {}
