"""Mutants of membership: of the identity of members, and of joining.

There are also mutants by which an incarnation accepts messages that were meant for an earlier incarnation.
"""

from random import Random
from uuid import UUID

from gridproof_implementation.protocol.invocation.part import InvocationPart
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.membership.joining import Admission
from gridproof_implementation.protocol.membership.messages import JoinRefused, JoinRequest, Refusal
from gridproof_implementation.protocol.membership.part import MembershipPart
from gridproof_implementation.protocol.membership.publication import Publication
from gridproof_implementation.protocol.membership.suspicion import Claim
from gridproof_implementation.protocol.merging import search
from gridproof_implementation.protocol.merging.messages import Side
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.grouping import address_of
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_implementation.simulator.world import World
from gridproof_model.events.words import MergeVerdict
from gridproof_model.grid_config import GridConfig
from gridproof_model.grid_properties import FAIL_ON_INDETERMINATE_STATE, PARTITION_COUNT, PropertySet
from gridproof_model.membership import ClusterState, Member, MemberId, MemberList
from gridproof_model.trace import OperationKind
from gridproof_properties.judging.verdict import Verdict
from suite.zoo.mutant import (
    Bug,
    Find,
    Interposer,
    MemberMutant,
    Witness,
    found_broken,
    leaving_out,
    played,
    replacing,
    scripted,
    search_drawn,
    try_scenario,
    writes,
)

_compare = search.compare
_final_view = Claim.final_view
RESTARTED_MEMBER = FaultEvent("restart", 1_000, 0, (1,))
"""The restart of a member that is not the master."""
HALVES = FaultEvent("split", 100, 12_000, (0, 1))
ALONE = FaultEvent("split", 100, 20_000, (2,))
FIRST_WRITE = ClientOperation("appends", OperationKind.APPEND, "appends-0", "v", pause_ms=192)
LATE_RESTART = FaultEvent("late-restart", 379, 6_686, (1,), amount=482_648_351, share=10)
NOT_YET_ARRANGED = Scenario(
    5,
    members=4,
    partition_count=7,
    workload="appends",
    properties=(),
    scripts=(Script((FIRST_WRITE,), (LATE_RESTART,)),),
    arranged=False,
)
"""A member restarts, and messages to it are late, when a first write has the table arranged."""


def _sizes_only(mine: Side, theirs: Side) -> MergeVerdict:
    verdict = _compare(mine, theirs)
    if verdict is not MergeVerdict.OVERLAP:
        return verdict
    return MergeVerdict.MERGE_MINE if search.rank(mine) < search.rank(theirs) else MergeVerdict.MERGE_THEIRS


def _same_version(claim: Claim) -> MemberList:
    view = _final_view(claim)
    return MemberList(view.version - 1, view.members)


def _turn_the_third_away(admission: Admission, request: JoinRequest) -> JoinRefused | None:
    """The mutant refuses the member that would be the fourth, as if it had another configuration."""
    if len(admission._roster.members) < 3 or request.joiner.id in admission._roster.ids:
        return None
    return JoinRefused(Refusal.CONFIGURATION, "it has another partition count", asker=request.joiner.id)


def _polled_long(since_ms: int) -> Witness:
    """Return a story in which a member still waits for an item, since some time after the last write, when it
    merges."""
    poll = ClientOperation("queue", OperationKind.POLL, "queue-0", "200000000", 2, since_ms)
    return scripted((*writes(20, pause_ms=1_000), poll), ALONE, partition_count=3)


def _unheard_joiner(lost: int) -> Witness:
    """Return a story in which a joiner hears only of its removal, if so many messages to it get lost."""
    unheard = FaultEvent("lost-once", 50, 100_000, (0,), lost, "JoinFinal")
    return scripted(writes(20, pause_ms=500), unheard, FaultEvent("join", 100, 600_000, (3,)), partition_count=3)


def search_sides(seed: int) -> Find:
    """Let two sides with a few members meet; there may be a member that is on both sides."""
    rng = Random(f"sides {seed}")
    return Find(_both_or_none(rng.randint(1, 4), rng.randint(1, 4), shared=rng.random() < 0.5))


