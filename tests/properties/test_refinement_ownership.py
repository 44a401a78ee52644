"""What members record of tables is a behaviour of `ownership`, and wrong steps are refused."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from unittest.mock import patch

import pytest

from gridproof_implementation.protocol.membership.cluster_states import ClusterStates
from gridproof_implementation.protocol.partitioning.messages import CompletedMigration
from gridproof_implementation.protocol.partitioning.migrating import MigrationMaster
from gridproof_implementation.protocol.partitioning.participation import Participation
from gridproof_implementation.protocol.partitioning.recovery import Repair, Succession
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario, Script
from gridproof_model.events.membership import ClaimGranted
from gridproof_model.events.migration import MigrationCopied, MigrationOrdered, MigrationReadied
from gridproof_model.events.partitioning import FetchBegun, PromotionOrdered, RowInstalled, RowsFetched, TableReceived
from gridproof_model.events.words import WhyRowChanged
from gridproof_model.partition_table import PartitionRow
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.verdict import Result
from gridproof_properties.refinement.ownership import OwnershipJudge
from suite.zoo.members import MEMBER_MUTANTS
from suite.zoo.mutant import Interposer, interposing
from tests.properties.validated_runs import away, broken_by, judged, mutated, recorded, run_of, scenario, simulated

PROPERTY = get_property("refines-ownership")

JOINS, MASTER_DIES = FaultEvent("join", 200, 60_000, (4,)), FaultEvent("crash", 400, 60_000, (0,))
MOVING = replace(scenario(FaultEvent("crash", 300, 2_000, (1,)), members=4), partition_count=5)
LOSING = replace(scenario(FaultEvent("crash", 300, 60_000, (1,)), members=4), partition_count=5)
SUCCEEDING = replace(scenario(FaultEvent("crash", 300, 60_000, (0,)), members=4), partition_count=5)
JOINING = FaultEvent("join", 300, 5_000, (3,))
FROZEN, MASTER_DIES_NEXT = FaultEvent("cluster-state", 300, 4_000, (1,), 1), FaultEvent("crash", 1_500, 60_000, (0,))


planted = partial(broken_by, PROPERTY)


def taken(given: Scenario) -> Counter[str]:
    """Return how often each action was taken in a run."""
    actions: Counter[str] = Counter()
    judge = OwnershipJudge().shown_to(lambda before, event, after: actions.update([event.action]))
    for record in run_of(given):
        judge.observe(record)
    assert judge.conclude().result is Result.HOLDS
    return actions


def test_a_member_keeps_what_it_heard_of_migrations_from_the_master_before() -> None:
    """Seed 310010288 (`--vary`): it says so to the next master, after it follows that one."""
    drawn = draw_scenario(310010288, DrawOptions(is_varied=True))
    assert judged(PROPERTY, simulated(drawn)).result is Result.HOLDS


def test_every_migration_of_a_run_is_validated() -> None:
    ordered = sum(
        isinstance(record, EventRecord) and isinstance(record.event, MigrationOrdered) for record in run_of(MOVING)
    )
    actions = taken(MOVING)

    assert 0 < ordered == actions["master_orders_migration"] + actions["master_orders_shift_down"]
    assert actions["destination_commits"] >= actions["master_commits"] > 0


def test_repair_and_promotion_are_steps() -> None:
    actions = taken(LOSING)

    assert actions["master_empties_slots"] > 0
    assert 0 < actions["master_orders_promotion"] == actions["backup_is_promoted"] == actions["primary_begins"]


def test_tables_spread_step_by_step() -> None:
    assert taken(LOSING)["table_arrives"] > 5


def test_succession_is_made_of_steps() -> None:
    actions = taken(SUCCEEDING)

    assert actions["claim_is_granted"] >= actions["claim_ends"] > 0
    assert 0 < actions["fetch_begins"] == actions["fetch_ends"]


@pytest.mark.parametrize(("address_index", "step"), [(1, "MigrationOpened"), (3, "FragmentsMigrated")])
def test_what_a_participant_said_outlives_it(address_index: int, step: str) -> None:
    dying = FaultEvent("crash-at-step", 300, 2_000, (address_index,), 2, step)

    finding = judged(PROPERTY, run_of(replace(scenario(JOINING, dying), partition_count=4)))

    assert finding.result is Result.HOLDS, finding


def test_a_master_goes_on_to_empty_the_slots_of_a_leaver_whose_death_it_has_not_heard_of() -> None:
    fault_events = (FaultEvent("leave", 301, 5_000, (0,)), FaultEvent("crash-at-step", 301, 2, (0,), 8, "CommitAnswer"))
    quick = scenario(FaultEvent("restart", 300, 0, (0,)), *fault_events, members=2)

    finding = judged(PROPERTY, run_of(replace(quick, partition_count=3, properties=QUICK)))

    assert finding.result is Result.HOLDS, finding


def test_a_candidate_takes_over_a_newcomer_that_only_those_who_follow_it_know() -> None:
    """The last list before the claim never came to the candidate."""
    newcomer = replace(SUCCEEDING, scripts=(Script(SUCCEEDING.scripts[0].client_operations, (JOINS, MASTER_DIES)),))
    with interposing([Interposer("MemberUpdate", count=10_000, receiver=1, sender=0, first=1)]):
        finding = judged(PROPERTY, simulated(newcomer))

    assert finding.result is Result.HOLDS, finding


def test_a_commit_before_everything_is_copied_is_explained() -> None:
    finding = judged(PROPERTY, mutated(run_of(MOVING), MigrationCopied, away))

    assert "refuses the action master_sends_commit" in finding.sentence
    assert any(
        line.startswith("the guard that forbids this action would be true after primary_") for line in finding.witness
    )


def test_a_destination_that_never_was_ready_is_refused() -> None:
    finding = judged(PROPERTY, mutated(run_of(MOVING), MigrationReadied, away))

    assert "refuses the action primary_copies_data" in finding.sentence


def test_an_order_for_an_older_row_is_refused() -> None:
    def older(order: MigrationOrdered) -> MigrationOrdered:
        return replace(order, initial_version=order.initial_version - 1)

    assert "initial version" in judged(PROPERTY, mutated(run_of(MOVING), MigrationOrdered, older)).sentence


@contextmanager
def refused_once(rule: str) -> Iterator[None]:
    """Let a participant refuse one order, whatever it is."""
    asked: list[object] = []
    judge = getattr(Participation, rule)

    def refuse(self: Participation, *order: object) -> str | None:
        asked.append(order)
        return "for a test" if len(asked) == 1 else judge(self, *order)

    with patch.object(Participation, rule, refuse):
        yield


def test_a_failure_that_leaves_the_version_alone_is_refused() -> None:
    whole = LocalTable.complete

    def complete(self: LocalTable, completed: CompletedMigration, why: WhyRowChanged) -> None:
        row = self.rows[completed.order.partition]
        if why is WhyRowChanged.FAILED:
            self.remember(completed)
            self.install(completed.order.partition, replace(row, version=row.version + 1), why)
            self.finish(completed)
        else:
            whole(self, completed, why)

    with refused_once("why_not_as_destination"):
        finding = planted(MOVING, LocalTable, "complete", complete)

    assert "row-installed" in finding.sentence
    assert "version" in finding.sentence


def test_a_failure_although_the_destination_would_commit_is_refused() -> None:
    with refused_once("why_not_committed"):
        finding = judged(PROPERTY, simulated(MOVING))

    assert "the specification refuses the action migration_fails" in finding.sentence


def test_a_master_that_commits_before_the_destination_is_refused() -> None:
    def commit_at_once(self: MigrationMaster, sender: object, answer: object) -> None:
        underway = self.underway.get(answer.partition)  # type: ignore[attr-defined]
        if underway is not None:
            self.succeed(underway.order)

    assert "row-installed" in planted(MOVING, MigrationMaster, "on_answer", commit_at_once).sentence


def test_a_repair_that_raises_the_version_too_far_is_refused() -> None:
    def without(row: PartitionRow, gone: object) -> PartitionRow:
        found = whole(row, gone)  # type: ignore[arg-type]
        return replace(found, version=found.version + (found != row))

    whole = PartitionRow.without
    finding = planted(LOSING, PartitionRow, "without", without)

    assert "row-installed" in finding.sentence
    assert "version" in finding.sentence


def test_another_survivor_than_the_lowest_is_refused() -> None:
    def last(repair: Repair, row: PartitionRow) -> int | None:
        return max((index for index, slot in enumerate(row.slots) if slot is not None), default=None)

    finding = planted(LOSING, Repair, "lowest_survivor", last)

    assert "promotion-ordered" in finding.sentence
    assert "destination" in finding.sentence


def test_a_promotion_that_nobody_ordered_is_refused() -> None:
    finding = judged(PROPERTY, mutated(run_of(LOSING), PromotionOrdered, away))

    assert "has sent no table with this row" in finding.sentence


def test_a_promotion_recorded_with_one_version_too_few_is_refused() -> None:
    whole = PartitionRow.promoted

    def promoted(row: PartitionRow) -> PartitionRow:
        return replace(whole(row), version=row.version + 1)

    assert "has sent no table with this row" in planted(LOSING, PartitionRow, "promoted", promoted).sentence


def test_a_table_of_somebody_who_is_not_the_master_is_refused() -> None:
    finding = judged(PROPERTY, mutated(run_of(LOSING), TableReceived, lambda one: replace(one, sender=2)))

    assert finding.result is Result.BROKEN
    assert "table-received" in finding.sentence


def test_a_new_master_that_raises_rows_for_no_reason_is_refused() -> None:
    def lifted(succession: Succession, row: PartitionRow, failed_version: int) -> PartitionRow:
        return replace(row, version=row.version + 1)

    assert "rows-fetched" in planted(SUCCEEDING, Succession, "lifted", lifted).sentence


def test_a_new_master_that_keeps_an_older_row_is_refused() -> None:
    def own(succession: Succession, rows: list[PartitionRow]) -> PartitionRow:
        return rows[0]

    dying = FaultEvent("crash-at-step", 300, 60_000, (0,), 1, "MigrationCommit")
    finding = planted(replace(scenario(JOINING, dying), partition_count=4), Succession, "newest", own)

    assert "refuses the action fetch_ends" in finding.sentence


def test_a_claim_that_somebody_never_granted_is_refused() -> None:
    finding = judged(PROPERTY, mutated(run_of(SUCCEEDING), ClaimGranted, away))

    assert "which has not said that it follows it" in finding.sentence


def test_a_row_among_more_members_than_there_is_room_for_is_given_up() -> None:
    joined = [MemberRecord("run", 0, member, MemberChange.JOINED, f"10.0.0.{member}", "") for member in range(73)]

    finding = judged(PROPERTY, [*joined, recorded(0, RowInstalled(0, 1, (0,), WhyRowChanged.ARRANGED))])

    given_up = (
        "not validated to the end: there are 73 members, but at most 72 are validated; validate a run of fewer members"
    )
    assert (finding.result, finding.sentence) == (Result.UNKNOWN, given_up)


@pytest.mark.parametrize(
    ("number", "seed", "refused"),
    [
        ("X06", 3, "master_fills_slot"),
        ("M05", 14, "master_fills_slot"),
        ("X10", 2, "leave_is_answered"),
        ("M36", 0, "participant_finishes"),
    ],
)
def test_groups_lite_members_leavers_and_settled_ends_are_looked_at(number: str, seed: int, refused: str) -> None:
    (mutant,) = (one for one in MEMBER_MUTANTS if one.number == number)
    drawn = draw_scenario(seed, DrawOptions(client_operations=30))
    with mutant.plant():
        finding = judged(PROPERTY, simulated(drawn))

    assert f"the specification refuses the action {refused}" in finding.sentence
    assert judged(PROPERTY, simulated(drawn)).result is Result.HOLDS


def test_a_new_master_that_edits_without_a_fetch_is_refused() -> None:
    unfetched = mutated(mutated(run_of(SUCCEEDING), FetchBegun, away), RowsFetched, away)

    assert "refuses" in judged(PROPERTY, unfetched).sentence
    assert "must_fetch" in "\n".join(judged(PROPERTY, unfetched).witness)


def test_a_new_master_that_repairs_rows_between_the_removals_of_missing_members_is_refused() -> None:
    def one_by_one(states: ClusterStates) -> None:
        missing, states._roster.missing = states._roster.missing, {}
        for left in missing.values():
            states._node.partitions.member_removed(left.member, was_master=left.was_master)

    dying = FaultEvent("crash", 600, 60_000, (2,))
    thawing = scenario(FROZEN, dying, MASTER_DIES_NEXT, members=4, pause_ms=500)

    assert judged(PROPERTY, run_of(thawing)).result is Result.HOLDS
    assert "action fetch_begins" in planted(thawing, ClusterStates, "_give_up_the_missing", one_by_one).sentence


def test_a_new_master_that_put_somebody_back_still_collects_rows() -> None:
    returning = FaultEvent("crash", 2_000, 1_000, (2,))
    thawing = scenario(FROZEN, MASTER_DIES_NEXT, returning, members=4, pause_ms=500)

    assert taken(thawing)["master_puts_back"] == 1


def test_a_new_master_that_joined_a_frozen_cluster_is_spared_its_fetch_where_the_old_one_came_back() -> None:
    """Seed 884000087, of cluster states, crashes, restarts and leaves: no record says in which state a joiner is."""
    joining, returning = FaultEvent("crash", 600, 400, (1,)), FaultEvent("crash", 1_600, 1_000, (0,))
    asked = replace(FROZEN, address_indices=(0,))

    actions = taken(scenario(asked, joining, returning, members=2, pause_ms=500))

    assert actions["nothing_is_fetched"] == 1
