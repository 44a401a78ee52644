"""Mutants of membership: who is who, who joins whom."""

from random import Random
from uuid import UUID

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.membership.claim import Claim
from gridproof_implementation.protocol.membership.messages import MemberUpdate
from gridproof_implementation.protocol.membership.part import MembershipPart
from gridproof_implementation.protocol.membership.publication import Publication
from gridproof_implementation.protocol.merging import side as sides
from gridproof_implementation.protocol.merging.side import Side, Verdict
from gridproof_implementation.simulator.host import address_of
from gridproof_implementation.simulator.scenario import Strike
from gridproof_model.grid_config import GridConfig
from gridproof_model.identity import Member, MemberId
from gridproof_model.membership import MemberList
from gridproof_properties.mutant import replacing
from gridproof_properties.specimen import Find, Specimen
from gridproof_properties.trial import search_campaign, told, writes
from gridproof_properties.verdict import Result
from gridproof_properties.verdict import Verdict as Found

_compare = sides.compare
_why_not_installed = Publication.why_not_installed
_final_view = Claim.final_view
RESTART = Strike("restart", 100, 0, (0,))
HALVES = Strike("split", 100, 12_000, (0, 1))
BRIDGE = Strike("overlapping-split", 100, 12_000, (0, 1), 2)


def _by_address(part: MembershipPart, member_id: MemberId) -> bool:
    return any(member.id.address == member_id.address for member in part.roster.members)


def _by_a_small_hash(side: Side) -> tuple[int, tuple[int, ...]]:
    return len(side.members.data_members), (sum(map(ord, str(side.master.address))) % 2,)


def _sizes_only(mine: Side, theirs: Side) -> Verdict:
    verdict = _compare(mine, theirs)
    if verdict is not Verdict.OVERLAP:
        return verdict
    return Verdict.MERGE_MINE if sides.rank(mine) < sides.rank(theirs) else Verdict.MERGE_THEIRS


def _older_lists_too(publication: Publication, sender: MemberId, update: MemberUpdate) -> str | None:
    why = _why_not_installed(publication, sender, update)
    return None if why == "not from the master" else why


def _same_version(claim: Claim) -> MemberList:
    view = _final_view(claim)
    return MemberList(view.version - 1, view.members)


def search_sides(seed: int) -> Find:
    """Let two sides of a few members meet, with somebody in both or not."""
    rng = Random(f"sides {seed}")
    return Find(_both_or_none(rng.randint(1, 4), rng.randint(1, 4), shared=rng.random() < 0.5))


def _both_or_none(mine: int, theirs: int, *, shared: bool) -> tuple[Found, ...]:
    """Return what is broken where not just one of two sides merges, or where one does that shares a member (S5)."""
    one = _side(range(mine))
    other = _side(range(mine - shared, mine - shared + theirs))
    merging = [sides.compare(one, other), sides.compare(other, one)].count(Verdict.MERGE_MINE)
    if merging == (0 if shared else 1):
        return ()
    sentence = f"of sides of {mine} and {theirs} members{', one in both' if shared else ''}, {merging} merge"
    return (Found("one-merger", Result.BROKEN, sentence, (sentence,)),)


def _side(seats: range) -> Side:
    """Return a side of the members at these seats, the first of them its master."""
    members = tuple(Member(MemberId(address_of(seat), UUID(int=seat + 1))) for seat in seats)
    return Side(members[0].id, MemberList(1, members), ClusterState.ACTIVE, GridConfig())


SPECIMENS: tuple[Specimen, ...] = (
    Specimen(
        number="M18",
        name="address-is-identity",
        defect_class="C13",
        rule="Whoever has the address of a member is that member.",
        source="bug-zoo HZ-80",
        breaks=("comes-to-rest",),
        plant=replacing(MembershipPart, "is_member", _by_address),
        guard="the older incarnation is removed, and its rows repaired, before the newer one is let in",
        search=search_campaign,
    ),
    Specimen(
        number="M19",
        name="tie-broken-by-a-small-hash",
        defect_class="C15",
        rule="Of two halves of one size the one whose master's address has the smaller hash merges, out of two hashes.",
        source="bug-zoo HZ-84",
        breaks=("comes-to-rest",),
        plant=replacing(sides, "rank", _by_a_small_hash),
        witness=told(writes(12, pause_ms=1_000), HALVES, members=4),
        search=search_campaign,
    ),
    Specimen(
        number="M40",
        name="overlapping-sides-merge",
        defect_class="C15",
        rule="Two sides merge by their sizes, also when somebody is in both.",
        source="bug-zoo HZ-85",
        breaks=("one-merger",),
        plant=replacing(sides, "compare", _sizes_only),
        witness=lambda: _both_or_none(2, 2, shared=True),
        search=search_sides,
        quick=True,
    ),
    Specimen(
        number="X05",
        name="claim-without-a-new-version",
        defect_class="C7",
        rule="A new master publishes its list under the version of the old one.",
        source="reference replication 7.3",
        breaks=("comes-to-rest",),
        plant=replacing(Claim, "final_view", _same_version),
        witness=told(writes(12), Strike("crash", 100, 100_000, (0,))),
        search=search_campaign,
        quick=True,
    ),
)
