"""A run moment by moment."""

from collections.abc import Iterable

from gridproof_model.events import Event
from gridproof_model.events.conditions import FaultBegun, MessageLost
from gridproof_model.events.harness import KeyRefused, NotOffered, Remark, Settled
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.words import WhyRowChanged
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, OperationKind, Record
from gridproof_reports.contents.timeline import MOMENTS_MAX, Mark, Timeline, TimelineReader
from gridproof_reports.reading.event_sentences import OPERATION_WORDS
from tests.reports.sample_run import RUN, joined, look, sample_records, writes


def timeline_of(records: Iterable[Record]) -> Timeline:
    """Return the timeline of a run."""
    reader = TimelineReader()
    for record in records:
        reader.observe(record)
    return reader.finish()


def words(records: Iterable[Record]) -> list[str]:
    """Return what the moments of a run say."""
    return [moment.words for moment in timeline_of(records).moments]


def test_the_sample_run_is_reported_in_order() -> None:
    assert words(sample_records()) == [
        "member 0 joined",
        "member 1 joined",
        "member 2 joined",
        "3 members: settled; table read from members 0, 1 and 2",
        "3 members: clients asked for 60 writes (3 unknown)",
        "member 3 joined",
        "fourth joined: settled; table read from members 0, 1, 2 and 3",
        "SIGKILL: sent to the process of member 1",
        "member 1 crashed",
        "after crash: settled; table read from members 0, 2 and 3",
        "reveal: clients asked for 60 reads (all answered)",
    ]


def test_a_lane_begins_at_the_join_and_ends_at_the_crash() -> None:
    lane = [moment.cells[1] for moment in timeline_of(sample_records()).moments]
    joining = next(cell for cell in lane if cell.mark is Mark.JOINED)
    crashing = next(cell for cell in lane if cell.mark is Mark.CRASHED)

    assert (joining.above, joining.below) == (False, True)
    assert (crashing.above, crashing.below) == (True, False)
    assert not any(cell.above or cell.below for cell in lane[lane.index(crashing) + 1 :])


def test_a_group_of_its_own_is_not_worth_a_word() -> None:
    named = MemberRecord(RUN, 0, 0, MemberChange.JOINED, "a", "zone-1")

    assert words([named, joined(1, 5)]) == ["member 0 joined, in group zone-1", "member 1 joined"]


def test_a_crowd_that_joins_is_one_moment() -> None:
    timeline = timeline_of(joined(member, member) for member in range(40))

    assert [moment.words for moment in timeline.moments] == ["40 members joined: 0 to 39"]
    assert timeline.lanes == ()


def test_events_of_one_name_are_reported_a_few_times() -> None:
    shown = words(EventRecord(RUN, 0, None, KeyRefused("string", str(n), "too long")) for n in range(100))

    assert len(shown) == 4
    assert shown[-1] == "the system refused the string key 3 (too long); and 96 more"


def test_a_settling_is_reported_with_the_table_it_led_to() -> None:
    settled = EventRecord(RUN, 5, None, Settled("joined 1", "at rest after 103 ms"))
    seen = look(0, 6, "joined 1", 0, (0,), [(0,)])

    assert words([joined(0, 1), settled, *seen]) == [
        "member 0 joined",
        "joined 1: at rest after 103 ms; table read from member 0",
    ]


def alternating(number: int) -> tuple[Event, ...]:
    """Return events of two types: of one type only the first few are shown."""
    return Remark(f"event {number}", ""), NotOffered(f"event {number}")


def test_a_long_run_keeps_its_head_and_its_tail() -> None:
    timeline = timeline_of(EventRecord(RUN, n, None, event) for n in range(500) for event in alternating(n))

    assert len(timeline.moments) == MOMENTS_MAX
    assert timeline.left_out == 1000 - MOMENTS_MAX
    assert (timeline.moments[0].words, timeline.moments[-1].words) == ("event 0", "not offered: event 499")


def test_a_single_request_is_reported_in_the_singular() -> None:
    assert words(writes(1, "s", 0)) == ["s: clients asked for 1 write (all answered)"]


def test_every_kind_of_operation_has_words_of_its_own() -> None:
    assert set(OPERATION_WORDS) == set(OperationKind)


def test_every_change_of_a_member_is_reported() -> None:
    changes = [MemberRecord(RUN, 1, 0, change, "a", "a") for change in MemberChange]

    shown = timeline_of([joined(0, 0), *changes])

    assert {moment.cells[0].mark for moment in shown.moments} == {Mark(change.value) for change in MemberChange}
    assert shown.moments[-1].words == "member 0 ended to start anew in another cluster"


def test_steps_of_the_protocol_are_counted_between_what_else_happens() -> None:
    fault = EventRecord(RUN, 5, None, FaultBegun("crash", (), (1,), "the member at address 1 crashes"))
    steps = [EventRecord(RUN, n, 1, RowInstalled(n, 1, (1,), WhyRowChanged.RECEIVED)) for n in range(1000)]
    lost = EventRecord(RUN, 7, None, MessageLost("Backup", 3, 0, 1))

    shown = timeline_of([joined(0, 0), joined(1, 0), *steps[:600], fault, *steps[600:], lost])

    assert [moment.words for moment in shown.moments[2:]] == [
        "meanwhile: 600 steps of the protocol",
        "fault: the member at address 1 crashes",
        "meanwhile: 400 steps of the protocol and 1 message got lost",
    ]
    assert shown.moments[3].cells[1].mark is Mark.TOUCHED


def test_steps_do_not_part_what_clients_ask_in_one_stage() -> None:
    step = EventRecord(RUN, 5, 1, Executed(1, "map:m", "Put", 1, 1, (1,), True, (), 0))

    shown = words([*writes(2, "s", 0), step, *writes(3, "s", 9)])

    assert shown == ["s: clients asked for 5 writes (all answered)", "meanwhile: 1 step of the protocol"]


def test_an_event_of_another_harness_is_cut_short() -> None:
    assert len(words([EventRecord(RUN, 0, None, Remark("shout", "a" * 10_000))])[0]) < 400
