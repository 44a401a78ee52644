"""One order that explains what clients saw."""

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridproof_properties.judging.verdict import Result
from gridproof_properties.linearizability import SequentialModel, TimedOperation, check_linearizable
from gridproof_properties.linearizability.models import (
    Add,
    AppendText,
    CompareAndSet,
    GetText,
    Offer,
    Poll,
    Queue,
    Read,
    Register,
    SetText,
    Text,
    Write,
)
from gridproof_properties.linearizability.sequential import UNSEEN
from tests.properties.linearizability.counter import Counter, Total
from tests.properties.linearizability.mutex import Acquire, Mutex, Release


def op(operation: Hashable, result: Hashable, start: int, end: int | None) -> TimedOperation:
    return TimedOperation(operation, result, start, end)


def judged(model: SequentialModel, *operations: TimedOperation, effort_max: int = 10_000) -> Result:
    return check_linearizable(model, {"it": operations}, effort_max).result


def test_a_read_after_a_write_gives_it() -> None:
    assert judged(Register(), op(Write(1), None, 0, 1), op(Read(), 1, 2, 3)) is Result.HOLDS


def test_a_read_after_a_write_must_not_miss_it() -> None:
    assert judged(Register(), op(Write(1), None, 0, 1), op(Read(), None, 2, 3)) is Result.BROKEN


def test_a_read_beside_a_write_may_miss_it() -> None:
    assert judged(Register(), op(Write(1), None, 0, 5), op(Read(), None, 2, 3)) is Result.HOLDS


def test_times_that_touch_overlap() -> None:
    assert judged(Register(), op(Write(1), None, 0, 2), op(Read(), None, 2, 3)) is Result.HOLDS


def test_two_reads_must_not_see_two_writes_in_two_orders() -> None:
    writes = (op(Write(1), None, 0, 9), op(Write(2), None, 0, 9))
    reads = (op(Read(), 1, 1, 2), op(Read(), 2, 3, 4), op(Read(), 1, 5, 6))

    assert judged(Register(), *writes, *reads) is Result.BROKEN


def test_a_write_of_unknown_outcome_may_take_effect_late_or_never() -> None:
    lost = op(Write(1), None, 0, None)

    assert judged(Register(), lost, op(Read(), None, 5, 6), op(Read(), 1, 7, 8)) is Result.HOLDS
    assert judged(Register(), lost, op(Read(), 1, 5, 6), op(Read(), None, 7, 8)) is Result.BROKEN


def test_a_lost_write_takes_effect_once_only() -> None:
    history = (op(Write(1), None, 0, None), op(Write(2), None, 1, 2), op(Write(3), None, 5, 6))
    reads = (op(Read(), 1, 3, 4), op(Read(), 1, 7, 8))

    assert judged(Register(), *history, *reads) is Result.BROKEN


def test_a_lock_has_one_holder() -> None:
    assert judged(Mutex(), op(Acquire("a"), True, 0, 1), op(Acquire("b"), True, 2, 3)) is Result.BROKEN
    assert judged(Mutex(), op(Acquire("a"), True, 0, 1), op(Release("a"), True, 1, 2), op(Acquire("b"), True, 2, 3))


def test_a_queue_gives_each_item_once_and_in_order() -> None:
    offers = (op(Offer(1), None, 0, 1), op(Offer(2), None, 2, 3))

    assert judged(Queue(), *offers, op(Poll(), 1, 4, 5), op(Poll(), 2, 6, 7)) is Result.HOLDS
    assert judged(Queue(), *offers, op(Poll(), 2, 4, 5)) is Result.BROKEN
    assert judged(Queue(), *offers, op(Poll(), 1, 4, 5), op(Poll(), 1, 6, 7)) is Result.BROKEN


def test_the_witness_names_the_operation_and_what_could_have_been_there() -> None:
    write, stale = op(Write(1), None, 0, 1), op(Read(), None, 2, 3)

    found = check_linearizable(Register(), {"good": [write], "bad": [write, stale]})

    assert (found.key, found.unexplained) == ("bad", stale)
    assert [str(state) for state in found.states] == ["Held(value=1)"]


HARD = (*(op(Offer(item), None, 0, 50) for item in range(9)), op(Poll(), "another", 60, 61))
"""Refuted only by all orders of nine."""


def test_too_much_effort_is_unknown() -> None:
    assert judged(Queue(), *HARD, effort_max=1_000) is Result.UNKNOWN


def test_one_bad_key_is_found_however_hard_another_is() -> None:
    bad = [op(Offer(1), None, 0, 1), op(Poll(), 2, 2, 3)]

    assert check_linearizable(Queue(), {"hard": HARD, "bad": bad}, 10**9).key == "bad"


VALUES = st.integers(0, 1)
OPERATIONS: dict[SequentialModel, st.SearchStrategy[tuple[Hashable, Hashable]]] = {
    Register(): st.one_of(
        st.tuples(st.builds(Write, VALUES), st.none()),
        st.tuples(st.just(Read()), st.none() | VALUES),
        st.tuples(st.builds(CompareAndSet, VALUES, VALUES), st.booleans()),
    ),
    Counter(): st.one_of(
        st.tuples(st.builds(Add, st.integers(1, 2)), st.integers(1, 5)), st.tuples(st.just(Total()), st.integers(0, 5))
    ),
    Queue(): st.one_of(st.tuples(st.builds(Offer, VALUES), st.none()), st.tuples(st.just(Poll()), st.none() | VALUES)),
    Mutex(): st.tuples(
        st.builds(Acquire, st.sampled_from("ab")) | st.builds(Release, st.sampled_from("ab")), st.booleans()
    ),
    Text(): st.one_of(
        st.tuples(st.builds(AppendText, st.sampled_from("ab")), st.none()),
        st.tuples(st.builds(SetText, st.sampled_from("ab")), st.none()),
        st.tuples(st.just(GetText()), st.text("ab", max_size=3)),
    ),
}


@pytest.mark.parametrize("model", OPERATIONS, ids=lambda model: type(model).__name__)
@given(data=st.data())
def test_the_search_agrees_with_trying_every_order(model: SequentialModel, data: st.DataObject) -> None:
    spans = st.tuples(st.integers(0, 6), st.none() | st.integers(0, 6))
    history = [
        op(operation, result, start, None if length is None else start + length)
        for (operation, result), (start, length) in data.draw(
            st.lists(st.tuples(OPERATIONS[model], spans), max_size=6), label="history"
        )
    ]

    assert (judged(model, *history) is Result.HOLDS) == any(is_explained(model, order) for order in orders(history))


def orders(history: Sequence[TimedOperation]) -> Iterator[tuple[TimedOperation, ...]]:
    """Every order of what returned and of some of the rest."""
    ended = [recorded for recorded in history if recorded.end is not None]
    lost = [recorded for recorded in history if recorded.end is None]
    for size in range(len(lost) + 1):
        for some in combinations(lost, size):
            yield from permutations([*ended, *some])


def is_explained(model: SequentialModel, order: Sequence[TimedOperation]) -> bool:
    state: Hashable | None = model.initial
    for place, recorded in enumerate(order):
        if any(later.end is not None and later.end < recorded.start for later in order[place:]):
            return False
        state = model.step(state, recorded.operation, UNSEEN if recorded.end is None else recorded.result)
        if state is None:
            return False
    return True
