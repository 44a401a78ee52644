"""The timeline of a run: the moments at which something happened, with a lane for each member.

A timeline has joins, crashes and departures, settled tables, faults, and what clients did between them: a space-time
diagram that can be read as a list. A timeline has no layout; pages draw it. Many events of one kind that follow each
other are shown as one moment.
"""

from collections import Counter, deque
from dataclasses import dataclass, field
from enum import StrEnum

from gridproof_model import trace
from gridproof_model.events.harness import Settled, Unsettled
from gridproof_model.events.trace_event import TraceEvent
from gridproof_properties.judging.words import count
from gridproof_reports.drawing.figure import listed
from gridproof_reports.reading.event_sentences import STEP, counted_as, describe_event, members_of, name_operations

MOMENTS_MAX = 160
LANES_MAX = 12
EVENTS_SHOWN_MAX = 4
COUNTED_MIN = 50
"""If there are fewer steps of the protocol than this, they get no line of their own."""
NAMED_MAX = 6
"""A sentence names at most this many members; more members are only counted."""


class Mark(StrEnum):
    """The mark that a lane shows at a moment."""

    JOINED = "joined"
    LEFT = "left"
    CRASHED = "crashed"
    MERGED = "merged"
    """The member ended in order to start anew in another cluster."""
    LOOKED = "looked"
    """The table of the member was read."""
    TOUCHED = "touched"
    """An event names the member."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a lane shows at a moment."""

    above: bool
    """Whether the member ran before the moment."""
    below: bool
    """Whether the member runs after the moment."""
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of the run, which is one row of the diagram."""

    at_ms: int
    words: str
    cells: tuple[Cell, ...]
    """One cell for each lane; empty if there are too many members to give each a lane."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The moments that are kept, and the members that have lanes."""

    members: tuple[trace.MemberRecord, ...]
    """For each member, by number, the record with which it first appeared."""
    lanes: tuple[int, ...]
    moments: tuple[Moment, ...]
    left_out: int
    """How many moments in the middle of the run are left out."""


@dataclass(slots=True)
class _Happening:
    at_ms: int
    words: str
    before: frozenset[int]
    after: frozenset[int]
    marks: dict[int, Mark] = field(default_factory=dict)


