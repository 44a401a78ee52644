"""The audit of a grid whose every fault is known."""

from itertools import groupby

import pytest

from gridproof_implementation.adapter import AdapterError, Options
from gridproof_model.identity import Member
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Record,
    RowRecord,
    RunRecord,
    ViewRecord,
)
from gridproof_properties.audits.grid import GridPlan, audit_grid
from gridproof_properties.audits.recorder import NOT_OFFERED, SETTLED, UNSETTLED
from tests.properties.memory_grid import SETTLING_MS, Fault, MemoryGrid

SMALL = Options(partition_count=13)
PLAN = GridPlan(key_count=30, crash_write_count=3, settle_deadline_ms=1_000)


def audited(fault: Fault = Fault.NONE, options: Options = SMALL, *, holds_data: bool = True) -> list[Record]:
    """The records of an audit of a memory grid."""
    records: list[Record] = []
    audit_grid(MemoryGrid(options, fault, holds_data=holds_data), "memory", options, records.append, PLAN)
    return records


def views(records: list[Record]) -> list[ViewRecord]:
    return [record for record in records if isinstance(record, ViewRecord)]


def operations(records: list[Record], kind: OperationKind) -> list[OperationRecord]:
    return [record for record in records if isinstance(record, OperationRecord) and record.kind is kind]


def crashes(records: list[Record]) -> list[MemberRecord]:
    return [record for record in records if isinstance(record, MemberRecord) and record.change is MemberChange.CRASHED]


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
        ("joined 4", 4),
        ("quiet", 4),
        ("lite member joined", 5),
        ("crashed 1", 4),
        ("revealed 1", 3),
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

    assert len(values) == len(set(values)) == 30 + 10 + 3


def test_every_key_is_read_after_the_join_the_crash_and_the_reveal() -> None:
    reads = [read.stage for read in operations(audited(), OperationKind.READ) if read.member is None]

    assert {stage: reads.count(stage) for stage in reads} == {
        "after join 4": 30,
        "after crash 1": 33,
        "after reveal 1": 33,
    }


def test_some_keys_are_read_through_each_member_before_all_are_read() -> None:
    reads = operations(audited(), OperationKind.READ)

    stages = [stage for stage, _ in groupby(read.stage for read in reads)]
    asked = [read.member for read in reads if read.stage == "through members after crash 1"]

    assert stages[-2:] == ["through members after reveal 1", "after reveal 1"]
    assert asked == [1, 2, 3, 4] * 9


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


def test_a_grid_without_lite_members_is_told_so() -> None:
    class Plain(MemoryGrid):
        def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
            if lite:
                raise AdapterError("no lite members here")
            return super().start_member(group=group)

    records: list[Record] = []
    audit_grid(Plain(SMALL), "plain", SMALL, records.append, PLAN)

    assert [r.detail for r in records if isinstance(r, EventRecord) and r.name == NOT_OFFERED] == [
        "no lite members here"
    ]


def test_without_backups_nobody_is_killed_and_all_keys_are_read_at_the_end() -> None:
    records = audited(options=Options(backup_count=0, partition_count=13))

    assert crashes(records) == []
    assert sum(read.stage == "at the end" for read in operations(records, OperationKind.READ)) == 30


def test_a_grid_that_never_settles_is_seen_unsettled_and_spared_further_kills() -> None:
    records = audited(Fault.NEVER_SETTLES)

    assert {view.stage for view in views(records) if not view.settled} == {"crashed 1"}
    assert len(crashes(records)) == 1


def test_a_missed_deadline_says_what_was_awaited() -> None:
    events = [record for record in audited(Fault.NEVER_SETTLES) if isinstance(record, EventRecord)]

    assert [event.name for event in events] == [SETTLED] * 6 + [UNSETTLED]
    assert "waiting for a member that never comes" in events[-1].detail


def test_digests_are_taken_of_every_copy_the_table_names() -> None:
    records = audited()

    loaded = [r for r in records if isinstance(r, DigestRecord) and r.stage == "loaded"]

    assert len(loaded) == SMALL.partition_count * 2


def test_equal_copies_have_equal_digests_and_others_do_not() -> None:
    def distinct(fault: Fault) -> set[int]:
        loaded = [r for r in audited(fault) if isinstance(r, DigestRecord) and r.stage == "loaded" and r.entries]
        by_partition = {p: {r.digest for r in loaded if r.partition == p} for p in {r.partition for r in loaded}}
        return {len(digests) for digests in by_partition.values()}

    assert distinct(Fault.NONE) == {1}
    assert distinct(Fault.ALTERS_BACKUPS) == {2}


def test_a_read_that_surprises_is_followed_by_a_look_at_every_copy() -> None:
    looks = [
        look.key
        for look in operations(audited(Fault.FORGETS_ON_CRASH), OperationKind.READ_REPLICA)
        if look.stage == "after crash 1"
    ]

    assert looks == ["key-7"] * 4


def test_a_tables_only_grid_is_asked_for_no_data() -> None:
    records = audited(holds_data=False)

    assert {type(record) for record in records} == {RunRecord, MemberRecord, ViewRecord, RowRecord, EventRecord}
    assert len(crashes(records)) == 2


def test_a_grid_that_stops_answering_stops_the_audit() -> None:
    with pytest.raises(AdapterError, match="nobody answers"):
        audited(Fault.STOPS)
