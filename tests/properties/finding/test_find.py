"""Lemmas found by the program: what they carry, and where they end."""

from enum import Enum
from pathlib import Path
from typing import cast

import pytest

from gridproof_model.language import (
    Bool,
    BoolExpr,
    ClaimKind,
    IndexExpr,
    Int,
    IntExpr,
    Option,
    Plain,
    Set,
    Specification,
    Step,
    count,
)
from gridproof_model.language.tree import Variable
from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.claims.ledger_row import world_in_words
from gridproof_properties.claims.named import find_named
from gridproof_properties.proofs.finding.find import End, Finder
from gridproof_properties.proofs.finding.lemmas import module_text
from gridproof_properties.proofs.prove import prove


def found(specification: Specification, *claims: str, **constants: Plain) -> Finder:
    always = [claim.name for claim in specification.claims if claim.kind is ClaimKind.ALWAYS]
    finder = Finder(specification, claims or always, constants)
    finder.run()
    return finder


@pytest.fixture(scope="module")
def agreement() -> Finder:
    return found(two_phase_commit, "managers_agree")


def test_agreement_is_carried_by_lemmas_that_nobody_wrote(agreement: Finder) -> None:
    assert [finding.end for finding in agreement.findings] == [End.PROVED]
    assert agreement.lemmas


def test_lemmas_found_with_three_managers_hold_with_five(agreement: Finder) -> None:
    proof = prove(agreement.argument, {"size": 5})

    assert {"managers_agree", *(lemma.name for lemma in agreement.lemmas)} <= set(proof.induction.inductive)


def test_no_lemma_can_be_done_without(agreement: Finder) -> None:
    for lemma in agreement.lemmas:
        argument = agreement.argument
        argument.lemmas.remove(lemma)
        assert not prove(argument, {"size": 3}).is_proved("managers_agree"), lemma.name


def test_what_is_written_is_proved_when_it_is_read_back(agreement: Finder, tmp_path: Path) -> None:
    path = tmp_path / "lemmas_of_agreement.py"
    path.write_text(module_text(agreement.argument, "Lemmas."), "utf-8")

    read = find_named(f"{path}:argument").arguments[0]

    assert [lemma.condition for lemma in read.lemmas] == [lemma.condition for lemma in agreement.lemmas]
    assert all(prove(read, constants).is_proved("managers_agree") for constants in read.proved_in)


STAYS = """
from gridproof_model.language import Array, Bool, BoolExpr, Set, Specification, Step, for_all

specification = Specification("stays", "Nothing happens but that it is seen.", source="made for this test")
on = specification.variable("on", Bool(), "Whether it is on.", initial=True)
argument = specification.variable("argument", Bool(), "Whether it was seen on.", initial=True)
count = specification.variable("count", Bool(), "Whether it was seen so.", initial=True)


@specification.action(source="made")
def see() -> Step:
    \"\"\"It is seen.\"\"\"
    return Step(when=[], then=[argument.becomes(on), count.becomes(argument)])


@specification.always(source="made")
def it_is_seen_on() -> BoolExpr:
    \"\"\"It was seen on.\"\"\"
    return count
"""


def test_names_of_the_specification_are_those_of_no_lemma_and_of_nothing_else(tmp_path: Path) -> None:
    path, written = tmp_path / "stays.py", tmp_path / "lemmas_of_stays.py"
    path.write_text(STAYS, "utf-8")
    finder = found(find_named(str(path)).specification)
    written.write_text(module_text(finder.argument, "Lemmas."), "utf-8")

    read = find_named(f"{written}:argument").arguments[0]

    assert {lemma.name for lemma in read.lemmas} == {"on_2", "argument_2"}
    assert prove(read, {}).is_proved("it_is_seen_on")


MOODS = """
from enum import Enum

from gridproof_model.language import Bool, BoolExpr, Specification, Step


class Mood(Enum):
    \"\"\"How fast it goes.\"\"\"

    SLOW = 1
    FAST = 2


specification = Specification("moods", "It goes on.", source="made for this test")
mood = specification.constant("mood", Mood.SLOW, "How fast it goes.")
goes = specification.variable("on", Bool(), "Whether it goes.", initial=True)
went = specification.variable("went", Bool(), "Whether it went.", initial=True)


@specification.action(source="made")
def stop() -> Step:
    \"\"\"It stops where it is slow.\"\"\"
    return Step(when=[mood == Mood.SLOW], then=[goes.becomes(False)])


@specification.action(source="made")
def go() -> Step:
    \"\"\"It goes.\"\"\"
    return Step(when=[], then=[went.becomes(goes)])


@specification.always(source="made")
def it_went() -> BoolExpr:
    \"\"\"It went.\"\"\"
    return went
"""


