"""Simulated runs are judged by what is owed."""

from dataclasses import replace

import pytest

from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.simulator.draw import Wishes, draw_scenario
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import Errand, Scenario, Script, Strike
from gridproof_implementation.simulator.work_limit import patience
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, OperationKind, Outcome, Record, VerdictRecord
from gridproof_properties.campaign import CHANGING, NO_MEMBER_FAILS, Weakening, judge_scenario
from gridproof_properties.circumstances import EXCUSES
from gridproof_properties.minimise import fails_with, minimise
from gridproof_properties.seeds import Tally, judge_seed, judge_seeds
from gridproof_properties.trial import writes
from gridproof_properties.verdict import ExitStatus, PromiseLevel, Result
from tests.properties.told_history import operation_record

APPENDS = tuple(
    Errand("appends", OperationKind.APPEND, "appends-0", f"v{number}", client=number % 2, pause_ms=30)
    for number in range(40)
)
CRASH = Strike("crash", 400, 2_000, (1,))


def crash_scenario() -> Scenario:
    """Return a scenario in which the primary of a list crashes while values are appended."""
    properties = (*QUICK, ("hazelcast.partition.backup.sync.interval", "30"))
    return Scenario(
        5, workload="appends", scripts=(Script(APPENDS, (CRASH,)),), properties=tuple(dict(properties).items())
    )


