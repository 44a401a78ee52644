"""Scenarios played on real processes."""

from dataclasses import replace
from functools import cache
from time import sleep
from typing import Any

import pytest

from gridproof_implementation.adapter import Adapter, AdapterError, FaultCondition, Options
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.draw import LiveDrawOptions, draw_live_scenario
from gridproof_implementation.live.faults import LIVE_FAULTS, LIVE_FAULTS_BY_NAME
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario
from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.events.fault_counts import NOTHING_TO_DO, RUN_STOPPED
from gridproof_model.events.harness import TablesPolled
from gridproof_model.membership import Member
from gridproof_model.trace import (
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    RunRecord,
    ViewRecord,
)
from gridproof_properties.audits.conformance import promise_levels
from gridproof_properties.audits.promises import struck_in
from gridproof_properties.campaign.live import Cost, PlayedRun, describe_faults, play_and_judge
from gridproof_properties.judging.incidents import FaultSpans
from gridproof_properties.judging.verdict import PromiseLevel
from gridproof_properties.judging.work import BUSY
from tests.properties.live_toy import DOUBLING_TOY, FORGETFUL_TOY, HONEST_TOY

live = [pytest.mark.live, pytest.mark.xdist_group("live")]
DRAW_OPTIONS = LiveDrawOptions(3, 1, 0, 1, patience_ms=200, faults=(), networked=False)
OPTIONS = Options(partition_count=1)
CRASHED, JOINED = MemberChange.CRASHED, MemberChange.JOINED


def scenario(*fault_events: FaultEvent) -> Scenario:
    """A short scenario of seed 1 with these fault events."""
    drawn = draw_live_scenario(1, DRAW_OPTIONS)
    return drawn.with_scripts((replace(drawn.scripts[0], fault_events=fault_events),))


RESTART = scenario(FaultEvent("restart", 1_000, 0, (0,)))
CRASH = scenario(FaultEvent("crash", 500, 1_500, (2,)))


TOYS: dict[str, Adapter] = {"honest": HONEST_TOY, "forgetful": FORGETFUL_TOY, "doubling": DOUBLING_TOY}


@cache
def played(toy: str) -> tuple[PlayedRun, tuple[Record, ...]]:
    """One run of a toy while a member restarts, shared by the tests below."""
    records: list[Record] = []
    played = CRASH if toy == "doubling" else RESTART
    return play_and_judge(TOYS[toy], OPTIONS, played, records.append), tuple(records)


@pytest.mark.live
@pytest.mark.xdist_group("live")
def test_a_promise_that_no_live_run_asks_for_is_named_and_leaves_nothing_unknown() -> None:
    name = "acknowledgement-means-copies"
    promises = {**HONEST_TOY.promises, name: HONEST_TOY.promises["acknowledged-write-kept"]}
    run = play_and_judge(replace(HONEST_TOY, promises=promises), OPTIONS, scenario())

    assert run.not_asked == (name,)
    assert {one.promise for one in run.verdicts if one.property == name} == {PromiseLevel.NONE}


def busy(records: tuple[Record, ...]) -> list[OperationRecord]:
    return [record for record in records if isinstance(record, OperationRecord) and record.stage == BUSY]


