"""The second translation says of worlds of a size what plain values do there, and nothing more."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gridproof_model.language import ANY_NUMBER, EITHER, Specification, StepError
from gridproof_properties.proofs.any_number.meanings import NoMeaningError
from gridproof_properties.proofs.argument import Argument, Constants
from gridproof_properties.proofs.arguments import ARGUMENTS
from tests.model.language.drawn_specifications import specifications
from tests.profiles import FILTERED, examples
from tests.properties.any_number.held_against_runs import HeldAgainstRuns
from tests.properties.drawn_worlds import world_or_skip

OF_ONE_SIZE: dict[str, tuple[Constants, Constants]] = {
    "two_phase_commit": ({"size": ANY_NUMBER}, {"size": 3}),
    "durability": ({"sync_backups": ANY_NUMBER}, {}),
    "invocation": ({"members": ANY_NUMBER, "attempts": ANY_NUMBER, "serves_stale_reads": EITHER}, {}),
    "replication": ({"members": ANY_NUMBER}, {}),
}
LONG = {"replication"}
"""A walk of one step takes half a minute, of five a minute."""
RIGHT = {
    "it starts there: sat",
    "a step that is taken: sat",
    "the same step to another state: unsat",
    "another truth of a claim: unsat",
    "a refused step: unsat",
}


def is_long(argument: Argument) -> bool:
    """Whether a walk is for the night."""
    return argument.specification.name in LONG


@pytest.mark.parametrize(
    ("argument", "length"),
    [
        *(
            pytest.param(a, 5, id=name)
            for a in ARGUMENTS
            if (name := a.specification.name) in OF_ONE_SIZE and not is_long(a)
        ),
        *(pytest.param(a, 5, marks=pytest.mark.nightly) for a in ARGUMENTS if is_long(a)),
    ],
)
def test_it_says_what_plain_values_do(argument: Argument, length: int) -> None:
    held = HeldAgainstRuns(argument, *OF_ONE_SIZE[argument.specification.name])

    held.walk(seed=1, length=length)

    assert set(held.answers) == RIGHT, held.answers


@settings(suppress_health_check=FILTERED, max_examples=examples(15), deadline=None)
@given(specifications(), st.integers(0, 99))
def test_it_says_what_plain_values_do_of_drawn_specifications(drawn: Specification, seed: int) -> None:
    world_or_skip(drawn)
    try:
        held = HeldAgainstRuns(Argument(drawn, proved_in=(), explored_in=()), {"slots": ANY_NUMBER}, {"slots": 2})
        held.walk(seed, length=3)
    except (StepError, NoMeaningError):
        assume(False)

    assert {answer for answer in held.answers if not answer.endswith(": unknown")} <= RIGHT, held.answers
