"""Every small world that is explored whole: its pinned size, what is broken in it, and what stays unseen.

By day those that together do all that any of the smaller ones does: each action fires, and each guard refuses.

A changed number is argued in the commit that changes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gridproof_model.language import Plain, Specification
from gridproof_model.specifications import (
    durability,
    invocation,
    ownership,
    replication,
    snapshot,
    two_phase_commit,
)

Constants = Mapping[str, Plain]
NOTHING: frozenset[str] = frozenset()
SOME = None
"""What stays unseen in a world that is too small for most anomalies: not pinned."""


@dataclass(frozen=True, slots=True)
class SmallWorld:
    """A world, and what exploring it whole must say."""

    name: str
    constants: Constants
    states: int
    transitions: int
    depth: int
    unseen: frozenset[str] | None = SOME
    """The sometimes-claims that nothing in this world shows."""
    broken: frozenset[str] = NOTHING
    """The promises that this world breaks: a rule as documented that does not keep them."""
    is_nightly: bool = False


@dataclass(frozen=True, slots=True)
class Explored:
    """A specification and its worlds."""

    specification: Specification
    worlds: tuple[SmallWorld, ...]
    never_refuses: frozenset[tuple[str, int]] = frozenset()
    """Guards, by action and place, that refuse in no world."""


DURABILITY = Explored(
    durability.specification,
    (
        SmallWorld(
            "one backup", {"members": 2, "async_backups": 0}, 182, 583, 14,
            frozenset({"a_backup_has_what_its_primary_lost"}),
        ),
        SmallWorld(
            "one backup and a spare", {"members": 3, "async_backups": 0}, 315, 1_176, 14,
            frozenset({"a_backup_has_what_its_primary_lost"}),
        ),
        SmallWorld("default", {}, 5_368, 32_742, 20, NOTHING),
        SmallWorld("two sync backups", {"members": 4, "sync_backups": 2}, 40_492, 330_845, 29, NOTHING),
        SmallWorld("three backups", {"members": 5, "async_backups": 2}, 69_867, 616_173, 31, NOTHING, is_nightly=True),
    ),
)  # fmt: skip
_NO_OTHER_KINDS: dict[str, Plain] = {
    "waiting_operations": False, "other_refusals": False, "last_steps": False, "departures": False,
}  # fmt: skip
_ONCE: dict[str, Plain] = {"attempts": 1, "retries": 1, "handlings": 1}
_OF_ONE_CHANGE = frozenset({
    "a_call_is_about_to_be_executed_after_it_succeeded", "a_call_is_executed_twice",
    "a_call_times_out_while_a_response_is_kept", "a_failed_write_is_seen_and_vanishes",
    "a_strict_success_is_lost_with_one_member", "a_strict_success_is_missing_at_its_owner",
    "a_success_was_never_executed", "a_timed_out_call_was_executed_twice", "an_acknowledged_write_is_lost",
    "an_earlier_attempt_answers_for_the_last", "an_earlier_attempts_acknowledgement_counts_for_the_last",
    "one_attempt_is_executed_by_two",
})  # fmt: skip
"""What takes more than one change of the members."""
INVOCATION = Explored(
    invocation.specification,
    (
        SmallWorld(
            "no other kinds of events", {**_NO_OTHER_KINDS, "changes": 2}, 417_607, 1_319_363, 16,
            frozenset({
                "one_attempt_is_executed_by_two",
                "a_success_was_never_executed",
                "a_call_waits_for_a_member_that_has_left",
                "a_strict_success_lacks_a_live_backup",
                "a_strict_success_is_lost_with_one_member",
                "a_strict_success_is_missing_at_its_owner",
            }),
            is_nightly=True,
        ),
        SmallWorld(
            "leavers count", {**_NO_OTHER_KINDS, **_ONCE, "members": 3, "changes": 2, "strict_counts_leavers": True},
            515_253, 1_676_067, 12,
            frozenset({
                "a_call_is_executed_twice",
                "one_attempt_is_executed_by_two",
                "a_success_was_never_executed",
                "a_strict_success_was_executed_twice",
                "a_timed_out_call_was_executed_twice",
                "a_call_times_out_while_a_response_is_kept",
                "a_call_waits_for_a_member_that_has_left",
                "an_earlier_attempt_answers_for_the_last",
                "a_call_is_about_to_be_executed_after_it_succeeded",
                "an_earlier_attempts_acknowledgement_counts_for_the_last",
            }),
            is_nightly=True,
        ),
        SmallWorld(
            "two backups",
            {**_NO_OTHER_KINDS, **_ONCE, "members": 3, "backups": 2, "endings": 2, "strict_counts_leavers": True},
            176_623, 565_825, 13,
            _OF_ONE_CHANGE | {
                "a_call_waits_for_a_member_that_has_left", "a_strict_success_was_executed_twice",
            }, is_nightly=True,
        ),
        SmallWorld(
            "targets are registered late", {**_NO_OTHER_KINDS, "registers_late": True}, 61_000, 172_228, 13,
            _OF_ONE_CHANGE | {"a_strict_success_lacks_a_live_backup"},
        ),
        SmallWorld(
            "a successor", {**_NO_OTHER_KINDS, "backups": 0, "attempts": 1, "retries": 0, "changes": 2},
            54_350, 147_480, 11, is_nightly=True,
        ),
        SmallWorld("a request three times", {"changes": 0, "endings": 0, "handlings": 3}, 47_072, 164_406, 14),
        SmallWorld(
            "last steps", {"waiting_operations": False, "departures": False, "attempts": 1, "retries": 1},
            88_521, 244_688, 12,
        ),
        SmallWorld(
            "copies move", {**_NO_OTHER_KINDS, **_ONCE, "false_removals": False, "moves": 1}, 20_928, 64_812, 11
        ),
        SmallWorld(
            "no stale reads", {**_NO_OTHER_KINDS, "endings": 0, "serves_stale_reads": False}, 18_421, 60_429, 12,
            is_nightly=True,
        ),
        SmallWorld("two endings", {"endings": 2, "handlings": 0, "changes": 2}, 62_334, 140_588, 11),
        SmallWorld(
            "a third attempt", {"attempts": 3, "retries": 3, "endings": 0, "handlings": 1}, 25_237, 60_799, 11
        ),
        SmallWorld("default", {}, 561_640, 1_518_503, 15, is_nightly=True),
        SmallWorld(
            "two changes, and copies move",
            {**_NO_OTHER_KINDS, "changes": 2, "false_removals": False, "moves": 1},
            1_087_899, 4_184_008, 17, is_nightly=True,
        ),
    ),
)  # fmt: skip
_LATE: dict[str, Plain] = {"late": True, "suspicions": 1, "losses": 0, "watched_write": 1}
_ANY: dict[str, Plain] = {**replication.ANY_TABLES, "members": 2, "backups": 1, "watched_write": 1, "losses": 0}
REPLICATION = Explored(
    replication.specification,
    (
        SmallWorld(
            "default", {}, 36_684, 142_445, 26,
            frozenset({
                "two_take_themselves_for_the_primary", "one_crash_and_a_suspicion_lose_an_acknowledged_write",
                "a_deposed_primary_lacks_an_acknowledged_write", "a_suspicion_makes_a_backup_ask_for_a_sync",
                "more_acknowledgements_come_than_were_promised", "an_update_of_another_primary_takes_an_entry_back",
            }), is_nightly=True,
        ),
        SmallWorld(
            "late, a suspicion", _LATE, 24_513, 87_348, 27,
            frozenset({
                "a_lost_sync_blocks_the_next", "a_deposed_primary_lacks_an_acknowledged_write",
                "more_acknowledgements_come_than_were_promised", "an_update_of_another_primary_takes_an_entry_back",
            }),
        ),
        SmallWorld("late, one backup", {**_LATE, "backups": 1, "migrations": 1}, 2_769, 6_898, 12, is_nightly=True),
        SmallWorld(
            "any order, a repeat",
            {**_LATE, "backups": 1, "migrations": 1, "in_order": False, "urgent_first": False, "repeats": 1},
            131_238, 506_984, 28,
        ),
        SmallWorld(
            "increments",
            {"transfer": replication.Transfer.OPERATION, "members": 2, "backups": 1, "losses": 1, "endings": 0,
             "mail_capacity": 3},
            121, 222, 14,
        ),
        SmallWorld(
            "moving", {"members": 4, "writes": 1, "watched_write": 1, "losses": 0, "migrations": 1, "refusals": 1},
            2_083, 6_876, 21,
        ),
        SmallWorld(
            "two sync backups", {"sync_backups": 2, "watched_write": 1, "losses": 1}, 14_894, 45_853, 25,
            is_nightly=True,
        ),
        SmallWorld("everybody ends", {"members": 2, "backups": 1, "writes": 1, "endings": 2}, 299, 811, 16),
        SmallWorld("any tables", _ANY, 1_121_418, 5_652_373, 24, is_nightly=True),
        SmallWorld("any tables, no checks", {**_ANY, "checks": 0}, 93_179, 433_509, 18),
        SmallWorld("any tables, no moves", {**_ANY, "writes": 1, "changes": 2, "moves": 0}, 19_884, 82_603, 14),
        SmallWorld(
            "any tables, a third member",
            {**_ANY, "members": 3, "writes": 1, "checks": 0, "endings": 0, "losses": 1},
            13_275, 85_970, 12,
        ),
        SmallWorld(
            "any tables, two changes", {**_ANY, "writes": 1, "changes": 2}, 808_974, 4_381_206, 20, is_nightly=True
        ),
        SmallWorld("any tables, a loss", {**_ANY, "writes": 1, "losses": 1}, 180_752, 945_225, 18),
        SmallWorld("no spare", {"writes": 1, "watched_write": 1, "losses": 0, "migrations": 1}, 634, 1_725, 15),
        SmallWorld(
            "late, two suspicions", {**_LATE, "members": 2, "backups": 1, "writes": 1, "suspicions": 2}, 87, 161, 6
        ),
        SmallWorld("any tables, two entries", {**_ANY, "entries_held": 2, "moves": 0}, 32_123, 126_509, 16),
        SmallWorld(
            "four members", {"members": 4, "migrations": 1, "refusals": 1}, 453_874, 2_027_502, 35, is_nightly=True
        ),
    ),
    # Who has a copy made knows the newest row, shifts are not late, and of one member two urgent messages never wait.
    never_refuses=frozenset({
        ("spare_gets_a_copy", 4), ("backup_is_shifted_up", 5), ("backup_is_shifted_down", 5),
        ("request_is_answered", 4), ("request_is_turned_down", 5), ("answer_is_installed", 4),
        ("retry_is_received", 4), ("answer_comes_amid_migration", 4), ("answer_is_not_taken", 5),
        ("answer_is_for_another_slot", 4),
    }),
)  # fmt: skip
_ANY_WAY: dict[str, Plain] = {"any_way": True, "members": 2}
OWNERSHIP = Explored(
    ownership.specification,
    (
        SmallWorld(
            "default", {}, 23_225, 77_653, 28,
            frozenset({
                "two_take_themselves_for_the_master",
                "a_member_is_ahead_of_the_master_that_it_follows",
                "an_owner_lacks_the_data",
                "copies_are_fewer_though_nobody_went",
                "slot_0_is_empty_though_nobody_ended",
                "a_spared_master_gives_a_version_out_twice",
            }), is_nightly=True,
        ),
        SmallWorld(
            "a doubt", {"doubts": 1}, 854_261, 2_755_692, 38, frozenset({"a_spared_master_gives_a_version_out_twice"}),
        ),
        SmallWorld("a loss", {"doubts": 1, "endings": 0, "losses": 1}, 18_462, 85_851, 25, is_nightly=True),
        SmallWorld("a failure", {"migrations": 2, "failures": 1}, 197_177, 770_706, 38, is_nightly=True),
        SmallWorld("a failure, and nobody ends", {"migrations": 2, "failures": 1, "endings": 0}, 558, 2_167, 12),
        SmallWorld("a newcomer", {"newcomers": 1, "orders": 0}, 13_747, 46_605, 31),
        SmallWorld("two backups", {"backups": 2, "groups": 3}, 1_923, 6_929, 27, is_nightly=True),
        SmallWorld("leaves", {"members": 2, "leaves": 2, "orders": 0}, 12_079, 21_485, 25),
        SmallWorld(
            "a lite leaver", {"lites": 1, "leaves": 1, "orders": 0, "endings": 0}, 4_002, 16_817, 20, is_nightly=True,
        ),
        SmallWorld("any edits", {**_ANY_WAY, "changes": 0, "edits": 2}, 10_253, 27_845, 17),
        SmallWorld(
            "any edits, and a loss", {**_ANY_WAY, "orders": 0, "changes": 1, "edits": 2, "losses": 1}, 3_373, 6_666, 19
        ),
        SmallWorld("any lists", {**_ANY_WAY, "doubts": 1, "freezes": True}, 850_460, 2_191_809, 29, is_nightly=True),
        SmallWorld("any lists, no order", {**_ANY_WAY, "doubts": 1, "freezes": True, "orders": 0}, 5_488, 10_163, 14),
        SmallWorld(
            "any lists, and nobody ends", {**_ANY_WAY, "doubts": 1, "freezes": True, "endings": 0}, 109_593, 409_888, 27
        ),
        SmallWorld(
            "any rows, and a master is spared", {**_ANY_WAY, "members": 3, "freezes": True, "orders": 0, "edits": 2},
            283_676, 831_332, 24, is_nightly=True,
        ),
        SmallWorld(
            "any rows and lists", {**_ANY_WAY, "freezes": True, "edits": 2}, 342_420, 725_657, 31, is_nightly=True,
        ),
        SmallWorld(
            "any rows and lists, an order among three", {**_ANY_WAY, "members": 3, "freezes": True},
            5_057_395, 19_900_688, 35, is_nightly=True,
        ),
        SmallWorld(
            "any rows and lists, and leaves", {**_ANY_WAY, "freezes": True, "edits": 2, "leaves": 2, "endings": 0},
            2_693_507, 7_246_170, 36, is_nightly=True,
        ),
        SmallWorld("outcomes are cleared", {"remembers": False}, 40_335, 144_681, 31, is_nightly=True),
        SmallWorld("outcomes are cleared, no order", {"remembers": False, "orders": 0}, 1_449, 5_539, 28),
        SmallWorld(
            "outcomes are cleared, and the next master was a destination",
            {"migrations": 2, "orders": 2, "remembers": False}, 450_109, 1_907_966, 42,
            broken=frozenset({"equal_versions_mean_equal_rows"}), is_nightly=True,
        ),
        SmallWorld(
            "versions are set, not lifted", {"migrations": 2, "failures": 1, "orders": 2, "lifts": False},
            1_258_873, 4_678_568, 38,
            broken=frozenset({"equal_versions_mean_equal_rows", "nobody_is_ahead_of_the_master"}), is_nightly=True,
        ),
    ),
    never_refuses=frozenset({
        # Whoever has promoted somebody has the row that it asked for.
        ("backup_is_promoted_at_once", 4), ("backup_is_promoted_at_once", 5),
        ("master_records_promotion", 3), ("master_records_promotion", 4),
        # It takes a row that is full but for one member, and one that is in it already, among three groups.
        ("leave_is_answered", 4), ("master_fills_slot", 5), ("master_puts_back", 3), ("master_puts_back", 6),
        # Absent members neither leave nor share a group; versions of what fails are below; no other answer is older.
        ("member_asks_to_leave", 2), ("member_starts", 2), ("migration_fails", 3), ("newest_row_is_fetched_at_once", 5),
    }),
)  # fmt: skip
_CALM: dict[str, Plain] = {"endings": 0, "removals": 0}
_AT_ONCE: dict[str, Plain] = {"at_once": True, "removals": 0, "stops": 0}
_TWO_SNAPSHOTS: dict[str, Plain] = _AT_ONCE | {"members": 3, "snapshots": 2, "ids": 2, "writes": 5}
_OF_LATE_HEARERS = frozenset({
    "an_execution_goes_on_that_was_given_up", "two_coordinate_the_job", "a_coordinator_knows_less_than_was_confirmed",
    "a_chunk_is_written_of_an_execution_that_is_over",
})  # fmt: skip
"""What takes members that have not heard of an end, or a living one taken for gone."""
_AS_DELIVERED = frozenset({
    "a_completed_snapshot_is_corrupted", "a_recorded_snapshot_is_forgotten", "an_id_is_used_twice",
    "the_stored_record_names_a_cleared_map", "a_late_commit_corrupts_the_job",
})  # fmt: skip
SNAPSHOT = Explored(
    snapshot.specification,
    (
        SmallWorld(
            "as delivered", _TWO_SNAPSHOTS | {"strict": False, "misses": 1}, 719_390, 1_404_486, 39,
            _OF_LATE_HEARERS | {"a_late_commit_corrupts_the_job", "a_snapshot_fails_without_a_loss_of_members"},
            is_nightly=True,
        ),
        SmallWorld(
            "later versions", _TWO_SNAPSHOTS | {"misses": 1}, 289_235, 564_801, 32, _OF_LATE_HEARERS | _AS_DELIVERED,
            is_nightly=True,
        ),
        SmallWorld(
            "two endings", _TWO_SNAPSHOTS | {"strict": False, "items": 0, "endings": 2}, 105_374, 216_474, 31,
            (_OF_LATE_HEARERS | _AS_DELIVERED) - {"a_late_commit_corrupts_the_job"}
            | {"at_least_once_counts_an_item_twice", "a_snapshot_fails_without_a_loss_of_members"},
        ),
        SmallWorld(
            "a split",
            {"at_once": True, "endings": 0, "removals": 2, "items": 0, "executions": 2, "writes": 4, "stops": 0},
            62_412, 242_932, 19,
        ),
        SmallWorld("default", {}, 301_846, 771_830, 26, is_nightly=True),
        SmallWorld("two coordinators", {"executions": 2, "ids": 0, "stops": 0}, 109_442, 207_608, 23),
        SmallWorld(
            "a successor", {"items": 0, "executions": 2, "writes": 4, "removals": 0, "stops": 0}, 487_230, 920_464, 30,
            is_nightly=True,
        ),
        SmallWorld(
            "a restart", {"members": 1, "executions": 2, "snapshots": 2, "ids": 2, "writes": 5, **_CALM},
            304_919, 705_755, 41,
        ),
        SmallWorld("two shards", {"shards": 2, "stops": 0, **_CALM}, 120_794, 305_960, 28, is_nightly=True),
        SmallWorld(
            "an omission and an exposure", {"items": 0, "omissions": 1, "exposures": 1, "endings": 0, "stops": 0},
            52_636, 135_810, 23,
        ),
        SmallWorld(
            "no room", {"members": 1, "items": 0, "executions": 2, "ids": 2, "writes": 3, **_CALM}, 3_310, 5_698, 22
        ),
        SmallWorld(
            "a miss", {"items": 0, "misses": 1, "strict": False, "removals": 0}, 69_974, 132_288, 22
        ),
        SmallWorld(
            "two partitions", {"partitions": 2, "items": 2, "stops": 0, **_CALM}, 177_922, 430_496, 28, is_nightly=True
        ),
        SmallWorld(
            "an end that is heard of late", {"executions": 2, "writes": 4, "removals": 0, "stops": 0},
            1_530_748, 3_236_224, 34, is_nightly=True,
        ),
        SmallWorld(
            "a removal of one that lives", {"executions": 2, "writes": 4, "endings": 0, "stops": 0},
            2_919_434, 9_116_834, 36, is_nightly=True,
        ),
        SmallWorld(
            "a miss and an end that is heard of late",
            {"executions": 2, "writes": 4, "removals": 0, "stops": 0, "strict": False, "misses": 1},
            4_648_712, 9_918_410, 35, is_nightly=True,
        ),
    ),
)  # fmt: skip
TWO_PHASE_COMMIT = Explored(
    two_phase_commit.specification,
    (
        SmallWorld("three managers", {"size": 3}, 288, 1_145, 10, NOTHING),
        SmallWorld("five managers", {"size": 5}, 8_832, 58_145, 16, NOTHING),
        SmallWorld("six managers", {"size": 6}, 50_816, 402_305, 19, NOTHING),
        SmallWorld("seven managers", {"size": 7}, 296_448, 2_744_705, 22, NOTHING, is_nightly=True),
        SmallWorld("eight managers", {"size": 8}, 1_745_408, 18_507_777, 25, NOTHING, is_nightly=True),
    ),
)
"""The numbers of states are the published ones."""
EXPLORED = (
    DURABILITY, INVOCATION, REPLICATION, OWNERSHIP, SNAPSHOT, TWO_PHASE_COMMIT,
)  # fmt: skip
