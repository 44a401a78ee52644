"""What the ledger says where states cannot be counted: refuted, proved and unknown are three words."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from gridproof_model.language import (
    ANY_NUMBER,
    Array,
    BoolExpr,
    Domain,
    Int,
    LeadsTo,
    Option,
    Sequence,
    Specification,
    Step,
    array_of,
    for_all,
    if_else,
    leads_to,
)
from gridproof_properties.claims import ledger
from gridproof_properties.claims.known import argument_of
from gridproof_properties.claims.ledger import DEFINED, GOES_ON, Evidence
from gridproof_properties.claims.ledger_row import LedgerRow, Standing, Status
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.prove import prove

Says = Callable[[Any], BoolExpr | LeadsTo]


def row_of(
    domain: Domain[Any], becomes: Callable[[Any], Any], kind: str, says: Says, *, start: Any = 0, when: Any = None
) -> LedgerRow:
    """Return the row of one claim about a variable with one step."""
    specification = Specification("unbounded", "It has no end.", source="drawn")
    value = specification.variable("value", domain, "A value.", initial=start)

    @specification.action(source="drawn")
    def moves() -> Step:
        """It goes on."""
        return Step(when=[] if when is None else [when(value)], then=[value.becomes(becomes(value))])

    def claim() -> BoolExpr | LeadsTo:
        """It is so."""
        return says(value)

    getattr(specification, kind)(source="drawn")(claim)
    rows = {row.claim: row for row in Evidence.gather(argument_of(specification)).rows()}
    return rows["claim" if kind in ("always", "sometimes", "eventually") else kind]


UP, DOWN = (lambda x: x + 1), (lambda x: x - 1)
CLAIMS: list[tuple[Domain[Any], Callable[[Any], Any], str, Says, Status, str]] = [
    (Int(0), UP, "always", lambda x: x < 0, Status.BROKEN, "broken at the start"),
    (Int(0), UP, "always", lambda x: x < 5, Status.BROKEN, "broken 5 steps from the start"),
    (Int(0), UP, "always", lambda x: x >= 0, Status.PROVED, "by induction"),
    (Int(None, 0), DOWN, "always", lambda x: x <= 0, Status.PROVED, "by induction"),
    (Int(None, 0), DOWN, "always", lambda x: x > -3, Status.BROKEN, "broken 3 steps from the start"),
    (Int(), UP, "always", lambda x: x * x * x != 27, Status.BROKEN, "broken 3 steps from the start"),
    (Int(0), UP, "sometimes", lambda x: x == 3, Status.SEEN, "seen 3 steps from the start"),
    (Int(0), UP, "sometimes", lambda x: x >= 0, Status.SEEN, "seen at the start"),
    (Int(0), UP, "sometimes", lambda x: x < 0, Status.BROKEN, "in no state, by induction,"),
    (Int(), lambda x: x + 2, "sometimes", lambda x: x % 2 == 1, Status.BROKEN, "in no state, by induction,"),
    (Int(0), UP, "eventually", lambda x: x == 3, Status.BROKEN, "broken: it may stay for ever as it is at the start"),
    (Int(0), UP, "eventually", lambda x: leads_to(x >= 2, x >= 1), Status.PROVED, "it holds wherever it is waited for"),
    (Int(0), UP, "eventually", lambda x: leads_to(x < 0, x >= 1), Status.OPEN, "no world that it speaks of"),
    (Int(0), UP, "always", lambda x: 6 // (3 - x) > 0, Status.OPEN, "no world that it speaks of"),
]


@pytest.mark.parametrize(("domain", "becomes", "kind", "says", "status", "detail"), CLAIMS)
def test_the_status_of_a_claim_about_a_number_without_bounds(
    domain: Domain[Any], becomes: Callable[[Any], Any], kind: str, says: Says, status: Status, detail: str
) -> None:
    row = row_of(domain, becomes, kind, says)

    assert row.status is status
    assert row.detail.startswith(detail)


def test_what_is_refuted_shows_the_behaviour() -> None:
    row = row_of(Int(0), UP, "always", lambda x: x < 2)

    assert row.counterexample == (
        "  0  start", "       value = 0", "  1  moves()", "       value: 0 → 1", "  2  moves()", "       value: 1 → 2",
    )  # fmt: skip
    assert row.worlds == (("the default constants", Standing.BROKEN),)


def test_options_and_sequences_without_bounds_are_known_by_their_domains() -> None:
    option = row_of(
        Option(Int(0)), lambda x: if_else(x.is_none, 0, x), "always", lambda x: x.is_none | (x.value >= 0), start=None
    )
    lane = row_of(Sequence(Int(0), 2), lambda x: x.append(3), "always", lambda x: x.length < 2, start=())

    assert (option.status, lane.status) == (Status.PROVED, Status.BROKEN)


def test_an_array_without_bounds_is_refuted_near_the_start() -> None:
    specification = Specification("unbounded", "It has no end.", source="drawn")
    members = specification.index("member", 2)
    values = specification.variable("values", Array(members, Int(0)), "Values.")

    @specification.action(source="drawn")
    def moves() -> Step:
        """All go on."""
        return Step(when=[], then=[values.becomes(array_of(members, lambda member: values[member] + 1))])

    @specification.always(source="drawn")
    def stay_small() -> BoolExpr:
        """They stay small."""
        return for_all(members, lambda member: values[member] < 3)

    row = Evidence.gather(argument_of(specification)).rows()[0]

    assert (row.status, row.detail) == (Status.BROKEN, "broken 3 steps from the start for the default constants")


@pytest.mark.parametrize(
    ("kind", "domain", "when", "detail"),
    [
        (DEFINED, Int(None, 3), None, "a step is undefined: moves(): value would be 4, outside its domain, 3 steps"),
        (GOES_ON, Int(0), lambda x: x < 2, "nothing can happen any more 2 steps from the start"),
    ],
)
def test_undefined_steps_and_deadlocks_are_refuted_near_the_start(
    kind: str, domain: Domain[Any], when: Any, detail: str
) -> None:
    specification = Specification("unbounded", "It has no end.", source="drawn")
    value = specification.variable("value", domain, "A value.", initial=0)

    @specification.action(source="drawn")
    def moves() -> Step:
        """It goes on."""
        return Step(when=[] if when is None else [when(value)], then=[value.becomes(value + 1)])

    row = next(row for row in Evidence.gather(argument_of(specification)).rows() if row.claim == kind)

    assert row.status is Status.BROKEN
    assert row.detail.startswith(detail)


def test_what_z3_gives_up_is_not_said_to_be_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "prove", partial(prove, effort=1))

    row = row_of(Int(), UP, "always", lambda x: x * x >= x)

    assert row.status is Status.OPEN
    assert "not decided for the default constants: Z3 gave up" in row.detail
    assert row.worlds == (("the default constants", Standing.UNKNOWN),)


def bounded_by_a_constant(most: int) -> Specification:
    """Return a counter up to a constant of at least one, which is said to stay below a number."""
    specification = Specification("limited", "It has an end.", source="drawn")
    limit = specification.constant("limit", 3, "How far it goes.", least=1)
    specification.requires(limit <= 4, "It is not far.")
    value = specification.variable("value", Int(0), "How far it has come.")

    @specification.action(source="drawn")
    def moves() -> Step:
        """It goes on."""
        return Step(when=[value < limit], then=[value.becomes(value + 1)])

    @specification.always(source="drawn")
    def stays_below() -> BoolExpr:
        """It stays below."""
        return value < most

    @specification.always(source="drawn")
    def has_a_limit() -> BoolExpr:
        """There is a limit."""
        return limit > 0

    return specification


def test_an_open_constant_is_one_that_a_world_may_have() -> None:
    rows = [
        Evidence.gather(
            Argument(bounded_by_a_constant(most), proved_in=({"limit": ANY_NUMBER},), explored_in=())
        ).rows()
        for most in (4, 5)
    ]

    assert (rows[0][0].status, rows[0][0].detail) == (Status.BROKEN, "broken 4 steps from the start for limit 4")
    assert rows[1][0].status is Status.PROVED
    assert {row[1].status for row in rows} == {Status.PROVED}