def _both_or_none(mine: int, theirs: int, *, shared: bool) -> tuple[Verdict, ...]:
    """Return the broken verdict if neither or both sides merge, or if sides that share a member merge (splits.5)."""
    one = _side(range(mine))
    other = _side(range(mine - shared, mine - shared + theirs))
    merging = [search.compare(one, other), search.compare(other, one)].count(MergeVerdict.MERGE_MINE)
    if merging == (0 if shared else 1):
        return ()
    sentence = f"of sides of {mine} and {theirs} members{', one in both' if shared else ''}, {merging} merge"
    return found_broken("one-merger", sentence)


def search_partition_counts(seed: int) -> Find:
    """Let a member that is configured with any number of partitions try to join."""
    rng = Random(f"partition counts {seed}")
    return Find(_join_with(rng.randint(1, 9), rng.randint(1, 9)))


def _join_with(partition_count: int, other_count: int) -> tuple[Verdict, ...]:
    """Return the broken verdict if a member with another partition count may join (members.6)."""
    world = World(0, _partitions(partition_count))
    world.start_member()
    world.run(world.now_us + SECOND_US)
    world.config = _partitions(other_count)
    newcomer = world.start_member()
    world.run(world.now_us + SECOND_US)
    if partition_count == other_count or not newcomer.member.node.membership.is_joined:
        return ()
    sentence = f"a member with {other_count} partitions joins a cluster with {partition_count}"
    return found_broken("one-partition-count", sentence)


def _partitions(count: int) -> GridConfig:
    return GridConfig(properties=PropertySet.of({PARTITION_COUNT.name: str(count)}))


def _side(address_indices: range) -> Side:
    """Return a side with members at these addresses; the first member is the master."""
    members = tuple(
        Member(MemberId(address_of(address_index), UUID(int=address_index + 1))) for address_index in address_indices
    )
    return Side(members[0].id, MemberList(1, members), ClusterState.ACTIVE, GridConfig())


SLOW, CALLER = 1, 2
"""The indices of two addresses in the witness."""
ONE_CALL_EACH = tuple(
    ClientOperation("register", OperationKind.WRITE, "register-0", f"v{n}", CALLER, pause_ms)
    for n, pause_ms in enumerate((10, 1_000))
)
"""The first call of each of two incarnations."""
STRICT = (*QUICK, (FAIL_ON_INDETERMINATE_STATE.name, "true"))
CALLS_OF_EACH = 12


