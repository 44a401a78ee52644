"""Compares what two subjects answered to the same questions.

A question is what was asked, in which stage and by which client; the nth answer of one subject to it is compared with
the nth answer of the other subject. So it does not matter if one subject was asked the question more often, or was
asked other questions as well. The subjects have different names for members and processes: what a table says about the
members of a grid is not compared, and neither is what one member holds. Nothing is judged here: under faults an answer
depends on the moment, and two different answers may both be right.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from statistics import median

from gridproof_model import trace
from gridproof_model.events.harness import KeyRefused

_KIND = trace.OperationKind
BROUGHT_BACK = frozenset(
    {_KIND.READ, _KIND.READ_BACKUP, _KIND.CONTAINS, _KIND.SIZE, _KIND.ADD, _KIND.POLL, _KIND.LOCK, _KIND.ASK_SAFE}
)
"""Kinds of operations whose recorded value is the answer; for all other kinds, the value is what was asked for."""
OF_ONE_COPY = trace.OperationKind.READ_REPLICA
_Question = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one subject answered to one question."""

    number: int
    """The number of the question among all questions to this subject, counted from 0."""
    question: _Question
    words: str
    """The question in words."""
    answer: str
    """The answer in words."""
    brought: tuple[object, ...]
    """The answer in a form that can be compared: how the operation ended, and what it returned."""
    key: str | None = None
    """The key of an operation that succeeded; else None."""
    origin: object = None
    """Which write of which client wrote the value; None if this is not known, or no value was returned."""

    def is_like(self, other: "Answer") -> bool:
        """Return whether the two answers are the same.

        Values are numbered as they are written, so that one more write to one subject would change all its later
        values: therefore, if it is known for both values who wrote them, the writers are compared instead.
        """
        if self.origin is None or other.origin is None:
            return self.brought == other.brought
        return self.brought[0] == other.brought[0] and self.origin == other.origin


@dataclass(slots=True)
class AnswersCompared:
    """In how many answers two subjects agree, and in how many they differ."""

    alike: int = 0
    differently: int = 0
    by_the_moment: int = 0
    """Questions that succeeded on both, but returned different values of a key that several clients write: both answers
    may be right."""
    first: tuple[Answer, Answer] | None = None
    """The first question, in the order of the first subject, that was answered differently although both answers cannot
    be right."""
    of_one_only: tuple[int, int] = (0, 0)
    """The number of questions that only the first subject was asked, and of those that only the second was asked."""


