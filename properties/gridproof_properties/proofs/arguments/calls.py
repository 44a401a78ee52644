"""Why a call that members carry out with different knowledge still has one answer, and says no more than is so.

What is under way only grows, and every attempt has a call id of its own: what was counted stays true.
"""

from gridproof_model.language import ANY_NUMBER, BoolExpr, Plain, all_of, exists, for_all
from gridproof_model.specifications.calls.state import (
    Kind,
    Phase,
    acknowledged,
    answered,
    answered_by,
    asked,
    call_ids,
    copies,
    counted,
    executed,
    is_sent,
    kept,
    kind,
    outcome,
    phase,
    present,
    received,
    sent,
    specification,
    target,
)
from gridproof_properties.proofs.argument import Argument

TWO_BACKUPS: dict[str, Plain] = {"members": 3, "backups": 2}
WORLDS: tuple[dict[str, Plain], ...] = (
    {},
    {"changes": 0, "endings": 0, "handlings": 3},
    {"backups": 0, "attempts": 1, "retries": 0, "changes": 2},
    {**TWO_BACKUPS, "changes": 0, "endings": 0},
)

ANY: dict[str, Plain] = dict.fromkeys(("changes", "endings", "handlings", "retries"), ANY_NUMBER)

argument = Argument(specification, proved_in=(ANY, {**TWO_BACKUPS, **ANY}), explored_in=WORLDS)


@argument.lemma
def a_call_that_waits_has_a_target() -> BoolExpr:
    """An attempt that is registered was sent to somebody."""
    is_there = (sent > 0) & asked.is_some & target[present()].is_some
    return (phase == Phase.WAITING).implies(is_there)


@argument.lemma
def what_was_not_sent_is_nowhere() -> BoolExpr:
    """Nobody has executed, answered or acknowledged an attempt that was not sent."""
    return for_all(
        call_ids,
        lambda number: (
            is_sent(number)
            | all_of(executed[number].is_empty(), answered[number].is_empty(), acknowledged[number].is_empty())
        ),
    )


@argument.lemma
def before_a_call_there_is_nothing_of_it() -> BoolExpr:
    """Before a call begins nothing was sent or counted, and nothing comes of it."""
    return (phase == Phase.IDLE).implies(
        all_of(sent == 0, kept.is_none, received == 0, counted.is_empty(), outcome.is_none, answered_by.is_none)
    )


@argument.lemma
def only_a_write_that_was_sent_is_executed() -> BoolExpr:
    """As long as nothing was sent, and for a read, nobody has executed anything or has a copy."""
    is_nowhere = copies.is_empty() & ~exists(call_ids, lambda number: executed[number].is_any())
    return ((sent == 0) | (kind == Kind.READ)).implies(is_nowhere)


@argument.lemma
def a_kept_response_has_come() -> BoolExpr:
    """A response that is kept was given by a target."""
    return kept.is_some.implies(answered[kept.value].is_any())
