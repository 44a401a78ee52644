"""Whoever lies about one verb at one moment is found."""

from collections.abc import Mapping

import pytest
from _pytest.mark.structures import ParameterSet

from gridproof_implementation.adapter import Options, ReadAnswer, WriteAnswer
from gridproof_model.membership import Member
from gridproof_model.trace import Outcome
from tests.properties.verbs_and_moments import Lie, Moment, Verb, WholeToy, check_status, machine_finds, toy

CELLS = [Lie(verb, moment) for verb in Verb for moment in Moment if moment is not Moment.CUT]


def by_day(cells: list[Lie], width: int = len(Moment) - 1) -> list[ParameterSet]:
    """Return cells as cases: each verb and each moment by day, all others by night; so many of them are of a verb."""
    return [
        pytest.param(cell, id=f"{cell.verb} {cell.moment}", marks=[] if n // width % width == n % width else night)
        for n, cell in enumerate(cells)
    ]


night = [pytest.mark.nightly]


def test_the_toy_that_does_not_lie_passes() -> None:
    assert check_status(toy()) == 0


@pytest.mark.parametrize("cell", by_day(CELLS))
def test_check_finds_a_lie_about_a_verb_at_a_moment(cell: Lie) -> None:
    assert check_status(toy(cell)) == 1


class RemovesNothing(WholeToy):
    """A removal that does nothing."""

    def remove(self, key: str) -> WriteAnswer:
        self.pass_time(1)
        return WriteAnswer(Outcome.OK)


class RemovedComeBack(WholeToy):
    """What was removed is there again five seconds later."""

    due: tuple[tuple[int, str, str], ...] = ()

    def remove(self, key: str) -> WriteAnswer:
        value = super().read(key).value
        if value is not None:
            self.due = (*self.due, (self.now_ms + 5_000, key, value))
        return super().remove(key)

    def pass_time(self, duration_ms: int) -> None:
        super().pass_time(duration_ms)
        late, self.due = (
            [one for one in self.due if one[0] <= self.now_ms],
            tuple(one for one in self.due if one[0] > self.now_ms),
        )
        for _, key, value in late:
            super().write(key, value)


class EmptyIsAbsent(WholeToy):
    """An empty value reads as none."""

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        answer = super().read(key, through=through)
        return ReadAnswer(answer.outcome, answer.value or None, answer.detail, answer.member)


class Expires(WholeToy):
    """Entries are gone thirty seconds after they were written."""

    def pass_time(self, duration_ms: int) -> None:
        super().pass_time(duration_ms)
        if duration_ms >= 30_000:
            for held in self.held.values():
                for content in held.values():
                    content.clear()


class ManyLosesAfterACrash(WholeToy):
    """A call of several entries loses the last one, once a member has crashed."""

    def write_many(self, entries: Mapping[str, str]) -> WriteAnswer:
        given = dict(entries)
        if self.crashed:
            given.popitem()
        return super().write_many(given)


class DropsTheSecond(WholeToy):
    """The second write of a key within five milliseconds is acknowledged and dropped."""

    def __init__(self, options: Options, lie: Lie | None = None) -> None:
        super().__init__(options, lie)
        self.written_ms: dict[str, int] = {}

    def write(self, key: str, value: str) -> WriteAnswer:
        before_ms, self.written_ms[key] = self.written_ms.get(key, -9), self.now_ms
        if self.now_ms - before_ms > 5:
            return super().write(key, value)
        self.pass_time(1)
        return WriteAnswer(Outcome.OK)


@pytest.mark.parametrize(
    "make", [RemovesNothing, RemovedComeBack, EmptyIsAbsent, Expires, ManyLosesAfterACrash, DropsTheSecond]
)
def test_check_finds_what_no_single_cell_is(make: type[WholeToy]) -> None:
    assert check_status(toy(make=make)) == 1


def test_a_machine_finds_nothing_in_the_toy_that_does_not_lie() -> None:
    assert not machine_finds(toy(), 30)


@pytest.mark.parametrize("cell", [pytest.param(one.values[0], id=one.id, marks=night) for one in by_day(CELLS)])
def test_a_machine_finds_a_lie_about_a_verb_at_a_moment(cell: Lie) -> None:
    assert machine_finds(toy(cell))
