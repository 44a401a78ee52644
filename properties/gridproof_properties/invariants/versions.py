"""Rules for the versions of rows.

A version stands for one arrangement of a row, on all members and for good, and no member goes back to an older version.
Systems without versions are not judged.
"""

from dataclasses import dataclass, field

import numpy as np

from gridproof_properties.judging import row_batch
from gridproof_properties.judging.guarantee import broken, unseen
from gridproof_properties.judging.judge import OF_ROWS, Cause, Finding, Judge, Limit, Property, Severity
from gridproof_properties.judging.row_batch import RowBatch, differing
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count

_NO_VERSIONS = "no row with a version was shown twice"


class _VersionJudge(Judge):
    """Looks at those rows that have a version."""

    READS = frozenset()
    COUNTS = False

    def look_at_rows(self, batch: RowBatch) -> None:
        rows = batch if batch.has_version.all() else batch.take(np.flatnonzero(batch.has_version))
        if len(rows):
            self.look_at_versions(rows)

    def look_at_versions(self, rows: RowBatch) -> None:
        """Look at a batch of one or more rows, all of which have versions."""
        raise NotImplementedError


@dataclass(slots=True)
class MonotoneJudge(_VersionJudge):
    """Keeps each row's latest version as each observer showed it; the witness is the first version that decreased."""

    latest: row_batch.Remembered = field(default_factory=row_batch.Remembered)
    """The latest row, by observer and partition."""
    partitions: row_batch.Numbering = field(default_factory=row_batch.Numbering)
    seen: int = 0
    """The number of rows whose partition the same member had shown before."""
    decreased: int = 0
    witness: tuple[str, ...] = ()

    def look_at_versions(self, rows: RowBatch) -> None:
        """Compare each row with the previous row of the same observer and partition."""
        keys = row_batch.keys_of(rows.facts.observer[rows.view], self.partitions.of(rows.partition))
        order = np.argsort(keys, kind="stable")
        key, version = keys[order], rows.version[order]
        has_before = np.diff(key, prepend=key[0] - 1) == 0
        begins = np.flatnonzero(~has_before)
        before = np.concatenate([version[:1], version[:-1]])
        at, is_known = self.latest.find(key[begins])
        before[begins[is_known]] = self.latest.values[row_batch.VERSION, at[is_known]]
        has_before[begins] = is_known
        faults = np.flatnonzero(has_before & (version < before))
        self.seen += int(np.count_nonzero(has_before))
        self.decreased += len(faults)
        if len(faults):
            faults = faults[np.argsort(order[faults])]

            def story_of(number: int) -> tuple[str, ...]:
                place = int(faults[number])
                kept = np.flatnonzero(begins == place)
                earlier = self.latest.values[:, at[kept[0]]] if len(kept) else int(order[place - 1])
                before, after = row_batch.describe_pair(rows, int(order[place]), earlier)
                rule = "in the table of one member the version of a row may not decrease"
                return (f"{after}, though {before}; {rule}",)

            at_ms = rows.facts.at_ms[rows.view[order]]
            before_ms = np.concatenate([at_ms[:1], at_ms[:-1]])
            before_ms[begins[is_known]] = self.latest.values[row_batch.AT_MS, at[is_known]]
            self.witness = self.witness or story_of(0)
            spans_ms = zip(np.minimum(before_ms + 0.5, at_ms)[faults].tolist(), at_ms[faults].tolist(), strict=True)
            self.comparisons.note_failures(spans_ms, story_of)
        ends = np.append(begins[1:], len(key)) - 1
        self.latest.put(key[begins], rows.take(order[ends]))

    def conclude(self) -> Finding:
        """Return what was found."""
        if self.decreased:
            counted = f"{self.decreased:,} of {count(self.seen, 'row')} that a member showed again went back in version"
            return broken(self.witness, counted, self.seen)
        if not self.seen:
            return unseen(_NO_VERSIONS)
        sentence = f"none of {count(self.seen, 'row')} that a member showed again went back to an older version"
        return Finding(Result.HOLDS, sentence, compared=self.seen)


