"""How members join: the joiner's side and the master's; also how a lite member becomes a data member.

`Joining` is the joiner's side: it asks until a cluster lets it in, or founds a cluster (members.5). Members that start
together find each other by their requests; the member with the smallest address founds the cluster, and the others
join.

`Admission` is the master's side (members.5, members.24, members.6): it pauses migrations, adds the joiner to the list,
sends the joiner and all others the list with the partition table, and resumes migrations. A member that is not the
master names the master to the joiner.

`LitePromotion` is both sides of a promotion (placement.8): the lite member asks the master, the list gets a new
version, and all members count the partition groups again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import uuid5

from gridproof_implementation.protocol.effects import AnswerDue, Stop
from gridproof_implementation.protocol.membership import messages
from gridproof_implementation.protocol.membership.cluster_states import ClusterStates
from gridproof_implementation.protocol.membership.publication import Publication
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_implementation.protocol.membership.suspicion import Suspicion
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.membership import ClusterFounded, JoinTurnedDown, LiteMemberPromoted
from gridproof_model.events.words import MASTER_UNKNOWN, THE_CLUSTER_IS, WAS_REMOVED, WhySuspected
from gridproof_model.grid_config import why_not_joining
from gridproof_model.membership import Address, ClusterState, Member, MemberId, MemberList

JOIN_RETRY_US = SECOND_US
"""The time between two requests of a joiner."""
SILENCE_US = 10 * SECOND_US
"""Choice (members.8): a joiner that has heard of no cluster for this long may found one; the documents say nothing of
members that start at the same time."""
PROMOTION_RETRY_US = SECOND_US


@dataclass(frozen=True, slots=True)
class JoinRetry(AnswerDue):
    """It is time to ask again to join, or to found a cluster."""


class Joining:
    """Looks for a cluster to join."""

    def __init__(self, roster: Roster, publication: Publication, contacts: Sequence[Address]) -> None:
        self._roster = roster
        self._node = roster.node
        self._publication = publication
        self._contacts = {contact: None for contact in contacts if contact != self._node.me.address}
        self._cluster_heard_us: int
        """When this joiner last had an answer from a member of a cluster."""
        self._joiners_heard_us: dict[Address, int] = {}
        """When each other joiner was last heard of, by address."""

    @property
    def contacts(self) -> list[Address]:
        """The addresses at which there may be members."""
        return list(self._contacts)

    def start(self) -> None:
        """Ask to join; found a cluster at once if there is no member to ask."""
        self._cluster_heard_us = self._node.now_us
        self._look()

    def on_retry(self, timer: JoinRetry) -> None:
        """Unless this member has joined, ask again, or found a cluster."""
        if not self._roster.is_joined:
            self._look()

    def _look(self) -> None:
        if not self._contacts or self.may_found():
            self._found()
            return
        for contact in self._contacts:
            self._node.knock(contact, messages.JoinRequest(self._node.description, self._node.config))
        self._node.set_timer(JoinRetry(), JOIN_RETRY_US)

    def may_found(self) -> bool:
        """Whether this joiner has lately heard neither of a cluster nor of a joiner with a smaller address."""
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
        """Remember another joiner, and from now on ask it, too."""
        self._joiners_heard_us[joiner.address] = self._node.now_us
        self._contacts[joiner.address] = None

    def on_still_joining(self, sender: MemberId, message: messages.StillJoining) -> None:
        """Note that the sender is another joiner."""
        self.meet(sender)

    def on_master_is(self, sender: MemberId, message: messages.MasterIs) -> None:
        """Ask the master that is named; if it is the former incarnation at this joiner's own address, wait until the
        cluster knows that this incarnation is gone."""
        if self._roster.is_joined:
            return
        # If a master is named, a cluster exists: to form a second cluster beside it would be a split (members.8).
        self._cluster_heard_us = self._node.now_us
        if message.master.address not in self._contacts and message.master.address != self._node.me.address:
            self._contacts[message.master.address] = None
            self._node.send(message.master, messages.JoinRequest(self._node.description, self._node.config))

    def on_refused(self, sender: MemberId, message: messages.JoinRefused) -> None:
        """After a refusal wait, look elsewhere, start again as another incarnation, or give up, as the reason
        demands."""
        if self._roster.is_joined:
            return
        self._node.emit(JoinTurnedDown(self._node.numbers[self._node.me], message.why))
        match message.refusal:
            case messages.Refusal.STATE:
                self._cluster_heard_us = self._node.now_us
            case messages.Refusal.OTHER_CLUSTER:
                self._contacts.pop(sender.address, None)
            case messages.Refusal.REMOVED:
                rejoins_as = MemberId(self._node.me.address, uuid5(self._node.me.uuid, "rejoined"))
                self._node.effects.append(Stop(rejoins_as, self._node.merge_payload, tuple(self._contacts)))
            case messages.Refusal.CONFIGURATION:
                self._node.invocations.shut_down()
                self._node.effects.append(Stop())

    def on_final(self, sender: MemberId, final: messages.JoinFinal) -> None:
        """Become a member of the cluster."""
        self._publication.on_join_final(sender, final)
        if self._roster.is_joined:
            self._node.cancel_timer(JoinRetry())


class Admission:
    """Lets members in."""

    def __init__(
        self, roster: Roster, publication: Publication, suspicion: Suspicion, states: ClusterStates, joining: Joining
    ) -> None:
        self._roster = roster
        self._node = roster.node
        self._publication = publication
        self._suspicion = suspicion
        self._states = states
        self._joining = joining

    def on_join_request(self, sender: MemberId, request: messages.JoinRequest) -> None:
        """Let the joiner in if this member is the master; else name the master to it."""
        roster, joiner = self._roster, request.joiner
        refused = self.why_never(request)
        if refused is not None:
            self._refuse(refused)
        elif not roster.is_joined:
            self._joining.meet(sender)
            self._node.send(sender, messages.StillJoining())
        elif joiner.id in roster.ids and roster.is_settled_master:
            self._finalise(joiner)
        else:
            self._replace_older_incarnation(joiner)
            self._decide(joiner)

    def why_never(self, request: messages.JoinRequest) -> messages.JoinRefused | None:
        """Return why this joiner can never join this member's cluster, or None (members.6)."""
        why = why_not_joining(self._node.config, request.config)
        if why is None:
            return None
        is_other = self._node.config.cluster_name != request.config.cluster_name
        refusal = messages.Refusal.OTHER_CLUSTER if is_other else messages.Refusal.CONFIGURATION
        return messages.JoinRefused(refusal, why, asker=request.joiner.id)

    def why_not_again(self, joiner: Member) -> messages.JoinRefused | None:
        """Return why a joiner that was in the list before must not come back, or None if it was not.

        Choice (members.9): a removed incarnation must not come back; the documents are silent. A removed incarnation
        asks again if it was removed before it knew that it had joined, or if its request was very late; all members
        have acted on its departure, and it would never learn of its removal.
        """
        if joiner.id not in self._roster.departed:
            return None
        return messages.JoinRefused(messages.Refusal.REMOVED, WAS_REMOVED, asker=joiner.id)

    def why_not_now(self, joiner: Member) -> messages.JoinRefused | None:
        """Return why the cluster state keeps a joiner out, or None; a missing member may come back (members.25)."""
        state = self._roster.cluster_state
        if state.allows_join or (not self._roster.is_locked and joiner.id.address in self._roster.missing):
            return None
        return messages.JoinRefused(messages.Refusal.STATE, f"{THE_CLUSTER_IS}{state}", asker=joiner.id)

    def _replace_older_incarnation(self, joiner: Member) -> None:
        """Suspect the older incarnation at the joiner's address, since it must be gone (members.7)."""
        roster, older = self._roster, self._roster.at(joiner.id.address)
        # The master removes the older incarnation; if the older incarnation is the master, all must suspect it (HZ-80).
        if older is not None and older.id != joiner.id and (roster.is_master or older.id == roster.master):
            self._suspicion.suspect(older.id, WhySuspected.ANOTHER_INCARNATION)

    def _decide(self, joiner: Member) -> None:
        roster = self._roster
        if not roster.is_settled_master:
            self._name_master(joiner)
            return
        refused = self.why_not_again(joiner) or self.why_not_now(joiner)
        if refused is not None:
            self._refuse(refused)
        elif roster.at(joiner.id.address) is None:
            # A joiner is let in only after its older incarnation is removed: one member per address (defect HZ-80).
            self._let_in(joiner)

    def _name_master(self, joiner: Member) -> None:
        """Name the master to a joiner; if the master is not known now, answer that there is a cluster.

        Choice (members.8): by the documents a member that does not know the master sends nothing, and a joiner that
        hears nothing founds a cluster of its own.
        """
        master = self._roster.master
        if master is None or self._roster.is_master or master in self._roster.suspects:
            self._refuse(messages.JoinRefused(messages.Refusal.STATE, MASTER_UNKNOWN, asker=joiner.id))
        else:
            self._node.send(joiner.id, messages.MasterIs(master))

    def _refuse(self, refused: messages.JoinRefused) -> None:
        self._node.emit(JoinTurnedDown(self._node.numbers[refused.asker], refused.why))
        self._node.reply(refused)

    def _let_in(self, joiner: Member) -> None:
        partitions, roster = self._node.partitions, self._roster
        # No migration may be ordered to a member that other members do not know yet, so rounds are paused (members.5).
        partitions.pause()
        self._states.take_back(joiner)
        roster.install(roster.members.joined(joiner), self._node.me)
        table = partitions.table_for_joiners()
        for member_id in roster.others:
            if member_id == joiner.id:
                self._finalise(joiner)
            else:
                self._publication.send_to(member_id, table=table)
        partitions.resume()

    def _finalise(self, joiner: Member) -> None:
        """Notify a joiner that it has joined; if it asks again, the message was lost, so notify it again."""
        table = self._node.partitions.table_for_joiners()
        self._node.send(joiner.id, messages.JoinFinal(self._publication.update_for(joiner.id, table)))


