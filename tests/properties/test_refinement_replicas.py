"""Runs are behaviours of `replication`, and wrong steps are refused."""

from dataclasses import replace
from unittest.mock import patch

import pytest

from gridproof_implementation.protocol import version_vector
from gridproof_implementation.protocol.anti_entropy.part import AntiEntropyPart
from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.fragment import Fragment
from gridproof_implementation.protocol.operation.backups import BackupSender
from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.protocol.version_vector import Versions
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario, Script
from gridproof_model.events.anti_entropy import SyncEnded, SyncInstalled, SyncRequested
from gridproof_model.events.migration import MigrationFinished, MigrationOpened
from gridproof_model.events.operation import Executed
from gridproof_model.events.replication import (
    BackupApplied,
    BackupRefused,
    FragmentInstalled,
    ReplicaKept,
    ReplicaPromoted,
    StructureDestroyed,
)
from gridproof_model.events.words import Applied, WhyBackupRefused, WhySyncEnded
from gridproof_model.trace import EventRecord
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.verdict import Result
from tests.properties.validated_runs import away, judged, mutated, run_of, scenario, simulated

PROPERTY = get_property("refines-replication")

CALM = scenario()
LOSSY = scenario(FaultEvent("drop", 200, 20_000, (0, 1, 2), 30), pause_ms=1_700)
PRIMARY_CRASHES = scenario(FaultEvent("crash", 500, 3_000, (0,)), members=4)
REPEATED = scenario(FaultEvent("duplicate", 200, 20_000, (0, 1, 2), 50), pause_ms=1_700)
JOINED = scenario(FaultEvent("join", 300, 4_000, (3,)))
FROZEN = scenario(FaultEvent("cluster-state", 300, 4_000, (1,), 1), FaultEvent("crash", 500, 500, (0,)), members=4)
SPECIFICATION_SAYS = "where the specification says"


@pytest.mark.parametrize(
    "given",
    [CALM, LOSSY, PRIMARY_CRASHES, REPEATED, JOINED, FROZEN],
    ids=["calm", "lossy", "primary crashes", "repeated", "joined", "frozen"],
)
def test_a_run_is_a_behaviour(given: Scenario) -> None:
    finding = judged(PROPERTY, run_of(given))
    assert finding.result is Result.HOLDS, finding
    assert "1 behaviour of replication" in finding.sentence


def dies_amid_migrations(address_index: int, members: int, partition_count: int, step: str, amount: int) -> Scenario:
    """Return a grid that another member joins, and in which one dies at a step of the migrations that follow."""
    fault_events = (
        FaultEvent("join", 800, 5_000, (members,)),
        FaultEvent("crash-at-step", 800, 3_000, (address_index,), amount, step),
    )
    given = scenario(*fault_events, members=members)
    client_operations = tuple(
        replace(client_operation, key=f"register/{number}")
        for number, client_operation in enumerate(given.scripts[0].client_operations)
    )
    return replace(given, partition_count=partition_count, scripts=(Script(client_operations, fault_events),))


@pytest.mark.parametrize(
    "given",
    [
        dies_amid_migrations(1, 1, 2, "MigrationFinished", 4),
        dies_amid_migrations(2, 2, 3, "MigrationFinished", 1),
        dies_amid_migrations(0, 2, 3, "CommitOrdered", 5),
        dies_amid_migrations(0, 2, 3, "CommitOrdered", 2),
    ],
    ids=["primary, after its end", "backup, after its end", "primary, at the commit", "backup, at the commit"],
)
def test_whoever_dies_amid_a_migration_it_is_a_behaviour(given: Scenario) -> None:
    finding = judged(PROPERTY, run_of(given))
    assert finding.result is Result.HOLDS, finding


def test_a_seed_that_was_once_refused_is_a_behaviour() -> None:
    """Seed 60001696 (`--workload queue`): two tables, and an update of a primary that the other did not know."""
    drawn = draw_scenario(60001696, DrawOptions(workload="queue"))
    assert judged(PROPERTY, simulated(drawn)).result is Result.HOLDS


