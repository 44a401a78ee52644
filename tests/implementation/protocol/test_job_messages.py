"""What members send each other about a job."""

from collections.abc import Callable
from functools import partial

import pytest

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.jobs.edges import InboundLane, OutboundLane
from gridproof_implementation.protocol.jobs.job_master import covers_all
from gridproof_implementation.protocol.jobs.messages import (
    Barrier,
    ExecutionPlan,
    InitExecution,
    JobReply,
    NoMoreItems,
    Packet,
    PacketsReceived,
    PrimariesRead,
    ReadPrimaries,
    RestoreEnd,
    Rounds,
    SnapshotTaken,
    StartExecution,
    TakeSnapshot,
    TerminateExecution,
)
from gridproof_implementation.protocol.jobs.records import JOB_RECORDS, ExecutionRecord, RecordKeeper
from gridproof_implementation.protocol.node import Call
from gridproof_model.events.jobs import SourceSaved
from gridproof_model.events.words import Failure
from tests.implementation.protocol.grids import events_in, member_at, one_of, sent
from tests.implementation.protocol.jobs import SUMS

BARRIER = Barrier(1, 0, terminal=False)


def test_an_indeterminate_record_is_written_until_its_backup_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_of(1, place=0)
    asked: list[Callable[[Answer], None]] = []
    monkeypatch.setattr(one.member.node.invocations, "invoke", lambda call, then: asked.append(then))
    found: list[Failure | None] = []
    keeper = RecordKeeper(one.member.node, SUMS, ExecutionRecord())

    keeper.write_safely(ExecutionRecord(ongoing=1), found.append)
    asked[0](Answer(0, None, Failure.INDETERMINATE))
    assert (len(asked), found) == (1, [])  # a pause first
    keeper.write_again()
    asked[1](Answer(0, True))

    assert found == [None]


def test_a_snapshot_asked_for_early_is_taken_once_all_state_is_restored() -> None:
    one = one_of(2, place=1)
    participants = (one.id_of(0), one.id_of(1))
    plan = ExecutionPlan("e", SUMS, participants, (participants[0],) * 5, None)
    one.hand_over(0, InitExecution(1, plan))
    one.hand_over(0, StartExecution(2, "e"))
    one.hand_over(1, Packet("e", 0, (RestoreEnd(),)))

    early = one.hand_over(0, TakeSnapshot(3, "e", 1, 0, terminal=False))
    restored = one.hand_over(0, Packet("e", 0, (RestoreEnd(),)))

    assert events_in(early, SourceSaved) == []
    assert [event.offsets for event in events_in(restored, SourceSaved)] == [((1, 0),)]


def test_only_the_masters_requests_count() -> None:
    one = one_of(3, place=2)
    request = TerminateExecution(1, "e")

    assert one.hand_over(1, request) == []
    assert sent(one.hand_over(0, request), JobReply)


def test_a_plan_that_does_not_fit_the_table_here_is_refused() -> None:
    one = one_of(2, place=1)
    participants = (one.id_of(0), one.id_of(1))
    plan = ExecutionPlan("e", SUMS, participants, (participants[1],) * 5, None)

    ((_, reply),) = sent(one.hand_over(0, InitExecution(1, plan)), JobReply)

    assert reply.failure == "the partitions here are not those of the plan"


def test_a_newer_execution_of_a_job_ends_the_older_one() -> None:
    one = one_of(2, place=1)
    participants = (one.id_of(0), one.id_of(1))
    for execution in ("older", "newer"):
        plan = ExecutionPlan(execution, SUMS, participants, (participants[0],) * 5, None)
        one.hand_over(0, InitExecution(1, plan))

    ((_, reply),) = sent(one.hand_over(0, StartExecution(2, "older")), JobReply)

    assert reply.failure == "execution older is not here"


def test_primaries_are_all_read_when_each_partition_was_read_once() -> None:
    a, b = member_at(0).id, member_at(1).id

    def read(*partitions: int) -> PrimariesRead:
        return PrimariesRead(1, partitions=partitions, asker=a)

    assert covers_all({a: read(0, 2), b: read(1)}, 3)
    assert not covers_all({a: read(0), b: read(1)}, 3)
    assert not covers_all({a: read(0, 1, 2), b: read(1)}, 3)


def test_a_question_to_nobody_is_over_at_once() -> None:
    rounds = Rounds(one_of(1, place=0).member.node)
    found: list[object] = []

    number = rounds.ask((), partial(ReadPrimaries, structure=JOB_RECORDS, keys_only=True), found.append)

    assert (found, rounds.is_open(number)) == ([{}], False)


def test_a_late_answer_to_an_older_question_is_ignored() -> None:
    one = one_of(2, place=0)

    assert one.hand_over(1, JobReply(17, "too late", asker=one.me)) == []


def test_a_packet_without_word_is_sent_again() -> None:
    one = one_of(2, place=0)
    lane = OutboundLane(one.member.node, "e", one.id_of(1))
    for _ in range(2):
        lane.send((NoMoreItems(),))
    lane.on_received(PacketsReceived("e", 1))
    one.member.node.effects.clear()

    lane.send_again()

    assert [packet.number for _, packet in sent(one.member.node.effects, Packet)] == [1]


def test_a_packet_that_comes_twice_or_too_early_is_not_taken() -> None:
    one = one_of(2, place=0)
    lane = InboundLane(one.member.node, "e", member_at(1).id)
    first, second = (Packet("e", number, (NoMoreItems(),)) for number in (0, 1))

    taken = [len(lane.take(packet)) for packet in (second, first, first, second)]

    assert taken == [0, 1, 0, 1]


def test_who_is_in_charge_of_no_keys_says_what_it_wrote_as_soon_as_the_last_barrier_arrives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = one_of(2, place=1)
    writes: list[Callable[[Answer], None]] = []

    def write(call: Call, then: Callable[[Answer], None]) -> None:
        writes.append(then)

    monkeypatch.setattr(one.member.node.invocations, "invoke", write)
    participants = (one.id_of(0), one.id_of(1))
    one.hand_over(0, InitExecution(1, ExecutionPlan("e", SUMS, participants, (participants[0],) * 5, None)))
    one.hand_over(0, StartExecution(2, "e"))
    for place in (0, 1):
        one.hand_over(place, Packet("e", 0, (RestoreEnd(),)))
    one.hand_over(0, TakeSnapshot(3, "e", 1, 0, terminal=False))
    for written in writes:
        written(Answer(0, True))
    one.hand_over(1, Packet("e", 1, (BARRIER,)))

    ((_, taken),) = sent(one.hand_over(0, Packet("e", 1, (BARRIER,))), SnapshotTaken)
    assert taken.chunk_count == len(writes)
