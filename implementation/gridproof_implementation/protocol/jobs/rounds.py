"""Questions a coordinator asks of several members at a time.

Asked again every second until all have answered. An answer to a question that is over is ignored, and with it every
late word of an older execution (reference replication 8.2, 12 S20).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.jobs.messages import JobReply, JobRequest
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.identity import MemberId

ASK_AGAIN_US = SECOND_US

Replies = Mapping[MemberId, JobReply]


@dataclass(frozen=True, slots=True)
class AskAgain(Timer):
    """Somebody has not answered."""

    request: int


@dataclass(slots=True)
class Round:
    """One question; mutable."""

    request: JobRequest
    awaited: dict[MemberId, None]
    then: Callable[[Replies], None]
    replies: dict[MemberId, JobReply] = field(default_factory=dict)


class Rounds:
    """The questions of one member that are open."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._last = 0
        self._open: dict[int, Round] = {}

    def __len__(self) -> int:
        return len(self._open)

    def ask(
        self, members: Iterable[MemberId], ask: Callable[[int], JobRequest], then: Callable[[Replies], None]
    ) -> int:
        """Ask; `then` gets all answers together, at once where nobody is asked. Returns the number of the question."""
        self._last += 1
        number = self._last
        self._open[number] = Round(ask(number), dict.fromkeys(members), then)
        self.on_ask_again(AskAgain(number))
        self._end_if_complete(number)
        return number

    def forget(self, number: int) -> None:
        """Do not want the answers any more."""
        if self._open.pop(number, None) is not None:
            self._node.cancel_timer(AskAgain(number))

    def is_open(self, number: int) -> bool:
        """Whether an answer to this question still counts."""
        return number in self._open

    def on_reply(self, sender: MemberId, reply: JobReply) -> None:
        """Take an answer."""
        if not self.is_open(reply.request):
            return
        asked = self._open[reply.request]
        if sender in asked.awaited:
            del asked.awaited[sender]
            asked.replies[sender] = reply
            self._end_if_complete(reply.request)

    def member_removed(self, gone: MemberId) -> None:
        """Wait for it no longer."""
        for number, asked in list(self._open.items()):
            if gone in asked.awaited:
                del asked.awaited[gone]
                self._end_if_complete(number)

    def _end_if_complete(self, number: int) -> None:
        asked = self._open[number]
        if not asked.awaited:
            self.forget(number)
            asked.then(asked.replies)

    def on_ask_again(self, timer: AskAgain) -> None:
        """Ask those who have not answered."""
        asked = self._open.get(timer.request)
        if asked is not None:
            for member in asked.awaited:
                self._node.send(member, asked.request)
            self._node.set_timer(timer, ASK_AGAIN_US)
