"""The exit statuses of every command."""

from collections.abc import Collection


class ExitStatus:
    """What a command returns to the shell."""

    HOLDS = 0
    BROKEN = 1
    WRONG_USE = 2
    UNKNOWN = 3
    INTERRUPTED = 130
    """The status that shells expect of a program that Ctrl-C has ended; what was found by then is reported."""


def worst_status(statuses: Collection[int]) -> int:
    """Return the status of several subjects together: broken takes precedence over unknown."""
    return next((one for one in (ExitStatus.BROKEN, ExitStatus.UNKNOWN) if one in statuses), ExitStatus.HOLDS)
