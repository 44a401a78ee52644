"""What shows that an option is followed: two lines that differ in the option alone, and in what came of them.

A cell of `docs/options.md` that says "follows" is held by a `Cell`: the words that are added to the line of its
subject, or two values of the option where its usual value depends on the machine. What came of a line is its status,
what it printed, the files that it left and the processes that it started, without times and folders and without the
option's own echo.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """What is typed besides."""

    words: str
    """The option with a value."""
    instead: str = ""
    """The same with another value, for the line that it is compared with."""
    beside: str = ""
    """What both lines have, too, for the option to show."""
    line: str = ""
    """Another line of the same kind of subject, where its own shows nothing."""
    is_long: bool = False
    """Whether it is for the nights."""
    ends_with_2: bool = False
    """Whether the value is one that only who follows it refuses."""
    mutant: str = ""
    """The bug that is planted meanwhile, where only what is broken shows it."""
    fact: str = ""
    """Of members that run, where no two lines print the same: a pattern whose matches are compared, wherever they
    stand; the status and the names of files are, in any case."""


def without_noise(text: str, option: str) -> str:
    """Return what was said without times and what only repeats the option or the line."""
    name = option.lstrip("-")
    spelled = f"(?:{re.escape(name)}|{re.escape(name.replace('-', '_'))})"
    for pattern, put in (
        (r"gridproof [a-z]+ [^<\"\n]*", "gridproof"),
        (r"\b[a-z]+-[0-9a-f]{8}\b", ""),  # a run of a system that says of itself that no two are the same
        *([(rf"{spelled}[\"']?[:=] *[^\s,}}]+", "")] if name else []),
        (r"\"(?:seconds|took_ms|bytes_per_state)\": *[\d.e-]+", ""),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?", ""),
        (r"<div><dt>took</dt>.*?</div>\n", ""),
        (r" *[\d,.]+ (?:s\b|seconds|minutes|ms\b|(?:[a-z]+ )?a second|bytes a state)", ""),
        (r"│ +[\d.]+ │( +\d+ │)?\n", ""),
        (r"\| [\d.]+ \| \d+ \| `gridproof`", ""),
        (r"time=\"[\d.]+\"", ""),
    ):
        text = re.sub(pattern, put, text)
    return text
