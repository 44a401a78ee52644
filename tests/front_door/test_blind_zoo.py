"""`python -m suite blind`, as typed."""

from collections.abc import Callable

import pytest

from suite.blind import unseen
from suite.blind.attack import Attack, Fate, Traces
from suite.blind.mutations import BlindMutant
from suite.blind.search import BlindSearch
from suite.blind.unseen import Searched
from suite.commands import blind
from suite.reach.measure import Reach
from tests.front_door.command_line import CommandLine

Ending = Callable[[BlindMutant], Attack]


def killed(mutant: BlindMutant) -> Attack:
    return Attack(mutant, Fate.KILLED, 7, 2, 0.5, "comes-to-rest", "the grid does not come to rest", 3)


def survived(mutant: BlindMutant) -> Attack:
    return Attack(mutant, Fate.SURVIVED, 7, 90, 60.1, traces=Traces(8, 5, 4, 0))


def not_reached(mutant: BlindMutant) -> Attack:
    return Attack(mutant, Fate.NOT_REACHED)


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the searches end so, in turn; nothing is measured and no run played."""
    monkeypatch.setattr(blind, "measure", lambda *_, **__: Reach())
    monkeypatch.setattr(blind, "records_of_reference", lambda seeds, _: dict.fromkeys(seeds, "what it records"))

    def end(*endings: Ending) -> None:
        left = list(endings)
        monkeypatch.setattr(BlindSearch, "attack", lambda _, mutant: left.pop(0)(mutant))

    return end


def test_the_share_killed_and_by_what_is_reported(gridproof: CommandLine, ending: Callable[..., None]) -> None:
    ending(killed, killed, not_reached)

    shown = gridproof("suite", "blind", "--draw", 3)
    assert shown.status == 0
    assert "by comes-to-rest: the grid does not come to rest" in shown.out
    assert "3 drawn: 1 not reached, 0 equivalent; of 2 others 2 killed (100%, expected 80%)" in shown.out


def test_a_survivor_that_nobody_explains_fails_and_is_shown(
    gridproof: CommandLine, ending: Callable[..., None]
) -> None:
    ending(killed, killed, killed, killed, survived)

    shown = gridproof("suite", "blind", "--draw", 5, "anti_entropy")
    assert shown.status == 1
    assert "of 8 runs that come to it: 5 send other messages, 4 record something else, 0 answer clients" in shown.out
    assert "not explained" in shown.out


def test_an_explained_survivor_fails_nothing(
    gridproof: CommandLine, ending: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    ending(killed, killed, killed, killed, survived)
    first = gridproof("suite", "blind", "--draw", 5, "anti_entropy", "--json").json["mutants"][-1]
    searched = {first["id"]: Searched("", 2_000, 7, "2026-11-27")}
    key = (first["rule"], first["code"], first["change"])
    monkeypatch.setattr(blind, "UNSEEN", {key: "nobody looks there"})
    monkeypatch.setattr(unseen, "UNSEEN", {key: "nobody looks there"})
    monkeypatch.setattr(blind, "searches_written", lambda: searched)
    ending(killed, killed, killed, killed, survived)

    shown = gridproof("suite", "blind", "--draw", 5, "anti_entropy")
    assert shown.status == 0
    assert "explained: nobody looks there (7 of 2,000 runs that come to it" in shown.out


def test_too_few_killed_fails(gridproof: CommandLine, ending: Callable[..., None]) -> None:
    ending(killed, survived)

    assert gridproof("suite", "blind", "--draw", 2).status == 1


def test_what_the_reference_records_is_known_of_every_measured_run(
    gridproof: CommandLine, ending: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    searches: list[BlindSearch] = []
    ending()

    def attack(search: BlindSearch, mutant: BlindMutant) -> Attack:
        searches.append(search)
        return killed(mutant)

    monkeypatch.setattr(BlindSearch, "attack", attack)
    gridproof("suite", "blind", "--draw", 1, "--runs", 2, "--workers", 3)
    assert [sorted(one.recorded) for one in searches] == [[*range(10)]]


def test_a_survivor_is_tried_again_by_its_id(gridproof: CommandLine, ending: Callable[..., None]) -> None:
    ending(survived)
    (first,) = gridproof("suite", "blind", "--draw", 1, "--json").json["mutants"]
    ending(killed)

    (again,) = gridproof("suite", "blind", first["id"], "--json").json["mutants"]
    assert (again["id"], again["fate"]) == (first["id"], "killed")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--draw", 0), "--draw and --runs must be at least 1"),
        (("--budget", 0), "--budget must be more than 0 seconds"),
        (("nowhere",), "no blind mutant or module is called 'nowhere'"),
    ],
)
def test_a_wrong_use_is_one_line(gridproof: CommandLine, words: tuple[object, ...], said: str) -> None:
    done = gridproof("suite", "blind", *words)

    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1
