"""An explanation is a search that found nothing."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from suite.blind import unseen as searching
from suite.blind.attack import Attack, Fate
from suite.blind.mutations import BlindMutant
from suite.blind.search import BlindSearch
from suite.blind.unseen import (
    RUNS,
    RUNS_OF_FAULTS,
    explained_mutants,
    is_explained,
    search_unseen,
    searches_written,
)
from suite.reach.measure import Reach
from suite.reach.survey import Survey

SURVEYED = Survey((), {}, {})


@cache
def explained_by_id() -> Mapping[str, BlindMutant]:
    return {one.id: one for one in explained_mutants()}


@pytest.fixture
def explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BlindMutant:
    """The first of them, with a list of searches of its own, and nothing measured."""
    monkeypatch.setattr(searching, "FILE", tmp_path / "searched.json")
    monkeypatch.setattr(searching, "measure", lambda *_, **__: Reach())
    monkeypatch.setattr(searching, "records_of_reference", lambda *_: {1: "", 5: ""})
    monkeypatch.setattr(BlindSearch, "seeds_reaching", lambda *_: (1, 5))
    (tmp_path / "searched.json").write_text("{}", encoding="utf-8")
    return next(iter(explained_by_id().values()))


def progress(what: str, number: int, total: int | None) -> None:
    """Show nothing."""


@pytest.mark.parametrize(
    ("attack", "is_one"),
    [
        (lambda mutant: Attack(mutant, Fate.SURVIVED), True),
        (lambda mutant: Attack(mutant, Fate.KILLED, killed_by="comes-to-rest", seed=5), False),
    ],
)
def test_a_reason_counts_once_a_search_found_nothing(
    explained: BlindMutant, monkeypatch: pytest.MonkeyPatch, attack: Callable[[BlindMutant], Attack], is_one: bool
) -> None:
    monkeypatch.setattr(BlindSearch, "attack", lambda _, mutant: attack(mutant))
    assert not is_explained(explained, searches_written())

    ((_, searched),) = search_unseen(SURVEYED, [explained], progress)

    assert searched.reached == 2
    assert is_explained(explained, searches_written()) is is_one


def test_who_names_faults_is_searched_in_fewer_runs_of_those() -> None:
    for name, one in searches_written().items():
        named = searching.faults_named(explained_by_id()[name])
        assert (one.faults, one.runs) == (named, RUNS_OF_FAULTS if named else RUNS)


def test_no_explanation_has_fallen() -> None:
    assert {name: one.found for name, one in searches_written().items() if one.found} == {}, "take it out of explained"
