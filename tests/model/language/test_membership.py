"""Whether a value belongs to a domain, looked at whole or only where it is new."""

from hypothesis import given
from hypothesis import strategies as st

from gridproof_model.language import (
    Array,
    Bool,
    BoolExpr,
    Int,
    IntExpr,
    Option,
    OptionExpr,
    Record,
    RecordExpr,
    Sequence,
    SequenceExpr,
    Set,
    SetExpr,
)
from gridproof_model.language.expressions import IndexSet
from gridproof_model.language.values import Plain, contains, membership_of_changed, record_value

PLACES = IndexSet("place", 2)


class Pair(RecordExpr):
    """A number, and whether it is one."""

    number: IntExpr
    is_one: BoolExpr


class Cell(RecordExpr):
    """Something of every other sort."""

    lane: SequenceExpr[Pair]
    marks: SetExpr
    best: OptionExpr[IntExpr]


PAIR = Record(Pair, number=Int(0, 2), is_one=Bool())
CELL = Record(Cell, lane=Sequence(PAIR, 2), marks=Set(PLACES), best=Option(Int(0, 1)))
DOMAIN = Array(PLACES, CELL)


def pairs(highest: int) -> st.SearchStrategy[Plain]:
    return st.builds(lambda *values: record_value(PAIR, values), st.integers(0, highest), st.booleans())


def cells(*, highest: int, longest: int, width: int) -> st.SearchStrategy[Plain]:
    return st.builds(
        lambda *values: record_value(CELL, values),
        st.lists(pairs(highest), max_size=longest).map(tuple),
        st.lists(st.booleans(), min_size=2, max_size=width).map(tuple),
        st.none() | st.integers(0, highest),
    )


SOUND = cells(highest=1, longest=2, width=2)
ANY_CELL = cells(highest=4, longest=3, width=3)


@given(st.tuples(SOUND, SOUND), st.data())
def test_what_is_looked_at_where_it_is_new_is_judged_as_a_whole_value_is(before: Plain, data: st.DataObject) -> None:
    shared = st.sampled_from(before)
    after = data.draw(st.lists(shared | ANY_CELL, min_size=1, max_size=3).map(tuple))

    assert membership_of_changed(DOMAIN)(before, after) == contains(DOMAIN, after)


@given(st.lists(pairs(1), max_size=2).map(tuple), st.lists(pairs(4), max_size=2).map(tuple))
def test_what_is_appended_to_a_sequence_is_looked_at(before: Plain, appended: Plain) -> None:
    lane = Sequence(PAIR, 2)

    assert membership_of_changed(lane)(before, before + appended) == contains(lane, before + appended)
