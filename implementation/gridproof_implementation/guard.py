"""Makes calls into code written by others.

An adapter may raise anything (even `SystemExit`), print, or never return; even then, each of its calls has to end with
an answer, or with an error of one line. Choice: a separate thread makes all calls of an adapter, and the waiting thread
checks how long the present call has lasted; a thread that misses the deadline is abandoned. A signal would interrupt
the call itself, but it works only in the main thread, is used by other libraries, does not end a loop that catches
every exception, and cannot be distinguished from Ctrl-C.

Everything that is printed during a call goes to standard error, also from processes that the adapter starts, because
standard output is reserved for this program.
"""

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Generic, TextIO, TypeVar, cast

from gridproof_implementation.adapter import AdapterError, AdapterFailure, CannotSayError
from gridproof_model.own_modules import folder_kept
from gridproof_model.user_error import described, message_of

CALL_DEADLINE_S = 120.0
"""The longest time that one call may take; it is longer than any timeout inside an audited system."""
LOOK_EVERY_S = 0.1
INTERRUPTED_DEADLINE_S = 1.0
"""How much longer the present call may take after the user has interrupted the run."""
CURE = "an adapter must answer, or raise AdapterError"
_STDOUT, _STDERR = 1, 2

T = TypeVar("T")


class Guard:
    """Makes the calls of one system in a thread whose time is limited."""

    def __init__(self, system: str, deadline_s: float = CALL_DEADLINE_S, time_limit_s: float | None = None) -> None:
        self._system = system
        self._deadline_s = deadline_s
        self._time_limit_s = time_limit_s
        self._lock = threading.Lock()
        self._present: _Call | None = None
        self._is_abandoned = False
        self._is_stopped = False
        self._leave: Callable[[], object] | None = None
        """Stops the system; None until the system was opened."""

    def leave_by(self, leave: Callable[[], object]) -> None:
        """Remember the function that stops the system; if the first thread was abandoned, another thread calls it."""
        self._leave = leave

    def run(self, work: Callable[[], T]) -> T:
        """Run some work in a new thread, and return its result; the work makes all its calls through `call`.

        An exception that the work raises is raised again here. AdapterFailure is raised if a call misses its deadline:
        the work then ends, and this method stops the system. TimeIsOverError is raised if the whole work takes longer
        than the time limit: after the present call, no other call is made, except the call that stops the system.
        """
        worker = _Worker(f"calls of {self._system}", work)
        end_s = inf if self._time_limit_s is None else monotonic() + self._time_limit_s
        with output_to_stderr(), folder_kept():
            worker.start()
            try:
                while not worker.done.wait(LOOK_EVERY_S):
                    self._is_stopped = self._is_stopped or monotonic() >= end_s
                    overdue = self._abandon_if_overdue()
                    if overdue is not None:
                        _end_loops(worker)
                        self._leave_elsewhere(self._deadline_s)
                        raise AdapterFailure(overdue)
            except KeyboardInterrupt:  # the user's own: one that the adapter raises is part of the worker's result
                self._is_stopped = True
                if not worker.done.wait(INTERRUPTED_DEADLINE_S) and self._abandon(lambda call: not call.leaving):
                    _end_loops(worker)
                    self._leave_elsewhere(INTERRUPTED_DEADLINE_S)
                else:
                    worker.done.wait(self._deadline_s)
                raise
        try:
            return worker.result()
        except _StoppedError:
            raise TimeIsOverError(f"{self._system}: the time limit is reached; set a longer time limit") from None

    def call(self, what: str, function: Callable[[], T], further_s: float = 0.0, *, leaving: bool = False) -> T:
        """Return the result of a call; AdapterError if it raises anything.

        `what` names the call, as in "write()"; `further_s` is how long the call itself is asked to wait, in addition to
        the deadline. The text of an AdapterError is kept, on one line.
        """
        if self._is_abandoned or (self._is_stopped and not leaving):
            raise _StoppedError
        self._present = _Call(what, self._deadline_s + further_s, monotonic(), leaving)
        try:
            value = function()
        except BaseException as error:  # even SystemExit
            self._return()
            raise self._translated(what, error) from error
        self._return()
        return value

    def _return(self) -> None:
        with self._lock:
            self._present = None
            if self._is_abandoned:
                raise _StoppedError

    def _translated(self, what: str, error: BaseException) -> AdapterError:
        match error:
            case AdapterFailure():
                return AdapterFailure(f"{self._system}: {what} {error}")
            case CannotSayError() if message_of(error):
                return CannotSayError(message_of(error))
            case AdapterError() if message_of(error):
                return AdapterError(message_of(error))
            case _:
                return AdapterFailure(f"{self._system}: {what} raised {described(error)}; {CURE}")

    def _abandon_if_overdue(self) -> str | None:
        """If the present call has lasted too long, let its thread make no more calls, and return a message; or None."""
        call = self._abandon(lambda call: monotonic() >= call.begin_s + call.deadline_s)
        if call is None:
            return None
        cure = "raise AdapterError, or answer that the outcome is unknown, before that"
        return f"{self._system}: {call.what} did not return within {call.deadline_s:g} s; {cure}"

    def _abandon(self, is_due: "Callable[[_Call], bool]") -> "_Call | None":
        """If the condition holds for the present call, return the call, and let its thread make no further calls."""
        with self._lock:
            call = self._present
            if call is None or not is_due(call):
                return None
            self._is_abandoned = True
            return call

    def _leave_elsewhere(self, deadline_s: float) -> None:
        if self._leave is not None:
            leaver = _Worker(f"leaving {self._system}", self._leave)
            leaver.start()
            leaver.done.wait(deadline_s)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that has not returned yet."""

    what: str
    deadline_s: float
    begin_s: float
    leaving: bool


class TimeIsOverError(AdapterError):
    """The work of a guard took longer than the user's time limit."""


class _StoppedError(BaseException):
    """Ends a thread whose result no other thread waits for any more."""


class _Worker(threading.Thread, Generic[T]):
    """Does one piece of work, and keeps its result or exception."""

    def __init__(self, name: str, work: Callable[[], T]) -> None:
        super().__init__(name=name, daemon=True)
        self.done = threading.Event()
        self._work = work
        self._value: T | None = None
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._value = self._work()
        except BaseException as error:  # raised again in `result`
            self._error = error
        finally:
            self.done.set()

    def result(self) -> T:
        """Return the result of the work, or raise its exception."""
        if self._error is not None:
            raise self._error
        return cast(T, self._value)


def _end_loops(worker: threading.Thread) -> None:
    """End a thread that runs a loop in Python, so that it uses no more time; a thread that waits continues to wait."""
    if worker.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(_StoppedError))


@contextmanager
def output_to_stderr() -> Iterator[None]:
    """Redirect standard output to standard error, in this process and in those that are started meanwhile."""
    printed, kept = sys.stdout, None
    with suppress(OSError):  # there may be no standard output
        kept = os.dup(_STDOUT)
    _flush(printed)
    sys.stdout = sys.stderr
    try:
        if kept is not None:
            with suppress(OSError):
                os.dup2(_STDERR, _STDOUT)
        yield
    finally:
        _flush(printed)  # other code may have kept this stream
        sys.stdout = printed
        if kept is not None:
            os.dup2(kept, _STDOUT)
            os.close(kept)


def _flush(stream: TextIO | None) -> None:
    with suppress(OSError, ValueError, AttributeError):  # closed, or None
        if stream is not None:
            stream.flush()
