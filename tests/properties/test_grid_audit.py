"""The audit of a grid whose every fault is known."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import pytest

from gridproof_implementation.adapter import AdapterError, CannotSayError, ObservedRow, Options, Traits, WriteAnswer
from gridproof_model.events import Event
from gridproof_model.events.harness import NotOffered, NotSaid, Remark, Repaired, Settled, Unsettled
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.membership import Member
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    RowRecord,
    RunRecord,
    ViewRecord,
)
from gridproof_properties.audits.grid import GridPlan, audit_grid
from tests.properties.honest_grid import IN_MEMORY, SETTLING_MS, TIMES, HonestGrid
from tests.properties.lies_about_calls import AcknowledgesEarly, RefusesWritesAfterACrash
from tests.properties.lies_about_copies import ForgetsOnCrash
from tests.properties.lying_grids import HasNoLiteMembers, NeverSettles, StopsAnswering, TablesOnly

SMALL = Options(partition_count=13)
PLAN = GridPlan(key_count=30, crash_write_count=3, settle_deadline_ms=1_000, many_calls=2, entries_a_call=4)
KEYS = 30 + 2 * 4 + 4
"""Single ones, those of calls of several, and those that every verb is asked about."""


def audited(make: type[HonestGrid] = HonestGrid, options: Options = SMALL, plan: GridPlan = PLAN) -> list[Record]:
    """The records of an audit of a grid in memory."""
    records: list[Record] = []
    audit_grid(make(options), IN_MEMORY, options, records.append, plan)
    return records


def views(records: list[Record]) -> list[ViewRecord]:
    return [record for record in records if isinstance(record, ViewRecord)]


def operations(records: list[Record], kind: OperationKind) -> list[OperationRecord]:
    return [record for record in records if isinstance(record, OperationRecord) and record.kind is kind]


def events(records: list[Record], kind: type[TraceEvent]) -> list[Event]:
    found = [record.event for record in records if isinstance(record, EventRecord)]
    return [event for event in found if isinstance(event, kind)]


def crashes(records: list[Record]) -> list[MemberRecord]:
    return [record for record in records if isinstance(record, MemberRecord) and record.change is MemberChange.CRASHED]


class AnswersSlowly(HonestGrid):
    """Takes a second for each call, and once for each look at what a member holds."""

    def write(self, key: str, value: str) -> WriteAnswer:
        self.wait(1_000)
        return super().write(key, value)


def test_a_stage_of_slow_calls_leaves_the_others_out_and_says_how_many() -> None:
    records = audited(AnswersSlowly, plan=replace(PLAN, slow_calls_ms=10_000))
    loaded = [write for write in operations(records, OperationKind.WRITE) if write.stage == "load"]

    assert len(loaded) == 10
    assert events(records, Remark)[0] == Remark("slow calls", "20 calls of 'load' left out: others took too long")


class ShowsNoTable(HonestGrid):
    """Has a member that can show no table once somebody has crashed."""

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        if self.crashed and observer == self.running[0]:
            raise CannotSayError("no election answers")
        return super().view_table(observer)


def test_an_audit_goes_on_without_the_table_of_a_member_that_can_show_none() -> None:
    records = audited(ShowsNoTable)
    seen = [len(list(group)) for stage, group in groupby(view.stage for view in views(records)) if stage == "crashed 1"]

    assert NotSaid("crashed 1", "no election answers") in events(records, NotSaid)
    assert seen == [3]
    assert [write for write in operations(records, OperationKind.READ) if write.stage == "after reveal 1"] != []


def test_the_head_comes_first_and_once() -> None:
    records = audited()

    assert isinstance(records[0], RunRecord)
    assert sum(isinstance(record, RunRecord) for record in records) == 1


def test_every_stage_is_seen_from_every_living_member() -> None:
    seen = [(stage, len(list(group))) for stage, group in groupby(view.stage for view in views(audited()))]

    assert seen == [
        ("joined 1", 1),
        ("joined 2", 2),
        ("joined 3", 3),
        ("loaded", 3),
        ("joined 4", 4),
        ("quiet", 4),
        ("lite member joined", 5),
        ("crashed 1", 4),
        ("revealed 1", 3),
        ("left", 2),
    ]


def test_every_view_has_all_its_rows() -> None:
    records = audited()

    rows = [record.view for record in records if isinstance(record, RowRecord)]

    assert rows == [view.view for view in views(records) for _ in range(SMALL.partition_count)]


def test_views_are_taken_only_once_the_grid_is_at_rest() -> None:
    records = audited()

    joined = next(record for record in records if isinstance(record, MemberRecord))

    assert views(records)[0].at_ms >= joined.at_ms + SETTLING_MS
    assert all(view.settled for view in views(records))


def test_every_write_has_a_value_of_its_own() -> None:
    values = [write.value for write in operations(audited(), OperationKind.WRITE)]

    assert len([value for value in values if value]) == len(set(values) - {""}) >= KEYS + 10 + 3


def test_what_is_not_taken_after_a_crash_is_asked_for_again() -> None:
    records = audited(plan=replace(PLAN, crash_write_count=20))

    writes = [write for write in operations(records, OperationKind.WRITE) if write.stage == "during crash 1"]
    refused = {write.key for write in writes if write.outcome is Outcome.REFUSED}

    assert refused
    assert {write.key for write in writes if write.outcome is Outcome.OK} >= refused


def test_it_is_asked_for_until_the_stated_time_is_over() -> None:
    records = audited(RefusesWritesAfterACrash)

    (crash, *_) = crashes(records)
    last = [write for write in operations(records, OperationKind.WRITE) if write.stage == "during crash 1"][-1]

    assert last.start_ms >= crash.at_ms + TIMES.accepted_within_ms
    assert last.reason == "read-only since the failure"


def test_a_call_of_several_entries_is_an_operation_an_entry() -> None:
    entries = [write for write in operations(audited(), OperationKind.WRITE) if write.call is not None]

    loaded = [entry for entry in entries if entry.stage == "load many"]

    assert len(loaded) == 2 * 4
    assert {entry.call for entry in loaded} == {loaded[0].operation, loaded[4].operation}


def test_what_the_system_states_follows_the_head() -> None:
    event = audited()[1]

    assert isinstance(event, EventRecord)
    assert event.event == TIMES


def test_every_key_is_read_after_the_join_the_crash_and_the_reveal() -> None:
    reads = [read.stage for read in operations(audited(), OperationKind.READ) if read.stage.startswith("after")]

    assert {stage: reads.count(stage) for stage in reads} == {
        "after join 4": KEYS,
        "after crash 1": KEYS + 3,
        "after reveal 1": KEYS + 3,
    }


def test_some_keys_are_read_through_each_member_before_all_are_read() -> None:
    reads = operations(audited(), OperationKind.READ)

    stages = [stage for stage, _ in groupby(read.stage for read in reads)]
    asked = [read.member for read in reads if read.stage == "through members after crash 1"]

    assert stages[-3:-1] == ["through members after reveal 1", "after reveal 1"]
    assert asked == [1, 2, 3, 4] * 12


def test_an_acknowledgement_is_followed_by_a_look_at_every_copy() -> None:
    looks = [look for look in operations(audited(), OperationKind.READ_REPLICA) if look.stage == "acknowledgement"]
    load = looks[: 3 * 3]

    assert [look.member for look in load] == [0, 1, 2] * 3
    assert sum(look.value is not None for look in load) == 3 * 2


def test_the_oldest_member_crashes_first() -> None:
    assert crashes(audited())[0].member == 0


def test_the_seed_alone_chooses_the_later_victims() -> None:
    wide = [Options(seed=seed, member_count=5, partition_count=13) for seed in range(8)]

    victims = [[record.member for record in crashes(audited(options=options))] for options in wide]

    assert victims == [[record.member for record in crashes(audited(options=options))] for options in wide]
    assert len({later for _, later in victims}) > 1


def test_the_reveal_kills_as_many_as_there_are_backups() -> None:
    assert len(crashes(audited(options=Options(backup_count=2, member_count=4, partition_count=13)))) == 1 + 2


def test_the_last_member_is_never_killed() -> None:
    assert len(crashes(audited(options=Options(backup_count=6, member_count=2, partition_count=13)))) == 2


def test_a_lite_member_is_never_killed() -> None:
    for seed in range(8):
        records = audited(options=Options(seed=seed, member_count=2, partition_count=13))

        assert not any(record.lite for record in crashes(records))


def test_a_grid_without_lite_members_is_reported_so() -> None:
    records = audited(HasNoLiteMembers)

    assert [r.event.what for r in records if isinstance(r, EventRecord) and isinstance(r.event, NotOffered)] == [
        "no lite members here"
    ]


def test_without_backups_a_member_leaves_before_one_crashes() -> None:
    records = audited(options=Options(backup_count=0, partition_count=13))

    gone = [r for r in records if isinstance(r, MemberRecord) and r.change is not MemberChange.JOINED]
    read = [read for read in operations(records, OperationKind.READ) if read.stage == "after leave 1"]

    assert [record.change for record in gone] == [MemberChange.LEFT, MemberChange.CRASHED]
    assert len(read) == KEYS
    assert all(read.value is not None for read in read)


def test_a_grid_that_never_settles_is_seen_unsettled_and_spared_further_kills() -> None:
    records = audited(NeverSettles)

    assert {view.stage for view in views(records) if not view.settled} == {"crashed 1"}
    assert len(crashes(records)) == 1


def test_a_missed_deadline_says_what_was_awaited() -> None:
    found = [record.event for record in audited(NeverSettles) if isinstance(record, EventRecord)]
    *settled, last = [event for event in found if isinstance(event, Settled | Unsettled)]

    assert [type(event) for event in settled] == [Settled] * 7
    assert isinstance(last, Unsettled)
    assert "waiting for a member that never comes" in last.awaited


def test_digests_are_taken_of_every_copy_the_table_names() -> None:
    records = audited()

    loaded = [r for r in records if isinstance(r, DigestRecord) and r.stage == "loaded"]

    assert len(loaded) == SMALL.partition_count * 2


def test_equal_copies_have_equal_digests_and_others_do_not() -> None:
    def distinct(make: type[HonestGrid]) -> set[int]:
        loaded = [r for r in audited(make) if isinstance(r, DigestRecord) and r.stage == "loaded"]
        by_partition = {p: {r.digest for r in loaded if r.partition == p} for p in {r.partition for r in loaded}}
        return {len(digests) for digests in by_partition.values()}

    assert distinct(HonestGrid) == {1}
    assert 2 in distinct(AcknowledgesEarly)


def test_an_unexpected_read_is_followed_by_a_look_at_every_copy() -> None:
    looks = [
        look.key
        for look in operations(audited(ForgetsOnCrash), OperationKind.READ_REPLICA)
        if look.stage == "after crash 1"
    ]

    assert (len(looks), len(set(looks))) == (4, 1)


def test_a_tables_only_grid_is_asked_for_no_data() -> None:
    records = audited(TablesOnly)

    assert {type(record) for record in records} == {RunRecord, MemberRecord, ViewRecord, RowRecord, EventRecord}
    assert len(crashes(records)) == 2


def test_a_grid_that_stops_answering_stops_the_audit() -> None:
    with pytest.raises(AdapterError, match="nobody answers"):
        audited(StopsAnswering)


class Founded(HonestGrid):
    """A grid whose first members exist together only, and that takes nobody in unless it is asked to."""

    traits = Traits(founders=2, bound=True)
    count_of_calls = 0

    def start_founders(self) -> tuple[Member, ...]:
        return tuple(self.start_member() for _ in range(4))

    def repair_copies(self) -> None:
        self.count_of_calls += 1


def test_founders_are_settled_before_anybody_looks() -> None:
    stages = list(dict.fromkeys(view.stage for view in views(audited(Founded))))

    assert stages[0] == "founded"
    assert not any(stage.startswith("joined") for stage in stages)


def test_each_lost_copy_is_made_anew_by_command_before_the_next_crash() -> None:
    records = audited(Founded)

    changes = [record.change for record in records if isinstance(record, MemberRecord)][5:]  # after a lite member
    assert changes == [MemberChange.CRASHED, MemberChange.JOINED] * 2
    assert [record.event for record in records if isinstance(record, EventRecord)].count(Repaired()) == 2


def test_where_nobody_is_ever_replaced_no_more_are_killed_than_there_are_backups() -> None:
    class Fixed(Founded):
        traits = Traits(founders=4, fixed=True)
        repair_copies = None  # type: ignore[assignment]

    assert len(crashes(audited(Fixed))) == 1


class AnswersAtOnce(HonestGrid):
    """An honest grid that several clients may ask at the same time."""

    traits = Traits(at_once=True)


def test_where_members_are_asked_at_the_same_time_several_clients_share_keys() -> None:
    asked = [one for one in operations(audited(AnswersAtOnce), OperationKind.WRITE) if one.stage == "several clients"]

    assert {one.client for one in asked} == {1, 2, 3, 4}
    assert all(len({one.client for one in asked if one.key == key}) > 1 for key in {one.key for one in asked})
    assert {one.client for one in operations(audited(), OperationKind.WRITE)} == {0}
