"""An end to work that could go on: `--time-limit SECONDS`, Ctrl-C, and the signals that are Ctrl-C to a command.

What was found until then is reported. The exit status is that of what was found; where Ctrl-C has left out runs that
nobody knows, it is 130, unless something is broken.
"""

import argparse
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import ArgumentError
from dataclasses import dataclass
from types import FrameType

from gridproof.command import UsageError
from gridproof_properties.exit_status import ExitStatus

INTERRUPTED, REACHED = "interrupted", "the time limit is reached"


@dataclass(slots=True)
class TimeLimit:
    """How long some work may take, and what ended it."""

    seconds: float | None = None
    why: str | None = None
    """Why the work is not whole, None while it is."""

    def say(self, what: str = "this is what was found until then") -> None:
        """Say why the work is not whole, if it is not, and what there is of it."""
        if self.why is not None:
            print(f"gridproof: {self.why}; {what}", file=sys.stderr)

    def status_of_part(self, status: int) -> int:
        """Return the status of what was found in some of the runs, of which nobody knows the others."""
        return ExitStatus.INTERRUPTED if self.why == INTERRUPTED and status != ExitStatus.BROKEN else status


SOONEST_S = 0.002
"""Before that the block has perhaps not begun."""
SECONDS_MAX = 10**9
"""Thirty years; a timer takes no more than 2^63 microseconds."""
AGAIN_S = 2.0
"""After how long a limit that was reached interrupts again, where the work goes on."""


def add_time_limit(parser: argparse._ActionsContainer) -> None:
    """Declare the option."""
    parser.add_argument(
        "--time-limit", type=float, metavar="SECONDS",
        help="stop after this time, print what was found until then, and end with its status (default: no limit)",
    )  # fmt: skip


def time_limit_of(arguments: argparse.Namespace) -> TimeLimit:
    """Return the limit; UsageError for one that is none, or where nothing can keep it."""
    seconds = checked_seconds(arguments.time_limit)
    if seconds is not None and not hasattr(signal, "setitimer"):  # Windows
        raise UsageError("--time-limit needs a system with timers of its own (Linux, macOS); leave it out")
    return TimeLimit(seconds)


def checked_seconds(seconds: float | None) -> float | None:
    """Return a limit as given, for work that looks at the clock itself; UsageError for one that is none."""
    if seconds is not None and not 0 < seconds <= SECONDS_MAX:
        raise UsageError(f"--time-limit {seconds:g}: write a number of seconds above 0, at most {SECONDS_MAX:,}")
    return seconds


@contextmanager
def limited(limit: TimeLimit | None = None) -> Iterator[TimeLimit]:
    """End the block by a KeyboardInterrupt when the time is over, or at Ctrl-C, and go on behind it.

    What is given says why it ended, if it did; whoever opens it reports what there is.
    """
    chosen = limit or TimeLimit()
    try:
        with _interrupted(chosen):
            yield chosen
    except (KeyboardInterrupt, ArgumentError) as error:
        if isinstance(error, ArgumentError) and KeyboardInterrupt.__name__ not in str(error):
            raise
        # An interruption that falls into the conversion of an argument for Z3 comes out as an error of that argument.
        chosen.why = chosen.why or INTERRUPTED


@contextmanager
def _interrupted(limit: TimeLimit) -> Iterator[None]:
    """Raise KeyboardInterrupt in the block when the time is over, and note why it was raised.

    An interruption that falls into a destructor or a callback is passed over by Python. So one that came, by the limit
    or by Ctrl-C, comes again every two seconds until the block has ended.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_signal: int, _frame: FrameType | None) -> None:
        limit.why = limit.why or REACHED
        raise KeyboardInterrupt

    def interrupt(number: int, frame: FrameType | None) -> None:
        limit.why = limit.why or INTERRUPTED
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S, AGAIN_S)
        if not callable(whoever):
            raise KeyboardInterrupt
        whoever(number, frame)  # of two that come at a time only the first interrupts

    # Who is started in the background by a shell ignores Ctrl-C, and is to go on doing so.
    whoever = signal.getsignal(signal.SIGINT)
    before = {signal.SIGALRM: signal.signal(signal.SIGALRM, end)}
    if whoever is not signal.SIG_IGN:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        if limit.seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, max(limit.seconds, SOONEST_S), AGAIN_S)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
