"""A specification as a page and as TLA+."""

import pytest

from gridproof_model.language import (
    ANY,
    Action,
    Bool,
    BoolExpr,
    Claim,
    ClaimKind,
    Expr,
    IndexExpr,
    Int,
    IntExpr,
    Option,
    Sequence,
    Specification,
    SpecificationError,
    Step,
    count,
    exists,
    first,
    for_all,
)
from gridproof_model.language.notation import Notation
from gridproof_model.language.page import page
from gridproof_model.language.tla import configuration, files, module, witness_configurations
from gridproof_model.language.tla_notation import TlaNotation
from gridproof_model.specifications.replication import specification as replication
from gridproof_model.specifications.snapshot import specification as snapshot
from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit

drawn = Specification("drawn", "Drawn.", source="drawn")
members = drawn.index("member", 2)
slots = drawn.index("replica slot", 2, ordered=True)
flag = drawn.variable("flag", Bool(), "A flag.")
level = drawn.variable("level", Int(0, 3), "A level.")
owner = drawn.variable("owner", Option(members), "An owner.")
lane = drawn.variable("lane", Sequence(Int(0, 3), 2), "A lane.")

SENTENCES: list[tuple[Expr, str, str]] = [
    (flag & (level <= 2), "flag and level ≤ 2", "flag /\\ level <= 2"),
    ((flag | flag) & ~flag, "(flag or flag) and not flag", "(flag \\/ flag) /\\ ~(flag)"),
    (~(level == 2), "level ≠ 2", "level # 2"),
    (level - (level - 1), "level - (level - 1)", "level - (level - 1)"),
    (owner.is_some, "owner ≠ none", "~(owner = None)"),
    (lane.head, "head of lane", "lane[(0) + 1]"),
    (lane.append(level), "lane then level", "Append(lane, level)"),
    (
        for_all(members, lambda one: exists(members, lambda other: one == other)),
        "for all one in member: for some other in member: one = other",
        "\\A one \\in Member : \\E other \\in Member : one = other",
    ),
    (count(members, lambda member: owner == member), "number of member with owner = member", "Cardinality("),
    (
        first(slots, lambda slot: slot > slots[0]),
        "first slot in replica slot with",
        "FirstOf(ReplicaSlot, LAMBDA slot",
    ),
]


@pytest.mark.parametrize(("expression", "words", "formula"), SENTENCES)
def test_an_expression_reads_well_in_both(expression: Expr, words: str, formula: str) -> None:
    assert Notation().text(expression.node).startswith(words)
    assert TlaNotation().text(expression.node).startswith(formula)


def test_a_page_cites_every_action_and_claim() -> None:
    text = " ".join(page(two_phase_commit).split())

    parts: list[Action | Claim] = [*two_phase_commit.actions, *two_phase_commit.claims]
    assert [part.name for part in parts if f"{part.sentence} ({part.source})" not in text] == []


def test_a_page_says_where_it_may_stop() -> None:
    assert "May stop where\n--------------\n  true" in page(replication)


def test_a_module_updates_cells_and_keeps_the_rest() -> None:
    text = module(two_phase_commit)

    assert "  /\\ heard' = [heard EXCEPT ![manager] = TRUE]\n" in text
    assert "  /\\ UNCHANGED <<manager_state, coordinator_state, prepared_sent, commit_sent, abort_sent>>\n" in text


def test_a_configuration_names_constants_and_claims() -> None:
    lines = configuration(two_phase_commit, two_phase_commit.world(size=5)).splitlines()

    assert {"CONSTANT size = 5", "INVARIANT managers_agree", "PROPERTY a_commit_reaches_every_manager"} <= set(lines)


def test_an_inner_name_never_hides_an_outer_one() -> None:
    nested = Specification("nested", "Nested.", source="drawn")
    things = nested.index("thing", 2)

    @nested.definition(things)
    def alone(thing: IndexExpr) -> Expr:
        """It is the only one."""
        return for_all(things, lambda thing: exists(things, lambda thing_2: thing == thing_2))

    assert "\\A thing_2 \\in Thing : \\E thing_2_2 \\in Thing : thing_2 = thing_2_2" in module(nested)
    assert alone is not None


def test_names_that_tla_has_already_get_an_underscore() -> None:
    clashing = Specification("Sequences", "Clashes.", source="drawn")
    Len = clashing.constant("Len", 2, "How many.")  # noqa: N806
    things = clashing.index("init", Len)
    level = clashing.variable("vars", Int(0, 3), "A level.")

    @clashing.action(Int(0, 3), source="drawn")
    def Next(vars: IntExpr) -> Step:  # noqa: A002, N802
        """The level changes."""
        return Step(when=[vars != level], then=[level.becomes(vars)])

    text = module(clashing)

    assert " MODULE Sequences_ " in text
    assert "Init_ == 0 .. Len_ - 1" in text
    assert "VARIABLES vars_\nvars == <<vars_>>" in text
    assert "Next_(vars__) ==\n  /\\ vars__ # vars_\n" in text
    assert things is not None
    assert Next is not None


