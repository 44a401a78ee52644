"""Whatever `invocation` does, `calls` may do: both are stepped through at once."""

from collections.abc import Collection, Iterator
from functools import partial

import pytest

from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications import calls, invocation
from gridproof_model.specifications.invocation.state import Kind
from tests.exhaustive.calls_lock_step import BUDGETS, PLENTY, Pair, difference, stepped
from tests.exhaustive.in_step import assert_in_step

UNCOUNTED: dict[str, Plain] = {"counts_leavers": False}
WORLDS: dict[str, dict[str, Plain]] = {
    "two members": {"members": 2},
    "no losses": {"losses": 0, "migrations": 0},
    "strict calls, too": {"members": 2, **UNCOUNTED},
    "strict calls, and no losses": {"losses": 0, "migrations": 0, **UNCOUNTED},
    "an async backup": {"members": 3, "async_backups": 1, "losses": 0, "crashes": 0},
    "two sync backups": {"members": 3, "sync_backups": 2, "losses": 0, "migrations": 0, **UNCOUNTED},
}
LARGE: dict[str, Plain] = {"attempts": 3, "crashes": 2, "losses": 0, "migrations": 0, **UNCOUNTED}


class WithoutStrictCalls(Runner):
    """The world without calls in indeterminate mode: in `calls` no leaver counts for those (docs/findings.md)."""

    def events(self, state: State, actions: Collection[str] | None = None) -> Iterator[Event]:
        """Yield everything else that may happen."""
        return (event for event in super().events(state, actions) if event.arguments != (Kind.STRICT_WRITE,))


def runners(constants: dict[str, Plain]) -> tuple[Runner, Runner]:
    abstract = invocation.specification.world(**constants)
    given = dict(abstract.constants)
    concrete = calls.specification.world(
        members=int(given["members"]) + 1,
        backups=int(given["sync_backups"]) + int(given["async_backups"]),
        attempts=given["attempts"],
        retries=given["attempts"],
        handlings=PLENTY,
        changes=PLENTY,
        endings=PLENTY,
    )
    kind = WithoutStrictCalls if given["counts_leavers"] else Runner
    return kind(abstract), Runner(concrete)


def start_of(abstract: Runner, concrete: Runner) -> Pair:
    """Return the beginning: nobody has a row yet, and the last member is the caller, which owns nothing."""
    members = len(concrete.start["row"])
    slots = len(concrete.start["row"][0])
    start = concrete.start.replaced(
        {
            "caller": members - 1,
            "row": ((None,) * slots,) * members,
            "reach": (min(members - 2, slots - 1),) * members,
            **dict.fromkeys(BUDGETS, PLENTY),
        }
    )
    return Pair(abstract.start, start, (None,) * int(dict(abstract.world.constants)["attempts"]))


@pytest.mark.parametrize("constants", WORLDS.values(), ids=WORLDS)
def test_every_step_of_invocation_is_one_of_calls(constants: dict[str, Plain]) -> None:
    assert_calls_go_along(constants)


@pytest.mark.nightly
def test_every_step_is_where_two_members_crash() -> None:
    assert_calls_go_along(LARGE)


def assert_calls_go_along(constants: dict[str, Plain]) -> None:
    abstract, concrete = runners(constants)
    sync_backups = int(dict(abstract.world.constants)["sync_backups"])
    assert_in_step(abstract, start_of(abstract, concrete), partial(stepped, concrete, sync_backups), difference)


def test_a_step_that_comes_to_something_else_is_reported() -> None:
    abstract, concrete = runners(WORLDS["two members"])
    pair = start_of(abstract, concrete)

    assert difference(Pair(pair.abstract, pair.concrete.replaced({"received": 1}), pair.numbers)) == (
        "received is 1, and should be 0"
    )
