"""Versions of rows: never down, one arrangement each.

The first looks at each observer's rows of a partition in order; the second at the first arrangement of each version,
and those that differ from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gridproof_properties.invariants.versions import EQUAL_VERSION_EQUAL_ROW, PROPERTIES, VERSION_NEVER_DECREASES
from gridproof_properties.judging.judge import Finding, Property
from gridproof_reports.pipeline.case import Case, Line
from gridproof_reports.pipeline.columns import Numbering, RowBatch, differing, keys_of
from gridproof_reports.pipeline.first_fault import FirstFault, places_in
from gridproof_reports.pipeline.job import RowJob, conclude_with, replay
from gridproof_reports.pipeline.remembered import Remembered
from gridproof_reports.pipeline.view_facts import ViewFacts

NAME = "versions"


@dataclass(slots=True)
class VersionReducer:
    """Judges the rows that have a version; keeps a row an observer and partition, and one a version of a partition."""

    facts: ViewFacts
    decreases: "_Decreases" = field(init=False)
    ambiguities: "_Ambiguities" = field(init=False)

    def __post_init__(self) -> None:
        self.decreases, self.ambiguities = _Decreases(self.facts), _Ambiguities()

    def add(self, batch: RowBatch) -> None:
        """Take in the next rows."""
        rows = batch if batch.has_version.all() else batch.take(np.flatnonzero(batch.has_version))
        if len(rows):
            self.decreases.add(rows)
            self.ambiguities.add(rows)

    def evidence(self) -> Sequence[Line]:
        """Return a line a property.

        `shown`: versions; `seen`: rows that could be compared; `faulty`: versions or rows at fault; `against` and
        `first`: where the two rows stand that show it first.
        """
        return [self.decreases.line(), self.ambiguities.line()]


@dataclass(slots=True)
class _Decreases:
    facts: ViewFacts
    latest: Remembered = field(default_factory=Remembered)
    """Version and position, by observer and partition."""
    partitions: Numbering = field(default_factory=Numbering)
    seen: int = 0
    faulty: int = 0
    fault: FirstFault = field(default_factory=FirstFault)

    def add(self, rows: RowBatch) -> None:
        keys = keys_of(self.facts.observer[rows.view], self.partitions.of(rows.partition))
        order = np.argsort(keys, kind="stable")
        key, version, position = (np.take(column, order) for column in (keys, rows.version, rows.position))
        is_first = np.diff(key, prepend=key[0] - 1) != 0
        begins = np.flatnonzero(is_first)
        before = np.stack([np.concatenate([column[:1], column[:-1]]) for column in (version, position)])
        at, is_known = self.latest.find(key[begins])
        if is_known.any():
            before[:, begins[is_known]] = self.latest.values[:, at[is_known]]
        has_before = ~is_first
        has_before[begins] = is_known
        is_fault = has_before & (version < before[0])
        self.seen += int(np.count_nonzero(has_before))
        self.faulty += int(np.count_nonzero(is_fault))
        self.fault.see(before[1, is_fault], position[is_fault])
        ends = np.append(begins[1:], len(key)) - 1
        self.latest.put(key[begins], np.stack([version[ends], position[ends]]))

    def line(self) -> Line:
        return _line(VERSION_NEVER_DECREASES, self.seen, self.seen, self.faulty, self.fault)


@dataclass(slots=True)
class _Ambiguities:
    first: Remembered = field(default_factory=Remembered)
    """Position, whether it stood for different rows, and slots, by partition and version: the row that had it first."""
    partitions: Numbering = field(default_factory=Numbering)
    versions: Numbering = field(default_factory=Numbering)
    seen: int = 0
    fault: FirstFault = field(default_factory=FirstFault)

    def add(self, rows: RowBatch) -> None:
        keys = keys_of(self.partitions.of(rows.partition), self.versions.of(rows.version))
        order = np.argsort(keys, kind="stable")
        key = np.take(keys, order)
        begins = np.flatnonzero(np.diff(key, prepend=key[0] - 1))
        firsts, group = order[begins], np.repeat(np.arange(len(begins)), np.diff(begins, append=len(key)))
        at, is_known = self.first.find(key[begins])
        new = rows.take(firsts[~is_known])
        lines = (new.position, np.zeros(len(new), np.int64))
        self.first.put(key[begins[~is_known]], np.concatenate([np.stack(lines), new.slots], dtype=np.int64))
        self.seen += len(rows) - len(new)
        at, _ = self.first.find(key[begins])
        known = np.take(self.first.values, at, axis=1)
        is_other = differing(np.take(known[2:], group, axis=1), np.take(rows.slots, order, axis=1))
        if is_other.any():
            groups = group[is_other]
            self.fault.see(known[0, groups], rows.position[order[is_other]])
            self.first.values[1, at[groups]] = 1

    def line(self) -> Line:
        faulty = int(self.first.values[1].sum()) if len(self.first.keys) else 0
        return _line(EQUAL_VERSION_EQUAL_ROW, len(self.first.keys), self.seen, faulty, self.fault)


def _line(prop: Property, shown: int, seen: int, faulty: int, fault: FirstFault) -> Line:
    return {"property": prop.name, "shown": shown, "seen": seen, "faulty": faulty, **fault.places()}


def conclude(case: Case) -> Mapping[str, Finding]:
    """Return what the judges of versions say of these counts."""
    found = {prop.name: prop.start().conclude() for prop in PROPERTIES}
    for line in case.evidence[NAME]:
        prop = next(prop for prop in PROPERTIES if prop.name == line["property"])
        broken = line["first"] is not None
        witness = replay(prop, case.story(line["against"], line["first"])) if broken else ()
        found[prop.name] = conclude_with(prop, _counts(prop, line), witness)
    return found


def _counts(prop: Property, line: Line) -> Mapping[str, int | range]:
    if prop is VERSION_NEVER_DECREASES:
        return {"seen": line["seen"], "decreased": line["faulty"]}
    return {"seen": line["seen"], "first": range(line["shown"]), "ambiguous": range(line["faulty"])}


JOB = RowJob(name=NAME, properties=PROPERTIES, start=VersionReducer, conclude=conclude, shown=places_in(NAME))
