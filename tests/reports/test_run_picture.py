"""A simulated run is described in sentences and drawn."""

from xml.etree import ElementTree

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario, Script
from gridproof_model.events.anti_entropy import SummaryCompared
from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.events.partitioning import Promoted
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, OperationKind, OperationRecord, Outcome
from gridproof_reports.drawing.run_picture import STEPS_MAX, RunOnlooker, RunStory, describe_run
from gridproof_reports.drawing.space_time import Mark
from gridproof_reports.reading.event_sentences import OPERATION_WORDS, say_event, say_member, say_operation

PAUSED = "the member at address 0 pauses for 50 ms"


@pytest.fixture(scope="module")
def story() -> RunStory:
    """A pause and a crash, and ten operations."""
    client_operations = (
        draw_scenario(3, DrawOptions(members=3, faults=(), workload="register", client_operations=10))
        .scripts[0]
        .client_operations
    )
    fault_events = (FaultEvent("pause", 0, 30, (0,)), FaultEvent("crash", 5, 50, (1,)))
    scenario = Scenario(3, scripts=(Script(client_operations, fault_events),))
    onlooker = RunOnlooker()
    simulate(scenario, lambda record: None, onlooker=onlooker)
    return describe_run(scenario, onlooker, "what it shows")


def test_every_step_is_a_sentence_with_its_time(story: RunStory) -> None:
    assert len(story.sentences()) == len(story.steps) <= STEPS_MAX
    assert all(" ms  " in sentence for sentence in story.sentences())


def test_there_is_a_lane_for_every_address(story: RunStory) -> None:
    assert story.lanes == ("address 0", "address 1", "address 2")


def test_a_fault_at_an_address_where_nobody_started_has_no_bar() -> None:
    fault_events = (FaultEvent("late", 0, 20, (7,), 1), FaultEvent("pause", 0, 30, (0,)))
    few = DrawOptions(members=3, faults=(), workload="register", client_operations=1)
    scenario = Scenario(
        3, partition_count=1, scripts=(Script(draw_scenario(3, few).scripts[0].client_operations, fault_events),)
    )
    onlooker = RunOnlooker()
    simulate(scenario, lambda record: None, onlooker=onlooker)
    story = describe_run(scenario, onlooker, "somebody joins")

    assert {bar.lane for bar in story.bars} == {0}
    assert "<svg" in story.picture()


def test_steps_stand_in_the_order_of_time(story: RunStory) -> None:
    assert list(story.times_ms) == sorted(story.times_ms)


def test_the_picture_is_well_formed_and_carries_its_title(story: RunStory) -> None:
    picture = ElementTree.fromstring(story.picture())

    assert picture.tag.endswith("svg")
    assert "what it shows" in "".join(picture.itertext())


def test_arrows_lead_from_earlier_steps(story: RunStory) -> None:
    arrows = [(sender, row) for row, step in enumerate(story.steps) for sender, _ in step.arrows_from]

    assert arrows
    assert all(sender < row for sender, row in arrows)


def test_a_crash_is_a_cross_on_its_lane() -> None:
    scenario = Scenario(3, scripts=(Script((), (FaultEvent("crash", 0, 50, (1,)),)),))
    onlooker = RunOnlooker()
    onlooker.record(0, MemberRecord("run", 0, 0, MemberChange.JOINED, "a:1/x", "a"))
    onlooker.record(0, MemberRecord("run", 0, 1, MemberChange.JOINED, "b:1/x", "b"))
    onlooker.record(7, EventRecord("run", 0, None, FaultBegun("crash", (), (1,), "the member at address 1 crashes")))

    step = describe_run(scenario, onlooker, "").steps[-1]

    assert (step.mark, step.lanes) == (Mark.CROSS, (1,))


def test_a_fault_that_lasts_is_a_bar() -> None:
    fault_event = FaultEvent("pause", 0, 50, (0,))
    onlooker = RunOnlooker()
    onlooker.record(0, MemberRecord("run", 0, 0, MemberChange.JOINED, "a:1/x", "a"))
    onlooker.record(1, EventRecord("run", 0, None, FaultBegun("pause", (), (0,), PAUSED)))
    onlooker.record(9, EventRecord("run", 0, None, FaultEnded("pause", PAUSED)))

    (bar,) = describe_run(Scenario(3, scripts=(Script((), (fault_event,)),)), onlooker, "").bars

    assert (bar.lane, bar.first, bar.last) == (0, 1, 2)


def test_the_next_incarnation_goes_on_in_the_same_lane() -> None:
    onlooker = RunOnlooker()
    for member, change in ((0, MemberChange.JOINED), (0, MemberChange.CRASHED), (1, MemberChange.JOINED)):
        onlooker.record(member, MemberRecord("run", 0, member, change, f"a:1/{member}", "a"))

    assert {step.lanes for step in describe_run(Scenario(3), onlooker, "").steps} == {(0,)}


def test_a_step_is_said_with_who_took_it() -> None:
    sentence = "member 2 is primary of partition 3, which it had as replica 1"

    assert say_event(EventRecord("run", 0, 2, Promoted(3, 1))) == sentence


def test_what_changes_nothing_is_not_said() -> None:
    assert say_event(EventRecord("run", 0, 1, SummaryCompared(0, 1, (), ()))) is None


@pytest.mark.parametrize("kind", OperationKind)
def test_every_kind_of_operation_has_words(kind: OperationKind) -> None:
    operation = OperationRecord("run", 4, 1, kind, "key-0", 0, "v1", Outcome.OK, 2, 0, 5, 9, "busy 1")

    assert kind in OPERATION_WORDS
    assert say_operation(operation).startswith("client 1: operation 4, ")


def test_a_member_comes_and_goes_in_words() -> None:
    assert (
        say_member(MemberRecord("run", 0, 3, MemberChange.CRASHED, "a", "a")) == "member 3 is gone, with what it held"
    )
