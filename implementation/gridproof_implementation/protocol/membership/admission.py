"""The master's side of a join.

Reference partitioning 4.7, 5.7, 6.7: migrations pause, the list grows, the joiner and everybody else learn it with the
table, migrations go on. Who is not the master says who is.
"""

from gridproof_implementation.protocol.membership.cluster_states import ClusterStates
from gridproof_implementation.protocol.membership.joining import Joining
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
from gridproof_implementation.protocol.membership.suspicion import Suspicion
from gridproof_model.events.membership import JoinTurnedDown
from gridproof_model.grid_config import why_not_joining
from gridproof_model.identity import Member, MemberId


class Admission:
    """Lets members in."""

    def __init__(
        self,
        roster: Roster,
        publication: Publication,
        suspicion: Suspicion,
        states: ClusterStates,
        joining: Joining,
    ) -> None:
        self._roster = roster
        self._node = roster.node
        self._publication = publication
        self._suspicion = suspicion
        self._states = states
        self._joining = joining

    def on_join_request(self, sender: MemberId, request: JoinRequest) -> None:
        """Let the joiner in as the master, else let it know whom to ask."""
        roster, joiner = self._roster, request.joiner
        refused = self.why_never(request)
        if refused is not None:
            self._refuse(refused)
        elif not roster.is_joined:
            self._joining.meet(sender)
            self._node.send(sender, StillJoining())
        elif joiner.id in roster.ids and roster.is_settled_master:
            self._finalise(joiner)
        else:
            self._replace_older_incarnation(joiner)
            self._decide(joiner)

    def why_never(self, request: JoinRequest) -> JoinRefused | None:
        """Return why this joiner can never join this member's cluster, or None (reference partitioning 6.7)."""
        why = why_not_joining(self._node.config, request.config)
        if why is None:
            return None
        is_other = self._node.config.cluster_name != request.config.cluster_name
        refusal = Refusal.OTHER_CLUSTER if is_other else Refusal.CONFIGURATION
        return JoinRefused(refusal, why, asker=request.joiner.id)

    def why_not_again(self, joiner: Member) -> JoinRefused | None:
        """Return why an incarnation that was in the list does not come back, or None.

        Choice: the documents are silent. It was removed while it did not know yet that it was in, or its request was
        under way for long; everybody has acted on its departure, and it would never know that it was away.
        """
        if joiner.id not in self._roster.departed:
            return None
        return JoinRefused(Refusal.REMOVED, "it was removed; another incarnation may join", asker=joiner.id)

    def why_not_now(self, joiner: Member) -> JoinRefused | None:
        """Return why the cluster state keeps it out, or None: a missing member may come back (5.7)."""
        state = self._roster.cluster_state
        if state.allows_join or (not self._roster.is_locked and joiner.id.address in self._roster.missing):
            return None
        return JoinRefused(Refusal.STATE, f"the cluster is {state}", asker=joiner.id)

    def _replace_older_incarnation(self, joiner: Member) -> None:
        """Believe that whoever sat at this address is gone (reference partitioning 2.1)."""
        roster, older = self._roster, self._roster.at(joiner.id.address)
        if older is not None and older.id != joiner.id and (roster.is_master or older.id == roster.master):
            self._suspicion.suspect(older.id, "another incarnation joins")

    def _decide(self, joiner: Member) -> None:
        roster = self._roster
        if not roster.is_settled_master:
            self._name_master(joiner)
            return
        refused = self.why_not_again(joiner) or self.why_not_now(joiner)
        if refused is not None:
            self._refuse(refused)
        elif roster.at(joiner.id.address) is None:
            self._let_in(joiner)

    def _name_master(self, joiner: Member) -> None:
        """Say who decides; where that is not known just now, say that there is a cluster.

        Choice: the documents say nothing then, and a joiner that hears nothing founds a cluster of its own.
        """
        master = self._roster.master
        if master is None or self._roster.is_master or master in self._roster.suspects:
            self._refuse(JoinRefused(Refusal.STATE, "it is not known who is the master", asker=joiner.id))
        else:
            self._node.send(joiner.id, MasterIs(master))

    def _refuse(self, refused: JoinRefused) -> None:
        self._node.emit(JoinTurnedDown(self._node.numbers[refused.asker], refused.why))
        self._node.reply(refused)

    def _let_in(self, joiner: Member) -> None:
        partitions, roster = self._node.partitions, self._roster
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
        """Notify a joiner that it is in, again where the first message was lost."""
        table = self._node.partitions.table_for_joiners()
        self._node.send(joiner.id, JoinFinal(self._publication.update_for(joiner.id, table)))