def test_a_constant_that_is_a_choice_is_written_by_its_name(tmp_path: Path) -> None:
    path, written = tmp_path / "moods.py", tmp_path / "lemmas_of_moods.py"
    path.write_text(MOODS, "utf-8")
    specification = find_named(str(path)).specification
    fast = cast(type[Enum], type(specification.constants[0].default))["FAST"]
    finder = found(specification, mood=fast)
    written.write_text(module_text(finder.argument, "Lemmas."), "utf-8")

    read = find_named(f"{written}:argument").arguments[0]

    assert finder.explored is not None
    assert finder.explored.world.title == "moods(mood=fast)"
    assert (read.proved_in, world_in_words(read.proved_in[0])) == (({"mood": fast},), "mood fast")
    assert prove(read, read.proved_in[0]).is_proved("it_went")


def evens(claimed: int) -> Specification:
    """Return a number that grows by two, and a claim that it is never another."""
    specification = Specification("evens", "A number grows by two.", source="made for this test")
    number = specification.variable("number", Int(0, 12), "The number.")
    unread = specification.variable("unread", Bool(), "What nothing reads.")

    @specification.action(source="made")
    def grow() -> Step:
        """It grows."""
        return Step(when=[number < 11], then=[number.becomes(number + 2), unread.becomes(True)])

    @specification.always(source="made")
    def it_is_another() -> BoolExpr:
        """It is never this one."""
        return number != claimed

    return specification


def test_a_claim_that_is_false_comes_with_its_story() -> None:
    finding = found(evens(6)).findings[0]

    assert finding.end is End.BROKEN
    assert finding.verdict is not None
    assert len(finding.verdict.witness) == 4


def test_a_claim_that_means_nothing_somewhere_is_broken_and_says_so() -> None:
    specification = Specification("box", "It is filled once.", source="made for this test")
    held = specification.variable("held", Option(Int(0, 3)), "What is in it.", initial=None)

    @specification.action(source="made")
    def fill() -> Step:
        """It is filled."""
        return Step(when=[held.is_none], then=[held.becomes(2)])

    @specification.always(source="made")
    def it_is_small() -> BoolExpr:
        """It means nothing of an empty one."""
        return held.value <= 2

    finding = found(specification).findings[0]

    assert finding.end is End.BROKEN
    assert finding.verdict is not None
    assert "undefined in some state" in finding.verdict.sentence


def test_a_claim_that_more_elements_break_is_broken_there_though_induction_shows_it_of_fewer() -> None:
    specification = Specification("voters", "Everybody may say yes.", source="made for this test")
    voters = specification.index("voter", specification.constant("size", 3, "How many there are.", least=1))
    said = specification.variable("said", Set(voters), "Who has said yes.")

    @specification.action(voters, source="made")
    def agree(voter: IndexExpr) -> Step:
        """Somebody says yes."""
        return Step(when=[~said[voter]], then=[said[voter].becomes(True)])

    @specification.always(source="made")
    def three_at_most() -> BoolExpr:
        """There are never four who do."""
        return count(voters, lambda voter: said[voter]) <= 3

    finding = found(specification).findings[0]

    assert finding.end is End.BROKEN
    assert finding.world is not None
    assert dict(finding.world.constants) == {"size": 4}
    assert finding.verdict is not None
    assert len(finding.verdict.witness) == 5


def test_where_words_are_missing_the_state_that_is_left_is_named() -> None:
    finding = found(evens(7)).findings[0]

    assert finding.end is End.NOT_FOUND
    assert finding.obstacle is not None
    assert finding.obstacle.is_blind
    assert [change.split(" → ")[1] for change in finding.obstacle.differs_in] == ["5"]


def test_a_claim_that_takes_too_many_questions_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridproof_properties.proofs.finding.selection.QUESTIONS_MAX", 1)

    finding = found(two_phase_commit, "managers_agree").findings[0]

    assert finding.end is End.NOT_FOUND
    assert finding.obstacle is not None
    assert "no answer within the effort" in finding.obstacle.lines()[0]


def test_a_predicate_that_a_person_adds_is_used() -> None:
    specification = evens(7)
    is_even = (IntExpr(Variable("number", Int(0, 12))) % 2 == 0).node
    finder = Finder(specification, ["it_is_another"], predicates=[is_even])

    finder.run()

    assert finder.findings[0].end is End.PROVED


def test_lemmas_of_one_claim_serve_the_next() -> None:
    finder = found(two_phase_commit)

    assert {finding.end for finding in finder.findings} == {End.PROVED}
    assert "decisions_are_announced" in finder.findings[0].lemmas