class TestPlayed:
    """On processes of a toy."""

    pytestmark = live

    def test_an_honest_system_keeps_its_promises_while_members_restart(self) -> None:
        run, _ = played("honest")

        assert (run.broken, run.stopped, run.cost.losses.lost()) == ((), None, [])
        assert run.cost.losses.acknowledged()["register"] > 10

    def test_what_is_lost_breaks_the_promise_and_has_names_and_times(self) -> None:
        run, _ = played("forgetful")

        assert "acknowledged-key-present" in run.broken
        lost = run.cost.losses.lost()
        assert lost
        assert all(loss.after_fault_ms is not None and loss.after_fault_ms >= 0 for loss in lost)

    def test_operations_of_several_clients_overlap(self) -> None:
        _, records = played("honest")
        spans = [(one.start_ms, one.end_ms, one.client) for one in busy(records)]

        assert len({client for *_, client in spans}) == 6
        assert any(a[0] < b[1] and b[0] < a[1] and a[2] != b[2] for a in spans for b in spans)

    def test_operations_are_numbered_in_the_order_in_which_they_began(self) -> None:
        _, records = played("honest")
        begun = sorted(busy(records), key=lambda one: one.operation)

        assert [one.start_ms for one in begun] == sorted(one.start_ms for one in begun)

    def test_a_fault_is_reported_when_it_begins_and_when_it_is_over(self) -> None:
        _, records = played("honest")
        kinds = [record.kind for record in records if isinstance(record, EventRecord)]

        assert kinds.count(FaultBegun) == kinds.count(FaultEnded) == 1
        assert [record.member for record in records if isinstance(record, MemberRecord)] == [0, 1, 2, 0, 3]

    def test_a_fault_that_a_run_stopped_before_is_in_a_scenario_and_struck_nobody(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def stop(of: Scenario, _: object, system: Adapter, *rest: Any) -> None:
            _, take, outcomes = rest
            take(RunRecord("run", system.name, "1", 1, 1, 1))
            outcomes.append((next(of.fault_events()), ""))
            raise AdapterError("nobody comes up")

        monkeypatch.setattr("gridproof_properties.campaign.live.play_live", stop)
        twice = scenario(FaultEvent("restart", 1_000, 0, (0,)), FaultEvent("pause", 2_000, 100, (1,)))

        run = play_and_judge(HONEST_TOY, OPTIONS, twice)

        assert run.stopped == "nobody comes up"
        assert run.faults == {("restart", ""): 1, ("pause", RUN_STOPPED): 1}

    def test_every_copy_and_every_key_is_read_at_rest_and_later(self) -> None:
        _, records = played("honest")
        keys = {client_operation.key for script in RESTART.scripts for client_operation in script.client_operations}
        for stage in ("at rest", "later"):
            found = [one for one in records if isinstance(one, OperationRecord) and one.stage == stage]

            assert {one.key for one in found if one.kind is OperationKind.READ} == keys
            assert len([one for one in found if one.kind is OperationKind.READ_REPLICA]) >= 2 * len(keys)
        assert {one.stage for one in records if isinstance(one, ViewRecord) and one.settled} >= {"at rest", "later"}

    def test_tables_are_polled_while_members_come_and_go(self) -> None:
        _, records = played("honest")
        polled = [one for one in records if isinstance(one, ViewRecord) and one.stage == BUSY]
        (reported,) = [
            one.event for one in records if isinstance(one, EventRecord) and isinstance(one.event, TablesPolled)
        ]

        assert not any(view.settled for view in polled)
        assert {view.observer for view in polled} >= {1, 2}  # who stays sees another go and come
        assert reported.changed == len(polled) < reported.asked

    def test_a_row_that_is_wrong_for_a_moment_is_seen(self) -> None:
        run, _ = played("doubling")

        assert run.broken == ("one-replica-per-member",)


@pytest.mark.live
@pytest.mark.xdist_group("live")
@pytest.mark.parametrize(
    "name",
    [pytest.param("crash", marks=pytest.mark.nightly), "restart", pytest.param("leave", marks=pytest.mark.nightly)],
)
def test_a_member_that_takes_long_to_start_delays_no_other_fault(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    start_again = Addresses.start_again

    def slowly(of: Addresses, address_index: int) -> None:
        sleep(3.0)
        start_again(of, address_index)

    monkeypatch.setattr(Addresses, "start_again", slowly)
    twice = scenario(FaultEvent(name, 300, 100, (2,)), FaultEvent("crash", 900, 100, (1,)))
    records: list[Record] = []

    play_and_judge(HONEST_TOY, OPTIONS, twice, records.append)

    first, second = (one.at_ms for one in records if isinstance(one, EventRecord) and isinstance(one.event, FaultBegun))
    assert second - first < 2_500
    changes = [one.change for one in records if isinstance(one, MemberRecord)][-4:]
    assert changes == [MemberChange.LEFT if name == "leave" else CRASHED, CRASHED, JOINED, JOINED]


@pytest.mark.live
@pytest.mark.xdist_group("live")
def test_a_member_that_takes_long_to_leave_delays_no_other_fault_and_is_struck_by_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    leave = AgentGrid.leave

    def slowly(of: AgentGrid, member: Member) -> None:
        sleep(3.0)
        leave(of, member)

    monkeypatch.setattr(AgentGrid, "leave", slowly)
    faults = FaultEvent("pause", 300, 900, (0,)), FaultEvent("leave", 400, 100, (2,)), FaultEvent("crash", 900, 9, (2,))
    records: list[Record] = []

    run = play_and_judge(HONEST_TOY, OPTIONS, scenario(*faults), records.append)

    ended = [one.event for one in records if isinstance(one, EventRecord) and isinstance(one.event, FaultEnded)]
    assert [(one.fault, one.struck) for one in ended] == [("crash", False), ("pause", True), ("leave", True)]
    assert run.faults == {("pause", ""): 1, ("leave", ""): 1, ("crash", NOTHING_TO_DO): 1}


def test_the_same_seed_draws_the_same_scenario() -> None:
    draw_options = replace(DRAW_OPTIONS, faults=("crash", "pause"))

    assert (
        draw_live_scenario(3, draw_options)
        == draw_live_scenario(3, draw_options)
        != draw_live_scenario(4, draw_options)
    )


def test_half_of_the_clients_only_read() -> None:
    kinds: dict[int, set[OperationKind]] = {}
    for client_operation in scenario().scripts[0].client_operations:
        kinds.setdefault(client_operation.client, set()).add(client_operation.kind)

    writes = {OperationKind.WRITE, OperationKind.READ}
    assert [kinds[client] for client in range(6)] == [writes, {OperationKind.READ}] * 3


def test_who_writes_reads_what_it_wrote_last() -> None:
    asked = [one for one in scenario().scripts[0].client_operations if one.client == 0]
    reads = [place for place, one in enumerate(asked) if one.kind is OperationKind.READ]

    assert reads
    assert all(asked[place].key == asked[place - 1].key for place in reads)


def test_no_two_writes_write_the_same() -> None:
    values = [
        client_operation.value
        for client_operation in scenario().scripts[0].client_operations
        if client_operation.value is not None
    ]

    assert len(values) == len(set(values)) > 100


def test_a_scenario_runs_in_virtual_time_too() -> None:
    wanted = scenario(FaultEvent("pause", 300, 200, (1,)), FaultEvent("crash", 500, 400, (2,)))
    operations: list[Record] = []
    end = simulate(wanted, operations.append)

    asked = [one for one in operations if isinstance(one, OperationRecord) and one.stage.startswith("busy")]
    assert end.restless is None
    assert len(asked) == len(wanted.scripts[0].client_operations)


ENDS = FaultEvent("crash", 300, 100, (0,))


def spans_of(*fault_events: FaultEvent, restored_ms: int = 0, struck: bool = True) -> FaultSpans:
    """What a trace has of these fault events."""
    spans = FaultSpans(restored_ms)
    for one in fault_events:
        fault = LIVE_FAULTS_BY_NAME[one.fault]
        spans.begin(one.at_ms, FaultBegun(one.fault, fault.harms, (), fault.describe(one)))
        spans.heal(one.at_ms + one.for_ms, FaultEnded(one.fault, fault.describe(one), struck))
    return spans


@pytest.mark.parametrize("fault", LIVE_FAULTS, ids=lambda fault: fault.name)
def test_every_fault_has_its_fault_condition(fault: object) -> None:
    name = getattr(fault, "name", "")

    assert FaultCondition.CALM not in struck_in(spans_of(FaultEvent(name, 0, 100, (0,))), 1)
    assert name or describe_faults(scenario())


def test_a_promise_is_none_under_fault_conditions_it_is_not_given_for() -> None:
    promise = replace(HONEST_TOY.promises["acknowledged-write-kept"], under=(FaultCondition.CALM,))
    narrow = replace(HONEST_TOY, promises={"full-rows": promise})

    assert set(promise_levels(narrow, OPTIONS)) == {"full-rows"}
    assert promise_levels(narrow, OPTIONS, under=(FaultCondition.PAUSE,)) == {}


def operation(
    number: int, kind: OperationKind, outcome: Outcome, span_ms: tuple[int, int], **reported: object
) -> Record:
    stage, key, value = reported.get("stage", BUSY), str(reported.get("key", "register-k")), reported.get("value")
    text = None if value is None else str(value)
    return OperationRecord("run", number, 0, kind, key, 0, text, outcome, 1, None, span_ms[0], span_ms[1], str(stage))


def test_a_loss_is_counted_from_the_beginning_of_the_fault() -> None:
    cost = Cost()
    for record in (
        EventRecord("run", 100, None, FaultBegun("pause", (), (), "it pauses")),
        operation(0, OperationKind.WRITE, Outcome.OK, (300, 400), value="a"),
        operation(1, OperationKind.WRITE, Outcome.OK, (400, 450), key="register-kept", value="b"),
        operation(2, OperationKind.READ, Outcome.OK, (900, 901), stage="at rest"),
        operation(3, OperationKind.READ, Outcome.OK, (902, 903), stage="at rest", key="register-kept", value="b"),
    ):
        cost.observe(record)

    assert [(loss.key, loss.after_fault_ms, loss.confirmed) for loss in cost.losses.lost()] == [("register-k", 300, 1)]
    assert (
        cost.losses.describe() == "1 of 2 writes; acknowledged 0.3 to 0.3 s after the fault; confirmed copies: 1 with 1"
    )


def test_silence_lasts_from_one_answer_to_the_next() -> None:
    cost = Cost()
    for number, (outcome, span_ms) in enumerate(
        [(Outcome.OK, (0, 10)), (Outcome.UNKNOWN, (20, 900)), (Outcome.OK, (910, 930)), (Outcome.OK, (940, 950))]
    ):
        cost.observe(operation(number, OperationKind.READ, outcome, span_ms))

    assert cost.silent_ms == 920


def test_a_run_without_faults_or_whose_faults_struck_nobody_is_calm() -> None:
    assert struck_in(FaultSpans(), 1) == struck_in(spans_of(ENDS, struck=False), 1) == {FaultCondition.CALM}


def test_more_crashes_than_backups_are_a_fault_condition_of_their_own() -> None:
    restart = FaultEvent("restart", 500, 0, (1,))

    assert FaultCondition.CRASHES in struck_in(spans_of(ENDS, restart), 1)
    assert FaultCondition.CRASHES not in struck_in(spans_of(restart), 1)


def test_crashes_are_one_at_a_time_where_all_copies_are_there_again_between_them() -> None:
    crashes = [replace(ENDS, at_ms=at_ms, for_ms=3_000) for at_ms in (0, 10_000, 20_000)]

    assert struck_in(spans_of(*crashes, restored_ms=5_000), 1) == {FaultCondition.CRASH}
    assert struck_in(spans_of(*crashes, restored_ms=9_000), 1) == {FaultCondition.CRASH, FaultCondition.CRASHES}
