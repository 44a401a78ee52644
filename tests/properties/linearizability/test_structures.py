"""Every structure, held against all orders of a few operations."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridproof_model.trace import OperationKind
from gridproof_properties.judging.verdict import Result
from gridproof_properties.linearizability.check import Linearization, check_readings
from gridproof_properties.linearizability.structures import Asked, read_history

Kind = OperationKind
State = Hashable
Answer = Callable[[State, Asked], tuple[State, str | None]]
"""What a structure that one client uses alone holds after an operation, and what it answers."""


def entry(state: State, asked: Asked) -> tuple[State, str | None]:
    match asked.kind:
        case Kind.WRITE | Kind.REMOVE:
            return asked.value, asked.value
        case Kind.ADD:
            total = str(int(str(state if state is not None else 0)) + 1)
            return total, total
        case _:
            return state, None if state is None else str(state)


def cell(state: State, asked: Asked) -> tuple[State, str | None]:
    match asked.kind:
        case Kind.PUT_IF_ABSENT:
            return (asked.value if state is None else state), None if state is None else str(state)
        case Kind.COMPARE_AND_SET | Kind.COMPARE_AND_REMOVE:
            fits = state == asked.expected
            return (asked.value if fits else state), str(fits).lower()
        case Kind.CONTAINS:
            return state, str(state is not None).lower()
        case _:
            return entry(state, asked)


def members(state: State, asked: Asked) -> tuple[State, str | None]:
    held: frozenset[str | None] = state if isinstance(state, frozenset) else frozenset()
    match asked.kind:
        case Kind.INSERT:
            return held | {asked.value}, str(asked.value not in held).lower()
        case Kind.DISCARD:
            return held - {asked.value}, str(asked.value in held).lower()
        case _:
            return held, " ".join(sorted(map(str, held)))


def items(state: State, asked: Asked) -> tuple[State, str | None]:
    held = state if isinstance(state, tuple) else ()
    if asked.kind is Kind.APPEND:
        return (*held, asked.value), asked.value
    return held, " ".join(held)


def queue(state: State, asked: Asked) -> tuple[State, str | None]:
    held = state if isinstance(state, tuple) else ()
    match asked.kind:
        case Kind.OFFER:
            return (*held, asked.value), asked.value
        case Kind.POLL:
            return held[1:], held[0] if held else None
        case _:
            return held, held[0] if held else None


def lock(state: State, asked: Asked) -> tuple[State, str | None]:
    owner, times = state if isinstance(state, tuple) else (None, 0)
    match asked.kind:
        case Kind.LOCK if times == 0 or owner == asked.client:
            return (asked.client, times + 1), "true"
        case Kind.LOCK:
            return state, "false"
        case Kind.UNLOCK if times and owner == asked.client:
            return (owner, times - 1), str(times - 1)
        case Kind.UNLOCK:
            return state, "impossible"
        case _:
            return state, str(times > 0).lower()


STRUCTURES: dict[str, tuple[Answer, tuple[Kind, ...]]] = {
    "entry": (entry, (Kind.WRITE, Kind.WRITE, Kind.READ, Kind.READ, Kind.REMOVE)),
    "counter": (entry, (Kind.ADD, Kind.ADD, Kind.READ)),
    "entry that counts": (entry, (Kind.ADD, Kind.REMOVE, Kind.READ)),
    "cell": (
        cell,
        (Kind.PUT_IF_ABSENT, Kind.COMPARE_AND_SET, Kind.COMPARE_AND_REMOVE, Kind.CONTAINS, Kind.READ, Kind.WRITE),
    ),
    "set": (members, (Kind.INSERT, Kind.INSERT, Kind.DISCARD, Kind.READ)),
    "list": (items, (Kind.APPEND, Kind.APPEND, Kind.READ)),
    "queue": (queue, (Kind.OFFER, Kind.OFFER, Kind.POLL, Kind.POLL, Kind.READ)),
    "lock": (lock, (Kind.LOCK, Kind.LOCK, Kind.UNLOCK, Kind.READ)),
}
UPDATES = frozenset(Kind) - {Kind.READ, Kind.CONTAINS}
TAKES_A_VALUE = frozenset(
    {Kind.WRITE, Kind.APPEND, Kind.OFFER, Kind.PUT_IF_ABSENT, Kind.COMPARE_AND_SET, Kind.INSERT, Kind.DISCARD}
)
ANSWERS_APART = frozenset(
    {Kind.PUT_IF_ABSENT, Kind.COMPARE_AND_SET, Kind.COMPARE_AND_REMOVE, Kind.INSERT, Kind.DISCARD}
)
"""Kinds whose value says what was asked for."""
SILENT = frozenset({Kind.WRITE, Kind.REMOVE, Kind.APPEND, Kind.OFFER})
"""Kinds whose answer says nothing."""
TRUE_OR_FALSE = frozenset(
    {Kind.COMPARE_AND_SET, Kind.COMPARE_AND_REMOVE, Kind.CONTAINS, Kind.INSERT, Kind.DISCARD, Kind.LOCK}
)


def shown_by(asked: Asked) -> str | None:
    return asked.answer if asked.kind in ANSWERS_APART else asked.value


def showing(asked: Asked, answer: str | None) -> Asked:
    return replace(asked, answer=answer) if asked.kind in ANSWERS_APART else replace(asked, value=answer)


@st.composite
def histories(draw: st.DrawFn, structure: str, values: st.SearchStrategy[str] | None = None) -> list[Asked]:
    """Draw what a correct structure might have answered, and then change a little of it, or nothing."""
    answer, kinds = STRUCTURES[structure]
    few = st.sampled_from(["a", "b"]) if structure in ("cell", "set") else values
    state: State = None
    recorded: list[Asked] = []
    for point in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(kinds))
        value = (f"v{point}" if few is None else draw(few)) if kind in TAKES_A_VALUE else None
        span = 2 * point - draw(st.integers(0, 3)), 2 * point + draw(st.integers(0, 3))
        expected = draw(st.sampled_from(["a", "b"])) if structure == "cell" else None
        asked = Asked(kind, draw(st.integers(0, 1)), 0, value, *span, expected)
        left, shown = answer(state, asked)
        if kind is Kind.UNLOCK and shown == "impossible":
            continue
        if draw(st.integers(0, 5)) == 0 and kind in UPDATES:
            asked = replace(asked, end_ms=None)
            state = left if draw(st.booleans()) else state
        else:
            asked, state = showing(asked, shown), left
        recorded.append(asked)
    for _ in range(draw(st.integers(0, 2)) if recorded else 0):
        place = draw(st.integers(0, len(recorded) - 1))
        recorded[place] = draw(changes(recorded[place], recorded))
    return recorded


def changes(asked: Asked, recorded: Sequence[Asked]) -> st.SearchStrategy[Asked]:
    """Move an operation to another time, or give it an answer that another one gave."""
    moves = st.integers(-8, 8).map(lambda by: moved(asked, by))
    if asked.end_ms is None or asked.kind in SILENT:
        return moves
    is_lock = any(one.kind in (Kind.LOCK, Kind.UNLOCK) for one in recorded)
    others = {shown_by(one) for one in recorded if one.end_ms is not None and (one.kind is asked.kind or not is_lock)}
    others = (
        {"true", "false"} if asked.kind in TRUE_OR_FALSE else others - ({"true", "false"} if not is_lock else set())
    )
    may_be_none = asked.kind in (Kind.READ, Kind.POLL, Kind.PUT_IF_ABSENT)
    fitting = {value for value in others if value is not None or may_be_none} - {shown_by(asked)}
    if not fitting:
        return moves
    return st.sampled_from(sorted(fitting, key=str)).map(lambda value: showing(asked, value)) | moves


def moved(asked: Asked, by: int) -> Asked:
    return replace(asked, start_ms=asked.start_ms + by, end_ms=None if asked.end_ms is None else asked.end_ms + by)


def judged(*asked: Asked, endings: dict[int, int] | None = None, effort_max: int = 100_000) -> Linearization:
    kinds = frozenset(one.kind for one in asked)
    return check_readings([("it", read_history(asked, kinds, endings or {}))], effort_max)


def is_explained(answer: Answer, order: Sequence[Asked]) -> bool:
    state: State = None
    for place, asked in enumerate(order):
        if any(later.end_ms is not None and later.end_ms < asked.start_ms for later in order[place:]):
            return False
        try:
            state, shown = answer(state, asked)
        except ValueError:  # an addition to what is no number has no answer, and changes nothing
            shown = "impossible"
        if asked.end_ms is not None and asked.kind not in SILENT and shown != shown_by(asked):
            return False
    return True


def orders(history: Sequence[Asked]) -> Iterator[tuple[Asked, ...]]:
    """Every order of what returned and of some of the rest."""
    ended = [recorded for recorded in history if recorded.end_ms is not None]
    lost = [recorded for recorded in history if recorded.end_ms is None]
    for size in range(len(lost) + 1):
        for some in combinations(lost, size):
            yield from permutations([*ended, *some])


@pytest.mark.parametrize("structure", STRUCTURES)
@given(data=st.data())
def test_the_verdict_is_that_of_trying_every_order(structure: str, data: st.DataObject) -> None:
    history = data.draw(histories(structure), label="history")

    expected = any(is_explained(STRUCTURES[structure][0], order) for order in orders(history))

    assert judged(*history).result is (Result.HOLDS if expected else Result.BROKEN)


@pytest.mark.parametrize("structure", ["list", "queue"])
@given(data=st.data())
def test_equal_values_are_distinguished_by_searching(structure: str, data: st.DataObject) -> None:
    history = data.draw(histories(structure, st.sampled_from(["a", "b"])), label="history")

    expected = any(is_explained(STRUCTURES[structure][0], order) for order in orders(history))

    assert judged(*history).result is (Result.HOLDS if expected else Result.BROKEN)


def asked(kind: Kind, value: str | None, start: int, end: int | None, client: int = 0, member: int = 0) -> Asked:
    return Asked(kind, client, member, value, start, end)


def test_the_lock_of_a_member_that_ended_may_be_taken() -> None:
    history = (asked(Kind.LOCK, "true", 0, 1), asked(Kind.LOCK, "true", 20, 21, client=1, member=1))

    assert judged(*history).result is Result.BROKEN
    assert judged(*history, endings={0: 10}).result is Result.HOLDS
    assert judged(*history, endings={0: 30}).result is Result.BROKEN


def test_a_member_that_ended_releases_what_it_takes_late_as_well() -> None:
    late = asked(Kind.LOCK, None, 5, None)
    others = [asked(Kind.LOCK, "true", at, at + 1, client=1, member=1) for at in (20, 40)]
    gone = asked(Kind.UNLOCK, "0", 25, 26, client=1, member=1)
    seen = asked(Kind.LOCK, "false", 30, 31, client=2, member=1)

    assert judged(asked(Kind.LOCK, "true", 0, 1), late, others[0], gone, seen, others[1], endings={0: 10}).result is (
        Result.HOLDS
    )


def test_what_is_left_of_a_lock_must_fit() -> None:
    twice = (asked(Kind.LOCK, "true", 0, 1), asked(Kind.LOCK, "true", 2, 3))

    assert judged(*twice, asked(Kind.UNLOCK, "1", 4, 5)).result is Result.HOLDS
    assert judged(*twice, asked(Kind.UNLOCK, "0", 4, 5)).result is Result.BROKEN
    assert judged(*twice, asked(Kind.UNLOCK, "true", 4, 5)).result is Result.HOLDS


@pytest.mark.parametrize(
    ("history", "why"),
    [
        (
            (asked(Kind.LOCK, "true", 0, 1), asked(Kind.WRITE, "v", 2, 3)),
            "its operations are of several structures: lock, write",
        ),
        ((asked(Kind.LOCK, "perhaps", 0, 1),), "it gave an answer that no structure of its kind gives"),
        ((asked(Kind.ADD, "many", 0, 1),), "it gave an answer that no structure of its kind gives"),
        ((asked(Kind.INSERT, "v", 0, 1),), "it gave an answer that no structure of its kind gives"),
        ((asked(Kind.DESTROY, None, 0, None), asked(Kind.WRITE, "v", 0, 1)), "no model has the operation destroy"),
        ((asked(Kind.OFFER, None, 0, 1),), "it gave an answer that no structure of its kind gives"),
    ],
)
def test_what_no_model_is_for_is_unknown(history: tuple[Asked, ...], why: str) -> None:
    found = judged(*history)

    assert (found.result, found.undecided) == (Result.UNKNOWN, {"it": why})


def test_a_key_that_nobody_changes_holds_one_thing() -> None:
    assert judged(asked(Kind.READ, "false", 0, 1), asked(Kind.READ, "false", 2, 3)).result is Result.HOLDS
    assert judged(asked(Kind.READ, "false", 0, 1), asked(Kind.READ, None, 2, 3)).result is Result.BROKEN


def test_a_look_at_one_copy_is_not_judged() -> None:
    history = (asked(Kind.WRITE, "v", 0, 1), asked(Kind.READ_REPLICA, None, 2, 3), asked(Kind.READ, "v", 4, 5))

    assert judged(*history).result is Result.HOLDS


@pytest.mark.parametrize("structure", ["entry", "counter", "cell", "set", "list", "queue", "lock"])
def test_a_thousand_operations_side_by_side_take_little(structure: str) -> None:
    history = asked_by(structure, 1_000)

    assert judged(*history, effort_max=10_000).result is Result.HOLDS
    assert judged(*history, asked(Kind.READ, "nothing of the sort", 9_000, 9_001)).result is not Result.HOLDS


def asked_by(structure: str, operations: int) -> list[Asked]:
    """Return a good history of four clients that always have something under way, with some answers lost."""
    rng, (answer, kinds) = Random(structure), STRUCTURES[structure]
    state: State = None
    recorded: list[Asked] = []
    for number in range(operations):
        client, at = number % 4, 2 * number
        kind = rng.choice(kinds)
        if structure == "lock":
            held = isinstance(state, tuple) and state[1] > 0 and state[0] == client
            kind = Kind.UNLOCK if held else rng.choice((Kind.LOCK, Kind.READ))
        value = f"v{number % 7 if structure == 'set' else number}" if kind in TAKES_A_VALUE else None
        one = Asked(kind, client, 0, value, at - rng.randint(0, 3), at + rng.randint(0, 3), "v1")
        if kind in UPDATES and rng.random() < 0.02:
            recorded.append(replace(one, end_ms=None))
            state = answer(state, one)[0] if rng.random() < 0.5 else state
            continue
        state, shown = answer(state, one)
        recorded.append(showing(one, shown))
    return recorded
