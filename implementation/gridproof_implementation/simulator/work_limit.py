"""The limits on the work of one run.

The work of a run has two limits: one for members whose code never returns, and one for members that never come to rest.
A simulated world counts the inputs that its members handle, and raises `DoesNotRest` above a number that depends only
on the scenario, so that equal scenarios end in the same way. The processor time of a single input is limited.
`watching` lets the operating system interrupt the process from time to time, and raises `DoesNotReturn` in a member
that still handles the same input after `PATIENCE_S` seconds of processor time. These interruptions of a process work
only in its main thread, where signals are handled, and where worker processes do their tasks. In other threads, and on
systems without interval timers, the time is not limited, since nothing else can stop code that never returns."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

AtWork = Callable[[], tuple[int, tuple[int, str] | None]]
"""A function that returns the number of the input under way and a description of which member handles which input; None
if no member handles an input."""
PATIENCE_S = 20.0
"""How many seconds of processor time one input may take; the longest take members less than a hundredth of a second."""
TICKS = 10
"""How many times a member is looked at within the longest time of one input."""
INPUTS = 300_000
INPUTS_A_REQUEST = 500
INPUTS_A_PAIR = 20_000
"""The number of inputs that are allowed for each pair of addresses, whose members send each other messages until the
grid is at rest."""


class EndlessWork(BaseException):
    """Members work without end; the message says which members, and where in their code. The error handlers in a
    member's code do not catch this exception."""


class DoesNotReturn(EndlessWork):
    """The code of a member has not returned from handling one input."""


class DoesNotRest(EndlessWork):
    """The members have handled more inputs than such a run can have."""


def inputs_allowed(address_count: int, requests: int) -> int:
    """Return how many inputs members may handle during one script; drawn runs need less than a hundredth of that
    number."""
    return INPUTS + INPUTS_A_REQUEST * requests + INPUTS_A_PAIR * address_count * address_count


@dataclass(slots=True)
class _Patience:
    seconds: float = PATIENCE_S


_patience = _Patience()


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Allow members only this many seconds of processor time for one input, so that a search over many runs is
    faster."""
    before, _patience.seconds = _patience.seconds, seconds
    try:
        yield
    finally:
        _patience.seconds = before


@contextmanager
def watching(at_work: AtWork) -> Iterator[None]:
    """Raise DoesNotReturn in a member that handles one input for too long, on systems on which this can be noticed."""
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
    """Looks at a simulated world once per tick."""

    at_work: AtWork
    input: int = -1
    """The number of the input that was under way at the last look."""
    ticks: int = 0
    """How many looks in a row have found the same input under way."""

    def look(self, number: int, frame: FrameType | None) -> None:
        """Raise DoesNotReturn if a member has handled the same input for too many ticks; raise it again at each further
        tick."""
        number_of_input, handling = self.at_work()
        if handling is None or self.input != number_of_input:
            self.input, self.ticks = number_of_input, 0
            return
        self.ticks += 1
        if self.ticks >= TICKS:
            member, name = handling
            raise DoesNotReturn(f"member {member} does not return from {name}: it is still in {_place(frame)}")


def _place(frame: FrameType | None) -> str:
    """Return the file and the name of the function that was interrupted."""
    return "code of its own" if frame is None else f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}"
