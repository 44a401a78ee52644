"""An end to work that could go on: `--time-limit SECONDS`.

Work is broken off as Ctrl-C breaks it off, so that what was found until then is reported. Unlike with Ctrl-C the exit
status is that of what was found.
"""

import argparse
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from types import FrameType

from gridproof.errors import UsageError


@dataclass(slots=True)
class TimeLimit:
    """How long some work may take, and whether it took that long."""

    seconds: float | None
    is_reached: bool = False

    def describe(self) -> str:
        """Return why the work is not whole."""
        return "the time limit is reached" if self.is_reached else "interrupted"


AGAIN_S = 2.0
"""After how long a limit that was reached interrupts again, where the work goes on."""


def add_time_limit(parser: argparse._ActionsContainer) -> None:
    """Declare the option."""
    parser.add_argument(
        "--time-limit", type=float, metavar="SECONDS",
        help="stop after so long, say what was found until then, and end as that says (default: no limit)",
    )  # fmt: skip


def time_limit_of(arguments: argparse.Namespace) -> TimeLimit:
    """Return the limit; UsageError for one that is none, or where nothing can keep it."""
    seconds = checked_seconds(arguments.time_limit)
    if seconds is not None and not hasattr(signal, "setitimer"):  # Windows
        raise UsageError("--time-limit needs a system with timers of its own (Linux, macOS); leave it out")
    return TimeLimit(seconds)


def checked_seconds(seconds: float | None) -> float | None:
    """Return a limit as given, for work that looks at the clock itself; UsageError for one that is none."""
    if seconds is not None and not 0 < seconds < inf:
        raise UsageError(f"--time-limit {seconds:g}: write a number of seconds above 0")
    return seconds


@contextmanager
def limited(limit: TimeLimit) -> Iterator[None]:
    """Raise KeyboardInterrupt in the block when the time is over; whoever opens it is ready for that, as for Ctrl-C.

    An interruption that falls into a destructor or a callback is passed over by Python. So one that came, by the limit
    or by Ctrl-C, comes again every two seconds until the block has ended.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_signal: int, _frame: FrameType | None) -> None:
        limit.is_reached = limit.is_reached or not by_hand
        raise KeyboardInterrupt

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        by_hand.append(True)
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S, AGAIN_S)
        raise KeyboardInterrupt

    by_hand: list[bool] = []
    # Who is started in the background by a shell ignores Ctrl-C, and is to go on doing so.
    is_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    before = {signal.SIGALRM: signal.signal(signal.SIGALRM, end)}
    if not is_ignored:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        if limit.seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, limit.seconds, AGAIN_S)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
