"""What no member does, and what is refused of a log that says so."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.events.invocation import AttemptSent, LeaverCounted
from gridproof_model.events.migration import MigrationOpened
from gridproof_model.events.operation import Executed, Parked, WaitedInVain
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import WhyRowChanged
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.verdict import Result
from tests.properties.test_refinement_invocation import drawn
from tests.properties.validated_runs import Kind, judged, listed, recorded, run_of, scenario

PROPERTY = get_property("refines-invocation")

RESTART = replace(scenario(FaultEvent("crash", 30, 3_000, (1,), 1), pause_ms=20), partition_count=2)
"""Member 1 ends under the third call of member 0, and member 3 starts at its address."""


def assert_refused(action: str, records: list[Record]) -> None:
    finding = judged(PROPERTY, records)
    assert finding.result is Result.BROKEN, finding
    assert action in finding.sentence


def assert_explained(records: list[Record]) -> None:
    finding = judged(PROPERTY, records)
    assert finding.result is not Result.BROKEN, finding


def until(records: tuple[Record, ...], kind: type[TraceEvent], **said: object) -> list[Record]:
    """Return the records up to the first event of a type that says something, this one included."""
    return list(records[: 1 + next(place for place, _, _ in events_of(records, kind, **said))])


def events_of(records: tuple[Record, ...], kind: type[Kind], **said: object) -> Iterator[tuple[int, EventRecord, Kind]]:
    """Yield the events of a type that say something, with their records and places."""
    for place, record in enumerate(records):
        if not isinstance(record, EventRecord) or not isinstance(record.event, kind):
            continue
        if all(getattr(record.event, name) == value for name, value in said.items()):
            yield place, record, record.event


def change(member: int, change: MemberChange, at: int | None = None) -> MemberRecord:
    """Return that a member of the run comes or goes, perhaps at the address of another one."""
    of = {record.member: record for record in run_of(RESTART) if isinstance(record, MemberRecord)}
    return replace(of[min(member, 3)], member=member, change=change, name=of[member if at is None else at].name)


@pytest.fixture(name="waiting")
def _waiting() -> list[Record]:
    """What is recorded until the third call has sent its request to a member that then ends."""
    return [*until(run_of(RESTART), AttemptSent, invocation=3), change(1, MemberChange.CRASHED)]


def test_a_member_that_was_sent_something_does_not_start_elsewhere() -> None:
    sent = [*until(run_of(RESTART), Executed, changed=True), change(1, MemberChange.CRASHED)]

    assert_explained([*sent, change(3, MemberChange.JOINED, at=1)])
    assert_refused("member_starts_again", [*sent, change(2, MemberChange.JOINED, at=1)])


def test_nobody_starts_where_somebody_runs(waiting: list[Record]) -> None:
    started = [*waiting, change(3, MemberChange.JOINED)]

    assert_refused("member_starts_again", [*started, change(4, MemberChange.JOINED, at=3)])


def test_nobody_has_two_slots_of_a_row(waiting: list[Record]) -> None:
    assert_explained([*waiting, recorded(0, RowInstalled(1, 9, (0, 2, None), WhyRowChanged.RECEIVED))])
    assert_refused("slot_is_learned", [*waiting, recorded(0, RowInstalled(1, 9, (0, 2, 2), WhyRowChanged.RECEIVED))])


def test_a_primary_sends_nothing_to_its_own_address(waiting: list[Record]) -> None:
    row = recorded(3, RowInstalled(1, 9, (3, 1, None), WhyRowChanged.RECEIVED))
    started = [*waiting, change(3, MemberChange.JOINED), recorded(3, listed(0, 1, 2, 3)), row]
    executed = Executed(1, "map:register", "Put", 0, 3, (2, 2, 0), True, (), 0)

    assert_explained([*started, recorded(3, executed)])
    assert_refused("addressed backups", [*started, recorded(3, replace(executed, sent_to=(1,), acks=1))])


def test_nobody_removes_itself(waiting: list[Record]) -> None:
    assert_refused("member_is_removed", [*waiting, recorded(0, listed(1, 2))])


def test_who_has_ended_learns_nothing(waiting: list[Record]) -> None:
    assert_refused("slot_is_emptied", [*waiting, recorded(1, RowInstalled(1, 9, (0, 2, None), WhyRowChanged.RECEIVED))])


def test_who_is_listed_again_counts_for_no_leaver(waiting: list[Record]) -> None:
    removed = [*waiting, recorded(0, listed(0, 1))]
    counted = recorded(0, LeaverCounted(3, 3, 2, 1))

    assert_explained([*removed, counted])
    assert_refused("leaver_is_counted", [*removed, recorded(0, listed(0, 1, 2)), counted])


def test_a_request_that_was_late_waits_no_longer() -> None:
    records = run_of(drawn(1, DrawOptions(workload="lock", faults=())))
    place, parked, of = next(one for one in events_of(records, Parked) if one[1].member != one[2].caller)
    target = parked.member
    sent = next(one for one in events_of(records, AttemptSent, call_id=of.call_id) if one[1].member == of.caller)
    migrates = recorded(target, MigrationOpened(of.partition, 1, 0), parked.at_ms)
    in_vain = recorded(target, WaitedInVain(of.partition, of.operation, of.caller, of.call_id), parked.at_ms)
    again = recorded(of.caller, replace(sent[2], call_id=9_999), parked.at_ms)

    assert_explained([*records[: place + 1], migrates, in_vain])
    assert_refused("request_waits_in_vain", [*records[: place + 1], again, migrates, in_vain])
