"""Worker processes that end together with the process that started them.

Ctrl-C reaches every process of a terminal: workers ignore it, and the process that started them ends them instead. No
worker is left behind if that process is killed, either: each worker waits for the end of its parent. Whatever ends a
worker, its current task can clean up before, so that no server of a live grid is left behind.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import active_children, get_context, parent_process, resource_tracker
from multiprocessing.connection import wait
from types import FrameType
from typing import ParamSpec, TypeVar

from gridproof_properties.child import ENDING

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Workers:
    """A pool of processes that take tasks."""

    pool: ProcessPoolExecutor

    def submit(self, task: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """Submit a task; the task, its arguments and its result are pickled."""
        with _without_interrupts():  # it may start a process
            return self.pool.submit(_do, partial(task, *arguments, **named))

    def end(self) -> None:
        """End all workers at once, whatever they do; their current tasks fail with `BrokenProcessPool`."""
        # The processes are listed first: a pool that is shut down no longer knows its processes.
        # Python 3.14 has a method that ends all workers, `terminate_workers`.
        processes = list((self.pool._processes or {}).values())
        self.pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


@contextmanager
def open_workers(count: int) -> Iterator[Workers]:
    """Open `count` workers; an exception in the block ends all of them at once."""
    with _without_interrupts():
        resource_tracker.ensure_running()  # starting its process lets Ctrl-C through again, so do it first
        workers = Workers(ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_begin))
    try:
        with _without_interrupts():
            for _ in range(count):
                workers.pool.submit(_nothing)  # starts the processes, which inherit the blocked signals
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
    """Raised within a task, so that the task cleans up, and reports what it has found if it can."""


_is_busy = False
"""Whether this worker is working on a task."""


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
    if hasattr(signal, "pthread_sigmask"):  # a worker that was ended on the way here ends now
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_follow_the_parent, daemon=True).start()


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
    """Hold back the signals that would end a command until the block has ended.

    Processes that are started in the block never get Ctrl-C or the hang-up of a terminal; they get SIGTERM only after
    they have set a handler for it, so not before they run this code. The process that removes what Python leaves behind
    is protected in the same way. If a worker ended while another one starts, the pool would wait for ever.

    Blocking a signal is not enough for this process: the system passes it to any other thread, and Python interrupts
    the main thread all the same; then a worker that is started only in part prints a traceback and ends.
    """
    held: dict[int, None] = {}
    is_main = threading.current_thread() is threading.main_thread()
    heeded = {one: signal.getsignal(one) for one in ENDING if is_main and callable(signal.getsignal(one))}
    for one in heeded:
        signal.signal(one, lambda number, _: held.setdefault(number))
    has_masks = hasattr(signal, "pthread_sigmask")  # Windows has none
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING) if has_masks else set[int]()
    try:
        yield
    finally:
        if has_masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for one, handler in heeded.items():
            signal.signal(one, handler)
        for number in held:
            signal.raise_signal(number)
