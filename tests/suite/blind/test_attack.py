"""A drawn mutant meets judged runs."""

from math import inf

import pytest

from suite.blind import attack as attacks
from suite.blind.attack import (
    MET_NOWHERE,
    NOT_RETURNING,
    Fate,
    JudgedReference,
    Traces,
    attack,
    records_of_reference,
)
from suite.blind.mutations import BlindMutant
from suite.blind.search import every_mutant

ATTEMPTS = (
    "protocol.invocation.attempts.Attempts.__init__",
    "self._connections = connections -> _ = connections",
)
HEARTBEATS = (
    "protocol.membership.suspicion.Heartbeats._watch_clock",
    "abs(jump_us) > GREAT_JUMP_US -> abs(jump_us) >= GREAT_JUMP_US",
)
CALLS = ("protocol.invocation.part.InvocationPart.invoke", "self._invoke_one(call, then) -> None")
PARKED = ("protocol.operation.part.OperationPart.retry_parked", "while self._one_goes_on(partition):")

pytestmark = pytest.mark.xdist_group("attack")
"""One process lists the mutants, and judges the reference, once."""
BROKEN_TOO = JudgedReference(3, frozenset({"no-member-fails"}), frozenset())


def mutant(where: str, change: str) -> BlindMutant:
    return next(one for one in every_mutant() if one.where == where and one.change.startswith(change))


def test_a_member_that_fails_is_found_by_the_runs_judge() -> None:
    found = attack(mutant(*ATTEMPTS), [3], 400, budget_s=60)

    assert (found.fate, found.killed_by) == (Fate.KILLED, "no-member-fails")
    assert "has no attribute '_connections'" in found.sentence


@pytest.mark.nightly
def test_a_member_that_never_returns_is_found_by_the_clock() -> None:
    found = attack(mutant(*PARKED), [0, 1], 400, budget_s=60, patience_s=5)

    assert (found.fate, found.killed_by) == (Fate.KILLED, NOT_RETURNING)


def test_a_grid_in_which_nothing_happens_is_found_by_what_is_met_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    reference = JudgedReference(3, frozenset({"resources-return"}), frozenset({"acknowledged-write-kept"}))
    monkeypatch.setattr(attacks, "judged_reference", lambda *_: [reference])

    found = attack(mutant(*CALLS), [3], 400, budget_s=0)

    assert (found.fate, found.killed_by) == (Fate.KILLED, MET_NOWHERE)
    assert "compared nothing in 1 runs; the reference does in seed 3" in found.sentence


def test_what_the_reference_breaks_too_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacks, "judged_reference", lambda *_: [BROKEN_TOO])
    monkeypatch.setattr(attacks, "_compare", lambda *_: None)

    assert attack(mutant(*ATTEMPTS), [3], 400, budget_s=0).fate is Fate.SURVIVED


@pytest.mark.nightly
def test_a_run_with_records_of_its_own_is_judged_where_those_of_the_reference_are_known() -> None:
    found = attack(mutant(*ATTEMPTS), [3], None, inf, recorded=[records_of_reference([3], ())[3]])

    assert (found.fate, found.killed_by) == (Fate.KILLED, "no-member-fails")


@pytest.mark.nightly
def test_a_run_with_the_records_of_the_reference_is_not_judged_again() -> None:
    same = [records_of_reference([3], ())[3]]

    assert attack(mutant(*HEARTBEATS), [3], None, inf, recorded=same).traces == Traces(1, 0, 0, 0)


def test_a_run_with_other_records_is_judged() -> None:
    found = attack(mutant(*HEARTBEATS), [3], None, inf, recorded=["others"])

    assert (found.fate, found.runs) == (Fate.SURVIVED, 1)


@pytest.mark.nightly
def test_of_a_survivor_it_learns_what_it_changes() -> None:
    found = attack(mutant(*HEARTBEATS), [3], 400, budget_s=0)

    assert (found.fate, found.runs, found.traces) == (Fate.SURVIVED, 1, Traces(1, 0, 0, 0))
