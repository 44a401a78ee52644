"""The exit statuses of every command."""


class ExitStatus:
    """What a command tells the shell."""

    HOLDS = 0
    BROKEN = 1
    WRONG_USE = 2
    UNKNOWN = 3
