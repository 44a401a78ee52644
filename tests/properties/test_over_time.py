"""What clients met over time, what a fault changed of it, and whether operations overlap."""

from dataclasses import replace

import pytest

from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, OperationKind, OperationRecord, Outcome
from gridproof_properties.campaign.over_time import OverTime
from gridproof_properties.judging.work import AT_REST, LATER, Overlap


def asked(
    number: int, start_ms: int, took_ms: int = 2, outcome: Outcome = Outcome.OK, call: int | None = None
) -> OperationRecord:
    span = start_ms, start_ms + took_ms
    kind = OperationKind.READ
    return OperationRecord("run", number, 0, kind, "k", 0, None, outcome, None, 0, *span, "busy", call=call)


def run(*slow: OperationRecord, crashed: bool = False) -> OverTime:
    """An operation each 100 ms for 10 s, but for those given; a fault from 4 to 5 s."""
    found = OverTime()
    found.observe(EventRecord("run", 4_000, None, FaultBegun("pause", (), (0,), "it pauses")))
    if crashed:
        found.observe(MemberRecord("run", 4_100, 0, MemberChange.CRASHED, "a", "g"))
    found.observe(EventRecord("run", 5_000, None, FaultEnded("pause", "it pauses")))
    for number in range(100):
        found.observe(asked(number, 100 * number))
    for one in slow:
        found.observe(one)
    return found


def test_a_fault_that_changed_nothing_is_said_to_have_changed_nothing() -> None:
    (effect,) = run().effects()

    assert effect.describe() == "changed nothing that was measured"
    assert (effect.during.operations, effect.calm.operations) == (21, 79)


def test_a_longer_wait_and_calls_refused_are_what_it_changed() -> None:
    (effect,) = run(asked(100, 4_200, 700), asked(101, 4_300, 2, Outcome.REFUSED)).effects()

    assert effect.changes == ["1 refused", "longest wait 700 ms instead of 2"]


def test_what_is_refused_in_the_calm_as_well_is_no_change() -> None:
    calm = [asked(100 + number, 8_000 + number, 2, Outcome.REFUSED) for number in range(50)]

    (effect,) = run(asked(99, 4_300, 2, Outcome.REFUSED), *calm).effects()

    assert effect.changes == []


def test_a_member_that_goes_is_a_change() -> None:
    (effect,) = run(crashed=True).effects()

    assert effect.describe() == "1 change of members"


def test_a_fault_that_nobody_ended_lasts_to_the_last_operation() -> None:
    found = run()
    found.observe(EventRecord("run", 6_000, None, FaultBegun("split", (), (0,), "apart")))

    assert [(span.fault, span.heal_ms) for span in found.faults()] == [("pause", 5_000), ("split", 9_902)]


def overlap(*operations: OperationRecord) -> str:
    found = Overlap()
    for one in operations:
        found.observe(one)
    return found.describe()


def test_operations_one_after_another_are_sequential() -> None:
    assert overlap(asked(0, 0), asked(1, 2), asked(2, 9)) == "sequential: its 3 operations came one after another"


@pytest.mark.parametrize("stage", [AT_REST, LATER])
def test_what_is_read_at_once_when_clients_have_ended_says_nothing_of_them(stage: str) -> None:
    reads = [replace(asked(number, 20, 30), stage=stage) for number in (2, 3)]

    assert overlap(asked(0, 0), asked(1, 2), *reads) == "sequential: its 2 operations came one after another"


def test_operations_at_the_same_time_are_concurrent() -> None:
    said = "concurrent: 1 of 3 operations began before an earlier one had ended"
    assert overlap(asked(0, 0, 9), asked(1, 2, 30), asked(2, 40)) == said


def test_looks_into_copies_are_no_operations_of_clients() -> None:
    look = replace(asked(1, 1), kind=OperationKind.READ_REPLICA)

    assert overlap(asked(0, 0, 9), look, asked(2, 9)) == "sequential: its 2 operations came one after another"


def test_entries_of_one_call_are_one_operation() -> None:
    assert overlap(asked(0, 0, call=0), asked(1, 0, call=0)) == "sequential: its 1 operation came one after another"
