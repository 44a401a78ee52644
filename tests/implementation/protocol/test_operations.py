"""What a target checks and executes.

Source: calls.9, calls.10, calls.28.
"""

import pytest

from gridproof_implementation.protocol.calls import (
    Backup,
    CallTimeoutResponse,
    IteratingRequest,
    IteratingResponse,
)
from gridproof_implementation.protocol.structure import (
    Operation,
)
from gridproof_implementation.protocol.structures.map import Get, Put
from gridproof_model.events.words import Failure
from gridproof_model.membership import ClusterState
from tests.implementation.protocol.gates import GATE, Break, add_gates, failures, values
from tests.implementation.protocol.grids import member_at, sent
from tests.implementation.protocol.replicas import (
    FAR_FUTURE_US,
    MAP,
    P,
    config_of,
    fragment_of,
    one_in_row,
    put,
    request_of,
    set_migrating,
    set_row,
    vector_of,
)


@pytest.fixture(autouse=True)
def gates(monkeypatch: pytest.MonkeyPatch) -> None:
    add_gates(monkeypatch)


def test_a_request_of_a_stranger_is_refused() -> None:
    one = one_in_row(0)

    effects = one.member.receive(member_at(9).id, request_of(Get(MAP, "k")), 0)

    assert failures(effects) == [Failure.CALLER_NOT_MEMBER]


def test_user_operations_are_refused_in_a_passive_cluster() -> None:
    one = one_in_row(1, (1, 0))
    one.hand_over(0, one.update(one.version + 1, (0, 1, 2), ClusterState.PASSIVE))

    assert failures(put(one, caller=0)) == [Failure.ILLEGAL_STATE]


def test_user_operations_run_in_a_frozen_cluster() -> None:
    one = one_in_row(1, (1, 0))
    one.hand_over(0, one.update(one.version + 1, (0, 1, 2), ClusterState.FROZEN))

    assert failures(put(one, caller=0)) == []


def test_a_request_that_comes_after_its_call_timeout_is_not_executed() -> None:
    one = one_in_row(0)
    one.now_us = 11

    effects = one.hand_over(1, request_of(Put(MAP, "k", "v"), 5, deadline_us=10))

    assert [message.call_id for _, message in sent(effects, CallTimeoutResponse)] == [5]
    assert fragment_of(one).versions == vector_of()


def test_a_write_is_refused_while_its_partition_migrates(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_in_row(0)
    set_migrating(one, monkeypatch)

    assert failures(put(one)) == [Failure.PARTITION_MIGRATING]


def test_a_read_runs_while_its_partition_migrates(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_in_row(0)
    put(one, value="v")
    set_migrating(one, monkeypatch)

    assert values(one.hand_over(1, request_of(Get(MAP, "k")))) == ["v"]


def test_a_read_is_refused_while_its_partition_migrates_when_stale_reads_are_disabled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = one_in_row(0, config=config_of(partition_migration_stale_read_disabled="true"))
    set_migrating(one, monkeypatch)

    assert failures(one.hand_over(1, request_of(Get(MAP, "k")))) == [Failure.PARTITION_MIGRATING]


def test_migrating_is_looked_at_before_the_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_in_row(1)
    set_migrating(one, monkeypatch)

    assert failures(put(one, caller=0)) == [Failure.PARTITION_MIGRATING]


def test_who_does_not_own_the_partition_by_its_own_table_refuses() -> None:
    assert failures(put(one_in_row(1), caller=0)) == [Failure.WRONG_TARGET]


def test_an_operation_that_throws_is_reported_and_counts_no_version() -> None:
    one = one_in_row(0)

    effects = one.hand_over(1, request_of(Break(GATE)))

    assert (failures(effects), sent(effects, Backup)) == ([Failure.THROWN], [])
    assert fragment_of(one, "shared").versions == vector_of()


def test_an_operation_without_response_is_executed_and_nobody_notified() -> None:
    one = one_in_row(0)

    effects = put(one, call_id=0)

    assert (values(effects), failures(effects), fragment_of(one).versions) == ([], [], vector_of(1))


def iterating(*operations: tuple[int, Operation]) -> IteratingRequest:
    """Return a request for several partitions."""
    return IteratingRequest(7, operations, 0, 7, FAR_FUTURE_US)


def test_operations_of_several_partitions_run_without_acknowledgements() -> None:
    effects = one_in_row(0).hand_over(1, iterating((P, Put(MAP, "k", "v"))))

    assert [(message.call_id, message.is_sync) for _, message in sent(effects, Backup)] == [(0, False)]


def test_each_of_several_partitions_says_its_value_or_its_failure() -> None:
    one = one_in_row(0)
    set_row(one, (0, 1))

    effects = one.hand_over(1, iterating((P, Put(MAP, "k", "v")), (1, Put(MAP, "l", "w"))))

    assert [(message.values, message.failures) for _, message in sent(effects, IteratingResponse)] == [
        (((P, None),), ((1, Failure.WRONG_TARGET),))
    ]


def test_operations_of_several_partitions_that_come_too_late_are_not_executed() -> None:
    one = one_in_row(0)
    one.now_us = 11

    effects = one.hand_over(1, IteratingRequest(7, ((P, Put(MAP, "k", "v")),), 0, 7, 10))

    assert [message.call_id for _, message in sent(effects, CallTimeoutResponse)] == [7]
