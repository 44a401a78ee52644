"""Ends work early: because of `--time-limit SECONDS`, of Ctrl-C, or of a signal that a command treats like Ctrl-C.

The results found by then are reported, and decide the exit status; if Ctrl-C kept some runs from being judged, the
status is 130, unless a property is broken.
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
    """How long some work may take, and why it ended early if it did."""

    seconds: float | None = None
    why: str | None = None
    """Why the work is not complete; None if it did not end early."""

    def say(self, what: str = "this is what was found until then") -> None:
        """Print why the work is not complete, if it is not, and what its results cover."""
        if self.why is not None:
            print(f"gridproof: {self.why}; {what}", file=sys.stderr)

    def status_of_part(self, status: int) -> int:
        """Return the exit status if the results of some runs are unknown; `status` is that of the finished runs."""
        return ExitStatus.INTERRUPTED if self.why == INTERRUPTED and status != ExitStatus.BROKEN else status


SOONEST_S = 0.002
"""The shortest time until an interruption: if it came earlier, the block might not have begun."""
SECONDS_MAX = 10**9
"""The longest limit, thirty years; a timer accepts at most 2^63 microseconds."""
AGAIN_S = 2.0
"""After how long a limit that was reached interrupts again, if the work still goes on."""


def add_time_limit(parser: argparse._ActionsContainer) -> None:
    """Declare the option."""
    parser.add_argument(
        "--time-limit", type=float, metavar="SECONDS",
        help="stop after this time, print what was found until then, and end with its status (default: no limit)",
    )  # fmt: skip


def time_limit_of(arguments: argparse.Namespace) -> TimeLimit:
    """Return the limit; raise UsageError if the number is wrong, or if the system has no such timers."""
    seconds = checked_seconds(arguments.time_limit)
    if seconds is not None and not hasattr(signal, "setitimer"):  # Windows
        raise UsageError("--time-limit needs a system with interval timers (Linux, macOS); leave --time-limit out")
    return TimeLimit(seconds)


def checked_seconds(seconds: float | None) -> float | None:
    """Return a limit as given, for work that checks the clock itself; raise UsageError if the number is wrong."""
    if seconds is not None and not 0 < seconds <= SECONDS_MAX:
        raise UsageError(f"--time-limit {seconds:g}: write a number of seconds above 0, at most {SECONDS_MAX:,}")
    return seconds


@contextmanager
def limited(limit: TimeLimit | None = None) -> Iterator[TimeLimit]:
    """End the block by a KeyboardInterrupt when the time is over, or at Ctrl-C, and continue after the block.

    The limit that is yielded says why the block ended early, if it did; the caller has to report the results.
    """
    chosen = limit or TimeLimit()
    try:
        with _interrupted(chosen):
            yield chosen
    except (KeyboardInterrupt, ArgumentError) as error:
        if isinstance(error, ArgumentError) and KeyboardInterrupt.__name__ not in str(error):
            raise
        # If Ctrl-C interrupts the conversion of an argument for Z3, ctypes raises an error about this argument instead.
        chosen.why = chosen.why or INTERRUPTED


@contextmanager
def _interrupted(limit: TimeLimit) -> Iterator[None]:
    """Raise KeyboardInterrupt in the block when the time is over, and note why.

    Python drops an interruption that is raised in a destructor or a callback. Therefore an interruption, by the limit
    or by Ctrl-C, is repeated every two seconds until the block has ended.
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
        whoever(number, frame)  # of two interruptions at a time only the first has an effect

    # A process that a shell started in the background ignores Ctrl-C, and must go on ignoring it.
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
