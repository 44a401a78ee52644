"""A solver that a signal ends.

While Z3 is at work no Python runs in the thread that asked: a handler of Ctrl-C, of SIGTERM or of a timer would be
called once the question is answered. And Z3 takes Ctrl-C for itself, if it is let, and answers "unknown", as where it
has given up. So a thread waits for signals beside it, and interrupts Z3; the handler is called before anybody sees the
answer.
"""

import os
import signal
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import z3

ENDING = frozenset(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGVTALRM", "SIGPROF")
    if hasattr(signal, name)
)
AGAIN_S = 0.02
"""One that comes just before Z3 begins interrupts nobody; so it comes again, until the question is over."""


class HeedingSolver(z3.Solver):  # type: ignore[misc]  # Z3 has no types
    """Interrupted by the signals whose handlers would end its question; what they raise is raised by `check`."""

    def __init__(self, solver: z3.Solver | None = None, context: z3.Context | None = None) -> None:
        super().__init__(None if solver is None else solver.solver, z3.main_ctx() if context is None else context)
        self.set("ctrl_c", False)

    def check(self, *assumptions: Any) -> Any:
        """Answer as Z3 does."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(os, "fork"):
            return super().check(*assumptions)  # no signal is handled in another thread, and Windows has no such pipe
        watch = _watch(os.getpid())
        before = signal.set_wakeup_fd(watch.woken, warn_on_full_buffer=False)
        try:
            watch.question = self.interrupt
            return super().check(*assumptions)
        finally:
            watch.question = None
            signal.set_wakeup_fd(before)


class _Watch:
    """A thread that hears of every signal of this process while a question is asked."""

    def __init__(self) -> None:
        self.question: Callable[[], None] | None = None
        """Interrupts it; each question has an object of its own."""
        self._wakes, self.woken = os.pipe()
        os.set_blocking(self.woken, False)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while heard := os.read(self._wakes, 512):
            question = None if ENDING.isdisjoint(heard) else self.question
            while question is not None and question is self.question:
                question()
                time.sleep(AGAIN_S)


@cache
def _watch(_process: int) -> _Watch:
    """Return the watch of a process: threads are not inherited."""
    return _Watch()
