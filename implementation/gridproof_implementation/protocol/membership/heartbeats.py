"""Heartbeats: who has been silent for too long.

Reference replication 7.1: all to all, every 5 s; a member is taken for gone when none was heard for 60 s of the
cluster's time. The master's heartbeats set the cluster's time.
"""

from gridproof_implementation.protocol.membership.messages import ExplicitSuspicion, Heartbeat, ViewMetadata
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_implementation.protocol.membership.suspicion import Suspicion
from gridproof_implementation.protocol.membership.timers import HeartbeatDue
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.membership import ClockJumped
from gridproof_model.identity import MemberId

GREAT_JUMP_US = 120 * SECOND_US
"""A leap of the clock that moves the cluster's time (7.1)."""


class Heartbeats:
    """Sends them, and misses those that do not come."""

    def __init__(self, roster: Roster, suspicion: Suspicion) -> None:
        self._roster = roster
        self._node = roster.node
        self._suspicion = suspicion
        self._last_round_us = 0
        """By this member's own clock."""

    def start(self) -> None:
        """Begin the rounds."""
        self._last_round_us = self._node.now_us
        self._node.set_timer(HeartbeatDue(), self._node.settings.heartbeat_interval_us)

    def on_due(self, timer: HeartbeatDue) -> None:
        """Suspect the silent ones, then greet the others."""
        self._watch_clock()
        self.start()
        roster = self._roster
        for member_id in roster.others:
            if not self.is_alive(member_id):
                self._suspicion.suspect(member_id, "no heartbeat")
        for member_id in roster.others:
            if self.is_greeted(member_id):
                self._node.send(member_id, Heartbeat(roster.metadata, member_id.uuid, roster.cluster_now_us))

    def is_greeted(self, member_id: MemberId) -> bool:
        """Whether a member gets heartbeats: everybody but suspects whose mark stays.

        Choice: the documents greet no suspect (7.1). Then two members that suspect each other never hear of each other
        again, and the next claim splits a cluster whose network is whole (docs/findings.md).
        """
        return member_id not in self._roster.suspects or self._suspicion.may_clear(member_id)

    def is_alive(self, member_id: MemberId) -> bool:
        """Whether the last heartbeat is recent enough: the deadline detector (7.1)."""
        heard_us = self._roster.heard_us.get(member_id, self._roster.cluster_now_us)
        return heard_us + self._node.settings.max_no_heartbeat_us > self._roster.cluster_now_us

    @property
    def are_regular(self) -> bool:
        """Whether every other member was heard in one of the last two rounds, and none is marked."""
        roster = self._roster
        heard_us = min((roster.heard_us[member_id] for member_id in roster.others), default=roster.cluster_now_us)
        late_us = roster.cluster_now_us - heard_us
        return not roster.suspects and late_us <= 2 * self._node.settings.heartbeat_interval_us

    def is_too_old(self, sent_us: int) -> bool:
        """Whether a heartbeat was under way for over half the limit: nothing follows from it (7.1)."""
        return self._roster.cluster_now_us - sent_us > self._node.settings.max_no_heartbeat_us // 2

    def _watch_clock(self) -> None:
        """Blame nobody for a silence that this member's own clock made up (7.1)."""
        jump_us = self._node.now_us - self._last_round_us - self._node.settings.heartbeat_interval_us
        if abs(jump_us) < self._node.settings.max_no_heartbeat_us // 2:
            return
        self._node.emit(ClockJumped(jump_us))
        if abs(jump_us) > GREAT_JUMP_US:
            self._roster.clock_difference_us -= jump_us
        for member_id in self._roster.heard_us:
            self._roster.heard_us[member_id] = self._roster.cluster_now_us

    def on_heartbeat(self, sender: MemberId, heartbeat: Heartbeat) -> None:
        """Remember that a member lives; notify a stranger that it is one (7.2)."""
        roster = self._roster
        is_meant = heartbeat.receiver == self._node.me.uuid
        if not roster.is_joined:
            if not is_meant:
                self._node.send(sender, ExplicitSuspicion(heartbeat.view))
        elif is_meant and sender in roster.ids and not self._is_rival(heartbeat.view):
            self._hear(sender, heartbeat.cluster_time_us)
        else:
            self._suspicion.answer_stranger(heartbeat.view)

    def _is_rival(self, theirs: ViewMetadata) -> bool:
        """Whether a member of this master's list is a master itself.

        Choice: the documents say nothing of two masters that list each other, as they do when each has let the other in
        by a request that was late. Their lists are not disjoint, so neither merges (7.4), and each orders migrations of
        what the other owns, for ever. Here a master takes the other for a stranger (7.2); then they are two clusters.
        """
        return self._roster.is_settled_master and theirs.master == theirs.member

    def _hear(self, sender: MemberId, sent_us: int) -> None:
        if self.is_too_old(sent_us):
            return
        if sender == self._roster.master:
            self._roster.clock_difference_us = sent_us - self._node.now_us
        self._roster.heard_us[sender] = self._roster.cluster_now_us
        self._suspicion.clear(sender)
