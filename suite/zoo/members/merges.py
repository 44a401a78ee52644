"""Mutants of merges: who merges, and what comes along."""

from dataclasses import replace
from random import Random

from gridproof_implementation.protocol.merging import search
from gridproof_implementation.protocol.merging.dissolution import Replay
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario import FaultEvent
from suite.zoo.member_mutant import MemberMutant
from suite.zoo.members.exempted import ONE_ALONE, search_split
from suite.zoo.mutant import replacing
from suite.zoo.scenario_search import CLIENT_OPERATIONS, Find, scripted, try_scenario, writes

_rank = search.rank
_start = Replay.start


def _lose_the_last(replay: Replay) -> None:
    if replay._waiting:
        replay._waiting.pop()
    _start(replay)


TWO_OF_FIVE = FaultEvent("split", 100, 12_000, (1, 2))
SPLITS = DrawOptions(client_operations=CLIENT_OPERATIONS, jobs=False, faults=("split",), members=5)


def search_sides(seed: int) -> Find:
    """Let a drawn grid fall apart of which two members are lite ones."""
    lite = tuple(Random(f"lite {seed}").sample(range(5), 2))
    return try_scenario(replace(draw_scenario(seed, SPLITS), lite=lite))


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    MemberMutant(
        number="X53",
        name="lite-members-decide-who-merges",
        defect_class="C13",
        rule="Which of two clusters merges is decided by all of their members, lite ones too.",
        source="splits.4",
        breaks=("smaller-side-merges",),
        plant=replacing(search, "rank", lambda side: (len(side.members.members), _rank(side)[1])),
        witness=scripted(writes(30), TWO_OF_FIVE, members=5, lite=(3, 4)),
        search=search_sides,
    ),
    MemberMutant(
        number="X54",
        name="merge-loses-one",
        defect_class="C13",
        rule="Who brings in what it took along forgets the last of it.",
        source="splits.7, splits.11",
        breaks=("merges-end",),
        plant=replacing(Replay, "start", _lose_the_last),
        witness=scripted(writes(30), ONE_ALONE, members=3),
        search=search_split,
    ),
)
