"""TLC agrees with us on specifications drawn at random."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, assume, given, reject, settings

from gridproof_model.language import ClaimKind, Specification, SpecificationError, World
from gridproof_properties.explorer import Exploration, explore
from gridproof_properties.judging.verdict import Result
from tests.model.language.drawn_specifications import specifications
from tests.profiles import FILTERED
from tests.properties.drawn_worlds import is_defined
from tools.tlc import TlcCounts, TlcError, find_jar, met_by_tlc, run_tlc

JAR = find_jar()
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(JAR is None, reason="needs Java and the TLC jar: pip install '.[nightly]'"),
]
fifty_drawn = settings(
    max_examples=50,
    phases=[Phase.reuse, Phase.generate],
    suppress_health_check=FILTERED,
)
"""Not shrunk, as every example starts a Java."""


@settings(fifty_drawn, max_examples=100)
@given(specifications(with_progress=True))
def test_tlc_counts_as_we_do_and_keeps_the_claims_we_keep(specification: Specification) -> None:
    exploration = defined(specification)

    theirs = tlc(specification, with_claims(exploration, Result.HOLDS))

    assert theirs.states == exploration.states


@fifty_drawn
@given(specifications(with_progress=True))
def test_tlc_breaks_a_claim_that_we_break(specification: Specification) -> None:
    exploration = defined(specification)
    broken = with_claims(exploration, Result.BROKEN)
    assume(broken.claims)

    with pytest.raises(TlcError, match=r"violated|equal to FALSE"):
        tlc(specification, replace(broken, claims=broken.claims[:1]))


@fifty_drawn
@given(specifications(with_progress=True))
def test_tlc_meets_what_we_meet_and_no_more(specification: Specification) -> None:
    exploration = defined(specification)
    sometimes = [verdict for verdict in exploration.verdicts if verdict.claim.kind is ClaimKind.SOMETIMES]
    assume(sometimes)
    assert JAR is not None

    with TemporaryDirectory() as folder:
        met = met_by_tlc(specification, exploration.world, Path(folder), jar=JAR)

    assert met == {verdict.claim.name: verdict.result is Result.HOLDS for verdict in sometimes}


def defined(specification: Specification) -> Exploration:
    """Explore a drawn specification; pass over one that does not build, has an undefined step or a single state.

    And over one whose deadlock TLC would report, too, before anything else.
    """
    try:
        exploration = explore(specification.world())
    except SpecificationError:
        reject()
    assume(exploration.is_complete and exploration.states > 1)
    assume(is_defined(exploration))
    assume(exploration.failure is None or specification.stopping is None)
    return exploration


def with_claims(exploration: Exploration, result: Result) -> World:
    """Return the world with those claims that came out so, and that TLC judges in all states: it has no sometimes."""
    judged = (verdict.claim for verdict in exploration.verdicts if verdict.result is result)
    return replace(exploration.world, claims=tuple(c for c in judged if c.kind is not ClaimKind.SOMETIMES))


def tlc(specification: Specification, world: World) -> TlcCounts:
    """Run TLC in a folder of its own."""
    assert JAR is not None
    with TemporaryDirectory() as folder:
        return run_tlc(specification, world, Path(folder), jar=JAR)
