"""Nothing that is found is false: every lemma of drawn specifications is held against every state."""

from copy import copy

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gridproof_model.language import BoolExpr, Specification, for_all
from gridproof_model.language.declarations import ClaimKind
from gridproof_model.specifications.two_phase_commit import Manager, manager_state, managers
from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.explorer import explore
from gridproof_properties.judging.verdict import Result
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.finding.columns import explored
from gridproof_properties.proofs.finding.find import End, Finder
from gridproof_properties.proofs.finding.lemmas import lemma_of
from gridproof_properties.proofs.finding.stage import Rung, Stage
from tests.model.language.drawn_specifications import specifications
from tests.profiles import FILTERED, examples
from tests.properties.drawn_worlds import world_or_skip

STATES_MAX = 3_000
MEMORY_BYTES = 1 << 22

few = settings(suppress_health_check=FILTERED, max_examples=examples(6), deadline=None)


def claims_made_of_candidates(drawn: Specification, count: int) -> Specification:
    """Return a drawn specification whose always-claims are candidates of its own: true, and not all inductive."""
    world_or_skip(drawn)
    bare = copy(drawn)
    bare.claims = []
    space = explored(bare, {}, memory_bytes=MEMORY_BYTES)
    assume(space.is_whole and space.states.shape[1] <= STATES_MAX)
    stage = Stage.of(bare, space, Rung(), given=(), before=frozenset(), seed=1)
    assume(stage is not None)
    assert stage is not None
    candidates = stage.candidates(2, seed=1)
    every = sorted(candidates.clauses, key=lambda clause: -len(clause.literals))
    names: set[str] = set()
    for clause in every[:: max(1, len(every) // count)][:count]:
        bare.claims.append(lemma_of(clause, names))
        names.add(bare.claims[-1].name)
    assume(bare.claims)
    return bare


def always_false(specification: Specification, argument: Argument) -> list[str]:
    """Return the claims and lemmas that are false, or mean nothing, in some state."""
    for constants in argument.explored_in:
        found = explore(argument.world(constants), memory_bytes=1 << 28, stories=False)
        return [
            v.claim.name for v in found.verdicts if v.claim.kind is ClaimKind.ALWAYS and v.result is not Result.HOLDS
        ]
    raise AssertionError(specification)


@few
@given(specifications(), st.integers(3, 6))
def test_every_lemma_of_a_drawn_specification_holds_in_every_state(drawn: Specification, count: int) -> None:
    specification = claims_made_of_candidates(drawn, count)
    finder = Finder(specification, [claim.name for claim in specification.claims], memory_bytes=MEMORY_BYTES)

    finder.run()

    assert always_false(specification, finder.argument) == []
    assert {finding.end for finding in finder.findings} <= {End.PROVED, End.NOT_FOUND}


def test_a_lemma_that_is_false_somewhere_would_be_noticed() -> None:
    false = Argument(two_phase_commit, proved_in=(), explored_in=({"size": 2},))

    @false.lemma
    def nobody_commits() -> BoolExpr:
        """No manager has committed."""
        return for_all(managers, lambda manager: manager_state[manager] != Manager.COMMITTED)

    assert always_false(two_phase_commit, false) == ["nobody_commits"]
