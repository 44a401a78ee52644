"""What a target checks, executes, parks and tells (reference replication 1.3, 1.4, 1.6, 2.8, 3.7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest

from gridproof_implementation.protocol.calls import (
    Backup,
    CallTimeoutResponse,
    ErrorResponse,
    IteratingRequest,
    IteratingResponse,
    OperationControl,
    Response,
)
from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.effects import Effect, SetTimer
from gridproof_implementation.protocol.failures import Failure
from gridproof_implementation.protocol.operation.parking import WaitIsOver
from gridproof_implementation.protocol.operation.part import TellWhatRuns
from gridproof_implementation.protocol.structure import (
    BlockingOperation,
    Execution,
    Operation,
    Origin,
    StructureId,
)
from gridproof_implementation.protocol.structures import STRUCTURES
from gridproof_implementation.protocol.structures.map import Get, Put
from tests.implementation.protocol.grids import SECOND_US, member_at, sent
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

GATE = StructureId("gate", "g")


@dataclass(frozen=True, slots=True)
class Open(Operation):
    """Let one pass."""


@dataclass(frozen=True, slots=True)
class Pass(BlockingOperation):
    """Wait until one may pass."""

    GIVEN_UP: ClassVar[object] = "gave up"


@dataclass(frozen=True, slots=True)
class Break(Operation):
    """Throw."""


class GatePart:
    """A structure with something to wait for."""

    def __init__(self) -> None:
        self.may_pass = 0

    def execute(self, operation: Operation, origin: Origin) -> Execution:
        match operation:
            case Open():
                self.may_pass += 1
                return Execution(None, self.may_pass)
            case Pass() if self.may_pass:
                self.may_pass -= 1
                return Execution("passed", self.may_pass)
            case Pass():
                return Execution(wait=True)
            case _:
                return Execution(failure=Failure.THROWN)

    def apply_backup(self, backup: object) -> None:
        assert isinstance(backup, int)
        self.may_pass = backup

    def replica_data(self) -> object:
        return self.may_pass

    def load(self, data: object) -> None:
        self.apply_backup(data)

    def entries(self) -> Mapping[str, str]:
        return {"may pass": str(self.may_pass)}


@pytest.fixture(autouse=True)
def gates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRUCTURES, GATE.kind, GatePart)


def failures(effects: Sequence[Effect]) -> list[Failure]:
    """Return the errors that callers were told."""
    return [message.failure for _, message in sent(effects, ErrorResponse)]


def values(effects: Sequence[Effect]) -> list[object]:
    """Return the results that callers were told."""
    return [message.value for _, message in sent(effects, Response)]


def test_a_request_of_a_stranger_is_refused() -> None:
    one = one_in_row(0)

    effects = one.member.receive(member_at(9).id, request_of(Get(MAP, "k")), 0)

    assert failures(effects) == [Failure.CALLER_NOT_MEMBER]


def test_user_operations_are_refused_in_a_passive_cluster() -> None:
    one = one_in_row(1, (1, 0))
    one.tell(0, one.update(one.version + 1, (0, 1, 2), ClusterState.PASSIVE))

    assert failures(put(one, caller=0)) == [Failure.ILLEGAL_STATE]


def test_user_operations_run_in_a_frozen_cluster() -> None:
    one = one_in_row(1, (1, 0))
    one.tell(0, one.update(one.version + 1, (0, 1, 2), ClusterState.FROZEN))

    assert failures(put(one, caller=0)) == []


def test_a_request_that_comes_after_its_call_timeout_is_not_executed() -> None:
    one = one_in_row(0)
    one.now_us = 11

    effects = one.tell(1, request_of(Put(MAP, "k", "v"), 5, deadline_us=10))

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

    assert values(one.tell(1, request_of(Get(MAP, "k")))) == ["v"]


def test_a_read_is_refused_while_its_partition_migrates_when_stale_reads_are_disabled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = one_in_row(0, config=config_of(partition_migration_stale_read_disabled="true"))
    set_migrating(one, monkeypatch)

    assert failures(one.tell(1, request_of(Get(MAP, "k")))) == [Failure.PARTITION_MIGRATING]


def test_migrating_is_looked_at_before_the_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_in_row(1)
    set_migrating(one, monkeypatch)

    assert failures(put(one, caller=0)) == [Failure.PARTITION_MIGRATING]


def test_who_does_not_own_the_partition_by_its_own_table_refuses() -> None:
    assert failures(put(one_in_row(1), caller=0)) == [Failure.WRONG_TARGET]


def test_an_operation_that_throws_is_told_and_counts_no_version() -> None:
    one = one_in_row(0)

    effects = one.tell(1, request_of(Break(GATE)))

    assert (failures(effects), sent(effects, Backup)) == ([Failure.THROWN], [])
    assert fragment_of(one, "shared").versions == vector_of()


def test_an_operation_without_response_is_executed_and_nobody_told() -> None:
    one = one_in_row(0)

    effects = put(one, call_id=0)

    assert (values(effects), failures(effects), fragment_of(one).versions) == ([], [], vector_of(1))


def test_an_operation_that_has_to_wait_is_parked() -> None:
    effects = one_in_row(0).tell(1, request_of(Pass(GATE, wait_us=None)))

    assert (values(effects), failures(effects)) == ([], [])


def test_an_operation_that_will_not_wait_is_answered_at_once() -> None:
    effects = one_in_row(0).tell(1, request_of(Pass(GATE, wait_us=0)))

    assert values(effects) == ["gave up"]


def test_parked_operations_go_on_after_a_change_first_come_first() -> None:
    one = one_in_row(0)
    one.tell(1, request_of(Pass(GATE, wait_us=None), 1))
    one.tell(2, request_of(Pass(GATE, wait_us=None), 2))

    effects = one.tell(1, request_of(Open(GATE), 3))

    assert [message.call_id for _, message in sent(effects, Response)] == [3, 1]


def test_a_parked_operation_that_goes_on_is_backed_up() -> None:
    one = one_in_row(0)
    one.tell(1, request_of(Pass(GATE, wait_us=None), 1))

    effects = one.tell(1, request_of(Open(GATE), 3))

    assert [message.call_id for _, message in sent(effects, Backup)] == [3, 1]


def test_a_wait_that_is_over_is_answered() -> None:
    one = one_in_row(0)
    one.tell(1, request_of(Pass(GATE, wait_us=SECOND_US)))

    assert values(one.member.wake(WaitIsOver(1), SECOND_US)) == ["gave up"]


def test_a_parked_operation_is_sent_again_when_its_call_times_out() -> None:
    one = one_in_row(0)
    effects = one.tell(1, request_of(Pass(GATE, wait_us=None), 4, deadline_us=SECOND_US))
    (delay_us,) = [e.delay_us for e in effects if isinstance(e, SetTimer)]

    later = one.member.wake(WaitIsOver(1), delay_us)

    assert [message.call_id for _, message in sent(later, CallTimeoutResponse)] == [4]


def test_parked_operations_are_bounced_when_their_partition_moves() -> None:
    one = one_in_row(0)
    one.tell(1, request_of(Pass(GATE, wait_us=None)))

    one.member.node.operations.partition_moved(P)

    assert failures(one.member.node.effects) == [Failure.PARTITION_MIGRATING]


def test_parked_operations_of_a_departed_caller_are_dropped() -> None:
    one = one_in_row(0)
    one.tell(1, request_of(Pass(GATE, wait_us=None), 1))

    one.member.node.operations.member_removed(one.id_of(1))
    effects = one.tell(2, request_of(Open(GATE), 2))

    assert [message.call_id for _, message in sent(effects, Response)] == [2]


def test_operation_heartbeats_tell_each_caller_which_of_its_calls_are_parked() -> None:
    one = one_in_row(0)
    one.tell(1, request_of(Pass(GATE, wait_us=None), 1))
    one.tell(2, request_of(Pass(GATE, wait_us=None), 2))
    one.tell(1, request_of(Pass(GATE, wait_us=None), 3))

    told = sent(one.member.wake(TellWhatRuns(), SECOND_US), OperationControl)

    assert [(to, message.call_ids) for to, message in told] == [
        (one.id_of(1).address, (1, 3)),
        (one.id_of(2).address, (2,)),
    ]


def test_operation_heartbeats_come_four_times_in_a_call_timeout() -> None:
    one = one_in_row(0)

    (timer,) = [e for e in one.member.wake(TellWhatRuns(), 0) if isinstance(e, SetTimer)]

    assert timer.delay_us == one.member.node.settings.call_timeout_us // 4


def test_operation_heartbeats_come_at_most_once_a_second() -> None:
    one = one_in_row(0, config=config_of(operation_call_timeout_millis=100))

    (timer,) = [e for e in one.member.wake(TellWhatRuns(), 0) if isinstance(e, SetTimer)]

    assert timer.delay_us == SECOND_US


def iterating(*operations: tuple[int, Operation]) -> IteratingRequest:
    """Return a request for several partitions."""
    return IteratingRequest(7, operations, 0, 7, FAR_FUTURE_US)


def test_operations_of_several_partitions_run_without_acknowledgements() -> None:
    effects = one_in_row(0).tell(1, iterating((P, Put(MAP, "k", "v"))))

    assert [(message.call_id, message.is_sync) for _, message in sent(effects, Backup)] == [(0, False)]


def test_each_of_several_partitions_tells_its_value_or_its_failure() -> None:
    one = one_in_row(0)
    set_row(one, (0, 1))

    effects = one.tell(1, iterating((P, Put(MAP, "k", "v")), (1, Put(MAP, "l", "w"))))

    assert [(message.values, message.failures) for _, message in sent(effects, IteratingResponse)] == [
        (((P, None),), ((1, Failure.WRONG_TARGET),))
    ]


def test_operations_of_several_partitions_that_come_too_late_are_not_executed() -> None:
    one = one_in_row(0)
    one.now_us = 11

    effects = one.tell(1, IteratingRequest(7, ((P, Put(MAP, "k", "v")),), 0, 7, 10))

    assert [message.call_id for _, message in sent(effects, CallTimeoutResponse)] == [7]
