"""Signals while Z3 is at work."""

import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType

import pytest
import z3

from gridproof_properties.proofs.translation import ENDING, HeedingSolver

HOLES = 11


def pigeons() -> HeedingSolver:
    """A question that takes Z3 minutes: one pigeon more than there are holes."""
    solver = HeedingSolver(z3.SolverFor("QF_FD"))
    sits = [[z3.Bool(f"{pigeon} in {hole}") for hole in range(HOLES)] for pigeon in range(HOLES + 1)]
    solver.add(*(z3.Or(*holes) for holes in sits))
    solver.add(*(z3.AtMost(*(holes[hole] for holes in sits), 1) for hole in range(HOLES)))
    solver.set("timeout", 60_000)
    return solver


@pytest.fixture(params=sorted(ENDING), ids=lambda one: one.name)
def ending(request: pytest.FixtureRequest) -> Iterator[signal.Signals]:
    """A signal whose handler raises, as those of a command do."""

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(request.param, interrupt)
    yield request.param
    signal.signal(request.param, before)


def test_a_signal_ends_the_question_and_its_handler_is_called(ending: signal.Signals) -> None:
    asked = pigeons()
    ring = threading.Timer(0.2, lambda: os.kill(os.getpid(), ending))
    answers: list[z3.CheckSatResult] = []

    def ask() -> None:
        ring.start()
        try:
            answers.append(asked.check())
        finally:
            ring.join()  # a signal that came after the test would end the worker

    with pytest.raises(KeyboardInterrupt):
        ask()

    assert answers == [], asked.reason_unknown()
    assert asked.reason_unknown() != "timeout"
    assert HeedingSolver().check() == z3.sat


def test_a_solver_that_gives_up_by_itself_answers_unknown() -> None:
    solver = pigeons()
    solver.set("timeout", 100)

    assert solver.check() == z3.unknown


def test_a_signal_that_ends_nothing_disturbs_no_question() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: heard.append(number))
    solver = pigeons()
    solver.set("timeout", 400)
    ring = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGUSR1))
    ring.start()
    try:
        solver.check()
    finally:
        ring.join()
        signal.signal(signal.SIGUSR1, before)

    assert heard == [signal.SIGUSR1]
    assert solver.reason_unknown() == "timeout"
