"""What is lost when members of one group fail together."""

from collections.abc import Sequence

import numpy as np

from tools.placement_history.history import PolicyPoint

MEMBERS_MAX = 24
"""Every set of failing members is looked at: 16 million at most."""


def zone_loss(point: PolicyPoint, failing: float) -> float:
    """Return how likely some partition is lost when one group fails whole and each other member with `failing`.

    Each group is as likely to be the one; exact, by every set of other members that may fail.
    """
    members = [member.id for group in point.groups for member in group.members]
    if len(members) > MEMBERS_MAX:
        raise ValueError(f"{len(members)} members have too many sets to fail; {MEMBERS_MAX} are the most")
    number = {member: place for place, member in enumerate(members)}
    copysets = [sum(1 << number[member] for member in copyset) for copyset in point.copysets]
    zones = [sum(1 << number[member.id] for member in group.members) for group in point.groups]
    return sum(_loss_beside(zone, copysets, len(members), failing) for zone in zones) / len(zones)


def _loss_beside(zone: int, copysets: Sequence[int], members: int, failing: float) -> float:
    """Return how likely some copyset is gone whole, once a zone has failed."""
    others = [place for place in range(members) if not zone >> place & 1]
    left = {copyset & ~zone for copyset in copysets}
    # No set that holds another one adds anything.
    least = [one for one in left if not any(other != one and other & one == other for other in left)]
    sets = np.zeros(1, dtype=np.int64)
    chances = np.ones(1)
    for place in others:
        sets = np.concatenate([sets, sets | np.int64(1 << place)])
        chances = np.concatenate([chances * (1 - failing), chances * failing])
    lost = np.zeros(sets.size, dtype=np.bool_)
    for one in least:
        lost |= (sets & one) == one
    return float(chances[lost].sum())
