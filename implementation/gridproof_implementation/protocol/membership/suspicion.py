"""Which members are suspected to have gone, and which member is the master then.

The classes of this module are in the order from effects to causes. A member that suspects all older members claims
mastership (`Claim`, members.22): it asks all others for their view, and the newest view, without the members that did
not accept, becomes the list. Migrations are paused during a claim.

The master removes a suspect from the list; any other member only marks the suspect (`Suspicion`, members.14,
members.15). A member that hears from a foreign master that it is not in that master's list suspects this master, so
that a partial split becomes a full split (members.16).

A silent member becomes a suspect (`Heartbeats`, members.11): every member sends heartbeats to all others every 5 s, and
a member is suspected when no heartbeat of it was heard for 60 s of cluster time. The heartbeats of the master set the
cluster time.

A broken connection is a faster sign (`Connections`, members.13): the member at its other end is suspected after more
than three faults that are more than 100 ms apart, if the connection did not work in between. After the first fault the
member tries the connection again and again, for half a second in all (members.13)."""

from collections.abc import Sequence
from dataclasses import dataclass

from gridproof_implementation.protocol.effects import AnswerDue, Timer
from gridproof_implementation.protocol.membership import messages
from gridproof_implementation.protocol.membership.publication import Publication
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.membership import (
    ClaimBegun,
    ClaimGranted,
    ClaimRefused,
    ClockJumped,
    MastershipClaimed,
    MemberSuspected,
    SuspicionCleared,
)
from gridproof_model.events.words import WhyClaimRefused, WhySuspected
from gridproof_model.membership import Address, MemberId, MemberList

CLAIM_RETRY_US = 5 * SECOND_US
"""The time after which a candidate asks again the members that have not accepted it (members.21)."""
GREAT_JUMP_US = 120 * SECOND_US
"""If a member's own clock jumps by more than this, it corrects its difference to the cluster time (members.12)."""


@dataclass(frozen=True, slots=True)
class ClaimRetry(AnswerDue):
    """It is time to ask again the members that have not accepted the claim."""


@dataclass(frozen=True, slots=True)
class ClaimTimeout(AnswerDue):
    """It is time to end the claim with the members that have accepted it."""


class Claim:
    """Both sides of a mastership claim: the side of the candidate, and the side of the members that it asks."""

    def __init__(self, roster: Roster, publication: Publication) -> None:
        self._roster = roster
        self._node = roster.node
        self._publication = publication
        self._latest = MemberList()
        """The newest view that the candidate has heard of."""
        self._asked: dict[MemberId, bool] = {}
        """The members that this candidate has asked, each with whether it has accepted."""

    def suspects_changed(self) -> None:
        """Begin a claim if all older members are suspected; a claim under way stops waiting for suspects."""
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
        self._node.set_timer(ClaimRetry(), CLAIM_RETRY_US)
        self._node.set_timer(ClaimTimeout(), self._node.settings.mastership_claim_timeout_us)
        self._ask_new(self._latest)
        self._conclude_where_done()

    def _view_from(self, candidate: MemberId) -> MemberList:
        """Return this member's view without the members that are older than the candidate."""
        members = self._roster.members
        older = set(self._roster.older_than(candidate))
        return MemberList(members.version, tuple(member for member in members if member.id not in older))

    def _ask_new(self, view: MemberList) -> None:
        for member in view:
            is_new = member.id != self._node.me and member.id not in self._asked
            if is_new and member.id not in self._roster.suspects:
                self._asked[member.id] = False
                self._node.send(member.id, messages.ClaimRequest())

    def on_retry(self, timer: ClaimRetry) -> None:
        """Ask again the members that have not accepted yet."""
        for member_id, accepted in self._asked.items():
            if not accepted and member_id not in self._roster.suspects:
                self._node.send(member_id, messages.ClaimRequest())
        self._node.set_timer(timer, CLAIM_RETRY_US)

    def on_timeout(self, timer: ClaimTimeout) -> None:
        """End the claim without the members that did not accept; they may form their own cluster (members.21)."""
        self._conclude()

    def on_request(self, sender: MemberId, request: messages.ClaimRequest) -> None:
        """Accept the candidate as master; or do not answer, since a candidate asks again anyway."""
        why = self.why_not_accepted(sender)
        if why is not None:
            self._node.emit(ClaimRefused(self._node.numbers[sender], why))
            return
        self._roster.master = sender
        self._node.emit(ClaimGranted(self._node.numbers[sender]))
        self._node.reply(messages.ClaimAccepted(self._view_from(sender), asker=sender))

    def why_not_accepted(self, candidate: MemberId) -> WhyClaimRefused | None:
        """Return why a candidate is not accepted, or None if it is (members.20)."""
        if not self._roster.is_joined:
            return WhyClaimRefused.NOT_JOINED
        if self._roster.is_master:
            return WhyClaimRefused.IS_MASTER
        if candidate not in self._roster.ids:
            return WhyClaimRefused.UNKNOWN
        if not self._roster.may_lead(candidate):
            return WhyClaimRefused.OLDER_LIVES
        return None

    def on_accepted(self, sender: MemberId, accepted: messages.ClaimAccepted) -> None:
        """Count an acceptance; if it brings a newer view, ask the members in it that were not asked before."""
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
        """Return the newest view, with the next version and without the members that did not accept (members.22)."""
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