@dataclass(slots=True)
class FaithfulJudge(_VersionJudge):
    """Keeps one row per partition and version, so as many rows as there were changes, however often they are shown."""

    first: row_batch.Remembered = field(default_factory=row_batch.Remembered)
    """For each partition and version, the first row that had the version, and when its slots were last shown; a row is
    marked if another row with that version had different slots."""
    partitions: row_batch.Numbering = field(default_factory=row_batch.Numbering)
    versions: row_batch.Numbering = field(default_factory=row_batch.Numbering)
    seen: int = 0
    """The number of rows whose version was shown before for the same partition."""
    witness: tuple[str, ...] = ()

    def look_at_versions(self, rows: RowBatch) -> None:
        """Compare each row with the first row of the same partition and version."""
        keys = row_batch.keys_of(self.partitions.of(rows.partition), self.versions.of(rows.version))
        order = np.argsort(keys, kind="stable")
        key = keys[order]
        begins = np.flatnonzero(np.diff(key, prepend=key[0] - 1))
        firsts, group = order[begins], np.repeat(np.arange(len(begins)), np.diff(begins, append=len(key)))
        _, is_known = self.first.find(key[begins])
        self.first.put(key[begins[~is_known]], rows.take(firsts[~is_known]))
        self.seen += len(rows) - int(np.count_nonzero(~is_known))
        at, _ = self.first.find(key[begins])
        known = np.take(self.first.values[row_batch.SLOTS :], at[group], axis=1)
        is_other, at_ms = differing(known, rows.slots[:, order]), rows.facts.at_ms[rows.view[order]]
        others = np.flatnonzero(is_other)
        if len(others):
            others = others[np.argsort(order[others])]

            def story_of(number: int) -> tuple[str, ...]:
                place = others[number]
                first, other = row_batch.describe_pair(rows, int(order[place]), self.first.values[:, at[group[place]]])
                return (f"{other}, though {first}; rows of equal version have to have the same member in each slot",)

            self.witness = self.witness or story_of(0)
            equal = np.maximum.accumulate(np.where(is_other, -1, np.arange(len(key))))[others]
            kept_ms = self.first.values[row_batch.AT_MS, at[group[others]]]
            since_ms = np.where(equal >= begins[group[others]], at_ms[equal], kept_ms)
            spans_ms = zip(since_ms.tolist(), at_ms[others].tolist(), strict=True)
            self.comparisons.note_failures(spans_ms, story_of)
            self.first.values[row_batch.MARK, at[group[others]]] = 1
        shown_ms = np.maximum.reduceat(np.where(is_other, 0, at_ms), begins)
        self.first.values[row_batch.AT_MS, at] = np.maximum(self.first.values[row_batch.AT_MS, at], shown_ms)

    def conclude(self) -> Finding:
        """Return what was found."""
        arrangements = count(len(self.first.keys), "row version")
        ambiguous = int(self.first.values[row_batch.MARK].sum())
        if ambiguous:
            return broken(self.witness, f"{ambiguous:,} of {arrangements} stood for different rows", self.seen)
        if not self.seen:
            return unseen(_NO_VERSIONS)
        again = count(self.seen, "time")
        sentence = f"{arrangements} were shown, and {again} one of these was shown again, always with the same slots"
        return Finding(Result.HOLDS, sentence, compared=self.seen)


VERSION_NEVER_DECREASES = Property(
    name="version-never-decreases",
    sentence="In the table of one member, the version of a row never decreases.",
    source="seed: Partition Table; invariant T2; table.4",
    severity=Severity.PROTOCOL,
    start=MonotoneJudge,
    needs=OF_ROWS,
)
EQUAL_VERSION_EQUAL_ROW = Property(
    name="equal-version-equal-row",
    sentence="Rows of one partition with equal versions have equal slots, whichever member shows them, and whenever.",
    source="invariant T3; table.5",
    severity=Severity.PROTOCOL,
    start=FaithfulJudge,
    needs=OF_ROWS,
    limits=(
        Limit(Cause.REMOVED_ALIVE, "table.5: of one cluster, and there were two"),
        Limit(Cause.TABLE_ENDED, "table.21: a master that finds no table arranges the first"),
    ),
)
PROPERTIES: tuple[Property, ...] = (VERSION_NEVER_DECREASES, EQUAL_VERSION_EQUAL_ROW)
