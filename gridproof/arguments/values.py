"""Reads the values of options, for the command line and for the pytest plugin, which loads nothing else of gridproof.

Whole numbers that are too large are refused, and so are paths that are empty, or that would break the line or steer the
terminal that shows them.
"""

import argparse
import re
from pathlib import Path

WHOLE_MAX = 2**62
"""The largest number that any option accepts: a trace stores signed numbers of 64 bits."""
DIGITS_MAX = 40
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def whole_of(text: str) -> int:
    """Return the whole number that was typed."""
    value = int(text) if len(text) <= DIGITS_MAX else WHOLE_MAX + 1
    if abs(value) > WHOLE_MAX:
        raise argparse.ArgumentTypeError(f"write a whole number of at most {WHOLE_MAX:,}")
    return value


whole_of.__name__ = "int"  # argparse uses this name in its error message


def path_of(text: str) -> Path:
    """Return the path that was typed."""
    if not text:  # pathlib takes it for the current folder: an unset variable of a script would name what is there
        raise argparse.ArgumentTypeError("the path is empty; name a file or folder")
    if _CONTROL.search(text):
        raise argparse.ArgumentTypeError(f"the path {text!r} has a line end or control character; give it another name")
    return Path(text)