def test_a_check_that_came_twice_before_the_first_write_is_under_way_twice() -> None:
    """Seed 139000067 (`--faults duplicate`): the second copy is compared behind the write."""
    drawn = draw_scenario(139000067, DrawOptions(faults=("duplicate",)))
    assert judged(PROPERTY, simulated(drawn)).result is Result.HOLDS


def test_what_comes_twice_to_an_address_is_what_was_sent_to_who_had_it_before() -> None:
    """Seed 97001153 (varied): an update for a member that has ended; an older check waits for its successor."""
    drawn = draw_scenario(97001153, DrawOptions(is_varied=True))
    assert judged(PROPERTY, simulated(drawn)).result is Result.HOLDS


def test_a_verdict_that_is_not_the_specifications_is_explained() -> None:
    records = mutated(run_of(CALM), BackupApplied, lambda one: replace(one, verdict=Applied.GAPPED), 3)
    finding = judged(PROPERTY, records)
    assert finding.result is Result.BROKEN
    assert any("gapped_update_is_applied(member" in line and "is false" in line for line in finding.witness)


def test_an_update_that_nobody_sent_is_refused() -> None:
    assert "no update of version" in judged(PROPERTY, mutated(run_of(CALM), Executed, away, 5)).sentence


def test_an_update_that_comes_once_is_not_applied_twice() -> None:
    records = list(run_of(CALM))
    place = next(place for place, record in enumerate(records) if isinstance(record_event(record), BackupApplied))
    again = records[place]
    assert isinstance(again, EventRecord)
    assert isinstance(again.event, BackupApplied)
    again = replace(again, event=replace(again.event, verdict=Applied.EQUAL))

    finding = judged(PROPERTY, [*records[: place + 1], again, *records[place + 1 :]])

    assert "no update of version" in finding.sentence


def record_event(record: object) -> object:
    return record.event if isinstance(record, EventRecord) else None


def test_a_version_that_a_sync_did_not_bring_is_refused() -> None:
    records = mutated(run_of(LOSSY), SyncInstalled, lambda one: replace(one, versions=(99, *one.versions[1:])))
    finding = judged(PROPERTY, records)
    assert finding.result is Result.BROKEN
    assert SPECIFICATION_SAYS in finding.sentence


def test_a_sync_without_a_reason_is_refused() -> None:
    records = list(run_of(LOSSY))
    place = next(place for place, record in enumerate(records) if isinstance(record_event(record), SyncRequested))
    finding = judged(PROPERTY, [*records[: place + 1], *records[place:]])
    assert "the specification refuses the action sync_is_requested" in finding.sentence


def test_a_copy_that_is_not_what_the_primary_has_is_refused() -> None:
    records = mutated(
        run_of(PRIMARY_CRASHES),
        FragmentInstalled,
        lambda one: replace(one, versions=tuple(v + 1 for v in one.versions)),
    )
    assert SPECIFICATION_SAYS in judged(PROPERTY, records).sentence


def test_an_update_for_the_slot_that_a_member_has_is_not_refused_as_one_for_another() -> None:
    def refused(one: BackupApplied) -> BackupRefused:
        why = WhyBackupRefused.ANOTHER_SLOT
        return BackupRefused(
            one.partition, one.namespace, one.index, one.version, why, one.version - 1, False, True, one.caller,
            one.call_id,
        )  # fmt: skip

    sentence = judged(PROPERTY, mutated(run_of(CALM), BackupApplied, refused, 3)).sentence
    assert "the specification refuses the action message_is_refused" in sentence


def test_who_has_another_slot_cuts_down_what_it_holds_before_it_acts_on_it() -> None:
    records = list(run_of(PRIMARY_CRASHES))
    promoted = next(place for place, one in enumerate(records) if isinstance(record_event(one), ReplicaPromoted))
    kept = max(place for place in range(promoted) if isinstance(record_event(records[place]), ReplicaKept))

    finding = judged(PROPERTY, [*records[:kept], *records[kept + 1 :]])

    assert "the specification refuses the action replica_is_promoted" in finding.sentence
    cure = next(
        line for line in finding.witness if line.startswith("the guard that forbids this action would be true after")
    )
    assert "replica_is_cut_down" in cure


