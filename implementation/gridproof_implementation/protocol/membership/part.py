"""The state machine of one member for membership, which consists of smaller ones."""

from collections.abc import Sequence

from gridproof_implementation.protocol.membership import messages, suspicion
from gridproof_implementation.protocol.membership.cluster_states import (
    ClusterStates,
    StateChange,
    StateLeaseOver,
    StateLockTimeout,
    StateRetry,
)
from gridproof_implementation.protocol.membership.joining import (
    Admission,
    Joining,
    JoinRetry,
    LitePromotion,
    PromotionRetry,
)
from gridproof_implementation.protocol.membership.publication import Publication, PublicationDue
from gridproof_implementation.protocol.membership.roster import Protection, Roster
from gridproof_implementation.protocol.node import MessageHandlers, Node, Taken, TimerHandlers
from gridproof_model.events.membership import SaidGoodbye
from gridproof_model.membership import Address, MemberId


class MembershipPart(Roster):
    """Knows which members there are, which of them is the master, and which have gone."""

    def __init__(self, node: Node, contacts: Sequence[Address]) -> None:
        super().__init__(node)
        self._states, self._state_change = ClusterStates(self), StateChange(self)
        self._publication = Publication(self, self._states)
        self._claim = suspicion.Claim(self, self._publication)
        self._suspicion = suspicion.Suspicion(self, self._publication, self._claim)
        self._heartbeats = suspicion.Heartbeats(self, self._suspicion)
        self._connections = suspicion.Connections(self, self._suspicion)
        self._joining = Joining(self, self._publication, contacts)
        self._admission = Admission(self, self._publication, self._suspicion, self._states, self._joining)
        self._protection = Protection(self)
        self._lite_promotion = LitePromotion(self, self._publication)
        # The other parts of the member call these methods, each of which is a method of one object of this part.
        self.is_protected, self.disconnected = self._protection.refuses, self._connections.on_fault
        self.ask_for_list, self.raise_list_version = self._publication.ask, self._publication.raise_version
        self.change_cluster_state, self.promote_lite = self._state_change.begin, self._lite_promotion.begin

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of all messages about membership."""
        return {
            messages.JoinRequest: self._admission.on_join_request,
            messages.MasterIs: self._joining.on_master_is,
            messages.StillJoining: self._joining.on_still_joining,
            messages.JoinRefused: self._joining.on_refused,
            messages.JoinFinal: self._joining.on_final,
            messages.MemberUpdate: self._publication.on_member_update,
            messages.AskList: self._publication.on_ask,
            messages.Heartbeat: self._heartbeats.on_heartbeat,
            messages.HeartbeatComplaint: self._suspicion.on_complaint,
            messages.TriggerSuspicion: self._suspicion.on_trigger,
            messages.ExplicitSuspicion: self._suspicion.on_explicit_suspicion,
            messages.Goodbye: self._suspicion.on_goodbye,
            messages.ClaimRequest: self._claim.on_request,
            messages.ClaimAccepted: self._claim.on_accepted,
            messages.ConnectionProbe: self._connections.on_probe,
            messages.ConnectionEcho: self._connections.on_echo,
            messages.LockState: self._states.on_lock,
            messages.CommitState: self._states.on_commit,
            messages.RollBackState: self._states.on_roll_back,
            messages.StateLocked: self._state_change.on_locked,
            messages.StateNotLocked: self._state_change.on_not_locked,
            messages.StateCommitted: self._state_change.on_committed,
            messages.PromoteMe: self._lite_promotion.on_request,
            messages.Promoted: self._lite_promotion.on_promoted,
        }

    def timer_handlers(self) -> TimerHandlers:
        """Return the handlers of all timers of membership."""
        return {
            JoinRetry: self._joining.on_retry,
            suspicion.HeartbeatDue: self._heartbeats.on_due,
            PublicationDue: self._publication.on_due,
            suspicion.ClaimRetry: self._claim.on_retry,
            suspicion.ClaimTimeout: self._claim.on_timeout,
            suspicion.ProbeDue: self._connections.on_probe_due,
            StateRetry: self._state_change.on_retry,
            StateLockTimeout: self._state_change.on_timeout,
            StateLeaseOver: self._states.on_lease_over,
            PromotionRetry: self._lite_promotion.on_retry,
        }

    def start(self) -> None:
        """Look for a cluster; set the timers for heartbeats and for publications of the list."""
        self._heartbeats.start()
        self._publication.start()
        self._joining.start()

    def taken(self) -> Taken:
        """Return how many changes of the cluster state, and how many requests for a promotion, are open."""
        return {
            "state_changes": self._state_change.is_under_way + self.is_locked,
            "lite_promotions": int(self._lite_promotion.is_open),
        }

    @property
    def known_addresses(self) -> Sequence[Address]:
        """The addresses of all former and present members, followed by the contacts."""
        return list(dict.fromkeys((*self.acquaintances, *self._joining.contacts)))

    def is_member(self, member_id: MemberId) -> bool:
        """Whether a member is in the list."""
        return member_id in self.ids

    @property
    def hears_everybody(self) -> bool:
        """Whether the heartbeats of all other members arrive regularly."""
        return self._heartbeats.are_regular

    @property
    def is_state_changing(self) -> bool:
        """Whether this member is locked for a change of the cluster state."""
        return self.is_locked

    def turn_away(self, master: MemberId, list_version: int, shared: Sequence[MemberId]) -> None:
        """Make the members that are also in another master's list notify that master that they are not its members."""
        self._suspicion.turn_away(messages.ViewMetadata(master, master, list_version), shared)

    def say_goodbye(self) -> None:
        """Notify all other members that this member leaves, so that the master, or the next master, acts at once."""
        self.node.emit(SaidGoodbye())
        for member_id in self.others:
            self.node.send(member_id, messages.Goodbye())
