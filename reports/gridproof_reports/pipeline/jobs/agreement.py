"""Whether the members that look at rest see one table.

The first settled view of a stage is what the others are held to, row by row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gridproof_properties.invariants.agreement import PROPERTIES, VIEWS_AGREE
from gridproof_properties.judging.judge import Finding
from gridproof_reports.pipeline.case import Case, Line
from gridproof_reports.pipeline.columns import Longs, Numbering, RowBatch, differing, keys_of
from gridproof_reports.pipeline.first_fault import FirstFault, places_in
from gridproof_reports.pipeline.job import RowJob, conclude_with, replay
from gridproof_reports.pipeline.remembered import Remembered
from gridproof_reports.pipeline.view_facts import NO_VIEW, ViewFacts

NAME = "agreement"
_POSITION, _IS_DISPUTED, _VERSION, _HAS_VERSION = range(4)
"""The first lines of what is kept of a row; its slots follow."""


@dataclass(slots=True)
class AgreementReducer:
    """Compares the rows of settled views with the first of their stage; keeps the table of the latest stage."""

    facts: ViewFacts
    first_view: Remembered = field(default_factory=Remembered)
    """The rows of the first settled view of a stage, by view and partition."""
    partitions: Numbering = field(default_factory=Numbering)
    compared: int = 0
    differing: int = 0
    fault: FirstFault = field(default_factory=FirstFault)

    def add(self, batch: RowBatch) -> None:
        """Compare some rows."""
        held_to = self.facts.first_of_stage[batch.view]
        is_first = held_to == batch.view
        self._keep_first(batch, np.flatnonzero(is_first))
        others = np.flatnonzero((held_to != NO_VIEW) & ~is_first)
        if len(others):
            self._compare(batch if len(others) == len(batch) else batch.take(others), held_to[others])
        if len(self.first_view.keys):
            stages = self.first_view.keys >> 32
            self.first_view.keep(stages == stages[-1])

    def _keep_first(self, batch: RowBatch, rows: Longs) -> None:
        """Keep the rows of first views; of two of one partition the later one."""
        if not len(rows):
            return
        keys = keys_of(batch.view[rows], self.partitions.of(batch.partition[rows]))
        order = np.argsort(keys, kind="stable")
        ends = np.flatnonzero(np.diff(keys[order], append=keys[order[-1]] + 1))
        kept = batch.take(rows[order[ends]])
        lines = (kept.position, np.zeros(len(kept), np.int64), kept.version, kept.has_version)
        self.first_view.put(keys[order[ends]], np.concatenate([np.stack(lines), kept.slots], dtype=np.int64))

    def _compare(self, rows: RowBatch, held_to: Longs) -> None:
        at, is_known = self.first_view.find(keys_of(held_to, self.partitions.of(rows.partition)))
        if not len(self.first_view.keys):
            return
        first = np.take(self.first_view.values, at, axis=1)
        self.compared += int(np.count_nonzero(is_known))
        is_other = (first[_VERSION] != rows.version) | (first[_HAS_VERSION] != rows.has_version)
        is_other = is_known & (is_other | differing(first[_HAS_VERSION + 1 :], rows.slots))
        places = np.flatnonzero(is_other)
        if len(places):
            self.fault.see(first[_POSITION, places], rows.position[places])
            disputed = np.unique(at[places])
            self.differing += int(np.count_nonzero(self.first_view.values[_IS_DISPUTED, disputed] == 0))
            self.first_view.values[_IS_DISPUTED, disputed] = 1

    def evidence(self) -> Sequence[Line]:
        """Return one line: rows `compared`, rows of stages `differing`, and where the two stand that show it first."""
        return [{"compared": self.compared, "differing": self.differing, **self.fault.places()}]


def conclude(case: Case) -> Mapping[str, Finding]:
    """Return what the judge of agreement says of these counts."""
    for line in case.evidence[NAME]:
        broken = line["first"] is not None
        witness = replay(VIEWS_AGREE, case.story(line["against"], line["first"])) if broken else ()
        counts = {"compared": line["compared"], "differing": line["differing"]}
        return {VIEWS_AGREE.name: conclude_with(VIEWS_AGREE, counts, witness)}
    return {VIEWS_AGREE.name: VIEWS_AGREE.start().conclude()}


JOB = RowJob(name=NAME, properties=PROPERTIES, start=AgreementReducer, conclude=conclude, shown=places_in(NAME))
