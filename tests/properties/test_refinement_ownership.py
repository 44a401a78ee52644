"""Migrations are behaviours of `ownership`, and wrong steps are refused."""

from dataclasses import replace
from unittest.mock import patch

from gridproof_implementation.protocol.partitioning.migrating import MigrationMaster
from gridproof_implementation.protocol.partitioning.orders import CompletedMigration, MigrationOrder
from gridproof_implementation.protocol.partitioning.participation import Participation
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.events.migration import MigrationCopied, MigrationOrdered, MigrationReadied
from gridproof_model.events.partitioning import RowInstalled, ShutdownRequested
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord
from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.verdict import Result
from gridproof_properties.refinement.ownership.differences import COMES_BACK, DEATH_UNHEARD, FEWER_STAY, LAST_WORDS
from gridproof_properties.refinement.ownership.judge import PROPERTY
from tests.properties.followed_runs import away, judged, listed, mutated, run_of, scenario, simulated, told

MOVING = replace(scenario(FaultEvent("crash", 300, 2_000, (1,)), members=4), partition_count=5)


def found(owner: object, rule: str, instead: object) -> Finding:
    with patch.object(owner, rule, instead):
        finding = judged(PROPERTY, simulated(MOVING))
    assert finding.result is Result.BROKEN, finding
    return finding


def test_migrations_are_behaviours() -> None:
    finding = judged(PROPERTY, run_of(MOVING))
    assert finding.result is Result.HOLDS, finding
    assert "behaviours of ownership" in finding.sentence


def test_a_leaver_may_make_others_change_places_over_an_occupant_that_comes_back() -> None:
    leaving = replace(scenario(FaultEvent("join", 200, 500, (5,)), members=5), partition_count=5)
    finding = judged(PROPERTY, run_of(leaving))
    assert finding.result is Result.HOLDS, finding


def test_a_destination_may_get_ready_for_a_primary_that_died_meanwhile() -> None:
    dying = FaultEvent("crash-at-step", 300, 2_000, (1,), 2, "MigrationOpened")
    finding = judged(
        PROPERTY, run_of(replace(scenario(FaultEvent("join", 300, 5_000, (3,)), dying), partition_count=4))
    )
    assert finding.result is Result.HOLDS, finding
    assert f"{LAST_WORDS.name} (1)" in finding.sentence


def test_a_primary_may_be_answered_by_a_destination_that_died_meanwhile() -> None:
    dying = FaultEvent("crash-at-step", 300, 2_000, (3,), 2, "FragmentsMigrated")
    finding = judged(
        PROPERTY, run_of(replace(scenario(FaultEvent("join", 300, 5_000, (3,)), dying), partition_count=4))
    )
    assert finding.result is Result.HOLDS, finding
    assert f"{LAST_WORDS.name} (1)" in finding.sentence


def test_a_master_goes_on_to_empty_the_slots_of_a_leaver_whose_death_it_has_not_heard_of() -> None:
    fault_events = (FaultEvent("leave", 301, 5_000, (0,)), FaultEvent("crash-at-step", 301, 2, (0,), 8, "CommitAnswer"))
    quick = scenario(FaultEvent("restart", 300, 0, (0,)), *fault_events, members=2)
    finding = judged(PROPERTY, run_of(replace(quick, partition_count=3, properties=QUICK)))
    assert finding.result is Result.HOLDS, finding
    assert f"{DEATH_UNHEARD.name} (1)" in finding.sentence


def test_an_occupant_that_comes_back_later_may_be_dropped_by_a_shift_up() -> None:
    order = MigrationOrdered(0, 1, 0, "shift up, replacing", 0, 4, 4, 5, 3, None, 5)
    finding = judged(
        PROPERTY,
        [
            *(MemberRecord("run", 0, n, MemberChange.JOINED, str(n), str(n)) for n in range(5)),
            *(told(n, listed(0, 1, 2, 3, 4)) for n in range(5)),
            told(0, RowInstalled(0, 5, (0, 1, 2, None, 3, 4, None), "repaired")),
            told(0, order),
        ],
    )
    assert finding.result is Result.HOLDS, finding
    assert f"{COMES_BACK.name} (1)" in finding.sentence


def test_a_leaver_of_a_row_with_too_many_copies_may_be_dropped_by_a_shift_up() -> None:
    order = MigrationOrdered(0, 1, 0, "shift up, replacing", 2, 0, 0, 2, 2, None, 8)

    def ordered(*leavers: int) -> Finding:
        return judged(
            PROPERTY,
            [
                *(MemberRecord("run", 0, n, MemberChange.JOINED, str(n), str(n)) for n in range(4)),
                *(told(n, listed(0, 1, 2, 3)) for n in range(4)),
                told(0, RowInstalled(0, 8, (2, 1, 0, None, None, None, None), "committed")),
                *(told(leaver, ShutdownRequested()) for leaver in leavers),
                told(0, order),
            ],
        )

    assert ordered(1, 2).result is Result.HOLDS, ordered(1, 2)
    assert f"{FEWER_STAY.name} (1)" in ordered(1, 2).sentence
    assert ordered(2).result is Result.BROKEN


def test_a_commit_before_everything_is_copied_is_explained() -> None:
    finding = judged(PROPERTY, mutated(run_of(MOVING), MigrationCopied, away))
    assert finding.result is Result.BROKEN
    assert any("guard 3 of master_sends_commit(migration 0)" in line for line in finding.witness)
    assert any(line.startswith("what would have made it true: primary_copies_data") for line in finding.witness)


def test_a_destination_that_never_was_ready_is_refused() -> None:
    finding = judged(PROPERTY, mutated(run_of(MOVING), MigrationReadied, away))
    assert "the specification refuses primary_copies_data" in finding.sentence


def test_an_order_for_an_older_row_is_refused() -> None:
    def older(order: MigrationOrdered) -> MigrationOrdered:
        return replace(order, initial_version=order.initial_version - 1)

    finding = judged(PROPERTY, mutated(run_of(MOVING), MigrationOrdered, older))
    assert "initial_version" in finding.sentence


def test_a_failure_that_leaves_the_version_alone_is_refused() -> None:
    whole = LocalTable.complete

    def complete(self: LocalTable, completed: CompletedMigration, why: str) -> None:
        row = self.rows[completed.order.partition]
        if why == "failed":
            self.remember(completed)
            self.install(completed.order.partition, replace(row, version=row.version + 1), why)
            self.finish(completed)
        else:
            whole(self, completed, why)

    asked: list[MigrationOrder] = []
    judge = Participation.why_not_committed

    def refuse(self: Participation, order: MigrationOrder, version: int) -> str | None:
        asked.append(order)
        return "for a test" if len(asked) == 1 else judge(self, order, version)

    with patch.object(Participation, "why_not_committed", refuse):
        finding = found(LocalTable, "complete", complete)
    assert "row-installed" in finding.sentence
    assert "version" in finding.sentence


def test_a_master_that_commits_before_the_destination_is_refused() -> None:
    def commit_at_once(self: MigrationMaster, sender: object, answer: object) -> None:
        underway = self.underway.get(answer.partition)  # type: ignore[attr-defined]
        if underway is not None:
            self.succeed(underway.order)

    finding = found(MigrationMaster, "on_answer", commit_at_once)
    assert "migration-ended" in finding.sentence


def test_every_order_of_a_run_is_followed() -> None:
    records = run_of(MOVING)
    ordered = sum(isinstance(record, EventRecord) and isinstance(record.event, MigrationOrdered) for record in records)
    assert f"{ordered} behaviours of ownership" in judged(PROPERTY, records).sentence
