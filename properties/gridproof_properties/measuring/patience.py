"""Sparse solutions that end in time.

Nothing interrupts a factorisation from within: SciPy is in C then. So it goes on in a copy of this process, which the
system ends where it takes too long.
"""

import signal
from collections.abc import Callable
from typing import TypeVar

from gridproof_properties.child import ENDING, EndedError, apart
from gridproof_properties.measuring.explored import UnmeasurableError

SOLVING_S = 50.0
"""The processor time that a number may take which needs sparse equations."""
Found = TypeVar("Found")


def within_patience(compute: Callable[[], Found], patience_s: float = SOLVING_S) -> Found:
    """Return what is computed, in a copy of this process; UnmeasurableError where it takes too long, or raises one."""

    def limited() -> Found | UnmeasurableError:
        for number in ENDING:
            signal.signal(number, signal.SIG_DFL)
        if hasattr(signal, "setitimer"):  # Windows: nothing ends it there
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, patience_s)
        try:
            return compute()
        except UnmeasurableError as reason:
            return reason

    try:
        found = apart(limited)
    except EndedError:
        raise UnmeasurableError(
            f"its equations are not solved within {patience_s:g} s of processor time, or need more memory than there "
            "is; choose a smaller world, ask for the probability within a time (`--quantity within`), or simulate it "
            "with --split"
        ) from None
    if isinstance(found, UnmeasurableError):
        raise found
    return found
