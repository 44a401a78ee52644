"""What clients add to, and its reads at rest: gathered once for lists and for counters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.judge import Judge

PAIRS_MAX = 100_000
"""Reads of a key times additions to it that are compared: else work would grow with the square of a trace."""


@dataclass(slots=True)
class AdditionJudge(Judge):
    """Gathers the additions to every key, and its reads at rest while none was under way."""

    READS = frozenset({OperationRecord})
    adds: ClassVar[OperationKind]
    """What an addition is; reads are read, too."""
    with_refused: ClassVar[bool]
    """Whether additions are gathered that were refused, too."""
    additions: dict[str, list[OperationRecord]] = field(default_factory=dict)
    reads: dict[str, list[tuple[OperationRecord, int]]] = field(default_factory=dict)
    """With how many additions there had been."""

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        if not isinstance(record, OperationRecord):
            return
        additions = self.additions.get(record.key)
        if self.is_addition(record):
            self.additions.setdefault(record.key, []).append(record)
            reads = self.reads.get(record.key, [])
            self.reads[record.key] = [one for one in reads if one[0].end_ms < record.start_ms]
        elif additions is not None and self._is_read_at_rest(record) and record.start_ms > additions[-1].end_ms:
            self.reads.setdefault(record.key, []).append((record, len(additions)))

    def in_turn(self) -> Iterator[tuple[OperationRecord, Sequence[OperationRecord]]]:
        """Yield each read with the additions before it; of a key with very many of both, its last reads alone."""
        for key, reads in self.reads.items():
            additions = self.additions.get(key, [])
            most = max(PAIRS_MAX // max(len(additions), 1), 1)
            yield from ((read, additions[:number]) for read, number in reads[-most:])

    def is_addition(self, record: OperationRecord) -> bool:
        """Return whether a record is an addition that is gathered."""
        return record.kind is self.adds and (self.with_refused or record.outcome is not Outcome.REFUSED)

    def _is_read_at_rest(self, record: OperationRecord) -> bool:
        is_answered = record.kind is OperationKind.READ and record.outcome is Outcome.OK
        return is_answered and self.comparisons.is_at_rest(record.partition)


class FromNothingJudge(AdditionJudge):
    """Keeps of every key a read before its first addition, too: what it held then, nobody added."""

    def __init__(self) -> None:
        super().__init__()
        self._first_reads: dict[str, OperationRecord] = {}
        """The first read of each key to which nothing has been added yet."""

    def observe(self, record: Record) -> None:
        """Take in the next record; a key that held something before the first addition began has it from nobody."""
        if isinstance(record, OperationRecord) and record.key not in self.additions:
            if self.is_addition(record):
                read = self._first_reads.pop(record.key, None)
                if read is not None and read.end_ms < record.start_ms:
                    self.reads[record.key] = [(read, 0)]
            elif record.value and record.outcome is Outcome.OK:
                self._first_reads.setdefault(record.key, record)
        super().observe(record)
