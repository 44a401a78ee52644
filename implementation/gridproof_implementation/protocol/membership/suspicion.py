"""Suspicion: what follows when a member seems gone.

The master removes a suspect; anybody else marks it, and claims mastership once everybody older is marked (reference
replication 7.1, 7.3). Who is notified by a foreign master that it is not in the list suspects that master, so that a
partial split becomes a full one (7.2).
"""

from collections.abc import Sequence

from gridproof_implementation.protocol.membership.claim import Claim
from gridproof_implementation.protocol.membership.messages import (
    ExplicitSuspicion,
    Goodbye,
    HeartbeatComplaint,
    TriggerSuspicion,
    ViewMetadata,
)
from gridproof_implementation.protocol.membership.publication import Publication
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_model.events.membership import MemberSuspected, SuspicionCleared
from gridproof_model.identity import MemberId


class Suspicion:
    """Marks, removals, and the messages that ask for them."""

    def __init__(self, roster: Roster, publication: Publication, claim: Claim) -> None:
        self._roster = roster
        self._node = roster.node
        self._publication = publication
        self._claim = claim

    def suspect(self, member_id: MemberId, why: str) -> None:
        """Remove a member as the master; else mark it, and see whether mastership is to be claimed."""
        roster = self._roster
        if not roster.is_joined or member_id not in roster.ids or member_id == self._node.me:
            return
        if roster.is_settled_master:
            self.remove(member_id, why)
            return
        if member_id not in roster.suspects:
            roster.suspects[member_id] = None
            self._node.emit(MemberSuspected(self._node.numbers[member_id], why))
        # For a mark that stands, too: a list installed since may have taken out the last one older and not suspected.
        self._claim.suspects_changed()

    def remove(self, member_id: MemberId, why: str) -> None:
        """Take a member out of the list and notify the others (reference replication 7.1)."""
        roster = self._roster
        self._node.emit(MemberSuspected(self._node.numbers[member_id], why))
        roster.install(roster.members.left([member_id]), self._node.me)
        self._publication.publish()

    def clear(self, member_id: MemberId) -> None:
        """Take a mark back after a valid heartbeat."""
        if member_id in self._roster.suspects and self.may_clear(member_id):
            del self._roster.suspects[member_id]
            self._node.emit(SuspicionCleared(self._node.numbers[member_id]))

    def may_clear(self, member_id: MemberId) -> bool:
        """Whether a heartbeat clears a mark: not of members older than the current master (7.1)."""
        master = self._roster.master
        return master is None or member_id not in self._roster.older_than(master)

    def answer_stranger(self, theirs: ViewMetadata) -> None:
        """Answer a heartbeat that no member of this list sent, or sent to another incarnation (7.2)."""
        roster, master = self._roster, self._roster.master
        if roster.is_settled_master:
            self._node.send(theirs.member, ExplicitSuspicion(theirs))
        elif master is not None and not roster.is_master and master not in roster.suspects:
            self._node.send(master, HeartbeatComplaint(roster.metadata, theirs))

    def on_complaint(self, sender: MemberId, complaint: HeartbeatComplaint) -> None:
        """Arbitrate as the master: whose view is out of date (7.2)?"""
        roster = self._roster
        if not roster.is_joined or not roster.is_settled_master:
            return
        if sender not in roster.ids:
            self._node.send(sender, ExplicitSuspicion(complaint.mine))
        elif complaint.theirs.member in roster.ids:
            self._publication.send_to(sender)
        else:
            self._node.send(sender, TriggerSuspicion(roster.members.version, complaint.theirs))

    def turn_away(self, stranger: ViewMetadata, ours: Sequence[MemberId]) -> None:
        """Have a foreign master hear from members of this list that they are not its own: two lists overlap (7.4)."""
        for member_id in ours:
            self._node.send(member_id, TriggerSuspicion(self._roster.members.version, stranger))

    def on_trigger(self, sender: MemberId, trigger: TriggerSuspicion) -> None:
        """Notify a stranger that it is not in the list, on the master's word about the very list held here."""
        roster = self._roster
        if sender == roster.master and trigger.list_version == roster.members.version:
            self._node.send(trigger.theirs.member, ExplicitSuspicion(trigger.theirs))

    def on_explicit_suspicion(self, sender: MemberId, suspicion: ExplicitSuspicion) -> None:
        """Suspect the sender, as long as this member's view is the one that was meant."""
        if suspicion.expected == self._roster.metadata:
            self.suspect(sender, "it does not know this member")

    def on_goodbye(self, sender: MemberId, goodbye: Goodbye) -> None:
        """Believe a member that it leaves."""
        self.suspect(sender, "it left")