@dataclass(frozen=True, slots=True)
class PromotionRetry(AnswerDue):
    """It is time to ask the master again to be promoted."""


class LitePromotion:
    """Both sides of the promotion of a lite member: the member's own side and the master's."""

    def __init__(self, roster: Roster, publication: Publication) -> None:
        self._roster = roster
        self._node = roster.node
        self._publication = publication
        self._then: Callable[[bool], None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether this member waits for the answer to its request for a promotion."""
        return self._then is not None

    def begin(self, then: Callable[[bool], None]) -> None:
        """Ask to be promoted; `then` is called once, and gets whether this member was promoted."""
        if self._then is not None or not self._roster.is_joined or not self._node.description.lite:
            then(False)
            return
        self._then = then
        self._ask()

    def on_retry(self, timer: PromotionRetry) -> None:
        """Ask again, since a message was lost, or there is a new master."""
        if self._then is not None:
            self._ask()

    def _ask(self) -> None:
        if self._roster.master is not None:
            self._node.send(self._roster.master, messages.PromoteMe())
        self._node.set_timer(PromotionRetry(), PROMOTION_RETRY_US)

    def on_request(self, sender: MemberId, request: messages.PromoteMe) -> None:
        """As the master, promote the sender, or answer why not; give no answer if the sender has to ask again."""
        roster = self._roster
        if not roster.is_settled_master or sender not in roster.ids:
            return
        why = self.why_not_promoted()
        # A sender that is already a data member missed the first answer: answer again, and leave the list as it is.
        if why is None and roster.members.get(sender).lite:
            self._node.emit(LiteMemberPromoted(self._node.numbers[sender]))
            roster.install(roster.members.promoted(sender), self._node.me)
            self._publication.publish()
        self._node.reply(messages.Promoted(why, asker=sender))

    def why_not_promoted(self) -> str | None:
        """Return why no member can be promoted now, or None; the cluster state has to allow migrations for a promotion
        (members.10)."""
        state = self._roster.cluster_state
        return None if state.allows_migration else f"the cluster is {state}"

    def on_promoted(self, sender: MemberId, promoted: messages.Promoted) -> None:
        """Pass the master's answer on to the caller that asked for the promotion."""
        then, self._then = self._then, None
        self._node.cancel_timer(PromotionRetry())
        if then is not None:
            then(promoted.why_not is None)