def test_what_tla_cannot_read_is_written_otherwise() -> None:
    odd = Specification("größe", "It ends (* or *) begins no comment.", source="drawn")
    level = odd.variable("WF_höhe", Int(0, 3), "A level.")

    @odd.action(source="(* drawn")
    def steigt() -> Step:
        """It rises *) at once."""
        return Step(when=[level < 3], then=[level.becomes(level + 1)])

    text = module(odd)

    assert " MODULE gru" in text
    assert "(* It ends ( * or * ) begins no comment. *)" in text
    assert "(* It rises * ) at once. (( * drawn) *)\n" in text
    assert "VARIABLES _WF_hu" in text
    assert all(line.isascii() for line in text.splitlines() if not line.startswith("(*"))
    assert steigt is not None


def test_a_module_without_a_variable_is_refused() -> None:
    empty = Specification("empty", "Nothing.", source="drawn")

    with pytest.raises(SpecificationError, match=r"empty: a module of TLA\+ needs a variable"):
        files(empty, empty.world())


def test_any_of_infinitely_many_values_is_no_start() -> None:
    endless = Specification("endless", "Endless.", source="drawn")
    endless.variable("level", Int(0), "A level.", initial=ANY)

    with pytest.raises(SpecificationError, match=r"test_printing\.py:\d+: level has infinitely many initial values"):
        module(endless)


def test_words_of_a_configuration_name_no_constant_and_no_claim() -> None:
    clashing = Specification("clashing", "Clashes.", source="drawn")
    most = clashing.constant("VIEW", 2, "How high.")
    level = clashing.variable("level", Int(0, 3), "A level.")

    @clashing.always(source="drawn")
    def INVARIANT() -> BoolExpr:  # noqa: N802
        """TLC read `INVARIANT INVARIANT` without a claim, and found no error."""
        return level <= most

    lines = configuration(clashing, clashing.world()).splitlines()

    assert INVARIANT.name == "INVARIANT"
    assert {"CONSTANT VIEW_ = 2", "INVARIANT INVARIANT_"} <= set(lines)


def test_a_module_stutters_where_it_may_stop() -> None:
    text = module(snapshot)

    assert "Stopped ==\n  /\\ TRUE = (is_over \\/ " in text
    assert "  \\/ Stopped\n" in text


def test_a_sometimes_claim_has_a_configuration_that_must_break() -> None:
    world = replication.world()
    some = [claim.name for claim in world.claims_of(ClaimKind.SOMETIMES)]

    written = witness_configurations(replication, world)

    assert list(written) == [f"never_{name}" for name in some]
    assert all(f"INVARIANT {name}\n" in text for name, text in written.items())
    assert f"never_{some[0]} == ~{some[0]}" in module(replication)


def test_a_name_without_a_letter_gets_one() -> None:
    nameless = Specification("nameless", "Nameless.", source="drawn")
    things = nameless.index("thing", 2)
    level = nameless.variable("level", Int(0, 3), "A level.")

    @nameless.definition()
    def all_of_all() -> Expr:
        """Nothing is said of either."""
        return for_all(things, lambda _: for_all(things, lambda _: level == level))

    assert "\\A any \\in Thing : \\A any_ \\in Thing : level = level" in module(nameless)
    assert all_of_all is not None


def test_a_guard_is_decided_as_a_whole() -> None:
    guarded = Specification("guarded", "Guarded.", source="drawn")
    place = guarded.variable("place", Int(-1, 3), "A place.")

    @guarded.definition()
    def is_out() -> BoolExpr:
        """It is nowhere, or at the end."""
        return (place == -1) | (place == 3)

    @guarded.action(source="drawn")
    def start() -> Step:
        """It goes to the beginning."""
        return Step(when=[is_out(), place < 3, place != 2], then=[place.becomes(0)])

    text = module(guarded)

    assert "start ==\n  /\\ TRUE = (is_out)\n  /\\ place < 3\n" in text
    assert start is not None


def test_a_definition_stands_before_a_start_that_uses_it() -> None:
    started = Specification("started", "Started.", source="drawn")
    size = started.constant("size", 3, "A size.")

    @started.definition()
    def half() -> IntExpr:
        """Somewhere in the middle."""
        return size - 1

    started.variable("place", Int(0, size), "A place.", initial=half())
    text = module(started)

    assert "half == size - 1\n" in text
    assert text.index("half ==") < text.index("Init ==\n  /\\ place = half\n")
