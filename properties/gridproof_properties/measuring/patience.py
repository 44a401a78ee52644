"""Sparse solutions that end in time.

Nothing interrupts a factorisation from within: SciPy is in C then. So it goes on in a copy of this process, which is
ended where it takes too long.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
from collections.abc import Callable
from time import monotonic
from typing import BinaryIO, TypeVar

from gridproof_properties.measuring.explored import UnmeasurableError

SOLVING_S = 50.0
"""What a number that needs sparse equations may take."""
Found = TypeVar("Found")


def within_patience(compute: Callable[[], Found], patience_s: float = SOLVING_S) -> Found:
    """Return what is computed, in a copy of this process; UnmeasurableError where it takes too long, or raises one."""
    if not hasattr(os, "fork"):
        return compute()  # Windows: nothing ends it there
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _send(compute, writing)
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as pipe:
            received = _received(pipe, monotonic() + patience_s)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if received is None:
        raise UnmeasurableError(
            f"its equations were not solved within {patience_s:.0f} s; choose a smaller world, ask for the probability "
            "within a time (`--quantity within`), or simulate it with --split"
        )
    found: Found | UnmeasurableError | None = pickle.loads(received) if received else None
    if found is None:
        raise UnmeasurableError("its equations need more memory than there is: choose a smaller world")
    if isinstance(found, UnmeasurableError):
        raise found
    return found


def _send(compute: Callable[[], Found], writing: int) -> None:
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        try:
            found: object = compute()
        except UnmeasurableError as reason:
            found = reason
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(found, pipe)
    finally:
        os._exit(0)


def _received(pipe: BinaryIO, until: float) -> bytes | None:
    """Return all that was sent until the other end is closed; None where that is too late."""
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, until - monotonic()))
        if not ready:
            return None
        part = os.read(pipe.fileno(), 1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)
