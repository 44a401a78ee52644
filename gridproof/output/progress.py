"""What moves while something takes long.

Progress goes to standard error, only when that is a terminal, and only once two seconds have passed; a log file or a
pipe never sees it.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[str, int, int | None], None]
"""Takes what is being done, how much of it is done, and of how much (None: nobody knows)."""

PATIENCE_S = 2.0


def silent(what: str, done: int, total: int | None) -> None:
    """Show nothing."""


@contextmanager
def show_progress(title: str) -> Iterator[Report]:
    """Give a function that shows progress under `title`; the display is gone afterwards."""
    # Imported now: the workers of a check show nothing.
    from gridproof.output.console import InertConsole

    console = InertConsole(stderr=True)
    if not console.is_terminal or not sys.stderr.isatty():
        yield silent
        return
    # Imported now: a pipe shows no progress.
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[amount]}"))
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True, disable=False) as display:
        task = display.add_task(title, total=None, amount="", visible=False)
        began = time.monotonic()

        def report(what: str, done: int, total: int | None) -> None:
            amount = f"{done:,}" if total is None else f"{done:,} of {total:,}"
            patient = time.monotonic() - began < PATIENCE_S
            display.update(
                task, description=f"{title}: {what}", completed=done, total=total, amount=amount, visible=not patient
            )

        yield report
