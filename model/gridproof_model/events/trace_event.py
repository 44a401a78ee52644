"""The base of every event of a trace.

An event is one step of the protocol, or something that the harness saw during the run. An event changes nothing:
traces, judges, space-time diagrams and refinement only read it. So an event says in the protocol's own words what was
done, with everything that a reader needs to follow the step. An event names members by their numbers in the trace.

A field holds a whole number, a text, a word of a closed list (`words.py`), a truth value, a member's number, or a tuple
of these; all of them are immutable.
"""

from dataclasses import dataclass
from typing import Annotated

from gridproof_model.value import Immutable

MEMBER = "a member"
"""Marks the type of a field that contains the number of a member."""
MemberNumber = Annotated[int, MEMBER]
"""A member, as its number in the trace."""
Versions = tuple[tuple[str, int], ...]
"""One version for each namespace."""


@dataclass(frozen=True, slots=True)
class TraceEvent(Immutable):
    """One thing that happened in a run."""
