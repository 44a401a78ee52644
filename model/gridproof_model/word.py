"""A word of a closed list, shown as the text that it is.

Whatever holds one shows it so, too: an event in a sentence of a judge reads as it stands in a trace.
"""

from enum import StrEnum


class Word(StrEnum):
    """A choice that is written as a text."""

    def __repr__(self) -> str:
        return repr(self.value)
