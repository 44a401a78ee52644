"""Lists of unique appends: nothing lost or twice.

Every read of a list at rest, while no append was under way, is held against the appends before it. Keeps what was
appended, and the reads at rest.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from gridproof_model.trace import OperationKind, OperationRecord, Outcome
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.survival import KEPT_LIMITS, ORDER_LIMITS, TWICE_LIMITS, TWICE_UNLESS_STRICT, why_lost
from gridproof_properties.judging.words import count
from gridproof_properties.simulated.additions import AdditionJudge, FromNothingJudge

Story = tuple[str, ...]
"""The story of one value, a sentence a step."""
Compared = tuple[OperationRecord, Story | None, tuple[str, str] | None]
"""An append, what is wrong with it, and why that need not be right."""


class _AppendJudge(AdditionJudge):
    """Holds every read of a list at rest against the appends before it."""

    OPERATIONS = frozenset({OperationKind.APPEND, OperationKind.READ})
    UNSEEN = "no list was read at rest"
    adds = OperationKind.APPEND
    with_refused = True

    def compare(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Compared]:
        """Yield every append that can be compared with what was read."""
        raise NotImplementedError

    def finish(self) -> None:
        for read, appends in self.in_turn():
            for append, story, why in self.compare(appends, read):
                self.comparisons.add(append.partition, append.start_ms, read.end_ms, story, why)

    def why_lost(self, append: OperationRecord, read: OperationRecord) -> tuple[str, str] | None:
        """Return why nothing need be left of an append."""
        return why_lost(self.comparisons.conditions, append, read.end_ms)


class _KeptJudge(_AppendJudge):
    COUNTED = "{failed} of {compared:acknowledged append} was missing when its list was read at rest"

    def compare(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Compared]:
        held = set(_items(read))
        for append in appends:
            if append.outcome is Outcome.OK:
                is_lost = append.value not in held
                story = (
                    (_describe(append), *self.comparisons.comings.between(append), _describe_read(read))
                    if is_lost
                    else None
                )
                yield append, story, self.why_lost(append, read)


class _OnceJudge(_AppendJudge):
    COUNTED = "{failed} of {compared:acknowledged append} stood twice in its list"

    def compare(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Compared]:
        copies = Counter(_items(read))
        for append in appends:
            if append.outcome is Outcome.OK:
                is_twice = copies[append.value or ""] > 1
                yield append, (_describe(append), _describe_read(read)) if is_twice else None, None


class _ExactlyJudge(_AppendJudge):
    COUNTED = "{failed} of {compared:append} stood in its list not exactly once"

    def compare(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Compared]:
        copies = Counter(_items(read))
        configured = self.comparisons.conditions.configured
        if configured is not None and not configured.strict:
            return
        for append in appends:
            times = copies[append.value or ""]
            if append.outcome is not Outcome.REFUSED:
                is_wrong = times > 1 or (append.outcome is Outcome.OK and times == 0)
                story = (_describe(append), f"it is there {count(times, 'time')}", _describe_read(read))
                why = self.why_lost(append, read) if times == 0 else None
                yield append, story if is_wrong else None, why


class _OrderJudge(_AppendJudge):
    COUNTED = "{failed} of {compared:acknowledged append} stood behind one that began later"

    def compare(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Compared]:
        """Look at the first place of each value only: a second one is the business of others."""
        known = {append.value: append for append in appends if append.outcome is Outcome.OK}
        latest: OperationRecord | None = None
        for item in dict.fromkeys(_items(read)):
            append = known.get(item)
            if append is None:
                continue
            if latest is not None and append.end_ms < latest.start_ms:
                yield append, (_describe(append), _describe(latest), _describe_read(read)), self.why_lost(append, read)
            elif latest is not None:
                yield append, None, None
            if latest is None or append.start_ms > latest.start_ms:
                latest = append


class _OriginJudge(FromNothingJudge, _AppendJudge):
    COUNTED = "{failed} of {compared:value} read in lists came from no append"

    def compare(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Compared]:
        origins = {append.value: append for append in appends if append.outcome is not Outcome.REFUSED}
        for item in _items(read):
            story = (f"nobody appended {item!r} to {read.key}", _describe_read(read))
            yield origins.get(item, read), None if item in origins else story, None


def _items(read: OperationRecord) -> list[str]:
    return (read.value or "").split()


def _describe(append: OperationRecord) -> str:
    asked = f"client {append.client} appended {append.value!r} to {append.key}"
    if append.outcome is not Outcome.OK:
        return f"{asked} and got no answer (append {append.operation})"
    copies = "" if append.confirmed_copies is None else f" with {count(append.confirmed_copies, 'copy', 'copies')}"
    return f"{asked}, acknowledged at {append.end_ms:,} ms{copies} (append {append.operation})"


def _describe_read(read: OperationRecord) -> str:
    held = read.value or "nothing"
    return f"read at {read.end_ms:,} ms ({read.stage!r}), {read.key} held {held}"


_NEEDS = frozenset({"operation append"})

PROPERTIES: tuple[Property, ...] = (
    Property(
        "acknowledged-append-kept",
        "In the end a list holds every acknowledged append.",
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
        "Where indeterminate calls fail, a list holds an acknowledged append once, and any other once at most.",
        "seed: Throwing an IndeterminateOperationStateException; strict.8, strict.2; invariant I1",
        Severity.WRONG_ANSWER,
        _ExactlyJudge,
        _NEEDS,
        # What is lost with its copies is there no time at all.
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
        "A list holds only what somebody asked to append, and was not refused.",
        "calls.11",
        Severity.WRONG_ANSWER,
        _OriginJudge,
        _NEEDS,
    ),
)
