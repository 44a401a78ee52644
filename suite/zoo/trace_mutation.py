"""What a mutated run is.

The records of a good run with one thing changed: for rules that the reference cannot be brought to break (a row with a
member in two slots is no value at all), and for clients and contents, which it does not have yet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from gridproof_model.events.conditions import StatedTable
from gridproof_model.trace import EventRecord, Record, RunRecord

Records = Sequence[Record]
Mutate = Callable[[Records], Records]
"""Returns the records changed; NothingToMutateError when they hold nothing to change."""
Kind = TypeVar("Kind", bound=Record)


class NothingToMutateError(ValueError):
    """The records hold nothing of the kind that is to be changed."""


@dataclass(frozen=True, slots=True)
class TraceMutation:
    """One thing changed in the records of a good run."""

    name: str
    change: str
    """What is changed, in one sentence."""
    source: str
    """The real defect it stands for, or the rule it breaks."""
    breaks: tuple[str, ...]
    """Names of the properties that notice."""
    mutate: Mutate


def last(
    kind: type[Kind], chosen: Callable[[Kind], bool], change: Callable[[Kind], Record] | None = None, **fields: Any
) -> Mutate:
    """Return the change of the last record of a kind that is chosen: to what `change` makes of it, or its `fields`."""

    def mutate(records: Records) -> Records:
        for place in range(len(records) - 1, -1, -1):
            record = records[place]
            if isinstance(record, kind) and chosen(record):
                changed = replace(record, **fields) if change is None else change(record)
                return [*records[:place], changed, *records[place + 1 :]]
        raise NothingToMutateError(f"the run has no {kind.__name__}, which this mutation needs")

    return mutate


def first(kind: type[Kind], chosen: Callable[[Kind], bool], **fields: Any) -> Mutate:
    """Return the same of the first one."""
    of_last = last(kind, chosen, **fields)
    return lambda records: of_last(records[::-1])[::-1]


def change_all(records: Records, change: Callable[[Record], Record]) -> Records:
    """Return the records with each one changed or left as it was."""
    changed = [change(record) for record in records]
    if changed == list(records):
        raise NothingToMutateError("the mutation changes none of the records")
    return changed


def with_said(records: Records, **said: Any) -> Records:
    """Return the records of a system that says this of its table, as `StatedTable` has it."""
    event = StatedTable(source="the mutant's own manual", **said)
    return [
        one
        for record in records
        for one in ((record, EventRecord(record.run, 0, None, event)) if isinstance(record, RunRecord) else (record,))
    ]
