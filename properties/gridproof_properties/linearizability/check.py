"""Checks whether a history is linearizable, in one call.

Linearizability is local: a history of many keys is linearizable if and only if the history of each key is (Herlihy and
Wing, 1990). All keys are searched with little effort first and with more effort later, so that a key with a short
refutation is found however hard the other keys are. If no order explains a history, the result says why in sentences.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar, assert_never

from gridproof_properties.judging.verdict import Result
from gridproof_properties.linearizability.history import Automaton, TimedOperation, compile_rounds
from gridproof_properties.linearizability.models import (
    Add,
    AppendText,
    CompareAndSet,
    Discard,
    EndMember,
    GetText,
    GiveBack,
    Held,
    Insert,
    IsTaken,
    IsThere,
    Known,
    Offer,
    Peek,
    Poll,
    PutIfAbsent,
    Read,
    ReadSet,
    Take,
    Taken,
    Write,
)
from gridproof_properties.linearizability.ranked import Contradiction, Ranked, contradict
from gridproof_properties.linearizability.search import Found, is_explained_by_returns, search
from gridproof_properties.linearizability.sequential import UNSEEN, SequentialModel
from gridproof_properties.linearizability.structures import History, NotModelled, Reading

Key = TypeVar("Key", bound=Hashable)
FIRST_EFFORT = 200
EFFORT_GROWTH = 10
DEFAULT_EFFORT = 2_000_000
"""The effort that one key may take by default: at most about 600 MB."""
KEYS_OF_FULL_EFFORT = 4
"""How many keys may each take all the effort that is allowed for a key; further hard keys are not decided."""


@dataclass(frozen=True, slots=True)
class Linearization:
    """The result of checking a history of several keys."""

    result: Result
    effort: int = 0
    """The number of configurations searched, over all keys."""
    key: Hashable = None
    """The key whose history no order explains, or the first key that could not be decided."""
    unexplained: TimedOperation | None = None
    """The operation whose result no order explains."""
    open_then: tuple[TimedOperation, ...] = ()
    """The operations that overlap the unexplained operation in time."""
    states: tuple[Hashable, ...] = ()
    """The states that the key may have had before that operation."""
    contradiction: Contradiction | None = None
    """The contradiction that refutes the key's history without a search."""
    decided: frozenset[Hashable] = frozenset()
    """The keys that could be decided."""
    undecided: Mapping[Hashable, str] = field(default_factory=dict)
    """For each key that was looked at and not decided, the reason."""


def check_linearizable(
    model: SequentialModel, histories: Mapping[Key, Sequence[TimedOperation]], effort_max: int = DEFAULT_EFFORT
) -> Linearization:
    """Judge the operations of each key; unknown if `effort_max` is too little for one key, or four times this for all
    keys."""
    return check_readings(
        ((key, History(model, tuple(operations))) for key, operations in histories.items()), effort_max
    )


def check_readings(readings: Iterable[tuple[Key, Reading]], effort_max: int = DEFAULT_EFFORT) -> Linearization:
    """Judge each key by how a checker reads its operations; stop at the first key that no order explains."""
    return _Check[Key](effort_max).run(readings)


@dataclass(slots=True)
class _Check(Generic[Key]):
    effort_max: int
    spent: int = 0
    decided: set[Key] = field(default_factory=set)
    undecided: dict[Key, str] = field(default_factory=dict)

    def run(self, readings: Iterable[tuple[Key, Reading]]) -> Linearization:
        """Decide the keys that need no search, and then the other keys with more and more effort."""
        allowed = min(FIRST_EFFORT, self.effort_max)
        hard: dict[Key, History] = {}
        for key, reading in readings:
            refuted = self._look_at(key, reading, allowed, hard)
            if refuted is not None:
                return refuted
        while hard and allowed < self.effort_max:
            allowed = min(allowed * EFFORT_GROWTH, self.effort_max)
            todo, hard = hard, {}
            for key, history in todo.items():
                if self.spent > KEYS_OF_FULL_EFFORT * self.effort_max:
                    hard[key] = history
                    continue
                refuted = self._search(key, history, allowed, hard)
                if refuted is not None:
                    return refuted
        for key in hard:
            self.undecided[key] = f"it takes more than {self.effort_max:,} steps to decide"
        result = Result.UNKNOWN if self.undecided else Result.HOLDS
        return self._conclude(Linearization(result, key=next(iter(self.undecided), None)))

    def _look_at(self, key: Key, reading: Reading, allowed: int, hard: dict[Key, History]) -> Linearization | None:
        match reading:
            case History():
                return self._search(key, reading, allowed, hard)
            case Ranked():
                contradiction = contradict(reading)
            case Contradiction():
                contradiction = reading
            case NotModelled(why):
                self.undecided[key] = why
                return None
            case _:
                assert_never(reading)
        self.decided.add(key)
        if contradiction is None:
            return None
        return self._conclude(Linearization(Result.BROKEN, key=key, contradiction=contradiction))

    def _search(self, key: Key, history: History, allowed: int, hard: dict[Key, History]) -> Linearization | None:
        if is_explained_by_returns(history.model, history.operations):
            self.decided.add(key)
            return None
        automaton, model = Automaton(history.model), history.model
        see_ahead = allowed > FIRST_EFFORT  # it costs more than the search of an easy history
        rounds = compile_rounds(automaton, model, history.operations, see_ahead=see_ahead)
        found = search(automaton, rounds, allowed)
        self.spent += found.effort
        if found.explained is None:
            hard[key] = history
            return None
        self.decided.add(key)
        return None if found.explained else self._refuted(key, history.operations, automaton, found)

    def _refuted(
        self, key: Key, operations: Sequence[TimedOperation], automaton: Automaton, found: Found
    ) -> Linearization:
        assert found.stuck_at is not None, "what is refuted got stuck somewhere"
        stuck = operations[found.stuck_at]
        assert stuck.end is not None, "only an operation that returned can get stuck"
        overlap = tuple(
            op
            for op in operations
            if op is not stuck and op.start <= stuck.end and (op.end is None or op.end >= stuck.start)
        )
        states = tuple(automaton.states[state] for state in found.stuck_states)
        return self._conclude(Linearization(Result.BROKEN, 0, key, stuck, overlap, states))

    def _conclude(self, found: Linearization) -> Linearization:
        decided: frozenset[Hashable] = frozenset(self.decided)
        undecided: dict[Hashable, str] = dict(self.undecided.items())
        return replace(found, effort=self.spent, decided=decided, undecided=undecided)


