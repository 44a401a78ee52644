"""Processes that end with who started them.

Ctrl-C reaches every process of a terminal: workers never hear of it, and who started them ends them. Nor is one left
behind when that one is killed: each worker waits for its parent's end. Whatever ends a worker, the task that it has
under way can clean up first, so that no server of a live grid is left behind.
"""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import active_children, get_context, parent_process, resource_tracker
from multiprocessing.connection import wait
from threading import Thread
from types import FrameType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Workers:
    """Some processes that take tasks."""

    pool: ProcessPoolExecutor

    def submit(self, task: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """Have a task done; task, arguments and result are pickled."""
        with _without_interrupts():  # it may start a process
            return self.pool.submit(_do, partial(task, *arguments, **named))

    def end(self) -> None:
        """End all workers now, whatever they do; what they have under way breaks (`BrokenProcessPool`)."""
        # Python 3.14 has a word for it, `terminate_workers`. A pool that is shut down knows its processes no more.
        processes = list((self.pool._processes or {}).values())
        self.pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


@contextmanager
def open_workers(count: int) -> Iterator[Workers]:
    """Open so many workers; an exception within the block ends them at once."""
    with _without_interrupts():
        resource_tracker.ensure_running()  # once it has started its process it lets Ctrl-C through again
    with _without_interrupts():
        workers = Workers(ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_begin))
        for _ in range(count):
            workers.pool.submit(_nothing)  # has the processes started, which inherit what they do not listen to
    try:
        yield workers
    except BaseException:
        workers.end()
        raise
    workers.pool.shutdown()


def interrupt_workers() -> None:
    """Interrupt the tasks of all workers of this process, as Ctrl-C would."""
    for process in active_children():
        process.terminate()


class _EndedByParent(KeyboardInterrupt):
    """Raised within a task, so that it cleans up, and says what it has found if it can."""


_is_busy = False
"""Whether this worker has a task under way."""


def _do(task: Callable[[], T]) -> T:
    global _is_busy
    try:
        _is_busy = True
        return task()
    except _EndedByParent:
        os._exit(1)
    finally:
        _is_busy = False


def _nothing() -> None:
    """Do nothing."""


def _begin() -> None:
    signal.signal(signal.SIGTERM, _on_end)
    Thread(target=_follow_the_parent, daemon=True).start()


def _on_end(_signal: int, _frame: FrameType | None) -> None:
    if not _is_busy:
        os._exit(1)
    raise _EndedByParent


def _follow_the_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold back Ctrl-C, and the end of a terminal; processes started meanwhile never hear of either.

    Not even before they run any of our code, nor does the process that takes away what Python leaves behind.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
