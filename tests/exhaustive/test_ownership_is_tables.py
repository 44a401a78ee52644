"""Whatever `ownership` does, `tables` may do: both are stepped through at once."""

from functools import partial

import pytest

from gridproof_model.language import Plain
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications import ownership, tables
from tests.exhaustive.in_step import Pair, assert_in_step
from tests.exhaustive.tables_lock_step import BUDGETS, PLENTY, difference, stepped

WORLDS: dict[str, dict[str, Plain]] = {
    "a crash": {"members": 2, "crashes": 1, "rebalances": 0},
    "a leave": {"members": 2, "newcomers": 1, "crashes": 0, "leaves": 1, "rebalances": 0},
    "a lite member": {"members": 3, "lite": 1, "crashes": 1, "rebalances": 0},
    "a failure": {"members": 2, "newcomers": 1, "crashes": 0, "failures": 1},
    "two backups": {"members": 3, "crashes": 1, "backups": 2, "groups": 3, "rebalances": 0},
    "a move": {"members": 3, "crashes": 1, "rebalances": 1},
}
LARGE: dict[str, Plain] = {"members": 2, "newcomers": 1, "crashes": 1, "leaves": 1, "rebalances": 0}


def runners(constants: dict[str, Plain]) -> tuple[Runner, Runner]:
    abstract = ownership.specification.world(**constants)
    given = dict(abstract.constants)
    plenty = dict.fromkeys(("changes", "edits", "orders", "losses", "endings", "versions"), PLENTY)
    concrete = tables.specification.world(
        members=int(given["members"]) + int(given["newcomers"]),
        backups=given["backups"],
        migrations=given["migrations_at_once"],
        tables_sent=8,
        **plenty,
    )
    return Runner(abstract), Runner(concrete)


def start_of(abstract: Runner, concrete: Runner) -> Pair:
    """Return the beginning: nobody knows of anybody but of the first member, who is to be the master."""
    count = len(concrete.start["version"])
    founders = dict(abstract.world.constants)["members"]
    nobody = ((None,) * count,) * count
    follows = tuple(0 if member < founders else None for member in range(count))
    budgets = dict.fromkeys(BUDGETS, PLENTY)
    return Pair(abstract.start, concrete.start.replaced({"rank": nobody, "follows": follows, **budgets}))


@pytest.mark.parametrize("constants", WORLDS.values(), ids=WORLDS)
def test_every_step_of_ownership_is_one_of_tables(constants: dict[str, Plain]) -> None:
    assert_tables_go_along(constants)


@pytest.mark.nightly
def test_every_step_is_where_members_join_leave_and_crash() -> None:
    assert_tables_go_along(LARGE)


def assert_tables_go_along(constants: dict[str, Plain]) -> None:
    abstract, concrete = runners(constants)
    assert_in_step(abstract, start_of(abstract, concrete), partial(stepped, concrete), difference)


def test_a_step_that_comes_to_something_else_is_reported() -> None:
    abstract, concrete = runners(WORLDS["a crash"])
    pair = start_of(abstract, concrete)
    formed = abstract.step(pair.abstract, Event("founders_form_the_cluster", ()))

    assert difference(Pair(formed, pair.concrete.replaced({"version": (1, 0)}))) == (
        "version of member 0 is 1, and should be 0"
    )
