"""How the master's list reaches the other members.

The master sends its list on every change and every 60 s (members.3). A member installs a list only if the list comes
from its master, is meant for its uuid, contains it and is newer."""

from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.membership.cluster_states import ClusterStates
from gridproof_implementation.protocol.membership.messages import AskList, JoinFinal, MemberUpdate
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_model.events.membership import MemberListIgnored
from gridproof_model.events.words import WhyListIgnored
from gridproof_model.membership import MemberId, MemberList


@dataclass(frozen=True, slots=True)
class PublicationDue(Timer):
    """It is time for the master to send its list again."""


class Publication:
    """Sends member lists, and decides which of the received lists are installed."""

    def __init__(self, roster: Roster, states: ClusterStates) -> None:
        self._roster = roster
        self._states = states
        self._node = roster.node

    def start(self) -> None:
        """Set the timer for the next publication."""
        self._node.set_timer(PublicationDue(), self._node.settings.member_list_publish_interval_us)

    def on_due(self, timer: PublicationDue) -> None:
        """Send the list again, if this member is the master."""
        self.start()
        self.publish()

    def publish(self, *, table: object = None) -> None:
        """If this member is the master, send the list to all other members in it."""
        if self._roster.is_settled_master:
            for member_id in self._roster.others:
                self.send_to(member_id, table=table)

    def raise_version(self, above: int) -> None:
        """Raise the version of the list above the given one, unless it is higher already."""
        members = self._roster.members
        if members.version <= above:
            self._roster.install(MemberList(above + 1, members.members), self._node.me)
            self.publish()

    def ask(self) -> None:
        """Ask the master for its list, as a partition table named a member that is not known here (table.16)."""
        master = self._roster.master
        if master is not None and not self._roster.is_master:
            self._node.send(master, AskList())

    def on_ask(self, sender: MemberId, _asked: AskList) -> None:
        """Send the list to a member that asks."""
        if self._roster.is_settled_master and sender in self._roster.ids:
            self.send_to(sender)

    def send_to(self, member_id: MemberId, *, table: object = None) -> None:
        """Send the list to one member."""
        self._node.send(member_id, self.update_for(member_id, table))

    def update_for(self, member_id: MemberId, table: object) -> MemberUpdate:
        """Return the update for one member."""
        roster = self._roster
        # No state is sent while it is being changed: only the coordinator knows how the change ends (members.27).
        state = None if roster.is_locked else roster.state
        return MemberUpdate(member_id.uuid, roster.members, state, roster.cluster_now_us, table)

    def on_member_update(self, sender: MemberId, update: MemberUpdate) -> None:
        """Install a list and the partition table that came with it, or record why the list is ignored."""
        why = self.why_not_installed(sender, update)
        if why is not None:
            self._node.emit(MemberListIgnored(update.members.version, why))
            return
        # Choice (members.27): the cluster state is sent with the member list; the documents do not mention this.
        # If a coordinator dies during a commit, members have different states only until the next list is published.
        if update.cluster_state is not None and not self._roster.is_locked:
            self._states.adopt(update.cluster_state)
        # A list that arrives again is installed already, but the state and the table that came with it are taken over.
        if update.members.version > self._roster.members.version:
            self._roster.install(update.members, sender)
        if update.table is not None:
            self._node.partitions.table_received(sender, update.table)

    def why_not_installed(self, sender: MemberId, update: MemberUpdate) -> WhyListIgnored | None:
        """Return why a list is not installed, or None if it is (members.2)."""
        roster = self._roster
        if not roster.is_joined:
            return WhyListIgnored.NOT_JOINED
        if sender != roster.master and not self._comes_next(sender, update.members):
            return WhyListIgnored.NOT_FROM_MASTER
        if update.target != self._node.me.uuid or self._node.me not in update.members:
            return WhyListIgnored.NOT_FOR_THIS_INCARNATION
        if update.members.version < roster.members.version:
            return WhyListIgnored.OLDER
        return None

    def _comes_next(self, sender: MemberId, members: MemberList) -> bool:
        """Whether a newer list comes from the oldest member that is not suspected, and names it as the master.

        Choice (members.23): a newer list from the oldest member that is not suspected counts as a mastership claim,
        since the master of one half of a split never claims again. According to the documents a member that is in the
        lists of both halves, and loses one half, is left without a master.
        """
        roster = self._roster
        if sender not in roster.ids or members.version <= roster.members.version:
            return False
        return roster.may_lead(sender) and sender not in roster.suspects and members.members[0].id == sender

    def on_join_final(self, sender: MemberId, final: JoinFinal) -> None:
        """Join the cluster with this list (members.5); after the join the list is an ordinary update."""
        update, roster = final.update, self._roster
        if roster.is_joined:
            self.on_member_update(sender, update)
            return
        master = update.members.master
        if update.target != self._node.me.uuid or master is None or master.id != sender:
            return
        roster.clock_difference_us = update.cluster_time_us - self._node.now_us
        roster.state = update.cluster_state or roster.state
        roster.install(update.members, sender)
        if update.table is not None:
            self._node.partitions.table_received(sender, update.table)