@pytest.fixture
def backups_that_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every backup acknowledges, and applies nothing."""

    def acknowledge_only(part: ReplicationPart, sender: object, backup: object) -> None:
        part.acknowledge(backup)  # type: ignore[arg-type]

    monkeypatch.setattr(ReplicationPart, "on_backup", acknowledge_only)


def test_a_calm_run_keeps_everything_that_is_owed() -> None:
    judged = judge_seed(1, Wishes(faults=()))

    assert judged.broken == ()
    assert judged.failed_judges == ()


def test_every_property_is_judged() -> None:
    judged = judge_scenario(draw_scenario(1, Wishes(faults=())), refined=True)

    assert {verdict.property for verdict in judged.verdicts} == {NO_MEMBER_FAILS, *EXCUSES}


def test_many_seeds_keep_everything_that_is_owed() -> None:
    tally = Tally()
    for part in judge_seeds(range(60), Wishes(), workers=1):
        tally.join(part)

    assert tally.runs == 60
    assert tally.failures == []
    assert tally.exit_status == ExitStatus.HOLDS


def test_counts_do_not_depend_on_how_many_processes_judge() -> None:
    def tally_of(workers: int) -> Tally:
        tally = Tally()
        for part in judge_seeds(range(20), Wishes(), workers):
            tally.join(part)
        return tally

    assert tally_of(1) == tally_of(2)


@pytest.mark.usefixtures("backups_that_are_not_kept")
def test_a_grid_that_loses_acknowledged_appends_is_found() -> None:
    judged = judge_scenario(crash_scenario())

    assert "acknowledged-append-kept" in {verdict.property for verdict in judged.broken}


@pytest.mark.usefixtures("backups_that_are_not_kept")
def test_a_failure_is_made_small() -> None:
    small = minimise(crash_scenario(), fails_with("acknowledged-append-kept"), tries=150)

    assert len(small.scripts[0].errands) < 10
    assert len(small.scripts[0].strikes) == 1
    assert small.properties == ()


@pytest.mark.usefixtures("backups_that_are_not_kept")
def test_the_same_failure_always_becomes_the_same_small_one() -> None:
    first, second = (minimise(crash_scenario(), fails_with("acknowledged-append-kept"), tries=40) for _ in range(2))

    assert first == second


def test_making_small_stops_after_so_many_tries() -> None:
    tried: list[Scenario] = []

    def fails(scenario: Scenario) -> bool:
        tried.append(scenario)
        return scenario.scripts != ()

    minimise(crash_scenario(), fails, tries=12)

    assert len(tried) == 12


def test_a_member_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(part: ReplicationPart, sender: object, backup: object) -> None:
        raise RuntimeError("this member is not well")

    monkeypatch.setattr(ReplicationPart, "on_backup", fail)

    judged = judge_scenario(crash_scenario())

    assert [verdict.property for verdict in judged.broken] == [NO_MEMBER_FAILS]
    assert "this member is not well" in judged.broken[0].sentence


def test_a_member_that_never_returns_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def stay(part: ReplicationPart, sender: object, backup: object) -> None:
        while True:
            pass

    monkeypatch.setattr(ReplicationPart, "on_backup", stay)

    with patience(0.2):
        judged = judge_scenario(crash_scenario())

    assert [verdict.property for verdict in judged.broken] == [NO_MEMBER_FAILS]
    assert "does not return from Backup: it is still in test_campaign.stay" in judged.broken[0].sentence


def test_what_nobody_promised_under_a_split_is_no_alarm() -> None:
    scripts = (Script(APPENDS, (Strike("split", 100, 60_000, (0,)),)),)

    judged = judge_scenario(replace(crash_scenario(), scripts=scripts))

    kept = next(verdict for verdict in judged.verdicts if verdict.property == "acknowledged-append-kept")
    assert kept.promise is PromiseLevel.WEAKNESS
    assert judged.broken == ()


def test_verdicts_stand_behind_the_records() -> None:
    records: list[Record] = []

    judge_scenario(crash_scenario(), records.append)

    verdicts = [record for record in records if isinstance(record, VerdictRecord)]
    assert records[-len(verdicts) :] == verdicts
    assert {record.verdict for record in verdicts} <= {result.value for result in Result}


def test_a_trace_has_the_steps_of_the_protocol() -> None:
    records: list[Record] = []

    judge_scenario(crash_scenario(), records.append)

    assert "executed" in {record.name for record in records if isinstance(record, EventRecord)}


class TestWhatAnAcknowledgementIsWorth:
    @pytest.mark.parametrize("kind", sorted(CHANGING))
    def test_with_fewer_copies_than_asked_for_it_is_worth_nothing(self, kind: OperationKind) -> None:
        weakening = Weakening(sync_backups=1, groups=3)

        assert weakening.weaken(operation_record(kind=kind, copies=1)) == operation_record(
            kind=kind, copies=1, outcome=Outcome.UNKNOWN
        )

    def test_with_all_copies_it_stands(self) -> None:
        full = operation_record(kind=OperationKind.WRITE, copies=2)

        assert Weakening(sync_backups=1, groups=3).weaken(full) == full

    def test_of_a_lone_member_more_cannot_be_asked(self) -> None:
        alone = operation_record(kind=OperationKind.WRITE, copies=1)

        assert Weakening(sync_backups=1, groups=1).weaken(alone) == alone

    def test_a_read_is_what_it_is(self) -> None:
        read = operation_record(kind=OperationKind.READ, copies=None)

        assert Weakening(sync_backups=1, groups=3).weaken(read) == read

    def test_a_read_that_overlapped_a_write_may_be_older(self) -> None:
        weakening = Weakening(sync_backups=1, groups=3)
        weakening.weaken(operation_record(0, OperationKind.WRITE, span_ms=(0, 20)))
        read = operation_record(1, OperationKind.READ, None, span_ms=(10, 25))

        assert weakening.weaken(read) == operation_record(
            1, OperationKind.READ, None, Outcome.UNKNOWN, span_ms=(10, 25)
        )

    def test_who_leaves_when_too_few_stay_takes_a_copy_along(self) -> None:
        weakening = Weakening(sync_backups=1, groups=2)
        for member in range(2):
            weakening.weaken(MemberRecord("run", 0, member, MemberChange.JOINED, "", f"group-{member}"))

        gone = weakening.weaken(MemberRecord("run", 9, 0, MemberChange.LEFT, "", "group-0"))

        assert isinstance(gone, MemberRecord)
        assert gone.change is MemberChange.CRASHED

    def test_who_leaves_when_enough_stay_hands_everything_over(self) -> None:
        weakening = Weakening(sync_backups=1, groups=3)
        for member in range(3):
            weakening.weaken(MemberRecord("run", 0, member, MemberChange.JOINED, "", f"group-{member}"))
        leaver = MemberRecord("run", 9, 0, MemberChange.LEFT, "", "group-0")

        assert weakening.weaken(leaver) == leaver


def test_the_scenario_of_a_long_run_is_drawn_while_it_runs() -> None:
    wishes = Wishes(members=2, faults=(), workload="register", minutes=1)

    judged = judge_seed(1, wishes)

    assert draw_scenario(1, wishes).scripts == ()
    assert judged.end.operations > wishes.errands


def test_a_lone_group_is_cut_in_the_order_of_the_list_not_of_the_starts() -> None:
    strikes = (
        Strike("restart", 3, 0, (0,)),
        Strike("promote-lite", 18, 20, (4,)),
        Strike("promote-lite", 43, 1_837, (4,)),
    )
    zones = Scenario(1, members=3, sync_backups=0, async_backups=2, partition_count=11, zones=2, properties=QUICK)

    judged = judge_scenario(zones.with_scripts((Script(tuple(writes(12)), strikes),)))

    assert [verdict for verdict in judged.verdicts if verdict.result is Result.BROKEN] == []
