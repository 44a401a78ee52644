"""The readings of the language agree on random specifications."""

from dataclasses import dataclass, field
from itertools import chain
from random import Random

from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis.strategies import randoms

from gridproof_model.spec import Claim, ClaimKind, Specification, SpecificationError, State, StepError
from gridproof_model.spec.cells import cells_of, decode, encode
from gridproof_model.spec.lower_world import lower
from gridproof_model.spec.page import page
from gridproof_model.spec.run import Runner
from gridproof_properties.explorer import Exploration, explore
from gridproof_properties.explorer.packing import Packing
from gridproof_properties.strategies.specifications import specifications
from gridproof_properties.verdict import Result

STATES_MAX = 400


@dataclass
class Walked:
    """All states, by the run reading alone."""

    runner: Runner
    levels: list[set[State]] = field(default_factory=list)
    transitions: int = 0
    undefined: bool = False

    def walk(self) -> None:
        frontier = set(self.runner.initial_states())
        seen: set[State] = set()
        while frontier and not self.undefined:
            self.levels.append(frontier)
            seen |= frontier
            assume(len(seen) <= STATES_MAX)
            frontier = set(chain.from_iterable(map(self.successors, frontier))) - seen

    def successors(self, state: State) -> list[State]:
        try:
            found = [self.runner.step(state, event) for event in self.runner.events(state)]
        except StepError:
            self.undefined = True
            return []
        self.transitions += len(found)
        return found

    def first_level(self, claim: Claim) -> int | None:
        """Return the level at which a claim is first broken (always) or seen (sometimes)."""
        wanted = claim.kind is ClaimKind.SOMETIMES
        for number, level in enumerate(self.levels):
            if any(self.runner.holds(claim, state) is wanted for state in level):
                return number
        return None


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(specifications())
def test_run_and_explore_agree(specification: Specification) -> None:
    note(page(specification))
    world = specification.world()
    walked = Walked(Runner(world))
    try:
        lower(world)
    except SpecificationError:
        assume(False)
    walked.walk()

    exploration = explore(world)

    assert exploration.level_sizes == tuple(map(len, walked.levels))
    if walked.undefined:
        assert exploration.failure is not None
    else:
        assert exploration.transitions == walked.transitions
        assert_claims_agree(walked, exploration)


def assert_claims_agree(walked: Walked, exploration: Exploration) -> None:
    for verdict in exploration.verdicts:
        try:
            level = walked.first_level(verdict.claim)
        except StepError:
            assert exploration.failure is not None
            return
        decided = (
            (Result.BROKEN, Result.HOLDS) if verdict.claim.kind is ClaimKind.ALWAYS else (Result.HOLDS, Result.BROKEN)
        )
        assert verdict.result is decided[level is None]
        assert len(verdict.witness) == (0 if level is None else level + 1)


@given(specifications(), randoms())
def test_every_state_is_one_row_of_cells(specification: Specification, dice: Random) -> None:
    world = specification.world()
    start = dice.choice(list(world.initial_states()))
    packing = Packing.of(cells_of(world))

    packed = packing.pack([encode(world, start)])

    assert decode(world, packing.unpack(packed[:, 0])) == start
