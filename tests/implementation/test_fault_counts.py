"""How often faults struck, and why they struck nobody."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from gridproof_implementation.simulator.fault import Fault, Needs
from gridproof_implementation.simulator.faults import FAULTS
from gridproof_implementation.simulator.faults.bad_links import LinkFault
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.events.fault_counts import (
    AFTER_THE_WORK,
    IT_TAKES_THREE,
    IT_TAKES_TWO,
    NO_SUCH_MESSAGE,
    NOBODY_BEYOND,
    NOBODY_THERE,
    NOT_IN_A_SCENARIO,
    ROOM_TAKEN,
    FaultCounts,
    faults_object,
    missed_faults,
    struck_line,
)
from tests.implementation.simulator.test_faults import SETTING
from tests.implementation.simulator.worlds import run_of, short_scenario

MILLION_MS = 10**9
TAKE_TWO = [fault for fault in FAULTS if fault.needs not in (Needs.MEMBER, Needs.ROOM)]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
class TestEveryFault:
    def test_each_event_is_counted_once_where_it_struck(self, fault: Fault) -> None:
        drawn = fault.draw(Random(5), SETTING)
        event = FaultEvent(fault.name, 0, 50, drawn.address_indices, drawn.amount, drawn.step, drawn.share)

        end, _ = run_of(short_scenario(fault_events=(event,)))

        assert sum(end.faults.values()) == 1
        # For a step or a message that a short run may not have.
        waits = isinstance(fault, LinkFault) or fault.name in ("crash-at-step", "lost-once")
        assert waits or end.faults == {(fault.name, ""): 1}

    def test_what_comes_after_the_work_struck_nobody(self, fault: Fault) -> None:
        drawn = fault.draw(Random(5), SETTING)
        late = FaultEvent(fault.name, MILLION_MS, 50, drawn.address_indices, drawn.amount, drawn.step, drawn.share)

        end, _ = run_of(short_scenario(fault_events=(late,)))

        assert end.faults == {(fault.name, AFTER_THE_WORK): 1}


@pytest.mark.parametrize("fault", TAKE_TWO, ids=lambda fault: fault.name)
def test_one_that_takes_two_members_strikes_nobody_where_there_is_one(fault: Fault) -> None:
    event = FaultEvent(fault.name, 0, 50, (0,), 10, "Backup" if fault.name != "lag" else "exponential(5ms)", 50)

    end, _ = run_of(replace(short_scenario(fault_events=(event,)), members=1))

    assert end.faults == {(fault.name, IT_TAKES_THREE if fault.needs is Needs.BRIDGED else IT_TAKES_TWO): 1}


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (FaultEvent("crash", 0, 50, (7,)), NOBODY_THERE),
        (FaultEvent("pause", 0, 50, (7,)), NOBODY_THERE),
        (FaultEvent("join", 0, 50, (1,)), ROOM_TAKEN),
        (FaultEvent("promote-lite", 0, 50, (1,)), ROOM_TAKEN),
        (FaultEvent("split", 0, 50, (0, 1, 2)), NOBODY_BEYOND),
        (FaultEvent("overlapping-split", 0, 50, (0, 1), 2), "there was nothing that it could do"),
        (FaultEvent("failing-backup", 0, 50, (1,)), NO_SUCH_MESSAGE),
        (FaultEvent("drop", 0, 50, (0, 7), 10), NOBODY_THERE),
        (FaultEvent("drop", 0, 50, (0, 1), 0), NO_SUCH_MESSAGE),
        (FaultEvent("duplicate", 0, 50, (0, 1), 0), NO_SUCH_MESSAGE),
        (FaultEvent("late", 0, 50, (0, 1), 1_000, "NoSuchMessage", 90), NO_SUCH_MESSAGE),
        (FaultEvent("split", 0, 0, (0,)), NO_SUCH_MESSAGE),
        (FaultEvent("loss", 0, 50, (0, 1, 2), 1), NO_SUCH_MESSAGE),
        (FaultEvent("lag", 0, 50, (0, 1, 2), step="0ms"), NO_SUCH_MESSAGE),
        (FaultEvent("crash-at-step", 0, 50, (1,), 0, "NoSuchStep"), "the step that it waited for did not come"),
        (FaultEvent("lost-once", 0, 50, (1,), 1, "NoSuchMessage"), "it sent none of those messages"),
    ],
)
def test_why_a_fault_struck_nobody(event: FaultEvent, why: str) -> None:
    end, _ = run_of(short_scenario(fault_events=(event,)))

    assert end.faults == {(event.fault, why): 1}


@pytest.mark.parametrize(
    "event",
    [
        FaultEvent("drop", 0, 9_000, (0, 1, 2), 90),
        FaultEvent("duplicate", 0, 9_000, (0, 1, 2), 90),
        FaultEvent("delay", 0, 9_000, (0, 1, 2), 2_000),
        FaultEvent("overtake", 0, 9_000, (0, 1, 2), 2_000),
        FaultEvent("late", 0, 9_000, (0,), 2_000, "", 90),
        FaultEvent("split", 0, 9_000, (0,)),
        FaultEvent("overlapping-split", 0, 9_000, (0,), 1),
        FaultEvent("one-way", 0, 9_000, (0,)),
        FaultEvent("loss", 0, 9_000, (0, 1, 2), 900_000),
        FaultEvent("lag", 0, 9_000, (0, 1, 2), step="2ms"),
    ],
    ids=lambda event: event.fault,
)
def test_a_fault_of_links_struck_where_it_changed_a_message(event: FaultEvent) -> None:
    end, _ = run_of(short_scenario(fault_events=(event,)))

    assert end.faults == {(event.fault, ""): 1}


def test_a_newcomer_that_is_gone_cannot_be_promoted() -> None:
    events = FaultEvent("promote-lite", 0, 400, (3,)), FaultEvent("crash", 200, 10_000, (3,))

    end, _ = run_of(short_scenario(fault_events=events))

    assert end.faults["promote-lite", "nobody was left to promote"] == 1


COUNTS: FaultCounts = Counter({("crash", ""): 2, ("crash", NOBODY_THERE): 1, ("split", IT_TAKES_TWO): 3})


def test_what_was_asked_for_and_struck_nobody_is_named_with_its_reason() -> None:
    found = missed_faults(COUNTS, ["crash", "split", "pause"])

    assert found == {"split": IT_TAKES_TWO, "pause": NOT_IN_A_SCENARIO}


def test_of_what_was_not_drawn_it_is_said_what_brings_it() -> None:
    assert missed_faults(COUNTS, {"crash": "this", "pause": "that"}) == {"pause": f"{NOT_IN_A_SCENARIO}: that"}


def test_how_often_each_struck_is_said() -> None:
    assert struck_line(COUNTS) == "struck  crash 2 of 3, split 0 of 3"
    assert faults_object(COUNTS, ["pause"])["pause"] == {"planned": 0, "struck": 0, "missed": {}}
    assert faults_object(COUNTS)["crash"] == {"planned": 3, "struck": 2, "missed": {NOBODY_THERE: 1}}