@dataclass(slots=True)
class Answers:
    """Yields the answers of a run, and counts and times them as they pass."""

    records: Iterable[trace.Record]
    of_rows: bool
    """Whether rows name nodes that both subjects have; this is so for placement libraries."""
    outcomes: Counter[trace.Outcome] = field(default_factory=Counter)
    waits_ms: list[int] = field(default_factory=list)
    """How long each successful operation took."""
    ended_ms: int = 0
    routes: int = 0
    writers: dict[str, set[int]] = field(default_factory=dict)
    """For each key, the clients that wrote it."""
    _origins: dict[str, _Question] = field(default_factory=dict)
    """For each value, the write that wrote it."""
    _written: Counter[_Question] = field(default_factory=Counter)
    _names: dict[int, str] = field(default_factory=dict)
    _stage: str = ""
    _count: int = 0

    def __iter__(self) -> Iterator[Answer]:
        for record in self.records:
            self.ended_ms = max(self.ended_ms, getattr(record, "at_ms", 0), getattr(record, "end_ms", 0))
            if (found := self._answer(record)) is not None:
                self._count += 1
                yield found

    def measures(self) -> dict[str, int]:
        """Return the measured numbers, in the order of the table's columns."""
        waits_ms = self.waits_ms or [0]
        return {
            **{f"operations {outcome.value}": self.outcomes[outcome] for outcome in trace.Outcome},
            "median wait ms": int(median(waits_ms)),
            "longest wait ms": max(waits_ms),
            "keys routed": self.routes,
            "run ms": self.ended_ms,
        }

    def _answer(self, record: trace.Record) -> Answer | None:
        match record:
            case trace.OperationRecord() if record.kind is not OF_ONE_COPY:
                return self._of_operation(record)
            case trace.RouteRecord():
                self.routes += 1
                return self._of_key(record.key_type, record.key, f"partition {record.partition:,}")
            case trace.EventRecord(event=KeyRefused() as refused):
                return self._of_key(refused.key_type, refused.key, f"refused: {refused.reason}")
            case trace.MemberRecord():
                self._names[record.member] = record.name
            case trace.ViewRecord():
                self._stage = record.stage
            case trace.RowRecord() if self.of_rows:
                names = ", ".join("nobody" if one is None else self._names[one] for one in record.slots)
                asked = "row", self._stage, record.partition
                return Answer(self._count, asked, f"at '{self._stage}' key number {record.partition}", names, (names,))
            case _:
                pass
        return None

    def _of_key(self, key_type: str, key: str, answer: str) -> Answer:
        return Answer(self._count, ("key", key_type, key), f"the {key_type} {key!r}", answer, (answer,))

    def _of_operation(self, record: trace.OperationRecord) -> Answer:
        self.outcomes[record.outcome] += 1
        is_done = record.outcome is trace.Outcome.OK
        if is_done:
            self.waits_ms.append(record.end_ms - record.start_ms)
        asked = record.stage, record.client, record.kind, record.key, record.expected
        value = record.value if record.kind in BROUGHT_BACK else record.answer
        if record.kind not in BROUGHT_BACK and record.value is not None:
            self._origins[record.value] = (*asked, self._written[asked])
            self._written[asked] += 1
            self.writers.setdefault(record.key, set()).add(record.client)
        brought = value if is_done else None
        origin = None if brought is None else self._origins.get(brought)
        word = record.outcome.value if record.kind not in BROUGHT_BACK and value is None else _word(brought)
        why = f"{record.outcome.value}{': ' if record.reason else ''}{record.reason}"
        what = f"{record.kind} of {record.key!r} by client {record.client} at '{record.stage}', {record.start_ms} ms"
        key, said = record.key if is_done else None, (record.outcome, brought)
        return Answer(self._count, asked, what, word if is_done else why, said, key, origin)


_Pair = tuple[Answer, Answer]
_Waiting = dict[_Question, deque[Answer]]
"""The answers of one subject to questions that the other subject has not answered yet."""


def compare_answers(first: Answers, second: Answers) -> AnswersCompared:
    """Return how far the answers of two runs differ; memory grows with the number of keys, and with the number of
    answers that only one run has given so far."""
    found = AnswersCompared()
    waiting: tuple[_Waiting, _Waiting] = {}, {}
    differing: dict[str | None, tuple[int, _Pair]] = {}
    """For each key, if the operation succeeded on both: how many answers differ, and the first pair that differs."""
    for pair in _paired(first, second, waiting):
        if pair[0].is_like(pair[1]):
            found.alike += 1
            continue
        found.differently += 1
        key = pair[0].key if pair[0].key == pair[1].key else None
        count, before = differing.get(key, (0, pair))
        differing[key] = count + 1, min(before, pair, key=_place)
    contested = {key for one in (first, second) for key, clients in one.writers.items() if len(clients) > 1}
    found.by_the_moment = sum(count for key, (count, _) in differing.items() if key in contested)
    found.differently -= found.by_the_moment
    found.first = min((pair for key, (_, pair) in differing.items() if key not in contested), key=_place, default=None)
    found.of_one_only = sum(map(len, waiting[0].values())), sum(map(len, waiting[1].values()))
    return found


def _place(pair: _Pair) -> int:
    return pair[0].number


def _paired(first: Answers, second: Answers, waiting: tuple[_Waiting, _Waiting]) -> Iterator[_Pair]:
    """Yield the two answers to each question that both subjects were asked, as soon as both have answered."""
    for answers in zip_longest(first, second):
        for side, answer in enumerate(answers):
            if answer is None:
                continue
            if not (there := waiting[1 - side].get(answer.question, deque())):
                waiting[side].setdefault(answer.question, deque()).append(answer)
                continue
            counterpart = there.popleft()
            if not there:
                del waiting[1 - side][answer.question]
            yield (answer, counterpart) if side == 0 else (counterpart, answer)


def _word(value: str | None) -> str:
    return "nothing" if value is None else repr(value)
