"""Wrong use of the language, reported with the author's line."""

import sys
from os import sep
from pathlib import Path

_LANGUAGE = f"{Path(__file__).parent}{sep}"


class SpecificationError(Exception):
    """A specification that means nothing: a type error, a name used twice, a Python `if` on a state expression.

    The message begins with the file and line of the author's code, and ends with the cure.
    """

    def __init__(self, problem: str, at: str | None = None) -> None:
        self.at = at or where()
        """The author's file and line."""
        self.problem = problem
        """What is wrong, for whoever did not write the code and cannot use its line."""
        super().__init__(f"{self.at}: {problem}")


class StepError(Exception):
    """A step that leaves the specification as it runs: an update outside its domain, the head of an empty sequence."""


def where() -> str:
    """Return `file:line` of the nearest caller outside the language itself."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_LANGUAGE, "<")):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
