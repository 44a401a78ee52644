"""A lite member becomes a data member.

Reference partitioning 5.6: the member asks the master; the list grows by a version, and everybody counts groups anew.
"""

from collections.abc import Callable

from gridproof_implementation.protocol.membership.messages import Promoted, PromoteMe
from gridproof_implementation.protocol.membership.publication import Publication
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_implementation.protocol.membership.timers import PromotionRetry
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.membership import LiteMemberPromoted
from gridproof_model.identity import MemberId

RETRY_US = SECOND_US


class LitePromotion:
    """Both sides: the lite member's and the master's."""

    def __init__(self, roster: Roster, publication: Publication) -> None:
        self._roster = roster
        self._node = roster.node
        self._publication = publication
        self._then: Callable[[bool], None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether this member waits for the answer to its request."""
        return self._then is not None

    def begin(self, then: Callable[[bool], None]) -> None:
        """Ask to be promoted; `then` is called once with whether this member is a data member now."""
        if self._then is not None or not self._roster.is_joined or not self._node.description.lite:
            then(False)
            return
        self._then = then
        self._ask()

    def on_retry(self, timer: PromotionRetry) -> None:
        """Ask again: a message was lost, or the master is another."""
        if self._then is not None:
            self._ask()

    def _ask(self) -> None:
        if self._roster.master is not None:
            self._node.send(self._roster.master, PromoteMe())
        self._node.set_timer(PromotionRetry(), RETRY_US)

    def on_request(self, sender: MemberId, request: PromoteMe) -> None:
        """Promote as the master, or say why not; say nothing where the asker should ask again."""
        roster = self._roster
        if not roster.is_settled_master or sender not in roster.ids:
            return
        why = self.why_not_promoted()
        if why is None and roster.members.get(sender).lite:
            self._node.emit(LiteMemberPromoted(self._node.numbers[sender]))
            roster.install(roster.members.promoted(sender), self._node.me)
            self._publication.publish()
        self._node.reply(Promoted(why, asker=sender))

    def why_not_promoted(self) -> str | None:
        """Return why nobody is promoted now, or None: only where partitions may move (5.6)."""
        state = self._roster.cluster_state
        return None if state.allows_migration else f"the cluster is {state}"

    def on_promoted(self, sender: MemberId, promoted: Promoted) -> None:
        """Hear how it ended."""
        then, self._then = self._then, None
        self._node.cancel_timer(PromotionRetry())
        if then is not None:
            then(promoted.why_not is None)