class TimelineReader:
    """Reads the records of a run one by one; keeps the first and the latest moments."""

    def __init__(self) -> None:
        self._members: dict[int, trace.MemberRecord] = {}
        self._alive: frozenset[int] = frozenset()
        self._first: list[_Happening] = []
        self._latest: deque[_Happening] = deque(maxlen=MOMENTS_MAX // 2)
        self._happened = 0
        self._looks: _Looks | None = None
        self._requests: dict[str, _Requests] = {}
        self._changes: list[trace.MemberRecord] = []
        self._events: _Events | None = None
        self._meanwhile = _Meanwhile()

    def observe(self, record: trace.Record) -> None:
        """Read the next record; all table reads in a stage become one moment, and so do all requests in a stage."""
        match record:
            case trace.MemberRecord():
                self._on_member(record)
            case trace.EventRecord():
                self._on_event(record)
            case trace.ViewRecord():
                if self._looks is None or self._looks.stage != record.stage:
                    rest = self._events.give_up(record.stage) if self._events is not None else ""
                    self._close()
                    self._looks = _Looks(record.stage, rest)
                self._looks.take(record)
            case trace.OperationRecord():
                if not self._requests:
                    self._close()
                self._requests.setdefault(record.stage, _Requests(record.stage, record.start_ms)).take(record)
            case trace.RunRecord():
                self._close()
                self._alive = frozenset()
            case _:
                pass

    def finish(self) -> Timeline:
        """Return the timeline; called once, after the last record."""
        self._close()
        if self._meanwhile.counts:
            self._happen(self._meanwhile.begin_ms, self._meanwhile.words, {})
        lanes = tuple(sorted(self._members)) if len(self._members) <= LANES_MAX else ()
        kept = [*self._first, *self._latest]
        moments = tuple(
            Moment(h.at_ms, h.words, tuple(Cell(m in h.before, m in h.after, h.marks.get(m)) for m in lanes))
            for h in kept
        )
        members = tuple(self._members[number] for number in sorted(self._members))
        return Timeline(members, lanes, moments, self._happened - len(kept))

    def _on_event(self, record: trace.EventRecord) -> None:
        counted = counted_as(record)
        if counted is not None:
            if self._looks is not None or self._changes or self._events is not None:
                self._close()
            self._meanwhile.take(record.at_ms, counted)
            return
        if self._events is None or self._events.kind is not record.kind:
            self._close()
            self._events = _Events(record.kind)
        self._events.take(record)

    def _on_member(self, record: trace.MemberRecord) -> None:
        self._members.setdefault(record.member, record)
        if not self._changes or self._changes[-1].change is not record.change:
            self._close()
        self._changes.append(record)

    def _close(self) -> None:
        looks, requests, changes, events = self._looks, self._requests, self._changes, self._events
        meanwhile = self._meanwhile
        if meanwhile.is_worth_a_line:
            self._meanwhile = _Meanwhile()
        self._looks, self._requests, self._changes, self._events = None, {}, [], None
        if events is not None:
            for event, words in events.shown():
                self._happen(event.at_ms, words, dict.fromkeys(members_of(event), Mark.TOUCHED))
        passed = [(one.begin_ms, one.words) for one in requests.values()]
        passed += [(meanwhile.begin_ms, meanwhile.words)] if meanwhile.is_worth_a_line else []
        for at_ms, words in sorted(passed, key=lambda one: one[0]):
            self._happen(at_ms, words, {})
        if looks is not None:
            self._happen(looks.at_ms, looks.words, dict.fromkeys(looks.observers, Mark.LOOKED))
        if len(changes) > LANES_MAX:
            words = f"{len(changes):,} members {changes[0].change.value}: {changes[0].member} to {changes[-1].member}"
            self._happen(changes[-1].at_ms, words, {}, *changes)
            return
        for change in changes:
            self._happen(change.at_ms, _change_words(change), {change.member: Mark(change.change.value)}, change)

    def _happen(self, at_ms: int, words: str, marks: dict[int, Mark], *changes: trace.MemberRecord) -> None:
        after = self._alive
        for record in changes:
            gone = record.change is not trace.MemberChange.JOINED
            after = after - {record.member} if gone else after | {record.member}
        happening = _Happening(at_ms, words, self._alive, after, marks)
        self._alive = after
        self._happened += 1
        if len(self._first) < MOMENTS_MAX // 2:
            self._first.append(happening)
        else:
            self._latest.append(happening)


class _Events:
    """Consecutive events of one type: the first few of them, and how many more there were."""

    def __init__(self, kind: type[TraceEvent]) -> None:
        self.kind = kind
        self._first: list[trace.EventRecord] = []
        self._more = 0

    def take(self, record: trace.EventRecord) -> None:
        if len(self._first) < EVENTS_SHOWN_MAX:
            self._first.append(record)
        else:
            self._more += 1

    def give_up(self, stage: str) -> str:
        """Return what the latest event says about a stage, and drop the event: the next table read shows the same."""
        shown = self._first[-1].event if self._first and not self._more else None
        match shown:
            case Settled() | Unsettled() if shown.stage == stage:
                self._first.pop()
                return shown.how if isinstance(shown, Settled) else f"not settled: {shown.awaited}"
            case _:
                return ""

    def shown(self) -> list[tuple[trace.EventRecord, str]]:
        shown = [(event, words) for event in self._first if (words := describe_event(event)) is not None]
        if self._more and shown:
            shown[-1] = (shown[-1][0], f"{shown[-1][1]}; and {self._more:,} more")
        return shown


class _Meanwhile:
    """Counts the events that are not listed one by one, until an event of another kind comes."""

    def __init__(self) -> None:
        self.begin_ms = 0
        self.counts: Counter[tuple[str, str]] = Counter()

    def take(self, at_ms: int, what: tuple[str, str]) -> None:
        if not self.counts:
            self.begin_ms = at_ms
        self.counts[what] += 1

    @property
    def is_worth_a_line(self) -> bool:
        """Return whether there are enough steps for a line; if not, they are counted with the steps that come next."""
        return self.counts.total() >= COUNTED_MIN or any(what != STEP for what in self.counts)

    @property
    def words(self) -> str:
        return "meanwhile: " + listed([count(number, *what) for what, number in self.counts.items()])


class _Looks:
    """All reads of tables in one stage."""

    def __init__(self, stage: str, rest: str) -> None:
        self.stage = stage
        self._rest = rest
        self.observers: dict[int, None] = {}
        self.at_ms = 0
        self._settled = False

    def take(self, record: trace.ViewRecord) -> None:
        if record.settled and not self._settled:
            self.observers, self._settled = {}, True
        if record.settled or not self._settled:
            self.observers[record.observer] = None
            self.at_ms = record.at_ms

    @property
    def words(self) -> str:
        state = self._rest or ("settled" if self._settled else "not settled")
        return f"{self.stage}: {state}; table read from {_members(list(self.observers))}"


class _Requests:
    """All requests of clients in one stage."""

    def __init__(self, stage: str, begin_ms: int) -> None:
        self.stage = stage
        self.begin_ms = begin_ms
        self._asked: Counter[trace.OperationKind] = Counter()
        self._failed: Counter[tuple[trace.OperationKind, trace.Outcome]] = Counter()

    def take(self, record: trace.OperationRecord) -> None:
        self.begin_ms = min(self.begin_ms, record.start_ms)
        self._asked[record.kind] += 1
        if record.outcome is not trace.Outcome.OK:
            self._failed[record.kind, record.outcome] += 1

    @property
    def words(self) -> str:
        return f"{self.stage}: clients asked for " + listed([self._phrase(kind, n) for kind, n in self._asked.items()])

    def _phrase(self, kind: trace.OperationKind, number: int) -> str:
        failed = [f"{n:,} {outcome.value}" for (k, outcome), n in self._failed.items() if k is kind]
        return f"{number:,} {name_operations(kind, number)} ({listed(failed) if failed else 'all answered'})"


def _change_words(record: trace.MemberRecord) -> str:
    went = (
        "ended to start anew in another cluster" if record.change is trace.MemberChange.MERGED else record.change.value
    )
    words = f"{'lite member' if record.lite else 'member'} {record.member} {went}"
    has_group = record.change is trace.MemberChange.JOINED and record.group and record.group != record.name
    return f"{words}, in group {record.group}" if has_group else words


def _members(numbers: list[int]) -> str:
    if len(numbers) > NAMED_MAX:
        return f"{len(numbers)} members"
    return ("member " if len(numbers) == 1 else "members ") + listed([str(number) for number in sorted(numbers)])
