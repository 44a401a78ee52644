"""Graceful shutdown: asked, emptied, answered.

A member that leaves asks the master every second; the master plans without it, so that everything it holds is migrated
away, and answers when it is in no row (reference partitioning 5.5). The next master learns of it because it asks again.
"""

from collections.abc import Callable
from dataclasses import dataclass

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.effects import Stop, Timer
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning.messages import ShutdownRequest, ShutdownResponse
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.partitioning import ShutdownAnswered, ShutdownEnded, ShutdownRequested
from gridproof_model.identity import MemberId

ASK_AGAIN_US = SECOND_US
"""A leaving member repeats its request at least every second (5.5)."""


@dataclass(frozen=True, slots=True)
class AskAgain(Timer):
    """No answer yet."""


class Departures:
    """Both sides of a graceful shutdown."""

    def __init__(
        self,
        node: Node,
        table: LocalTable,
        knows_table: Callable[[], bool],
        is_destination: Callable[[MemberId], bool],
    ) -> None:
        """Answer departures.

        `knows_table` tells whether this master has the newest rows; `is_destination` whether a migration to a member is
        under way.
        """
        self._node = node
        self._table = table
        self._knows_table = knows_table
        self._is_destination = is_destination
        self.leavers: dict[MemberId, None] = {}
        """Who has asked the master here, in the order they asked."""
        self._deadline_us: int | None = None
        self._has_ended = False
        self.when_asked: Callable[[bool], None] = lambda is_new: None
        """Called when a member has asked, told whether it is the first time: then the master plans without it."""

    def request(self) -> None:
        """Ask to leave; a member that is not joined, or lite, goes at once (5.5, point 1)."""
        if self._deadline_us is not None or self._has_ended:
            return
        self._node.emit(ShutdownRequested())
        if not self._node.membership.is_joined or self._is_lite():
            self._end("nothing to save")
            return
        self._deadline_us = self._node.now_us + self._node.settings.graceful_shutdown_max_wait_us
        self._ask()

    def on_ask_again(self, _timer: AskAgain) -> None:
        """Repeat the request, or go without an answer when the longest wait is over (5.5, point 1)."""
        if self._deadline_us is not None and self._node.now_us >= self._deadline_us:
            self._end("waited too long")
        elif not self._has_ended:
            self._ask()

    def on_response(self, _sender: MemberId, response: ShutdownResponse) -> None:
        """Go: the master says that everything is elsewhere."""
        if response.leaver == self._node.me and self._deadline_us is not None:
            self._end("answered")

    def on_request(self, _sender: MemberId, request: ShutdownRequest) -> None:
        """As the master: remember who wants to leave and plan without it, or let it go at once (5.5, point 2).

        A master that does not know the newest rows yet says nothing; the leaver asks again.
        """
        membership = self._node.membership
        if not membership.is_master or not membership.is_member(request.leaver) or not self._knows_table():
            return
        why = self.why_at_once()
        if why is not None:
            self._answer(request.leaver, why)
        else:
            is_new = request.leaver not in self.leavers
            self.leavers[request.leaver] = None
            self.when_asked(is_new)

    def why_at_once(self) -> str | None:
        """Return why a leaver goes without its data being moved, or None (5.5, point 2; reference replication S16)."""
        state = self._node.membership.cluster_state
        if not self._table.is_initialised:
            return "no table yet"
        if not state.allows_migration and state is not ClusterState.IN_TRANSITION:
            return f"the cluster is {state}"
        return None

    def let_go(self) -> None:
        """As the master: answer all when every data member leaves, else whoever is in no row (5.5, point 4)."""
        staying = [m for m in self._node.membership.members.data_members if m.id not in self.leavers]
        for leaver in list(self.leavers):
            if not staying:
                self._answer(leaver, "every data member leaves")
            elif self.is_absent(leaver):
                self._answer(leaver, "in no row")

    def is_absent(self, leaver: MemberId) -> bool:
        """Whether a member is in no row of the master's table, nor about to be (5.5, point 4; S1).

        A migration ordered before it asked may still bring something to it.
        """
        return not self._is_destination(leaver) and all(leaver not in row.slots for row in self._table.rows)

    def member_removed(self, gone: MemberId) -> None:
        """Forget a leaver that has left (5.1, point 1)."""
        self.leavers.pop(gone, None)

    def _is_lite(self) -> bool:
        return self._node.membership.members.get(self._node.me).lite

    def _ask(self) -> None:
        master = self._node.membership.master
        if master is not None:
            self._node.send(master, ShutdownRequest(self._node.me))
        self._node.set_timer(AskAgain(), ASK_AGAIN_US)

    def _answer(self, leaver: MemberId, why: str) -> None:
        self._node.emit(ShutdownAnswered(self._node.numbers[leaver], why))
        self._node.send(leaver, ShutdownResponse(leaver))

    def _end(self, why: str) -> None:
        self._has_ended = True
        self._node.cancel_timer(AskAgain())
        self._node.emit(ShutdownEnded(why))
        self._node.membership.say_goodbye()
        self._node.invocations.shut_down()
        self._node.effects.append(Stop())
