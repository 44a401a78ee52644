"""Runs are behaviours of `replication`, and wrong steps are refused."""

import re
from dataclasses import replace
from unittest.mock import patch

import pytest

from gridproof_implementation.protocol import version_vector
from gridproof_implementation.protocol.anti_entropy.part import AntiEntropyPart
from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.fragment import Fragment
from gridproof_implementation.protocol.operation.backups import BackupSender
from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.protocol.version_vector import Verdict, Versions
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario, Script
from gridproof_model.events.anti_entropy import SyncInstalled, SyncRequested
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.replication import BackupApplied, BackupRefused
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord
from gridproof_properties.judging.verdict import Result
from gridproof_properties.refinement.replication.differences import LATE_COMMIT, OLDER_TABLE, RETURNED, UNDONE
from gridproof_properties.refinement.replication.judge import PROPERTY
from tests.properties.followed_runs import away, judged, listed, mutated, run_of, scenario, simulated, told

CALM = scenario()
LOSSY = scenario(FaultEvent("drop", 200, 20_000, (0, 1, 2), 30), pause_ms=1_700)
PRIMARY_CRASHES = scenario(FaultEvent("crash", 500, 3_000, (0,)), members=4)
TOLD = "the specification"


@pytest.mark.parametrize("given", [CALM, LOSSY, PRIMARY_CRASHES], ids=["calm", "lossy", "primary crashes"])
def test_a_run_is_a_behaviour(given: Scenario) -> None:
    finding = judged(PROPERTY, run_of(given))
    assert finding.result is Result.HOLDS, finding
    assert "1 behaviours of replication" in finding.sentence


def dies_amid_migrations(seat: int, members: int, partition_count: int, step: str, amount: int) -> Scenario:
    """Return a grid that another member joins, and in which one dies at a step of the migrations that follow."""
    fault_events = (
        FaultEvent("join", 800, 5_000, (members,)),
        FaultEvent("crash-at-step", 800, 3_000, (seat,), amount, step),
    )
    given = scenario(*fault_events, members=members)
    client_operations = tuple(
        replace(client_operation, key=f"register/{number}")
        for number, client_operation in enumerate(given.scripts[0].client_operations)
    )
    return replace(given, partition_count=partition_count, scripts=(Script(client_operations, fault_events),))


@pytest.mark.parametrize(
    "given",
    [dies_amid_migrations(1, 1, 2, "MigrationFinished", 4), dies_amid_migrations(2, 2, 3, "MigrationFinished", 1)],
    ids=["primary", "backup"],
)
def test_a_migration_that_only_its_dead_destination_knew_of_is_undone(given: Scenario) -> None:
    finding = judged(PROPERTY, run_of(given))
    assert finding.result is Result.HOLDS, finding
    assert f"{UNDONE.name} (1)" in finding.sentence


@pytest.mark.parametrize("amount", [5, 2], ids=["primary", "backup"])
def test_a_destination_that_commits_after_its_primary_died_has_what_it_was_given(amount: int) -> None:
    finding = judged(PROPERTY, run_of(dies_amid_migrations(0, 2, 3, "CommitOrdered", amount)))
    assert finding.result is Result.HOLDS, finding
    assert LATE_COMMIT.name in finding.sentence


@pytest.mark.parametrize(("why", "is_doubted"), [("another slot", False), ("stale", True)])
def test_an_update_for_a_former_slot_shows_nothing_of_a_backups_table(why: str, *, is_doubted: bool) -> None:
    """Seed 5001392: it came after a shift, its backup was doubted, and an update behind a sync was taken for lost."""
    records = list(run_of(CALM))
    place, applied = next(
        (place, record)
        for place, record in enumerate(records)
        if isinstance(record, EventRecord) and isinstance(record.event, BackupApplied)
    )
    assert isinstance(applied.event, BackupApplied)
    event = BackupRefused(applied.event.partition, applied.event.namespace, 2, 1, why, 0, False, True, 0, 99)

    finding = judged(PROPERTY, [*records[: place + 1], replace(applied, event=event), *records[place + 1 :]])

    assert finding.result is Result.HOLDS, finding
    assert (OLDER_TABLE.name in finding.sentence) is is_doubted


