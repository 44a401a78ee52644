"""Compares what clients added to lists and counters with what reads at rest found.

One class gathers the additions and the reads at rest, for lists as well as for counters.

Lists, to which clients append unique values: no append is lost, and none is there twice.

Each read of a list at rest, if no append was under way, is compared with the appends that were made before it. Memory:
the appends and the reads at rest.

Counters: every acknowledged addition counts exactly once.

Every addition adds 1. Every read of a counter at rest is compared with two numbers: the additions acknowledged before
it, and the additions that may have been executed before it. Memory: the additions and the reads at rest.
"""

from bisect import insort
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.acknowledged import describe_origin
from gridproof_properties.judging.judge import Cause, Judge, Limit, Property, Severity
from gridproof_properties.judging.survival import (
    KEPT_LIMITS,
    ORDER_LIMITS,
    TWICE_LIMITS,
    TWICE_UNLESS_STRICT,
    harmed_since_ms,
    why_lost,
)
from gridproof_properties.judging.words import count, through

PAIRS_MAX = 100_000
"""The most pairs of a read and an addition compared per key: with no limit, work grows as the square of the trace."""


@dataclass(slots=True)
class AdditionJudge(Judge):
    """Gathers, for every key, the additions and the reads at rest during which no addition was under way."""

    READS = frozenset({OperationRecord})
    adds: ClassVar[OperationKind]
    """The kind of operation that is an addition; the judge also uses reads."""
    with_refused: ClassVar[bool]
    """Whether refused additions are gathered as well."""
    additions: dict[str, list[OperationRecord]] = field(default_factory=dict)
    reads: dict[str, list[tuple[OperationRecord, int]]] = field(default_factory=dict)
    """For each key, its reads, sorted by their ends, each with the number of additions before it."""

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if not isinstance(record, OperationRecord):
            return
        additions = self.additions.get(record.key)
        if self.is_addition(record):
            self.additions.setdefault(record.key, []).append(record)
            reads = self.reads.setdefault(record.key, [])
            while reads and reads[-1][0].end_ms >= record.start_ms:
                reads.pop()
        elif additions is not None and self._is_read_at_rest(record) and record.start_ms > additions[-1].end_ms:
            insort(self.reads.setdefault(record.key, []), (record, len(additions)), key=_end_ms)

    def in_turn(self) -> Iterator[tuple[OperationRecord, Sequence[OperationRecord]]]:
        """Yield each read with the additions before it; for a key that has very many of both, only the last reads."""
        for key, reads in self.reads.items():
            additions = self.additions.get(key, [])
            most = max(PAIRS_MAX // max(len(additions), 1), 1)
            yield from ((read, additions[:number]) for read, number in reads[-most:])

    def is_addition(self, record: OperationRecord) -> bool:
        """Return whether a record is an addition that this judge gathers."""
        return record.kind is self.adds and (self.with_refused or record.outcome is not Outcome.REFUSED)

    def _is_read_at_rest(self, record: OperationRecord) -> bool:
        is_answered = record.kind is OperationKind.READ and record.outcome is Outcome.OK
        return is_answered and self.comparisons.is_at_rest(record.partition)


def _end_ms(read: tuple[OperationRecord, int]) -> int:
    return read[0].end_ms


class FromNothingJudge(AdditionJudge):
    """Also keeps, for each key, a read before the key's first addition: what it returned was added by no client."""

    def __init__(self) -> None:
        super().__init__()
        self._first_reads: dict[str, OperationRecord] = {}
        """For each key that has no addition so far, its first read."""

    def observe(self, record: Record) -> None:
        """Read the next record; what a key held before the first addition to it was added by no client."""
        if isinstance(record, OperationRecord) and record.key not in self.additions:
            if self.is_addition(record):
                read = self._first_reads.pop(record.key, None)
                if read is not None and read.end_ms < record.start_ms:
                    self.reads[record.key] = [(read, 0)]
            elif record.value and record.outcome is Outcome.OK:
                self._first_reads.setdefault(record.key, record)
        super().observe(record)


Story = tuple[str, ...]
"""The story of one value, one sentence per step."""
Compared = tuple[OperationRecord, Story | None, tuple[str, str] | None]
"""An append, what is wrong with it, and the cause and source of a limit that may suspend the promise."""


class _AppendJudge(AdditionJudge):
    """Compares every read of a list at rest with the appends before it."""

    OPERATIONS = frozenset({OperationKind.APPEND, OperationKind.READ})
    UNSEEN = "no list was read at rest"
    adds = OperationKind.APPEND
    with_refused = True
    OF_LOSS: ClassVar[bool] = False
    """Whether the property is about lost values."""

    def __init__(self) -> None:
        super().__init__()
        self._found: dict[tuple[str, str | None], float] = {}
        """For each list and value, when the last read that found the value began: no earlier fault lost the value."""

    def compare(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Compared]:
        """Yield every append that can be compared with what the read returned."""
        raise NotImplementedError

    def finish(self) -> None:
        conditions = self.comparisons.conditions
        for read, appends in self.in_turn():
            for append, story, why in self.compare(appends, read):
                begin_ms = harmed_since_ms(conditions, append, self._since_ms(append))
                self.comparisons.add(append.partition, begin_ms, read.end_ms, story, why)
            if self.OF_LOSS and not conditions.is_untouched:
                self._found |= dict.fromkeys(((read.key, item) for item in _items(read)), read.start_ms)

    def why_lost(self, append: OperationRecord, read: OperationRecord) -> tuple[str, str] | None:
        """Return why an append need not have survived."""
        return why_lost(self.comparisons.conditions, append, read.end_ms, since_ms=self._since_ms(append))

    def before(self, read: OperationRecord, append: OperationRecord, *steps: tuple[float, str]) -> Story:
        """Return the story of a read: an append, other steps, and the list as it was read, in the order of time."""
        return self._history(read, (append.end_ms, _describe(append)), *steps)

    def _history(self, read: OperationRecord, *steps: tuple[float, str]) -> Story:
        whole = read.end_ms, f"at {read.end_ms:,} ms the whole list was '{read.value or ''}'"
        return self.rest.history(read.partition, read.end_ms, *steps, whole)

    def _since_ms(self, append: OperationRecord) -> float:
        return max(append.start_ms, self._found.get((append.key, append.value), 0))


class _KeptJudge(_AppendJudge):
    COUNTED = "{failed} of {compared:acknowledged append} did not stand in the list when it was read at rest"
    HELD = "{all} {compared:acknowledged append} stood in the list when it was read at rest"
    OF_LOSS = True

    def compare(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Compared]:
        held = set(_items(read))
        for append in appends:
            if append.outcome is Outcome.OK:
                is_lost = append.value not in held
                story: Story | None = None
                if is_lost:
                    missed = f"{_describe_read(read)} and did not find {append.value!r} in it, an acknowledged append"
                    missed += "; a list has to hold every acknowledged append"
                    story = (missed, *self.before(read, append, *self.comparisons.comings.between(append, read)))
                yield append, story, self.why_lost(append, read)


class _OnceJudge(_AppendJudge):
    COUNTED = "{failed} of {compared:acknowledged append} stood twice in the list"

    def compare(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Compared]:
        copies = Counter(_items(read))
        for append in appends:
            if append.outcome is Outcome.OK:
                story: Story | None = None
                if copies[append.value or ""] > 1:
                    twice = f"{_describe_read(read)} and found {append.value!r} in it "
                    twice += f"{count(copies[append.value or ''], 'time')}; an append may be executed only once"
                    story = twice, *self.before(read, append)
                yield append, story, None


class _ExactlyJudge(_AppendJudge):
    COUNTED = "{failed} of {compared:append} stood in the list more than once, or not at all though acknowledged"
    HELD = "{all} {compared:append} stood in the list exactly once if acknowledged, and otherwise at most once"
    OF_LOSS = True

    def compare(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Compared]:
        copies = Counter(_items(read))
        configured = self.comparisons.conditions.configured
        if configured is not None and not configured.strict:
            return
        for append in appends:
            times = copies[append.value or ""]
            if append.outcome is not Outcome.REFUSED:
                story: Story | None = None
                if times > 1 or (append.outcome is Outcome.OK and times == 0):
                    stood = (
                        f"{_describe_read(read)} and found {append.value!r} in it {count(times, 'time')}; an append "
                    )
                    stood += "has to be in the list exactly once if it was acknowledged, and otherwise at most once"
                    story = stood, *self.before(read, append)
                yield append, story, self.why_lost(append, read) if times == 0 else None


class _OrderJudge(_AppendJudge):
    COUNTED = "{failed} of {compared:acknowledged append} stood behind another that began after the acknowledgement"

    def compare(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Compared]:
        """Look only at the first position of each value in the list; other properties judge a second position."""
        known = {append.value: append for append in appends if append.outcome is Outcome.OK}
        latest: OperationRecord | None = None
        for item in dict.fromkeys(_items(read)):
            append = known.get(item)
            if append is None:
                continue
            if latest is not None and append.end_ms < latest.start_ms:
                behind = f"{_describe_read(read)} and found {append.value!r} behind {latest.value!r}, whose append "
                behind += f"began only after that of {append.value!r} had been acknowledged; if an append is "
                behind += "acknowledged before another one begins, its value has to stand in front"
                began = f"at {latest.start_ms:,} ms append {latest.operation}, of {latest.value!r}, began"
                story = (behind, *self.before(read, append, (latest.start_ms, began)))
                yield append, story, self.why_lost(append, read)
            elif latest is not None:
                yield append, None, None
            if latest is None or append.start_ms > latest.start_ms:
                latest = append


class _OriginJudge(FromNothingJudge, _AppendJudge):
    COUNTED = "{failed} of {compared:value} read in lists came from no append"
    HELD = "{all} {compared:value} read in lists came from an append"

    def compare(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Compared]:
        origins = {append.value: append for append in appends if append.outcome is not Outcome.REFUSED}
        for item in _items(read):
            if item in origins:
                yield origins[item], None, None
                continue
            why = describe_origin(read, [one for one in appends if one.value == item])
            held = f"{_describe_read(read)} and found {item!r} in it, though {why}; a list may hold only values that a "
            held += "client asked to append, and whose append was not refused"
            yield read, (held, *self._history(read)), None


def _items(read: OperationRecord) -> list[str]:
    return (read.value or "").split()


def _describe(append: OperationRecord) -> str:
    of = "" if append.partition is None else f", partition {append.partition}"
    called = f"client {append.client}'s append of {append.value!r} to {append.key} (append {append.operation}{of})"
    copies = "" if append.confirmed_copies is None else f" with {count(append.confirmed_copies, 'copy', 'copies')}"
    ended = f"was acknowledged{copies}" if append.outcome is Outcome.OK else "ended with an unknown outcome"
    return f"at {append.end_ms:,} ms {called} {ended}"


def _describe_read(read: OperationRecord) -> str:
    of = "" if read.partition is None else f" (partition {read.partition})"
    return f"at {read.end_ms:,} ms ({read.stage!r}) client {read.client} read list {read.key}{of}{through(read.member)}"


_NEEDS = frozenset({"operation append"})


DIGITS_MAX = 20


class _CounterJudge(AdditionJudge):
    """Compares every read of a counter at rest with the additions before it."""

    OPERATIONS = frozenset({OperationKind.ADD, OperationKind.READ})
    UNSEEN = "no counter was read at rest"
    adds = OperationKind.ADD
    with_refused = False
    whole: OperationRecord | None = None
    """The last read that showed all acknowledged additions."""

    def compare(self, additions: Sequence[OperationRecord], read: OperationRecord) -> None:
        """Compare one counter with its additions."""
        raise NotImplementedError

    def finish(self) -> None:
        for read, additions in self.in_turn():
            self.compare(additions, read)


class _AllCountJudge(_CounterJudge):
    COUNTED = "{failed} of {compared:read} of counters at rest missed acknowledged additions"
    HELD = "{all} {compared:read} of counters at rest showed every acknowledged addition"

    def compare(self, additions: Sequence[OperationRecord], read: OperationRecord) -> None:
        """Compare a counter with the additions that must have survived and, if there are others, with all additions."""
        acknowledged, conditions = [one for one in additions if one.outcome is Outcome.OK], self.comparisons.conditions
        reasons = [why_lost(conditions, one, read.end_ms, since_ms=self._since_ms(one)) for one in acknowledged]
        owed = [one for one, why in zip(acknowledged, reasons, strict=True) if why is None]
        why = next((why for why in reasons if why is not None), None)
        if why is not None:
            self._count(acknowledged, read, why)
        if owed:
            self._count(owed, read, None)
        if (sum_of(read) or 0) >= len(acknowledged):
            self.whole = read

    def _since_ms(self, addition: OperationRecord) -> float:
        """Return when an addition was last known to be there: when it began, or at a read that showed all of them."""
        whole = self.whole
        is_in = whole is not None and whole.key == addition.key and addition.end_ms < whole.start_ms
        return whole.start_ms if whole is not None and is_in else addition.start_ms

    def _count(self, owed: Sequence[OperationRecord], read: OperationRecord, why: tuple[str, str] | None) -> None:
        total = sum_of(read)
        is_short = total is None or total < len(owed)
        said = f"{_describe_total(read)}, though {count(len(owed), 'addition')} of 1 to it had been acknowledged; "
        story = (f"{said}each has to be counted", *self.rest.history(read.partition, read.end_ms)) if is_short else None
        start_ms = min(harmed_since_ms(self.comparisons.conditions, one, self._since_ms(one)) for one in owed)
        self.comparisons.add(read.partition, start_ms, read.end_ms, story, why)


class _NoneTwiceJudge(FromNothingJudge, _CounterJudge):
    COUNTED = "{failed} of {compared:read} of counters at rest showed more than was added"

    def compare(self, additions: Sequence[OperationRecord], read: OperationRecord) -> None:
        total = sum_of(read)
        is_more = total is None or total > len(additions)
        said = f"{_describe_total(read)}, though clients had asked for only {count(len(additions), 'addition')} of 1; "
        story = (f"{said}each may count once", *self.rest.history(read.partition, read.end_ms)) if is_more else None
        start_ms = min([read.start_ms, *(one.start_ms for one in additions[:1])])
        self.comparisons.add(read.partition, start_ms, read.end_ms, story)


def _describe_total(read: OperationRecord) -> str:
    of = f"client {read.client} read counter {read.key!r} (partition {read.partition}){through(read.member)}"
    return f"at {read.end_ms:,} ms ({read.stage!r}) {of} and found {read.value}"


def sum_of(read: OperationRecord) -> int | None:
    """Return the number that a read of a counter returned; None if it is no number, or longer than any sum can be."""
    text = read.value or "0"
    return int(text) if len(text) <= DIGITS_MAX and text.removeprefix("-").isdecimal() else None


_OF_COUNTERS = frozenset({"operation add"})


PROPERTIES: tuple[Property, ...] = (
    Property(
        "acknowledged-append-kept",
        "At the end a list holds every acknowledged append.",
        "seed: Replication Algorithm for AP Data Structures; calls.18, repair.13",
        Severity.DATA_LOSS,
        _KeptJudge,
        _NEEDS,
        KEPT_LIMITS,
    ),
    Property(
        "append-executed-once",
        "No acknowledged append is in a list twice.",
        "strict.8",
        Severity.WRONG_ANSWER,
        _OnceJudge,
        _NEEDS,
        (*TWICE_LIMITS, TWICE_UNLESS_STRICT),
    ),
    Property(
        "exactly-once-when-strict",
        "Where indeterminate calls fail, a list holds each acknowledged append exactly once, and any other append at "
        "most once.",
        "seed: Throwing an IndeterminateOperationStateException; strict.8, strict.2; invariant I1",
        Severity.WRONG_ANSWER,
        _ExactlyJudge,
        _NEEDS,
        # An append that is lost with all its copies is in the list 0 times instead of once.
        (*TWICE_LIMITS, *KEPT_LIMITS),
    ),
    Property(
        "append-order-kept",
        "No acknowledged append stands behind one that began after it was acknowledged.",
        "backups.10, migration.9; invariant I4",
        Severity.WRONG_ANSWER,
        _OrderJudge,
        _NEEDS,
        ORDER_LIMITS,
    ),
    Property(
        "appended-by-somebody",
        "A list holds only values that a client asked to append, and whose append was not refused.",
        "calls.11",
        Severity.WRONG_ANSWER,
        _OriginJudge,
        _NEEDS,
    ),
    Property(
        "acknowledged-addition-kept",
        "At the end a counter is at least the number of its acknowledged additions.",
        "seed: Replication Algorithm for AP Data Structures; calls.18, repair.13",
        Severity.DATA_LOSS,
        _AllCountJudge,
        _OF_COUNTERS,
        KEPT_LIMITS,
    ),
    Property(
        "addition-executed-once",
        "A counter is never more than the number of additions that clients asked for.",
        "strict.8",
        Severity.WRONG_ANSWER,
        _NoneTwiceJudge,
        _OF_COUNTERS,
        (
            *TWICE_LIMITS,
            TWICE_UNLESS_STRICT,
            Limit(Cause.COPY_ENDED, "calls.30: operation transfer diverges"),
            Limit(
                Cause.ARRANGED_LATE | Cause.MESSAGE_LOST | Cause.UPDATE_SPOILT,
                "calls.30: what a sync after a gap has brought comes once more",
            ),
        ),
    ),
)
