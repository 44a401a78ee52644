"""The console of every command."""

from rich.console import Console

from gridproof_properties.verdict import Result

PLAIN_WIDTH = 120
COLOURS = {Result.HOLDS: "green", Result.UNKNOWN: "yellow", Result.BROKEN: "red"}


def open_console() -> Console:
    """Return a console: a terminal's own width, and a readable one where there is no terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)
