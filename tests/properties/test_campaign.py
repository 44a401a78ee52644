"""Simulated runs are judged by what is owed."""

from dataclasses import replace

import pytest

from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_implementation.simulator.work_limit import patience
from gridproof_model.events.operation import Executed
from gridproof_model.trace import EventRecord, OperationKind, Record, VerdictRecord
from gridproof_properties.audits.promises import promises_of
from gridproof_properties.campaign.minimise import fails_with, minimise
from gridproof_properties.campaign.scenarios import judge_scenario
from gridproof_properties.campaign.seeds import judge_seed, judge_seeds, promised_for
from gridproof_properties.campaign.tally import Tally
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Reason, Result, Standing
from gridproof_properties.simulated.rest import NO_MEMBER_FAILS
from suite.zoo.mutant import writes
from tests.profiles import examples

APPENDS = tuple(
    ClientOperation("appends", OperationKind.APPEND, "appends-0", f"v{number}", client=number % 2, pause_ms=30)
    for number in range(40)
)
CRASH = FaultEvent("crash", 400, 2_000, (1,))


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
    judged = judge_seed(1, DrawOptions(faults=()))

    assert judged.broken == ()
    assert judged.failed_judges == ()


def test_every_property_is_judged() -> None:
    judged = judge_scenario(draw_scenario(1, DrawOptions(faults=())), refined=True)

    assert [verdict.property for verdict in judged.verdicts] == [prop.name for prop in CATALOGUE]


RUNS = examples(20)


@pytest.mark.hypothesis  # more runs by night
def test_many_seeds_keep_everything_that_is_owed() -> None:
    tally = Tally()
    for part in judge_seeds(range(RUNS), DrawOptions(), workers=1):
        tally.join(part)

    assert tally.runs == RUNS
    assert tally.failures == []
    assert tally.exit_status(promised_for(DrawOptions(), tally), at_least=0) == ExitStatus.HOLDS


def test_counts_do_not_depend_on_how_many_processes_judge() -> None:
    def tally_of(workers: int) -> Tally:
        tally = Tally()
        for part in judge_seeds(range(8), DrawOptions(), workers):
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

    assert len(small.scripts[0].client_operations) < 10
    assert len(small.scripts[0].fault_events) == 1
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

    assert [verdict.property for verdict in judged.broken] == [NO_MEMBER_FAILS.name]
    assert "this member is not well" in judged.broken[0].sentence


def test_a_member_that_never_returns_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def stay(part: ReplicationPart, sender: object, backup: object) -> None:
        while True:
            pass

    monkeypatch.setattr(ReplicationPart, "on_backup", stay)

    with patience(0.2):
        judged = judge_scenario(crash_scenario())

    assert [verdict.property for verdict in judged.broken] == [NO_MEMBER_FAILS.name]
    assert "does not return from Backup: it is still in test_campaign.stay" in judged.broken[0].sentence


def test_what_nobody_promised_under_a_split_is_no_alarm() -> None:
    scripts = (Script(APPENDS, (FaultEvent("split", 100, 60_000, (0,)),)),)

    judged = judge_scenario(replace(crash_scenario(), scripts=scripts))

    kept = next(verdict for verdict in judged.verdicts if verdict.property == "acknowledged-append-kept")
    assert sum(out.compared for out in kept.out_of_scope) > 0
    assert judged.broken == ()


def test_verdicts_stand_behind_the_records() -> None:
    records: list[Record] = []

    judge_scenario(crash_scenario(), records.append)

    verdicts = [record for record in records if isinstance(record, VerdictRecord)]
    assert records[-len(verdicts) :] == verdicts
    assert {record.verdict for record in verdicts} <= {result.value for result in Result}


def test_a_trace_has_the_steps_of_the_protocol_where_they_are_judged() -> None:
    records: list[Record] = []

    judge_scenario(crash_scenario(), records.append, refined=True)

    assert Executed in {record.kind for record in records if isinstance(record, EventRecord)}


def test_whoever_reads_the_trace_says_the_same() -> None:
    records: list[Record] = []

    judged = judge_scenario(crash_scenario(), records.append)

    found = [record for record in records if not isinstance(record, VerdictRecord)]
    assert judge_run(found, CATALOGUE, promises_of("simulated reference")) == judged.verdicts


def test_what_a_member_failed_to_end_holds_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(part: ReplicationPart, sender: object, backup: object) -> None:
        raise RuntimeError("this member is not well")

    monkeypatch.setattr(ReplicationPart, "on_backup", fail)

    judged = judge_scenario(crash_scenario())

    assert {verdict.result for verdict in judged.verdicts} == {Result.BROKEN, Result.UNKNOWN}


def test_a_promise_that_no_run_has_met_is_unknown() -> None:
    draw_options, tally = DrawOptions(faults=()), Tally()
    tally.add(judge_seed(1, draw_options))

    unseen = tally.unseen(promised_for(draw_options, tally), at_least=1)
    assert "lowest-survivor-promoted" in unseen
    assert tally.exit_status(unseen) == ExitStatus.UNKNOWN


def test_a_named_workload_asks_for_nothing_it_cannot_do() -> None:
    draw_options, tally = DrawOptions(workload="queue"), Tally()
    tally.add(judge_seed(3, draw_options))

    promised = promised_for(draw_options, tally)
    assert "acknowledged-append-kept" not in promised
    assert "acknowledged-offer-kept" in promised


def test_a_run_without_its_records_was_not_looked_at() -> None:
    judged = judge_seed(3, DrawOptions(workload="queue"))

    appends = next(verdict for verdict in judged.verdicts if verdict.property == "acknowledged-append-kept")
    assert appends.reason is Reason.NOT_LOOKED_AT


def test_a_verdict_that_holds_rests_on_comparisons() -> None:
    tally = Tally()
    for seed in range(20):
        tally.add(judge_seed(seed, DrawOptions()))

    held = {name for (name, standing), runs in tally.standings.items() if standing is Standing.HELD and runs}
    counted = {prop.name for prop in CATALOGUE if hasattr(prop.start(), "comparisons")}
    assert {name for name in held & counted if not tally.compared[name]} == set()


def test_the_scenario_of_a_long_run_is_drawn_while_it_runs() -> None:
    draw_options = DrawOptions(members=2, faults=(), workload="register", minutes=1)

    judged = judge_seed(1, draw_options)

    assert draw_scenario(1, draw_options).scripts == ()
    assert judged.end.operations > draw_options.client_operations


def test_a_lone_group_is_cut_in_the_order_of_the_list_not_of_the_starts() -> None:
    fault_events = (
        FaultEvent("restart", 3, 0, (0,)),
        FaultEvent("promote-lite", 18, 20, (4,)),
        FaultEvent("promote-lite", 43, 1_837, (4,)),
    )
    zones = Scenario(1, members=3, sync_backups=0, async_backups=2, partition_count=11, zones=2, properties=QUICK)

    judged = judge_scenario(zones.with_scripts((Script(tuple(writes(12)), fault_events),)))

    assert judged.broken == ()