def test_a_plan_without_a_leaver_counts_though_its_master_has_not_heard_that_the_primary_died() -> None:
    """The leaver had the only copy that was left; who becomes the owner then begins with nothing."""
    joined = [MemberRecord("run", 0, n, MemberChange.JOINED, str(n), str(n), lite=n == 0) for n in range(4)]
    lists = [told(n, listed(0, 1, 2, 3)) for n in range(4)]
    finding = judged(
        PROPERTY,
        [
            *joined,
            *lists,
            told(1, RowInstalled(0, 2, (1, 2, None), "received")),
            told(1, Executed(0, "map:m", "Put", 1, 1, (1, 0), True, (1,), 1)),
            MemberRecord("run", 1, 1, MemberChange.CRASHED, "1", "1"),
            told(0, RowInstalled(0, 3, (1, None, None), "planned")),
            told(3, RowInstalled(0, 5, (3, None, None), "received")),
        ],
    )
    assert finding.result is Result.HOLDS, finding


def test_a_primary_that_comes_back_to_a_frozen_cluster_has_its_slot_and_nothing_in_it() -> None:
    frozen = scenario(FaultEvent("cluster-state", 300, 4_000, (1,), 1), FaultEvent("crash", 500, 500, (0,)), members=4)
    finding = judged(PROPERTY, run_of(frozen))
    assert finding.result is Result.HOLDS, finding
    assert f"{RETURNED.name} (1)" in finding.sentence


def test_a_verdict_that_is_not_the_specifications_is_explained() -> None:
    records = mutated(run_of(CALM), BackupApplied, lambda one: replace(one, verdict="gapped"), 3)
    finding = judged(PROPERTY, records)
    assert finding.result is Result.BROKEN
    assert any("guard 4 of gapped_backup_message_is_applied(backup" in line for line in finding.witness)
    cure = next(line for line in finding.witness if line.startswith("what would have made it true"))
    assert "primary_executes_write(entry 0)" in cure


def test_an_update_that_nobody_sent_is_refused() -> None:
    records = mutated(run_of(CALM), Executed, away, 5)
    assert re.search(r"no update of version \d+ is under way", judged(PROPERTY, records).sentence)


def test_a_version_that_a_sync_did_not_bring_is_refused() -> None:
    records = run_of(LOSSY)
    finding = judged(
        PROPERTY, mutated(records, SyncInstalled, lambda one: replace(one, versions=(99, *one.versions[1:])))
    )
    assert finding.result is Result.BROKEN
    assert f"and {TOLD} says" in finding.sentence


def test_a_sync_without_a_reason_is_refused() -> None:
    records = list(run_of(LOSSY))
    place = next(
        place for place, record in enumerate(records) if isinstance(getattr(record, "event", None), SyncRequested)
    )
    finding = judged(PROPERTY, [*records[: place + 1], *records[place:]])
    assert "asks for a sync without a reason" in finding.sentence


def refused_with(owner: object, rule: str, instead: object, given: Scenario = LOSSY) -> str:
    with patch.object(owner, rule, instead):
        finding = judged(PROPERTY, simulated(given))
    assert finding.result is Result.BROKEN
    return finding.sentence


def test_a_gap_that_leaves_a_backup_clean_is_refused() -> None:
    def forget(self: ReplicationPart, fragment: Fragment, backup: Backup, verdict: Verdict) -> None:
        fragment.versions = version_vector.taken_over(fragment.versions, backup.versions, backup.index)

    assert "dirty False, and the specification says True" in refused_with(ReplicationPart, "record", forget)


def test_a_vector_that_counts_one_backup_less_is_refused() -> None:
    whole = version_vector.counted

    def counted(versions: Versions, backups: int) -> Versions:
        return whole(versions, backups if versions[0] < 3 else backups - 1)

    assert "versions (4, 3), and the specification says (4, 4)" in refused_with(
        version_vector, "counted", counted, CALM
    )


def test_a_promotion_that_takes_over_a_wrong_vector_is_refused() -> None:
    sentence = refused_with(version_vector, "promoted", lambda versions, from_index: (0,) * 6, PRIMARY_CRASHES)
    assert sentence.startswith("no behaviour of replication")


def test_a_primary_that_passes_a_backup_over_is_refused() -> None:
    whole = BackupSender.addressed
    assert "told [1], and the specification says [1, 2]" in refused_with(
        BackupSender, "addressed", lambda *given: (whole(*given)[0], 1), CALM
    )


def test_a_comparison_that_finds_nothing_is_refused() -> None:
    assert "found to be behind False, and the specification says True" in refused_with(
        AntiEntropyPart, "behind", lambda self, summary: ()
    )
