"""A scenario of real members that breaks a promise is made small."""

from collections.abc import Callable

from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_model.trace import OperationKind
from gridproof_properties.campaign.live import Cost, PlayedRun, made_small
from gridproof_properties.judging.verdict import Result, Verdict

OPERATIONS = tuple(ClientOperation("register", OperationKind.WRITE, f"register-{n}", str(n)) for n in range(8))
FAULTS = (FaultEvent("crash", 100, 0, (0,)), FaultEvent("pause", 200, 50, (1,)))
WHOLE = Scenario(3, scripts=(Script(OPERATIONS, FAULTS),))


def played(scenario: Scenario, *broken: str) -> PlayedRun:
    """Return a run that broke these promises."""
    verdicts = tuple(Verdict(name, Result.BROKEN, "broken") for name in broken)
    return PlayedRun(scenario, "1", verdicts, Cost(), None)


def losing_where(breaks: Callable[[Scenario, int], bool]) -> Callable[[Scenario], PlayedRun]:
    """Return what plays: a write is lost where this says so of a scenario and how often something was played before."""
    times = 0

    def play(scenario: Scenario) -> PlayedRun:
        nonlocal times
        times += 1
        return played(scenario, *(["lost"] if breaks(scenario, times) else []))

    return play


def has_crash_and_last_write(scenario: Scenario) -> bool:
    """Whether the crash and the last operation are in it."""
    (script,) = scenario.scripts
    return FAULTS[0] in script.fault_events and OPERATIONS[-1] in script.client_operations


def test_what_the_failure_does_not_need_is_left_out() -> None:
    play = losing_where(lambda scenario, _: has_crash_and_last_write(scenario))

    small = made_small([played(WHOLE, "lost")] * 2, 100, play)

    assert small is not None
    assert small.scenario.scripts == (Script(OPERATIONS[-1:], FAULTS[:1]),)
    assert (small.promise, small.broken, small.played, small.scenario.operation_count) == ("lost", 2, 2, 1)


def test_a_failure_that_comes_every_second_time_is_enough() -> None:
    play = losing_where(lambda scenario, times: has_crash_and_last_write(scenario) and times % 2 == 0)

    small = made_small([played(WHOLE, "lost"), played(WHOLE)], 100, play)

    assert small is not None
    assert small.scenario.operation_count == 1


def test_one_that_comes_once_in_three_times_is_not() -> None:
    play = losing_where(lambda _, times: times % 3 == 0)

    assert made_small([played(WHOLE, "lost")] * 3, 100, play) is None


def test_the_promise_broken_most_often_is_the_one_kept() -> None:
    play = losing_where(lambda scenario, _: has_crash_and_last_write(scenario))

    small = made_small([played(WHOLE, "lost", "stale"), played(WHOLE, "lost")], 100, play)

    assert small is not None
    assert small.promise == "lost"