class Suspicion:
    """Marks and removes suspects, and handles the messages that lead to marks and removals."""

    def __init__(self, roster: Roster, publication: Publication, claim: Claim) -> None:
        self._roster = roster
        self._node = roster.node
        self._publication = publication
        self._claim = claim

    def suspect(self, member_id: MemberId, why: WhySuspected) -> None:
        """As the master, remove a suspect; else mark it, and claim mastership if all older members are suspected."""
        roster = self._roster
        if not roster.is_joined or member_id not in roster.ids or member_id == self._node.me:
            return
        if roster.is_settled_master:
            self.remove(member_id, why)
            return
        if member_id not in roster.suspects:
            roster.suspects[member_id] = None
            self._node.emit(MemberSuspected(self._node.numbers[member_id], why))
        # An old mark counts, too: a new list may have dropped the only older member that was not suspected.
        self._claim.suspects_changed()

    def remove(self, member_id: MemberId, why: WhySuspected) -> None:
        """Remove a member from the list, and publish the list to the others (members.14)."""
        roster = self._roster
        self._node.emit(MemberSuspected(self._node.numbers[member_id], why))
        roster.install(roster.members.left([member_id]), self._node.me)
        self._publication.publish()

    def clear(self, member_id: MemberId) -> None:
        """Remove the mark of a suspect after a valid heartbeat, if a heartbeat may clear it."""
        if member_id in self._roster.suspects and self.may_clear(member_id):
            del self._roster.suspects[member_id]
            self._node.emit(SuspicionCleared(self._node.numbers[member_id]))

    def may_clear(self, member_id: MemberId) -> bool:
        """Whether a heartbeat clears a suspect's mark: not if the suspect is older than the master (members.15)."""
        # The master leads because all older members are gone: an older one, trusted again, could lead (members.15).
        master = self._roster.master
        return master is None or member_id not in self._roster.older_than(master)

    def answer_stranger(self, theirs: messages.ViewMetadata) -> None:
        """Answer a heartbeat that comes from outside the list, or is meant for another incarnation (members.16)."""
        roster, master = self._roster, self._roster.master
        if roster.is_settled_master:
            self._node.send(theirs.member, messages.ExplicitSuspicion(theirs))
        elif master is not None and not roster.is_master and master not in roster.suspects:
            self._node.send(master, messages.HeartbeatComplaint(roster.metadata, theirs))

    def on_complaint(self, sender: MemberId, complaint: messages.HeartbeatComplaint) -> None:
        """As the master, decide which of two members has an outdated view (members.16)."""
        roster = self._roster
        if not roster.is_settled_master:
            return
        if sender not in roster.ids:
            self._node.send(sender, messages.ExplicitSuspicion(complaint.mine))
        elif complaint.theirs.member in roster.ids:
            self._publication.send_to(sender)
        else:
            self._node.send(sender, messages.TriggerSuspicion(roster.members.version, complaint.theirs))

    def turn_away(self, stranger: messages.ViewMetadata, ours: Sequence[MemberId]) -> None:
        """Make members of this list notify a foreign master that they are not its members (members.16, splits.5)."""
        for member_id in ours:
            self._node.send(member_id, messages.TriggerSuspicion(self._roster.members.version, stranger))

    def on_trigger(self, sender: MemberId, trigger: messages.TriggerSuspicion) -> None:
        """Notify a foreign member that it is not in the list, if the master said so of the list version known here."""
        roster = self._roster
        # A request for another list version than ours may be out of date: the stranger may have become a member.
        if sender == roster.master and trigger.list_version == roster.members.version:
            self._node.send(trigger.theirs.member, messages.ExplicitSuspicion(trigger.theirs))

    def on_explicit_suspicion(self, sender: MemberId, suspicion: messages.ExplicitSuspicion) -> None:
        """Suspect the sender, if this member's view is still the one to which the sender has reacted."""
        if suspicion.expected == self._roster.metadata:
            self.suspect(sender, WhySuspected.KNOWS_US_NOT)

    def on_goodbye(self, sender: MemberId, goodbye: messages.Goodbye) -> None:
        """Suspect a member that says that it is leaving."""
        self.suspect(sender, WhySuspected.LEFT)


