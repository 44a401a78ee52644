"""The console to which all commands print."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.text import Text

from gridproof_model.user_error import printable
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count

if TYPE_CHECKING:
    from rich.table import Table

PLAIN_WIDTH = 120
LINES_SHOWN = 12
"""How many lines about a configuration are shown at most; for a full configuration there are a hundred."""
Column = Mapping[str, Any]
PLAIN: Column = {}
FOLDED: Column = {"overflow": "fold"}
WHOLE: Column = {"no_wrap": True}
NUMBER: Column = {"justify": "right", "no_wrap": True}
RIGHT: Column = {"justify": "right"}
"""A column of a table whose texts are aligned to the right; a `Column` says how texts are wrapped and aligned."""
COLOURS = {Result.HOLDS: "green", Result.UNKNOWN: "yellow", Result.BROKEN: "red"}


def open_console() -> Console:
    """Return a console as wide as the terminal, or else as COLUMNS says, or else as wide as people can read well."""
    console = InertConsole()
    said = os.environ.get("COLUMNS", "")
    if console.is_terminal or (said.isdecimal() and int(said) > 0):
        return console
    return InertConsole(width=PLAIN_WIDTH)


class InertConsole(Console):
    """A console on which no text can control the terminal, since keys, names and messages come from outside.

    Nothing printed is markup: `gridproof` prints a path `run[1]` as it is. What has a colour is a `Text`.
    """

    def __init__(self, **how: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **how)

    def print(self, *objects: Any, **how: Any) -> None:
        """Print as rich does, but tables as wide as their longest words, up to PLAIN_WIDTH: what has less room, such as
        a verdict, rich leaves out.
        """
        room = self.options.update_width(PLAIN_WIDTH)
        least = [Measurement.get(self, room, one).minimum for one in objects if hasattr(one, "add_column")]
        own, self._width = self._width, max(self.width, *least, 0)
        try:
            super().print(*objects, **how)
        finally:
            self._width = own

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as rich does, with unprintable characters as escapes; of control codes, only rich's own are kept."""
        for segment in super().render(renderable, options):
            text = segment.text
            is_inert = text.isprintable() or text == "\n" or segment.control
            yield segment if is_inert else Segment(printable(text, "\n"), segment.style)


def new_table(title: str | None, columns: Mapping[str, Column]) -> "Table":
    """Return an empty table that has columns with these headings."""
    # Imported here: only printed tables need the imported module, and output as JSON has no table.
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for heading, how in columns.items():
        table.add_column(heading, **how)
    return table


def add_rows(table: "Table", columns: Iterable[Sequence[str]]) -> None:
    """Add many rows of short plain texts, given by columns: each column is one cell of many lines, which rich renders
    at once.

    As cells of their own, small texts would be measured and padded three times, which takes longer than a short run.
    """
    table.add_row(*(Text("\n".join(texts), no_wrap=True, overflow="ellipsis") for texts in columns))


def print_configuration(console: Console, taken: Sequence[str], passed_over: Sequence[str]) -> None:
    """Print the lines of a configuration that take effect, and the first of the lines that do not."""
    for heading, lines in (("\ntaken from the configuration", taken), ("passed over", passed_over)):
        for line in (heading, *(f"  {printable(line)}" for line in _cut(lines))) if lines else ():
            console.print(line, soft_wrap=True)


def _cut(lines: Sequence[str]) -> Sequence[str]:
    more = len(lines) - LINES_SHOWN
    return (
        lines if more <= 0 else [*lines[:LINES_SHOWN], f"and {count(more, 'more line')}, in the report and in --json"]
    )
