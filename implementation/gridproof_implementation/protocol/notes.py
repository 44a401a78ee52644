"""What a member notes: the steps of the protocol.

A note changes nothing. Traces, judges, space-time diagrams and refinement read notes; so a note says what was done in
the protocol's own words, with everything a reader needs to follow the step against the specification. Numbers and
texts only: a note is written to a trace as it stands. Each part of the protocol declares its own.
"""

from dataclasses import dataclass

from gridproof_model.value import Value


@dataclass(frozen=True, slots=True)
class Note(Value):
    """One step of the protocol, done."""