@dataclass(frozen=True, slots=True)
class HeartbeatDue(Timer):
    """It is time to look for silent members, and to send heartbeats."""


class Heartbeats:
    """Sends heartbeats, and notices when the heartbeats of others do not come."""

    def __init__(self, roster: Roster, suspicion: Suspicion) -> None:
        self._roster = roster
        self._node = roster.node
        self._suspicion = suspicion
        self._last_round_us: int
        """When the last round of heartbeats was, by this member's own clock."""

    def start(self) -> None:
        """Set the timer for the next round of heartbeats."""
        self._last_round_us = self._node.now_us
        self._node.set_timer(HeartbeatDue(), self._node.settings.heartbeat_interval_us)

    def on_due(self, timer: HeartbeatDue) -> None:
        """Suspect the silent members, then send heartbeats to the others."""
        self._watch_clock()
        self.start()
        roster = self._roster
        for member_id in roster.others:
            if not self.is_alive(member_id):
                self._suspicion.suspect(member_id, WhySuspected.NO_HEARTBEAT)
        for member_id in roster.others:
            if self.is_greeted(member_id):
                self._node.send(member_id, messages.Heartbeat(roster.metadata, member_id.uuid, roster.cluster_now_us))

    def is_greeted(self, member_id: MemberId) -> bool:
        """Whether a member gets heartbeats: every member does, except suspects whose mark no heartbeat can clear.

        Choice (members.15): by the documents no suspect gets heartbeats (members.15). If suspects get none, two members
        that suspect each other never hear from each other again, and the next claim splits a cluster whose network
        works (docs/findings.md).
        """
        return member_id not in self._roster.suspects or self._suspicion.may_clear(member_id)

    def is_alive(self, member_id: MemberId) -> bool:
        """Whether a member's last heartbeat is recent enough, as the deadline failure detector judges (members.11)."""
        heard_us = self._roster.heard_us.get(member_id, self._roster.cluster_now_us)
        return heard_us + self._node.settings.max_no_heartbeat_us > self._roster.cluster_now_us

    @property
    def are_regular(self) -> bool:
        """Whether every other member was heard within the last two heartbeat intervals, and none is suspected."""
        roster = self._roster
        heard_us = min((roster.heard_us[member_id] for member_id in roster.others), default=roster.cluster_now_us)
        late_us = roster.cluster_now_us - heard_us
        return not roster.suspects and late_us <= 2 * self._node.settings.heartbeat_interval_us

    def is_too_old(self, sent_us: int) -> bool:
        """Whether a heartbeat was under way for more than half of the time after which silent members are suspected,
        and so has to be ignored (members.12)."""
        return self._roster.cluster_now_us - sent_us > self._node.settings.max_no_heartbeat_us // 2

    def _watch_clock(self) -> None:
        """If this member's own clock has jumped, so that others seem silent, count all members as heard just now
        (members.12)."""
        jump_us = self._node.now_us - self._last_round_us - self._node.settings.heartbeat_interval_us
        if abs(jump_us) < self._node.settings.max_no_heartbeat_us // 2:
            return
        self._node.emit(ClockJumped(jump_us))
        if abs(jump_us) > GREAT_JUMP_US:
            self._roster.clock_difference_us -= jump_us
        for member_id in self._roster.heard_us:
            self._roster.heard_us[member_id] = self._roster.cluster_now_us

    def on_heartbeat(self, sender: MemberId, heartbeat: messages.Heartbeat) -> None:
        """Note that a member is alive; notify a foreign member that it is not in the list (members.16)."""
        roster = self._roster
        is_meant = heartbeat.receiver == self._node.me.uuid
        if not roster.is_joined:
            if not is_meant:
                self._node.send(sender, messages.ExplicitSuspicion(heartbeat.view))
        elif is_meant and sender in roster.ids and not self._is_rival(heartbeat.view):
            self._hear(sender, heartbeat.cluster_time_us)
        else:
            self._suspicion.answer_stranger(heartbeat.view)

    def _is_rival(self, theirs: messages.ViewMetadata) -> bool:
        """Whether this member is the master, and a member of its list considers itself the master, too.

        Choice (members.17): the documents say nothing of two masters that list each other, which happens when each has
        let the other in because of a late request. If two masters list each other, their lists overlap, so neither
        merges (splits.5), and each would order migrations of the other's partitions for ever. In this project each of
        the two masters treats the other as a foreign member (members.16), so that they become two clusters.
        """
        return self._roster.is_settled_master and theirs.master == theirs.member

    def _hear(self, sender: MemberId, sent_us: int) -> None:
        if self.is_too_old(sent_us):
            return
        if sender == self._roster.master:
            self._roster.clock_difference_us = sent_us - self._node.now_us
        self._roster.heard_us[sender] = self._roster.cluster_now_us
        self._suspicion.clear(sender)


