"""One side of a split, and which side merges.

Reference replication 7.4, reference partitioning 7: the side with fewer data members merges; of two equal ones the side
whose master's address is the greater text.
"""

from dataclasses import dataclass
from enum import StrEnum

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_model.grid_config import GridConfig, why_not_joining
from gridproof_model.identity import Address, MemberId
from gridproof_model.membership import MemberList


@dataclass(frozen=True, slots=True)
class Side:
    """A cluster that may be half of one."""

    master: MemberId
    members: MemberList
    state: ClusterState
    config: GridConfig

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Where its members are, oldest first."""
        return tuple(member.id.address for member in self.members)


class Verdict(StrEnum):
    """What follows when two sides meet."""

    MERGE_MINE = "mine merges"
    MERGE_THEIRS = "theirs merges"
    OVERLAP = "the lists overlap"
    """Somebody is in both: it has to leave one of them first."""
    NEITHER = "neither merges"


def compare(mine: Side, theirs: Side) -> Verdict:
    """Return which of two sides merges into the other."""
    if why_not_joining(mine.config, theirs.config) is not None:
        return Verdict.NEITHER
    if any(address in mine.addresses for address in theirs.addresses):
        return Verdict.OVERLAP
    if not (mine.state.allows_join and theirs.state.allows_join):
        return Verdict.NEITHER
    return Verdict.MERGE_MINE if rank(mine) < rank(theirs) else Verdict.MERGE_THEIRS


def rank(side: Side) -> tuple[int, tuple[int, ...]]:
    """Return what decides: the side of lower rank merges."""
    text = str(side.master.address)
    return len(side.members.data_members), tuple(-ord(letter) for letter in text)
