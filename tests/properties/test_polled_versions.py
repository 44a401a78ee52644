"""Replica versions polled while clients are at work."""

import pytest

from gridproof_model.events.conditions import FaultBegun
from gridproof_model.trace import Outcome
from gridproof_properties.judging.verdict import Result
from gridproof_properties.strategies.trace_builder import TraceBuilder
from tests.properties.polled_run import counts

BACK, AHEAD, COUNTED = "shown-version-never-goes-back", "backup-not-ahead-of-primary", "acknowledged-writes-are-counted"


def run() -> TraceBuilder:
    """Member 0 is the primary of every partition, member 1 the backup."""
    return TraceBuilder().join(0, 1, 2).view("started", [(0, 1)] * 3)


class TestGoingBack:
    def test_a_copy_counts_fewer_than_before(self) -> None:
        verdict = counts(counts(run(), 1, 1, 5), 1, 1, 4).judged(BACK)

        assert (verdict.result, verdict.compared) == (Result.BROKEN, 1)
        said = "at 46 ms member 1 (host-1) had counted 4 updates of partition 0, though at 26 ms it had counted 5; "
        assert verdict.witness[-1].startswith(said)

    @pytest.mark.parametrize(("index", "row_version"), [(0, 7), (1, 8)])
    def test_another_slot_or_row_begins_anew(self, index: int, row_version: int) -> None:
        shown = counts(counts(run(), 1, 1, 5), 1, index, 4, row_version=row_version)

        assert shown.judged(BACK).result is Result.UNKNOWN

    def test_a_copy_that_does_not_know_its_version_is_not_compared(self) -> None:
        assert counts(counts(run(), 1, 1, 5), 1, 1, -1).judged(BACK).result is Result.UNKNOWN

    def test_only_what_concerns_the_backup_is_compared(self) -> None:
        verdict = counts(counts(run(), 1, 2, 5, 5), 1, 2, 0, 6).judged(BACK)

        assert (verdict.result, verdict.compared) == (Result.HOLDS, 1)

    def test_once_the_primary_has_ended_nothing_is_said(self) -> None:
        shown = counts(run(), 1, 1, 5).crash(0)

        assert counts(shown, 1, 1, 4).judged(BACK).compared == 0


class TestAhead:
    @pytest.mark.parametrize(("counted", "result"), [(5, Result.HOLDS), (6, Result.BROKEN)])
    def test_a_backup_is_held_against_a_primary_that_is_asked_later(self, counted: int, result: Result) -> None:
        verdict = counts(counts(run(), 1, 1, counted), 0, 0, 5).judged(AHEAD)

        assert (verdict.result, verdict.compared) == (result, 1)

    def test_a_primary_that_was_asked_before_says_nothing(self) -> None:
        assert counts(counts(run(), 0, 0, 5), 1, 1, 6).judged(AHEAD).compared == 0

    def test_a_primary_that_was_asked_while_the_backup_answered_says_nothing(self) -> None:
        late = counts(run(), 1, 1, 6)
        late.now_ms -= 15

        assert counts(late, 0, 0, 5).judged(AHEAD).compared == 0

    def test_each_backup_has_a_version_of_its_own(self) -> None:
        verdict = counts(counts(run(), 2, 2, 0, 3), 0, 0, 5, 2).judged(AHEAD)

        assert verdict.result is Result.BROKEN

    def test_one_number_is_for_all_backups(self) -> None:
        assert counts(counts(run(), 2, 2, 5), 0, 0, 5).judged(AHEAD).result is Result.HOLDS


class TestCounted:
    @pytest.mark.parametrize(("counted", "result"), [(2, Result.HOLDS), (1, Result.BROKEN)])
    @pytest.mark.parametrize(("member", "index"), [(0, 0), (1, 1)])
    def test_every_holder_counts_what_was_acknowledged(
        self, member: int, index: int, counted: int, result: Result
    ) -> None:
        run_of_two = run().write("key-0", "v1", copies=2).write("key-0", "v2", copies=2)

        assert counts(run_of_two, member, index, counted).judged(COUNTED).result is result

    def test_a_backup_that_no_acknowledgement_names_may_lack_it(self) -> None:
        assert counts(run().write("key-0", "v1", copies=1), 1, 1, 0).judged(COUNTED).result is Result.UNKNOWN

    @pytest.mark.parametrize(("versions", "result"), [((0, 0), Result.UNKNOWN), ((0,), Result.BROKEN)])
    def test_without_backups_a_vector_says_nothing_and_one_number_for_all_does(
        self, versions: tuple[int, ...], result: Result
    ) -> None:
        alone = TraceBuilder(backup_count=0).join(0).view("started", [(0,)] * 3).write("key-0", "v1", copies=1)

        assert counts(alone, 0, 0, *versions).judged(COUNTED).result is result

    def test_what_nobody_acknowledged_is_not_counted(self) -> None:
        unknown = run().write("key-0", "v1", Outcome.UNKNOWN, copies=None)

        assert counts(unknown, 0, 0, 0).judged(COUNTED).result is Result.UNKNOWN

    def test_a_call_of_several_entries_is_one_update(self) -> None:
        two = run()
        for value in ("v1", "v2"):
            two.write("key-0", value, copies=2).change_last(call=0)

        assert counts(two, 1, 1, 1).judged(COUNTED).result is Result.HOLDS

    def test_a_write_that_ends_while_the_member_is_asked_may_be_missing(self) -> None:
        asked = run().write("key-0", "v1", copies=2).change_last(end_ms=30)

        assert counts(asked, 1, 1, 0).judged(COUNTED).result is Result.UNKNOWN

    def test_while_members_are_held_up_nothing_is_said(self) -> None:
        paused = run().event(FaultBegun("pause", ("trust",), (1,), "a member pauses"))

        assert counts(paused.write("key-0", "v1", copies=2), 1, 1, 0).judged(COUNTED).compared == 0


@pytest.mark.parametrize("name", [BACK, AHEAD, COUNTED])
def test_a_run_without_versions_is_unknown(name: str) -> None:
    assert TraceBuilder().join(0, 1).judged(name).result is Result.UNKNOWN