def search_restarts(seed: int) -> Find:
    """Restart a lite member that has calls under way, while another member does not handle any message."""
    rng = Random(f"restarts {seed}")
    caller = rng.choice((2, 3))
    client_operations = tuple(
        ClientOperation(
            "register", OperationKind.WRITE, f"register-{rng.randrange(8)}", f"v{n}", caller, rng.randrange(500)
        )
        for n in range(CALLS_OF_EACH)
    )
    begins_ms, length_ms = rng.randrange(1_000), rng.randint(1_000, 4_000)
    fault_events = (
        FaultEvent("pause", begins_ms, length_ms, (rng.randrange(caller),)),
        FaultEvent("restart", begins_ms + rng.randrange(length_ms), 0, (caller,)),
    )
    scenario = Scenario(
        seed,
        members=caller + 1,
        partition_count=rng.choice((1, 3, 7)),
        scripts=(Script(client_operations, fault_events),),
        lite=(caller,),
        properties=rng.choice((QUICK, STRICT)),
    )
    return try_scenario(scenario)


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug("M08", "any-partition-count", "C3", "defect HZ-04", breaks=("one-partition-count",)).by(
        "A member with another partition count, or of another cluster, is let in.",
        replacing(Admission, "why_never", lambda *_: None),
        lambda: _join_with(3, 5),
        search_partition_counts,
        quick=True,
    ),
    Bug("M18", "address-is-identity", "C13", "defect HZ-80", breaks=("comes-to-rest", "refines-ownership")).by(
        "Whoever has the address of a member is that member.",
        replacing(
            MembershipPart,
            "is_member",
            lambda part, member_id: any(member.id.address == member_id.address for member in part.members),
        ),
        played(NOT_YET_ARRANGED),
    ),
    Bug("X11", "older-incarnation-not-doubted", "C13", "members.7; defect HZ-80", breaks=("joins-a-cluster",)).by(
        "That another incarnation wants to join says nothing about the older one at its address.",
        leaving_out(Admission, "_replace_older_incarnation"),
        scripted(writes(12, pause_ms=5_000, keys=6), RESTARTED_MEMBER, members=2, properties=()),
    ),
    Bug("M19", "tie-broken-by-a-small-hash", "C15", "defect HZ-84", breaks=("comes-to-rest",)).by(
        "Of two halves of one size the one whose master's address has the smaller hash merges, out of two hashes.",
        replacing(
            search,
            "rank",
            lambda side: (len(side.members.data_members), (sum(map(ord, str(side.master.address))) % 2,)),
        ),
        scripted(writes(12, pause_ms=1_000), HALVES, members=4),
    ),
    Bug("M40", "overlapping-sides-merge", "C15", "defect HZ-85", breaks=("one-merger",)).by(
        "Two sides merge by their sizes, also when somebody is in both.",
        replacing(search, "compare", _sizes_only),
        lambda: _both_or_none(2, 2, shared=True),
        search_sides,
        quick=True,
    ),
    Bug("X05", "claim-without-a-new-version", "C7", "members.22", breaks=("comes-to-rest", "member-lists-agree")).by(
        "A new master publishes its list under the version of the old one.",
        replacing(Claim, "final_view", _same_version),
        scripted(writes(12), FaultEvent("crash", 100, 100_000, (0,))),
    ),
    Bug("X49", "third-joiner-turned-away", "C13", "members.6", breaks=("refused-for-cause",)).by(
        "The third joiner is turned away for its configuration, which is equal.",
        replacing(Admission, "why_never", _turn_the_third_away),
        scripted(writes(30), FaultEvent("join", 100, 60_000, (3,)), members=3),
        search_drawn("join", "restart"),
    ),
    Bug(
        "X12", "answers-by-number-alone", "C13", "calls.7, calls.8, backups.16", breaks=("acknowledged-by-its-backups",)
    ).by(
        "An answer counts for whoever waits for its number, whichever incarnation asked.",
        replacing(GridMember, "has_asked", lambda *_: True),
        scripted(
            ONE_CALL_EACH,
            FaultEvent("pause", 0, 1_300, (SLOW,)),
            FaultEvent("restart", 100, 0, (CALLER,)),
            interposers=(Interposer("Backup", first=1, sender=0, receiver=SLOW),),
            lite=(CALLER,),
            partition_count=1,
            properties=STRICT,
        ),
        search_restarts,
    ),
    Bug("X65", "removed-member-let-in", "C13", "members.9", breaks=("member-lists-agree",)).by(
        "An incarnation that was removed is let in when it asks again.",
        replacing(Admission, "why_not_again", lambda *_: None),
        _unheard_joiner(6),
        lambda seed: Find(tuple(_unheard_joiner(1 + seed % 8)())),
    ),
    Bug("X66", "calls-outlive-a-merge", "C15", "splits.6", breaks=("calls-end-once",)).by(
        "A member that ends for a merge does not end its calls.",
        leaving_out(InvocationPart, "reset"),
        _polled_long(6_000),
        lambda seed: Find(tuple(_polled_long(1_000 * (seed % 8))())),
    ),
    Bug("X67", "list-not-made-newer", "C15", "splits.6", breaks=("smaller-side-merges",)).by(
        "The side that stays does not make its member list newer than that of the merging side.",
        leaving_out(Publication, "raise_version"),
        scripted(writes(12, pause_ms=1_000), FaultEvent("split", 100, 12_000, (4,)), members=5),
        search_drawn("split", members=5),
    ),
)