OPEN_SHOWN = 5
STATES_SHOWN = 5
TEXT_SHOWN = 60
"""How many characters of a long list are shown: its end, because a list changes at its end."""


def explain(found: Linearization) -> tuple[str, ...]:
    """Return the story of a history that no order explains."""
    if found.contradiction is not None:
        sentences = [describe(one) for one in found.contradiction.operations]
        return (*(f"on {found.key}: {one}" for one in sentences), f"no order explains this: {found.contradiction.why}")
    assert found.unexplained is not None, "what is broken got stuck at an operation"
    others = sorted(found.open_then, key=lambda op: op.start)[:OPEN_SHOWN]
    return (
        f"whatever the order, {found.key} could hold {_could_hold(found)} by then",
        *(f"at the same time: {describe(op)}" for op in others),
        f"no order explains: {describe(found.unexplained)}",
    )


def _could_hold(found: Linearization) -> str:
    states = [describe_state(state) for state in found.states[:STATES_SHOWN]]
    beyond = len(found.states) - len(states)
    return " or ".join([*states, *([f"{beyond:,} other things"] if beyond else [])]) or "nothing that fits"


def why_unexplained(found: Linearization) -> str:
    """Return in short which operation of a key no order explains, and why."""
    if found.contradiction is not None:
        return f"{', and '.join(map(describe, found.contradiction.operations))}, as {found.contradiction.why}"
    assert found.unexplained is not None, "what is broken got stuck at an operation"
    return f"{describe(found.unexplained)}: in any order {found.key} could hold only {_could_hold(found)} by then"


def describe(op: TimedOperation) -> str:
    """Return a noun phrase that names an operation and its time."""
    span = f"from {op.start:,} to {op.end:,} ms" if op.end is not None else f"from {op.start:,} ms, outcome unknown"
    return f"{_name(op)} ({span})"


def _name(op: TimedOperation) -> str:
    gave = "" if op.end is None or op.result is UNSEEN else f" that gave {_say(op.result)}"
    match op.operation:
        case Write(value=value):
            return f"a write of {_say(value)}" if value is not None else "a removal"
        case Read() | GetText():
            return f"a read that found {_say(op.result)}"
        case Add():
            return f"an addition{gave}"
        case PutIfAbsent(value=value):
            return (
                f"a write of {value} if absent, that found {_say(op.result)}"
                if op.end is not None
                else f"a write of {value} if absent"
            )
        case CompareAndSet(expected=expected, value=None):
            return f"a removal if it holds {expected}{gave}"
        case CompareAndSet(expected=expected, value=value):
            return f"a write of {value} if it holds {expected}{gave}"
        case IsThere():
            return f"a question whether it is there{gave}"
        case Insert(item=item):
            return f"an insertion of {item}{gave}"
        case Discard(item=item):
            return f"a discard of {item}{gave}"
        case ReadSet():
            return f"a read of {describe_state(op.result)}"
        case AppendText(text=text):
            return f"an append of {text.strip()}"
        case Offer(item=item):
            return f"an offer of {item}"
        case Poll():
            return f"a poll{gave}"
        case Peek():
            return f"a look at the first item{gave}"
        case Take(owner=owner):
            return f"an attempt of client {owner.client} to take the lock{gave}"
        case GiveBack(owner=owner):
            return f"client {owner.client} giving the lock back{gave}"
        case IsTaken():
            return f"a question whether it is locked{gave}"
        case EndMember(member=member):
            return f"the release of what clients of member {member} had locked"
        case _:
            return f"{op.operation}{gave}"


def describe_state(state: Hashable) -> str:
    """Return a state of a key in words."""
    match state:
        case Held(value=value):
            return _say(value)
        case Taken(owner=None):
            return "no owner"
        case Taken(owner=owner, times=times) if owner is not None:
            return f"client {owner.client} as its owner, {times} times"
        case frozenset():
            return _shorten(" ".join(sorted(map(str, state)))) or "no item"
        case Known(items=items) | tuple(items):
            return _shorten(" ".join(map(str, items))) or "no item"
        case _:
            return _shorten(str(state).strip()) or "nothing"


def _say(value: object) -> str:
    match value:
        case None:
            return "no entry"
        case True | False:
            return str(value).lower()
        case _:
            return _shorten(str(value))


def _shorten(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else f"… {text[-TEXT_SHOWN:]}"
