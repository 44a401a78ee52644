"""The display of progress, for work that takes long.

Progress is shown on standard error, only if this is a terminal, and only after two seconds; it never appears in a log
file or a pipe.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[str, int, int | None], None]
"""A function that takes the name of the work, how much of it is done, and how much there is in all, if known."""

PATIENCE_S = 2.0


def silent(what: str, done: int, total: int | None) -> None:
    """Show nothing."""


@contextmanager
def show_progress(title: str) -> Iterator[Report]:
    """Yield a function that shows progress under `title`; the display is removed afterwards."""
    # Imported here: the worker processes of a check show no progress, so they do not need the imported module.
    from gridproof.output.console import InertConsole

    console = InertConsole(stderr=True)
    if not console.is_terminal or not sys.stderr.isatty():
        yield silent
        return
    # Imported here: no progress is shown if the output goes into a pipe.
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    said, amount = (TextColumn(part, markup=False) for part in ("{task.description}", "{task.fields[amount]}"))
    columns = (SpinnerColumn(), said, BarColumn(), amount)
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True, disable=False) as display:
        task = display.add_task(title, total=None, amount="", visible=False)
        began = time.monotonic()

        def report(what: str, done: int, total: int | None) -> None:
            how_far = f"{done:,}" if total is None else f"{done:,} of {total:,}"
            patient = time.monotonic() - began < PATIENCE_S
            display.update(
                task, description=f"{title}: {what}", completed=done, total=total, amount=how_far, visible=not patient
            )

        yield report