@dataclass(frozen=True, slots=True)
class ProbeDue(Timer):
    """It is time to try a broken connection again."""

    address: Address


@dataclass(slots=True)
class Faults:
    """The faults of the connection to one address since this connection last worked."""

    count: int
    last_us: int


class Connections:
    """Counts the faults of connections to other members."""

    def __init__(self, roster: Roster, suspicion: Suspicion) -> None:
        self._roster = roster
        self._node = roster.node
        self._suspicion = suspicion
        self._interval_us = self._node.settings.connection_monitor_interval_us
        self._faults: dict[Address, Faults] = {}

    def on_fault(self, address: Address) -> None:
        """Count a fault; suspect the member at the address if there are too many faults, else try again later."""
        member = self._roster.at(address)
        if member is None or member.id == self._node.me:
            self._faults.pop(address, None)
            return
        faults = self._faults.get(address)
        if faults is None:
            self._faults[address] = Faults(1, self._node.now_us)
        elif self._node.now_us - faults.last_us > self._interval_us:
            faults.count, faults.last_us = faults.count + 1, self._node.now_us
        if self.are_too_many(self._faults[address].count):
            del self._faults[address]
            self._suspicion.suspect(member.id, WhySuspected.NO_CONNECTION)
        else:
            self._node.set_timer(ProbeDue(address), self._interval_us + 1)

    def are_too_many(self, faults: int) -> bool:
        """Whether this number of faults means that the member at the other end has gone."""
        return faults > self._node.settings.connection_monitor_max_faults

    def on_probe_due(self, due: ProbeDue) -> None:
        """Try the connection again."""
        if due.address in self._faults:
            self._node.knock(due.address, messages.ConnectionProbe())

    def on_probe(self, sender: MemberId, probe: messages.ConnectionProbe) -> None:
        """Answer a probe, which shows that the connection works."""
        self._node.send(sender, messages.ConnectionEcho())

    def on_echo(self, sender: MemberId, echo: messages.ConnectionEcho) -> None:
        """Forget the faults of a connection, since it works again."""
        self._faults.pop(sender.address, None)
