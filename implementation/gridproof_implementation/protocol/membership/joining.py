"""The joiner's side: knock until let in, or found.

Reference partitioning 4.7. Members that start together find each other by their knocking; the one with the smallest
address founds the cluster and the others join it.
"""

from collections.abc import Sequence
from uuid import uuid5

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.effects import Stop
from gridproof_implementation.protocol.membership.messages import (
    JoinFinal,
    JoinRefused,
    JoinRequest,
    MasterIs,
    Refusal,
    StillJoining,
)
from gridproof_implementation.protocol.membership.publication import Publication
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_implementation.protocol.membership.timers import JoinRetry
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.membership import ClusterFounded, JoinTurnedDown
from gridproof_model.identity import Address, MemberId
from gridproof_model.membership import MemberList

RETRY_US = SECOND_US
"""How often a joiner knocks."""
SILENCE_US = 10 * SECOND_US
"""Choice: who heard of no cluster for so long may found one; the documents are silent on members that start at once."""


class Joining:
    """Looks for a cluster."""

    def __init__(self, roster: Roster, publication: Publication, contacts: Sequence[Address]) -> None:
        self._roster = roster
        self._node = roster.node
        self._publication = publication
        self._contacts = {contact: None for contact in contacts if contact != self._node.me.address}
        self._cluster_heard_us = 0
        """When a member of a cluster answered last."""
        self._joiners_heard_us: dict[Address, int] = {}
        """When others that look for a cluster were heard last."""

    @property
    def contacts(self) -> list[Address]:
        """Where members may be found."""
        return list(self._contacts)

    def start(self) -> None:
        """Knock; found a cluster at once where there is nobody to ask."""
        self._cluster_heard_us = self._node.now_us
        self._look()

    def on_retry(self, timer: JoinRetry) -> None:
        """Knock again, or give up waiting."""
        if not self._roster.is_joined:
            self._look()

    def _look(self) -> None:
        if not self._contacts or self.may_found():
            self._found()
            return
        for contact in self._contacts:
            self._node.knock(contact, JoinRequest(self._node.description, self._node.config))
        self._node.set_timer(JoinRetry(), RETRY_US)

    def may_found(self) -> bool:
        """Whether nobody is in a cluster, and no other joiner has a smaller address."""
        since_us = self._node.now_us - SILENCE_US
        if self._cluster_heard_us > since_us:
            return False
        rivals = [address for address, heard_us in self._joiners_heard_us.items() if heard_us > since_us]
        return all(self._node.me.address < rival for rival in rivals)

    def _found(self) -> None:
        self._node.emit(ClusterFounded())
        self._roster.state = ClusterState.ACTIVE
        self._roster.install(MemberList(1, (self._node.description,)), self._node.me)

    def meet(self, joiner: MemberId) -> None:
        """Remember another joiner; it is asked, too, from now on."""
        self._joiners_heard_us[joiner.address] = self._node.now_us
        self._contacts[joiner.address] = None

    def on_still_joining(self, sender: MemberId, message: StillJoining) -> None:
        """Hear of another joiner."""
        self.meet(sender)

    def on_master_is(self, sender: MemberId, message: MasterIs) -> None:
        """Ask the one who decides; wait where that is who sat at this address before, until it is known to be dead."""
        if self._roster.is_joined:
            return
        self._cluster_heard_us = self._node.now_us
        if message.master.address not in self._contacts and message.master.address != self._node.me.address:
            self._contacts[message.master.address] = None
            self._node.send(message.master, JoinRequest(self._node.description, self._node.config))

    def on_refused(self, sender: MemberId, message: JoinRefused) -> None:
        """Wait, look elsewhere, or give up, by the reason."""
        if self._roster.is_joined:
            return
        self._node.emit(JoinTurnedDown(self._node.numbers[self._node.me], message.why))
        match message.refusal:
            case Refusal.STATE:
                self._cluster_heard_us = self._node.now_us
            case Refusal.OTHER_CLUSTER:
                self._contacts.pop(sender.address, None)
            case Refusal.REMOVED:
                rejoins_as = MemberId(self._node.me.address, uuid5(self._node.me.uuid, "rejoined"))
                self._node.effects.append(Stop(rejoins_as, self._node.merge_payload, tuple(self._contacts)))
            case Refusal.CONFIGURATION:
                self._node.invocations.shut_down()
                self._node.effects.append(Stop())

    def on_final(self, sender: MemberId, final: JoinFinal) -> None:
        """Be in."""
        self._publication.on_join_final(sender, final)
        if self._roster.is_joined:
            self._node.cancel_timer(JoinRetry())
