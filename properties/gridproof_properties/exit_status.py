"""The exit statuses of every command."""


class ExitStatus:
    """What a command returns to the shell."""

    HOLDS = 0
    BROKEN = 1
    WRONG_USE = 2
    UNKNOWN = 3
    INTERRUPTED = 130
    """What a shell expects of a program that Ctrl-C has ended; what was found until then is reported."""
