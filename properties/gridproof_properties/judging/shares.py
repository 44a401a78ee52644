"""The partition groups of a view, and the share of the load that each should carry.

Shares belong to groups, not to members: a group of two members holds as much as a group of one member (placement.9). If
members have different weights, shares are in proportion to the weights (systems.7).
"""

from collections.abc import Iterable, Mapping

from gridproof_model.groups import CUT
from gridproof_model.trace import ViewRecord

Groups = Mapping[str, tuple[int, ...]]
"""For each group name, the numbers of the owners in the group."""
NO_GROUP = ""


def members_by_group(view: ViewRecord) -> Groups:
    """Return the owners in a view by their groups; owners that are in no group are left out."""
    found: dict[str, list[int]] = {}
    for member in view.data_members:
        name = group_of(view, member)
        if name != NO_GROUP:
            found.setdefault(name, []).append(member)
    return {name: tuple(members) for name, members in found.items()}


def group_of(view: ViewRecord, member: int) -> str:
    """Return the group of a member in a view; empty if the member is in no group."""
    return view.groups[member] if member < len(view.groups) else NO_GROUP


def has_weights(members: Iterable[int], weights: Mapping[int, float]) -> bool:
    """Whether these members have different weights."""
    return len({weights.get(member, 1.0) for member in members}) > 1


def group_shares(groups: Groups, weights: Mapping[int, float], *, by_weight: bool = False) -> Mapping[str, float]:
    """Return the part of the load that each group should carry; the parts add up to 1.

    The parts are equal if all members weigh the same; otherwise, or if the system says so, they are by weight.
    """
    everyone = [member for members in groups.values() for member in members]
    if not (by_weight or has_weights(everyone, weights)):
        return {name: 1 / len(groups) for name in groups}
    total = _weigh(everyone, weights)
    return {name: _weigh(members, weights) / total for name, members in groups.items()}


def member_shares(groups: Groups, weights: Mapping[int, float], *, by_weight: bool = False) -> Mapping[int, float]:
    """Return the part of the load that each member should carry: its group's share, divided by weight in the group."""
    shares = group_shares(groups, weights, by_weight=by_weight)
    return {
        member: shares[name] * _part_of(member, members, weights)
        for name, members in groups.items()
        for member in members
    }


def _part_of(member: int, members: tuple[int, ...], weights: Mapping[int, float]) -> float:
    """Return which part of its group's share a member carries; equal parts if all members of the group weigh 0."""
    total = _weigh(members, weights)
    return weights.get(member, 1.0) / total if total else 1 / len(members)


def separation_is_owed(groups: Groups, weights: Mapping[int, float], copies: int, *, by_weight: bool = False) -> bool:
    """Whether the fair share of every group is at most one copy of each partition (systems.10, systems.7).

    If shares are not by weight, it is: with fewer groups than copies, rows are shorter instead. Only a lone group of
    live members is cut in two (placement.7), and no member says in which half it is.
    """
    if is_cut(groups):
        return False
    if not by_weight and not has_weights([member for members in groups.values() for member in members], weights):
        return True
    return all(share * copies <= 1 for share in group_shares(groups, weights, by_weight=by_weight).values())


def is_cut(groups: Groups) -> bool:
    """Whether there is one group, which is cut in two, and it is not known in which half each member is."""
    return any(name.endswith(CUT) for name in groups)


def count_sharing(groups: Groups, weights: Mapping[int, float]) -> int:
    """Return how many groups should get a part of the load: those of a weight above 0, or all if every weight is 0.

    A lone group that is cut in two counts as two, if it has two members (placement.7).
    """
    if is_cut(groups):
        return min(2, sum(map(len, groups.values())))
    return sum(any(weights.get(member, 1.0) for member in members) for members in groups.values()) or len(groups)


def _weigh(members: Iterable[int], weights: Mapping[int, float]) -> float:
    return sum(weights.get(member, 1.0) for member in members)
