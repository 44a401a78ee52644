"""Whatever `snapshot` does, `streams` may do: both are stepped through at once."""

from functools import partial

import pytest

from gridproof_model.language import Plain
from gridproof_model.language.run import Runner
from gridproof_model.specifications import snapshot, streams
from tests.exhaustive.in_step import Pair, assert_in_step
from tests.exhaustive.streams_lock_step import BUDGETS, PLENTY, difference, stepped

WORLDS: dict[str, dict[str, Plain]] = {
    "a loss": {"members": 2, "partitions": 1, "snapshots": 2, "misses": 0},
    "a miss": {"members": 2, "partitions": 1, "snapshots": 2, "crashes": 0},
    "a loss and a miss": {"members": 3, "partitions": 1, "snapshots": 1},
    "a loss and a miss, later": {"members": 3, "partitions": 1, "snapshots": 1, "fails_on_indeterminate": True},
    "another's records": {"members": 2, "partitions": 2, "snapshots": 1, "misses": 0, "records_at": 1},
}
LARGE: dict[str, Plain] = {"members": 3, "partitions": 1, "snapshots": 2, "crashes": 2}


def assert_streams_go_along(constants: dict[str, Plain]) -> None:
    abstract = Runner(snapshot.specification.world(**constants))
    given = dict(abstract.world.constants)
    concrete = Runner(
        streams.specification.world(
            members=given["members"],
            shards=given["partitions"],
            partitions=given["partitions"],
            items=given["items"],
            executions=1,
            snapshots=6,
            ids=given["snapshots"],
            writes=20,
            strict=given["fails_on_indeterminate"],
            **dict.fromkeys(("endings", "removals", "omissions", "exposures"), PLENTY),
        )
    )
    for start in abstract.initial_states():
        own = next(one for one in concrete.initial_states() if one["guarantee"].value == start["guarantee"].value)
        budgets: dict[str, Plain] = dict.fromkeys(BUDGETS, PLENTY)
        assert_in_step(abstract, Pair(start, own.replaced(budgets)), partial(stepped, concrete), difference)


@pytest.mark.parametrize("constants", WORLDS.values(), ids=WORLDS)
def test_every_step_of_snapshot_is_one_of_streams(constants: dict[str, Plain]) -> None:
    assert_streams_go_along(constants)


@pytest.mark.nightly
def test_every_step_is_where_two_are_lost() -> None:
    assert_streams_go_along(LARGE)
