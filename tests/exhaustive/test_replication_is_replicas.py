"""Whatever `replication` does, `replicas` may do: both are stepped through at once."""

from functools import partial

import pytest

from gridproof_model.language import Plain
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications import replicas, replication
from tests.exhaustive.in_step import assert_in_step
from tests.exhaustive.lock_step import PLENTY, LockStep, Pair, difference, stepped

WORLDS: dict[str, dict[str, Plain]] = {
    "one backup": {"members": 3, "async_backups": 0, "writes": 2, "migrations": 0},
    "moving": {"members": 3, "async_backups": 1, "writes": 1, "losses": 0, "crashes": 1},
    "copied": {"members": 3, "async_backups": 0, "writes": 2, "crashes": 1},
    "shifted": {"members": 4, "writes": 1, "losses": 0, "crashes": 1, "migrations": 2},
}


def runners(constants: dict[str, Plain]) -> tuple[Runner, Runner]:
    abstract = replication.specification.world(**constants)
    given = dict(abstract.constants)
    backups = int(given["sync_backups"]) + int(given["async_backups"])
    plenty = dict.fromkeys(("writes", "changes", "moves", "checks", "endings"), PLENTY)
    concrete = replicas.specification.world(members=given["members"], backups=backups, mail_capacity=64, **plenty)
    return Runner(abstract), Runner(concrete)


def start_of(abstract: Runner, concrete: Runner) -> Pair:
    slots = len(abstract.start["backup_replica"]) + 1
    return Pair(abstract.start, concrete.start, tuple(range(slots)))


@pytest.mark.parametrize("constants", WORLDS.values(), ids=WORLDS)
def test_every_step_of_replication_is_one_of_replicas(constants: dict[str, Plain]) -> None:
    abstract, concrete = runners(constants)
    assert_in_step(abstract, start_of(abstract, concrete), partial(stepped, concrete), difference)


def test_a_step_that_is_taken_otherwise_is_reported() -> None:
    abstract, concrete = runners(WORLDS["one backup"])
    pair = start_of(abstract, concrete)
    write = Event("primary_executes_write", (0,))
    after = abstract.step(pair.abstract, write)
    step = LockStep(concrete, pair.abstract, after, pair.concrete, list(pair.holders))

    assert difference(Pair(after, step.state, pair.holders)) == "the primary has (0,), and should have (1,)"
