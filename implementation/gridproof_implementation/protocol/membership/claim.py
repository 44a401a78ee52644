"""The mastership claim: how the next oldest becomes master.

Reference replication 7.3. A member that suspects everybody older asks all others for their view; the newest view it
hears of, restricted to those that accepted, becomes the list. Migrations pause meanwhile.
"""

from gridproof_implementation.protocol.membership.messages import ClaimAccepted, ClaimRequest
from gridproof_implementation.protocol.membership.publication import Publication
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_implementation.protocol.membership.timers import ClaimRetry, ClaimTimeout
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.membership import ClaimBegun, ClaimGranted, ClaimRefused, MastershipClaimed
from gridproof_model.identity import MemberId
from gridproof_model.membership import MemberList

RETRY_US = 5 * SECOND_US
"""After so long those that did not accept are asked again (7.3)."""


class Claim:
    """Both sides of a claim: the candidate's, and that of whom it asks."""

    def __init__(self, roster: Roster, publication: Publication) -> None:
        self._roster = roster
        self._node = roster.node
        self._publication = publication
        self._latest = MemberList()
        """The newest view heard of."""
        self._asked: dict[MemberId, bool] = {}
        """Whom this candidate waits for, and who accepted."""

    def suspects_changed(self) -> None:
        """Begin a claim where everybody older is suspected; while one runs, wait for one less."""
        if self._roster.is_claiming:
            self._conclude_where_done()
        elif not self._roster.is_master and self._roster.may_lead(self._node.me):
            self._begin()

    def _begin(self) -> None:
        roster = self._roster
        roster.is_claiming = True
        roster.master = self._node.me
        self._node.partitions.pause()
        self._node.emit(ClaimBegun(self._node.numbers.of(roster.suspects)))
        self._latest = self._view_from(self._node.me)
        self._asked = {}
        self._node.set_timer(ClaimRetry(), RETRY_US)
        self._node.set_timer(ClaimTimeout(), self._node.settings.mastership_claim_timeout_us)
        self._ask_new(self._latest)
        self._conclude_where_done()

    def _view_from(self, candidate: MemberId) -> MemberList:
        """Return this member's view without those older than the candidate."""
        members = self._roster.members
        older = set(self._roster.older_than(candidate))
        return MemberList(members.version, tuple(member for member in members if member.id not in older))

    def _ask_new(self, view: MemberList) -> None:
        for member in view:
            is_new = member.id != self._node.me and member.id not in self._asked
            if is_new and member.id not in self._roster.suspects:
                self._asked[member.id] = False
                self._node.send(member.id, ClaimRequest())

    def on_retry(self, timer: ClaimRetry) -> None:
        """Ask those again that did not accept yet."""
        for member_id, accepted in self._asked.items():
            if not accepted and member_id not in self._roster.suspects:
                self._node.send(member_id, ClaimRequest())
        self._node.set_timer(timer, RETRY_US)

    def on_timeout(self, timer: ClaimTimeout) -> None:
        """Do without those that never accepted: they may found a cluster of their own (7.3)."""
        self._conclude()

    def on_request(self, sender: MemberId, request: ClaimRequest) -> None:
        """Take the candidate for master, or say nothing: it asks again."""
        why = self.why_not_accepted(sender)
        if why is not None:
            self._node.emit(ClaimRefused(self._node.numbers[sender], why))
            return
        self._roster.master = sender
        self._node.emit(ClaimGranted(self._node.numbers[sender]))
        self._node.reply(ClaimAccepted(self._view_from(sender), asker=sender))

    def why_not_accepted(self, candidate: MemberId) -> str | None:
        """Return why a candidate is not accepted, or None (reference replication 7.3)."""
        if not self._roster.is_joined:
            return "not joined"
        if self._roster.is_master:
            return "master itself"
        if candidate not in self._roster.ids:
            return "unknown"
        if not self._roster.may_lead(candidate):
            return "somebody older lives"
        return None

    def on_accepted(self, sender: MemberId, accepted: ClaimAccepted) -> None:
        """Count an acceptance; whoever its view knows besides is asked too."""
        if not self._roster.is_claiming or sender not in self._asked:
            return
        self._asked[sender] = True
        if accepted.members.version > self._latest.version:
            self._latest = accepted.members
            self._ask_new(accepted.members)
        self._conclude_where_done()

    def _conclude_where_done(self) -> None:
        suspects = self._roster.suspects
        if all(accepted or member_id in suspects for member_id, accepted in self._asked.items()):
            self._conclude()

    def final_view(self) -> MemberList:
        """Return the newest view heard of, restricted to this member and those that accepted, one version on (7.3)."""
        suspects, me = self._roster.suspects, self._node.me
        stay = tuple(m for m in self._latest if m.id == me or (self._asked.get(m.id) and m.id not in suspects))
        return MemberList(self._latest.version + 1, stay)

    def _conclude(self) -> None:
        roster, view = self._roster, self.final_view()
        self._node.cancel_timer(ClaimRetry())
        self._node.cancel_timer(ClaimTimeout())
        roster.is_claiming = False
        numbers = self._node.numbers.of(member.id for member in view)
        self._node.emit(MastershipClaimed(view.version, numbers))
        roster.install(view, self._node.me)
        self._publication.publish()
        self._node.partitions.resume()
