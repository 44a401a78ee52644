"""What a mutated run is.

The records of a good run with one thing changed: for rules that the reference cannot be brought to break (a row with a
member in two slots is no value at all), and for clients and contents, which it does not have yet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from gridproof_model.events.conditions import StatedTable
from gridproof_model.trace import EventRecord, Record, RunRecord

Records = Sequence[Record]
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
    mutate: Callable[[Records], Records]
    """Returns the records changed; NothingToMutateError when they hold nothing to change."""


def change_last(
    records: Records, kind: type[Kind], chosen: Callable[[Kind], bool], change: Callable[[Kind], Record]
) -> Records:
    """Return the records with the last one of a kind that is chosen changed."""
    for place in range(len(records) - 1, -1, -1):
        record = records[place]
        if isinstance(record, kind) and chosen(record):
            return [*records[:place], change(record), *records[place + 1 :]]
    raise NothingToMutateError(f"no {kind.__name__} to mutate")


def change_all(records: Records, change: Callable[[Record], Record]) -> Records:
    """Return the records with each one changed or left as it was."""
    changed = [change(record) for record in records]
    if changed == list(records):
        raise NothingToMutateError("the change changes nothing")
    return changed


def with_said(records: Records, **said: Any) -> Records:
    """Return the records of a system that says this of its table, as `StatedTable` has it."""
    event = StatedTable(source="the mutant's own manual", **said)
    return [
        one
        for record in records
        for one in ((record, EventRecord(record.run, 0, None, event)) if isinstance(record, RunRecord) else (record,))
    ]
