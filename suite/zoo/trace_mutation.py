"""Mutated runs.

A mutated run has the records of a good run with one thing changed. Trace mutations are for rules that the reference
cannot be made to break (a row with a member in two slots is no possible value), and for clients and contents.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from gridproof_model.events.conditions import StatedTable
from gridproof_model.trace import EventRecord, Record, RunRecord

Records = Sequence[Record]
Mutate = Callable[[Records], Records]
"""A function that returns changed records; it raises NothingToMutateError if there is nothing in them to change."""
Kind = TypeVar("Kind", bound=Record)


class NothingToMutateError(ValueError):
    """Raised if the records hold nothing of the kind that a mutation changes."""


@dataclass(frozen=True, slots=True)
class TraceMutation:
    """A mutation that changes one thing in the records of a good run."""

    name: str
    change: str
    """A sentence that says what is changed."""
    source: str
    """The real defect that the mutation stands for, or the rule that it breaks."""
    breaks: tuple[str, ...]
    """The names of the properties that notice the mutation."""
    mutate: Mutate


@dataclass(frozen=True, slots=True)
class Mutation:
    """What a catalogue says first of a trace mutation; `by` adds the change, and so makes the trace mutation."""

    name: str
    source: str
    breaks: tuple[str, ...]

    def by(self, change: str, mutate: Mutate) -> TraceMutation:
        """Return the trace mutation that makes this change."""
        return TraceMutation(self.name, change, self.source, self.breaks, mutate)


def last(
    kind: type[Kind], chosen: Callable[[Kind], bool], change: Callable[[Kind], Record] | None = None, **fields: Any
) -> Mutate:
    """Return the mutation that changes the last chosen record of a kind, by `change` or by setting `fields`."""

    def mutate(records: Records) -> Records:
        for place in range(len(records) - 1, -1, -1):
            record = records[place]
            if isinstance(record, kind) and chosen(record):
                changed = replace(record, **fields) if change is None else change(record)
                return [*records[:place], changed, *records[place + 1 :]]
        raise NothingToMutateError(f"the run has no {kind.__name__} to change; mutate another run")

    return mutate


def first(kind: type[Kind], chosen: Callable[[Kind], bool], **fields: Any) -> Mutate:
    """Return the mutation that changes the first chosen record of a kind, by setting `fields`."""
    of_last = last(kind, chosen, **fields)
    return lambda records: of_last(records[::-1])[::-1]


def change_all(records: Records, change: Callable[[Record], Record]) -> Records:
    """Return the records after `change` was applied to each of them."""
    changed = [change(record) for record in records]
    if changed == list(records):
        raise NothingToMutateError("the run has no record to change; mutate another run")
    return changed


def with_said(records: Records, **said: Any) -> Records:
    """Return the records of a system that states these fields of `StatedTable`."""
    event = StatedTable(source="the mutant's own manual", **said)
    return [
        one
        for record in records
        for one in ((record, EventRecord(record.run, 0, None, event)) if isinstance(record, RunRecord) else (record,))
    ]
