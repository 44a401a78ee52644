"""The search for the other half of a split, and the decision which half merges into which.

Only a master searches (`Search`; splits.3), and only while members may join: first after
`hazelcast.merge.first.run.delay.seconds`, then every `…next.run.delay.seconds`, at all addresses where members ever
were.

The side with fewer data members merges into the other; of two sides with equal numbers, the side whose master has the
greater address, compared as text, merges (`compare`; splits.4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.merging.dissolution import Dissolution
from gridproof_implementation.protocol.merging.messages import Side, SideAnswer, SideMasterIs, SideProbe
from gridproof_implementation.protocol.node import Node
from gridproof_model.events.merging import SidesCompared
from gridproof_model.events.words import MergeVerdict
from gridproof_model.grid_config import why_not_joining
from gridproof_model.membership import Address, ClusterState, MemberId


def compare(mine: Side, theirs: Side) -> MergeVerdict:
    """Return which of two sides merges into the other."""
    if why_not_joining(mine.config, theirs.config) is not None:
        return MergeVerdict.NEITHER
    # Overlap is checked before sizes: a side cannot merge into a list that names one of its own members (defect HZ-85).
    if any(address in mine.addresses for address in theirs.addresses):
        return MergeVerdict.OVERLAP
    if not (mine.state.allows_join and theirs.state.allows_join):
        return MergeVerdict.NEITHER
    return MergeVerdict.MERGE_MINE if rank(mine) < rank(theirs) else MergeVerdict.MERGE_THEIRS


def rank(side: Side) -> tuple[int, tuple[int, ...]]:
    """Return a side's rank; the side with the lower rank merges into the other."""
    # The addresses are compared, not their hashes: with equal hashes each side would wait for the other (defect HZ-84).
    text = str(side.master.address)
    # The greater of two texts ranks lower. A text is less than one that continues it, so the 1 at its end ranks higher
    # than any letter there, which counts below 0.
    return len(side.members.data_members), (*(-ord(letter) for letter in text), 1)


@dataclass(frozen=True, slots=True)
class SearchDue(Timer):
    """It is time to look for the other half of a split."""


class Search:
    """Finds other clusters, and decides which of two sides merges into the other."""

    def __init__(self, node: Node, dissolution: Dissolution, known: Sequence[Address]) -> None:
        self._node = node
        self._known = known
        """The addresses of members that this member's earlier incarnation knew."""
        self._dissolution = dissolution

    def start(self) -> None:
        """Set the timer for the first search."""
        self._node.set_timer(SearchDue(), self._node.settings.merge_first_run_delay_us)

    def on_due(self, timer: SearchDue) -> None:
        """Send a probe to all addresses where members ever were, except the addresses of this side."""
        self._node.set_timer(SearchDue(), self._node.settings.merge_next_run_delay_us)
        membership = self._node.membership
        if not membership.is_settled_master:
            return
        if self.may_search():
            here = self.my_side().addresses
            for address in dict.fromkeys((*membership.known_addresses, *self._known)):
                if address not in here:
                    self._node.knock(address, SideProbe(self.my_side()))
        elif membership.cluster_state is ClusterState.FROZEN:
            self._dissolution.thaw()

    def may_search(self) -> bool:
        """Whether this member searches now: it is the master, members may join, and no merge is under way."""
        membership = self._node.membership
        is_free = membership.cluster_state.allows_join and not self._dissolution.is_under_way
        return membership.is_settled_master and is_free

    def my_side(self) -> Side:
        """Return the description of this member's cluster, with this member as its master."""
        membership = self._node.membership
        return Side(self._node.me, membership.members, membership.cluster_state, self._node.config)

    def on_probe(self, sender: MemberId, probe: SideProbe) -> None:
        """Answer with a description of this side; if the other side is to merge into it, first make this side's member
        list newer than the other's (splits.6)."""
        membership = self._node.membership
        if not membership.is_joined:
            return
        if not membership.is_settled_master:
            if membership.master is not None and not membership.is_master:
                self._node.send(sender, SideMasterIs(membership.master))
            return
        if compare(self.my_side(), probe.side) is MergeVerdict.MERGE_THEIRS:
            membership.raise_list_version(probe.side.members.version)
        self._node.send(sender, SideAnswer(self.my_side()))

    def on_master_is(self, sender: MemberId, answer: SideMasterIs) -> None:
        """Send a probe to the other side's master."""
        if self.may_search() and not self._node.membership.is_member(answer.master):
            self._node.send(answer.master, SideProbe(self.my_side()))

    def on_answer(self, sender: MemberId, answer: SideAnswer) -> None:
        """Merge into the other side, or wait until the other side merges; but if some members are in both lists, make
        these members notify the other master that they are not its members."""
        # The answer may be late: the cluster state may have changed by now, or a merge may be under way.
        if not self.may_search():
            return
        mine, theirs = self.my_side(), answer.side
        verdict = compare(mine, theirs)
        self._node.emit(SidesCompared(self._node.numbers[sender], verdict))
        match verdict:
            case MergeVerdict.MERGE_MINE:
                self._dissolution.begin(theirs)
            case MergeVerdict.OVERLAP:
                shared = [m.id for m in mine.members if m.id.address in theirs.addresses]
                self._node.membership.turn_away(theirs.master, theirs.members.version, shared)
            case MergeVerdict.MERGE_THEIRS | MergeVerdict.NEITHER:
                pass
