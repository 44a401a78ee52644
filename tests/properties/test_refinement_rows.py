"""Tables spread as `ownership` says; wrong steps are refused."""

from collections import Counter
from dataclasses import replace
from unittest.mock import patch

from gridproof_implementation.protocol.partitioning.reception import TableReceiver
from gridproof_implementation.protocol.partitioning.repair import Repair
from gridproof_implementation.protocol.partitioning.succession import Succession
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario, Script
from gridproof_model.events.membership import ClaimGranted
from gridproof_model.events.partitioning import PromotionOrdered, TableReceived
from gridproof_model.partition_table import PartitionRow
from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.verdict import Result
from gridproof_properties.refinement.rows.differences import LEARNT
from gridproof_properties.refinement.rows.judge import PROPERTY, RowsJudge
from gridproof_properties.zoo.interposer import Interposer, interposing
from tests.properties.followed_runs import away, judged, mutated, run_of, scenario, simulated

JOINS, MASTER_DIES = FaultEvent("join", 200, 60_000, (4,)), FaultEvent("crash", 400, 60_000, (0,))
LOSING = replace(scenario(FaultEvent("crash", 300, 60_000, (1,)), members=4), partition_count=5)
SUCCEEDING = replace(scenario(FaultEvent("crash", 300, 60_000, (0,)), members=4), partition_count=5)


def planted(given: Scenario, owner: object, rule: str, instead: object) -> Finding:
    with patch.object(owner, rule, instead):
        finding = judged(PROPERTY, simulated(given))
    assert finding.result is Result.BROKEN, finding
    return finding


def taken(given: Scenario) -> Counter[str]:
    """Return how often each action was taken in a run."""
    actions: Counter[str] = Counter()
    judge = RowsJudge(lambda before, event, after: actions.update([event.action]))
    for record in run_of(given):
        judge.observe(record)
    assert judge.conclude().result is Result.HOLDS
    return actions


def test_repair_and_promotion_are_steps() -> None:
    actions = taken(LOSING)

    assert actions["master_empties_slots"] > 0
    assert 0 < actions["master_orders_promotion"] == actions["backup_is_promoted"]


def test_tables_spread_step_by_step() -> None:
    assert taken(LOSING)["late_table_arrives"] > 5


def test_succession_is_made_of_steps() -> None:
    actions = taken(SUCCEEDING)

    assert actions["member_accepts_claim"] >= actions["candidate_becomes_master"] > 0
    assert actions["master_fetches_most_recent_rows"] > 0


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

    assert "never had such a row" in finding.sentence


def test_a_table_of_somebody_who_is_not_the_master_is_explained() -> None:
    finding = judged(PROPERTY, mutated(run_of(LOSING), TableReceived, lambda one: replace(one, sender=2)))

    assert "refuses late_table_arrives" in finding.sentence
    assert any("late[letter].sender = follows[member]" in line for line in finding.witness)


def test_a_table_refused_from_the_master_is_explained() -> None:
    refused = TableReceiver.is_refused
    asked: list[str] = []

    def refuse_once(receiver: TableReceiver, sender: object, what: str) -> bool:
        asked.append(what)
        known = receiver.latest_master
        if asked.count("table") == 3 and what == "table":
            receiver.latest_master = None
        is_refused = refused(receiver, sender, what)  # type: ignore[arg-type]
        receiver.latest_master = known
        return is_refused

    finding = planted(LOSING, TableReceiver, "is_refused", refuse_once)

    assert "refuses late_table_is_refused" in finding.sentence
    assert any("guard 2 of late_table_is_refused" in line for line in finding.witness)


def test_a_new_master_that_raises_rows_for_no_reason_is_refused() -> None:
    def lifted(succession: Succession, row: PartitionRow, failed_version: int) -> PartitionRow:
        return replace(row, version=row.version + 1)

    finding = planted(SUCCEEDING, Succession, "lifted", lifted)

    assert "rows-fetched" in finding.sentence
    assert "version" in finding.sentence


def test_a_claim_that_somebody_never_granted_is_explained() -> None:
    finding = judged(PROPERTY, mutated(run_of(SUCCEEDING), ClaimGranted, away))

    assert "refuses candidate_becomes_master" in finding.sentence
    assert any("guard 4 of candidate_becomes_master" in line for line in finding.witness)


def test_a_candidate_takes_over_a_newcomer_that_only_those_who_follow_it_know() -> None:
    """The last list before the claim never came to the candidate."""
    newcomer = replace(SUCCEEDING, scripts=(Script(SUCCEEDING.scripts[0].client_operations, (JOINS, MASTER_DIES)),))
    with interposing([Interposer("MemberUpdate", count=10_000, receiver=1, sender=0, first=1)]):
        finding = judged(PROPERTY, simulated(newcomer))

    assert finding.result is Result.HOLDS, finding
    assert LEARNT.name in finding.sentence


def test_a_promotion_recorded_with_one_version_too_few_is_refused() -> None:
    whole = PartitionRow.promoted

    def promoted(row: PartitionRow) -> PartitionRow:
        return replace(whole(row), version=row.version + 1)

    assert "version" in planted(LOSING, PartitionRow, "promoted", promoted).sentence
