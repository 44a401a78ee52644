"""Mutants of mastership claims, of how member lists spread, and of merging queues.

There are also mutants of the rules on merges: which cluster merges, and which entries the merge brings along.
"""

from dataclasses import replace
from random import Random

from gridproof_implementation.protocol.membership.joining import Admission
from gridproof_implementation.protocol.membership.suspicion import Claim
from gridproof_implementation.protocol.merging import search
from gridproof_implementation.protocol.merging.dissolution import Replay
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.structures.queue import QueuePart
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent
from gridproof_model.events import ProtocolEvent
from gridproof_model.events.merging import MergeEnded
from gridproof_model.membership import Member, MemberId, MemberList
from gridproof_model.trace import OperationKind
from suite.zoo.members.exempted import ONE_ALONE, search_split
from suite.zoo.members.states import search_joins
from suite.zoo.mutant import (
    CLIENT_OPERATIONS,
    Bug,
    Find,
    MemberMutant,
    replacing,
    scripted,
    search_drawn,
    try_scenario,
    writes,
)

_emit = Node.emit
_why_not_accepted = Claim.why_not_accepted


def _refuse_as_a_follower(claim: Claim, candidate: MemberId) -> str | None:
    why = _why_not_accepted(claim, candidate)
    return "master itself" if why is None else why


def _keep_nobody(claim: Claim) -> MemberList:
    mine = tuple(member for member in claim._latest if member.id == claim._node.me)
    return MemberList(claim._latest.version + 1, mine)


def _notify_the_joiner_alone(admission: Admission, joiner: Member) -> None:
    partitions, roster = admission._node.partitions, admission._roster
    partitions.pause()
    admission._states.take_back(joiner)
    roster.install(roster.members.joined(joiner), admission._node.me)
    admission._finalise(joiner)
    partitions.resume()


def _say_never_that_all_is_in(node: Node, event: ProtocolEvent) -> None:
    if not isinstance(event, MergeEnded):
        _emit(node, event)


OFFERS = [
    ClientOperation("queue", OperationKind.OFFER, f"queue-{place % 2}", f"v{place}", place % 3, 800)
    for place in range(60)
]
MASTER_CRASHES = FaultEvent("crash", 500, 60_000, (0,))
search_claims = search_drawn("crash", "restart", members=4)
search_queues = search_drawn("split", workload="queue", members=4)


_rank = search.rank
_start = Replay.start


def _lose_the_last(replay: Replay) -> None:
    if replay._waiting:
        replay._waiting.pop()
    _start(replay)


TWO_OF_FIVE = FaultEvent("split", 100, 12_000, (1, 2))
SPLITS = DrawOptions(client_operations=CLIENT_OPERATIONS, jobs=False, faults=("split",), members=5)


def search_sides(seed: int) -> Find:
    """Split a drawn grid in which two members are lite members."""
    lite = tuple(Random(f"lite {seed}").sample(range(5), 2))
    return try_scenario(replace(draw_scenario(seed, SPLITS), lite=lite))


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug("X28", "claims-unaccepted", "C13", "members.21", breaks=("claim-waits-for-everybody",)).by(
        "Whoever claims to be master waits for nobody to accept it.",
        replacing(Claim, "_conclude_where_done", lambda claim: claim._conclude()),
        scripted(writes(30), MASTER_CRASHES, members=4),
        search_claims,
    ),
    Bug("X29", "claim-refused-by-followers", "C13", "members.20", breaks=("claim-refused-for-cause",)).by(
        "Whoever is asked refuses each claim, as if it were the master itself.",
        replacing(Claim, "why_not_accepted", _refuse_as_a_follower),
        scripted(writes(30), MASTER_CRASHES, members=4),
        search_claims,
    ),
    Bug("X35", "claim-drops-who-accepts", "C13", "members.22", breaks=("claim-keeps-who-accepts",)).by(
        "Whoever has claimed to be master takes itself alone for the cluster.",
        replacing(Claim, "final_view", _keep_nobody),
        scripted(writes(30), MASTER_CRASHES, members=4),
        search_claims,
    ),
    Bug("X30", "join-kept-from-others", "C13", "members.3, members.5", breaks=("lists-spread-at-once",)).by(
        "Who joins is in the list that it gets; the others hear of it with the next interval.",
        replacing(Admission, "_let_in", _notify_the_joiner_alone),
        scripted(writes(30), FaultEvent("join", 100, 60_000, (3,)), members=3),
        search_joins,
    ),
    Bug("X33", "merge-brings-no-items", "C13", "splits.7", breaks=("merge-brings-items",)).by(
        "Who merges takes no items of queues along.",
        replacing(QueuePart, "merge_operations", lambda *_: []),
        scripted(OFFERS, ONE_ALONE, members=3, partition_count=7),
        search_queues,
    ),
    Bug("X34", "merge-never-over", "C13", "splits.11", breaks=("merges-end",)).by(
        "Who has brought in all that it took along does not say that it has.",
        replacing(Node, "emit", _say_never_that_all_is_in),
        scripted(OFFERS, ONE_ALONE, members=3, partition_count=7),
        search_queues,
    ),
    Bug("X53", "lite-members-decide-who-merges", "C13", "splits.4", breaks=("smaller-side-merges",)).by(
        "Which of two clusters merges is decided by all of their members, lite ones too.",
        replacing(search, "rank", lambda side: (len(side.members.members), _rank(side)[1])),
        scripted(writes(30), TWO_OF_FIVE, members=5, lite=(3, 4)),
        search_sides,
    ),
    Bug("X54", "merge-loses-one", "C13", "splits.7, splits.11", breaks=("merges-end",)).by(
        "Who brings in what it took along forgets the last of it.",
        replacing(Replay, "start", _lose_the_last),
        scripted(writes(30), ONE_ALONE, members=3),
        search_split,
    ),
)
