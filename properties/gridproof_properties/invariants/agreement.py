"""Whether members show the same table.

The first settled view of a stage is compared, row by row, with the stage's other settled views. Memory: one table.
"""

from dataclasses import dataclass, field

import numpy as np

from gridproof_properties.judging import row_batch
from gridproof_properties.judging.guarantee import broken, unseen
from gridproof_properties.judging.judge import OF_ROWS, Finding, Judge, Property, Severity
from gridproof_properties.judging.row_batch import RowBatch, differing
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.view_facts import NO_VIEW, Longs
from gridproof_properties.judging.words import count


@dataclass(slots=True)
class AgreementJudge(Judge):
    """Counts the rows of a stage on which some observer differs; the witness is the first of these rows in the run."""

    READS = frozenset()
    COUNTS = False
    first: row_batch.Remembered = field(default_factory=row_batch.Remembered)
    """The rows of the first settled view of a stage, by view and partition; a row is marked if another view has a
    different row for the partition."""
    partitions: row_batch.Numbering = field(default_factory=row_batch.Numbering)
    compared: int = 0
    differing: int = 0
    witness: tuple[str, ...] = ()

    def look_at_rows(self, batch: RowBatch) -> None:
        """Compare the rows of settled views with the rows of the first settled view of the same stage."""
        held_to, number = batch.facts.first_of_stage[batch.view], batch.facts.number[batch.view]
        self._keep_first(batch, np.flatnonzero(held_to == number))
        others = np.flatnonzero((held_to != NO_VIEW) & (held_to != number))
        if len(others) and len(self.first.keys):
            self._compare(batch.take(others), held_to[others])
        if len(self.first.keys):
            stages = self.first.keys >> 32
            self.first.keep(stages == stages[-1])

    def _keep_first(self, batch: RowBatch, rows: Longs) -> None:
        """Keep the rows of first views; if a view has two rows of one partition, keep the later row."""
        if not len(rows):
            return
        keys = row_batch.keys_of(batch.facts.number[batch.view[rows]], self.partitions.of(batch.partition[rows]))
        order = np.argsort(keys, kind="stable")
        ends = np.flatnonzero(np.diff(keys[order], append=keys[order[-1]] + 1))
        self.first.put(keys[order[ends]], batch.take(rows[order[ends]]))

    def _compare(self, rows: RowBatch, held_to: Longs) -> None:
        at, is_known = self.first.find(row_batch.keys_of(held_to, self.partitions.of(rows.partition)))
        first = np.take(self.first.values, at, axis=1)
        self.compared += int(np.count_nonzero(is_known))
        is_other = (first[row_batch.VERSION] != rows.version) | (first[row_batch.HAS_VERSION] != rows.has_version)
        places = np.flatnonzero(is_known & (is_other | differing(first[row_batch.SLOTS :], rows.slots)))
        if len(places):

            def story_of(number: int) -> tuple[str, ...]:
                one, other = row_batch.describe_pair(rows, int(places[number]), first[:, places[number]])
                return (f"{other}, though {one}; at rest all members have to show the same row",)

            self.witness = self.witness or story_of(0)
            self.comparisons.note_failures(rows.facts.spans_of(rows.view[places]), story_of)
            disputed = np.unique(at[places])
            self.differing += int(np.count_nonzero(self.first.values[row_batch.MARK, disputed] == 0))
            self.first.values[row_batch.MARK, disputed] = 1

    def conclude(self) -> Finding:
        """Return what was found."""
        if self.differing:
            counted = f"members differed on {count(self.differing, 'row')} at rest, of {self.compared:,} compared"
            return broken(self.witness, counted, self.compared)
        if not self.compared:
            return unseen("no two members showed their tables at one stage at rest")
        sentence = f"{count(self.compared, 'row')} were compared at rest, and members showed every one alike"
        return Finding(Result.HOLDS, sentence, compared=self.compared)


VIEWS_AGREE = Property(
    name="views-agree",
    sentence="At rest every member shows the same table, versions included.",
    source="seed: Partition Table; invariant T4; table.5, table.20",
    severity=Severity.PROTOCOL,
    start=AgreementJudge,
    needs=OF_ROWS,
)
PROPERTIES: tuple[Property, ...] = (VIEWS_AGREE,)