def test_a_replica_is_cut_down_to_the_slot_that_its_member_has() -> None:
    records = mutated(run_of(PRIMARY_CRASHES), ReplicaKept, lambda one: replace(one, index=1), 5)
    assert "the specification refuses the action replica_is_cut_down" in judged(PROPERTY, records).sentence


@pytest.mark.parametrize(
    ("why", "refused"),
    [
        (WhySyncEnded.PRIMARY_CHANGED, "the specification refuses the action sync_is_cancelled"),
        (WhySyncEnded.TARGET_LEFT, "the specification refuses the action sync_is_cancelled"),
        (WhySyncEnded.ANOTHER_SLOT, "the specification refuses the action answer_is_for_another_slot"),
        (WhySyncEnded.MIGRATING, "the specification refuses the action answer_comes_amid_migration"),
    ],
)
def test_a_sync_does_not_end_without_its_cause(why: WhySyncEnded, refused: str) -> None:
    def ended(one: SyncInstalled) -> SyncEnded:
        return SyncEnded(one.partition, one.index, one.namespace, why)

    assert refused in judged(PROPERTY, mutated(run_of(LOSSY), SyncInstalled, ended)).sentence


def test_a_write_while_the_partition_migrates_is_refused() -> None:
    records = list(run_of(PRIMARY_CRASHES))
    opened = next(place for place, record in enumerate(records) if isinstance(record_event(record), MigrationOpened))
    finished = mutated(records[opened:], MigrationFinished, away)
    while any(isinstance(record_event(record), MigrationFinished) for record in finished):
        finished = mutated(finished, MigrationFinished, away)

    finding = judged(PROPERTY, [*records[:opened], *finished])

    assert finding.result is Result.BROKEN


def test_a_destroyed_structure_that_comes_back_counts_anew_only_after_a_check() -> None:
    records = list(run_of(CALM))
    places = [place for place, record in enumerate(records) if isinstance(record_event(record), Executed)]
    at, record = places[4], records[places[4]]
    assert isinstance(record, EventRecord)
    destroyed = replace(record, event=StructureDestroyed("map:register"))

    assert judged(PROPERTY, [*records[:at], destroyed, *records[at:]]).result is Result.HOLDS


def refused_with(owner: object, rule: str, instead: object, given: Scenario = LOSSY) -> str:
    with patch.object(owner, rule, instead):
        finding = judged(PROPERTY, simulated(given))
    assert finding.result is Result.BROKEN
    return finding.sentence


def test_a_gap_that_leaves_a_backup_clean_is_refused() -> None:
    def forget(self: ReplicationPart, fragment: Fragment, backup: Backup, verdict: Applied) -> None:
        fragment.versions = version_vector.taken_over(fragment.versions, backup.versions, backup.index)

    assert "dirty False, where the specification says True" in refused_with(ReplicationPart, "record", forget)


def test_a_vector_that_counts_one_backup_less_is_refused() -> None:
    whole = version_vector.counted

    def counted(versions: Versions, backups: int) -> Versions:
        return whole(versions, backups if versions[0] < 3 else backups - 1)

    assert "versions (4, 3), where the specification says (4, 4)" in refused_with(
        version_vector, "counted", counted, CALM
    )


def test_a_promotion_that_takes_over_a_wrong_vector_is_refused() -> None:
    sentence = refused_with(version_vector, "promoted", lambda versions, from_index: (0,) * 6, PRIMARY_CRASHES)
    assert "(map:register of partition 0) is not allowed by the specification replication: " in sentence


def test_a_primary_that_passes_a_backup_over_is_refused() -> None:
    whole = BackupSender.addressed
    assert "addressed backups [1], where the specification says [1, 2]" in refused_with(
        BackupSender, "addressed", lambda *given: (whole(*given)[0], 1), CALM
    )


def test_a_comparison_that_finds_nothing_is_refused() -> None:
    assert "the specification refuses the action check_finds_nothing" in refused_with(
        AntiEntropyPart, "behind", lambda self, summary: ()
    )
