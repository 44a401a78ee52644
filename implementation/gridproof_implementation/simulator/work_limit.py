"""The limits on the work of one run.

There are two limits, for members that never return and for members that never rest. A world counts the inputs that its
members handle and raises `DoesNotRest` beyond a number that depends on the scenario alone, so that equal scenarios end
alike. A single input is limited by processor time: `watching` lets the operating system interrupt the process now and
then, and raises `DoesNotReturn` inside a member that is still at the same input after `PATIENCE_S` seconds of its own
work. Such interruptions work in the main thread of a process, where signals are handled (worker processes handle their
tasks there). Elsewhere, and on systems without interval timers, the time is not limited: nothing else can stop code
that never returns.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

AtWork = Callable[[], tuple[int, tuple[int, str] | None]]
"""Returns the number of the input under way, and which member handles what; None if no member handles anything."""
PATIENCE_S = 20.0
"""Seconds of processor time for one input; members take less than a hundredth of a second for the longest."""
TICKS = 10
"""How often a member is looked at within that time."""
INPUTS = 300_000
INPUTS_A_REQUEST = 500
INPUTS_A_PAIR = 20_000
"""The inputs allowed for each pair of addresses, as their members send each other messages until the grid is at
rest."""


class EndlessWork(BaseException):
    """Members work without end; the message says which and where. A member's own error handlers do not catch it."""


class DoesNotReturn(EndlessWork):
    """A member has not returned from one input."""


class DoesNotRest(EndlessWork):
    """Members handle more inputs than a run of this kind can have."""


def inputs_allowed(address_count: int, requests: int) -> int:
    """Return how many inputs members may handle for one script; drawn runs need less than a hundredth of this."""
    return INPUTS + INPUTS_A_REQUEST * requests + INPUTS_A_PAIR * address_count * address_count


@dataclass(slots=True)
class _Patience:
    seconds: float = PATIENCE_S


_patience = _Patience()


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Give members this many seconds of processor time for one input, so that a search of many runs can wait less."""
    before, _patience.seconds = _patience.seconds, seconds
    try:
        yield
    finally:
        _patience.seconds = before


@contextmanager
def watching(at_work: AtWork) -> Iterator[None]:
    """Raise DoesNotReturn in a member that stays at one input for too long, on systems where that can be noticed."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    watch = _Watch(at_work)
    before = signal.signal(signal.SIGVTALRM, watch.look)
    tick_s = _patience.seconds / TICKS
    timer_before = signal.setitimer(signal.ITIMER_VIRTUAL, tick_s, tick_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, *timer_before)
        signal.signal(signal.SIGVTALRM, before)


@dataclass(slots=True)
class _Watch:
    """Looks at a world once a tick."""

    at_work: AtWork
    input: int = -1
    """The number of the input that was being handled at the last look."""
    ticks: int = 0
    """How many looks in a row have found the same input."""

    def look(self, number: int, frame: FrameType | None) -> None:
        """Raise if a member has been at the same input for too many ticks, and again at each tick if it goes on."""
        number_of_input, handling = self.at_work()
        if handling is None or self.input != number_of_input:
            self.input, self.ticks = number_of_input, 0
            return
        self.ticks += 1
        if self.ticks >= TICKS:
            member, name = handling
            raise DoesNotReturn(f"member {member} does not return from {name}: it is still in {_place(frame)}")


def _place(frame: FrameType | None) -> str:
    """Return the function that was interrupted: file and name."""
    return "code of its own" if frame is None else f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}"
