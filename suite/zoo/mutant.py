"""What a planted bug is.

A mutant replaces one rule of the reference in one place, for as long as a `with` block lasts, and names the properties
that must notice. Where the reference cannot be brought to break a rule, a `TraceMutation` changes the records instead.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from unittest.mock import patch

Plant = Callable[[], AbstractContextManager[object]]
"""Puts a mutant in place until the block ends; not for two threads at once."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One rule of the reference, replaced."""

    name: str
    rule: str
    """What the mutant does instead, in one sentence."""
    source: str
    """The real defect it stands for, or the rule it breaks."""
    breaks: tuple[str, ...]
    """Names of the properties that notice."""
    plant: Plant


def replacing(owner: object, rule: str, instead: object) -> Plant:
    """Return what puts another rule in the place of an attribute of a class or module."""
    return lambda: patch.object(owner, rule, instead)
